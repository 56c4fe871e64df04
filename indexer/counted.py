"""Counted contents, added to many indexes as segments.

Lucene neither cuts nor hashes a term again: the Java classes in `compiled/segments` show it
contents as a segment, whose postings it writes as in a merge.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from boilersweep.indexer import compiled
from boilersweep.indexer.adders import BackgroundAdder
from boilersweep.indexer.contents import PageContents
from boilersweep.indexer.jvm import for_each
from boilersweep.indexer.lucene import IndexWriter, heap_bytes
from boilersweep.indexer.pieces import Numbers
from boilersweep.pages.columns import BoolArray

_MOST_TERMS = 2**24
# A term of a content takes eight bytes here, as many in Java, and again in a thread's segment.
_HEAP_BYTES_OF_A_TERM = 64


def segments_can_be_added() -> bool:
    """Whether the Java classes are there, and allowed; the JVM must run."""
    return compiled.allowed() and _batch_class() is not None


@cache
def _batch_class() -> Any:
    from jnius import JavaException, autoclass

    try:
        return autoclass("boilersweep.CountedBatch")
    except JavaException:
        return None


class CountedAdder(BackgroundAdder):
    """Adds counted contents to indexes; leaving its context waits, and raises what failed."""

    def __init__(self, writers: Sequence[IndexWriter], threads: int) -> None:
        super().__init__()
        self._writers = writers
        self._threads = threads
        self._class = _batch_class()
        self._most = min(_MOST_TERMS, heap_bytes() // _HEAP_BYTES_OF_A_TERM)
        self._names: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._docids: list[str] = []
        self._pages: list[PageContents] = []
        self._contents_of: list[list[int]] = [[] for _ in self._writers]
        self._contents = 0
        self._terms = 0

    def add(self, docid: str, page: PageContents, names: list[str]) -> None:
        """Add a page's contents, soon; raise IndexingError if an earlier one failed.

        Args:
            docid: The page's docid.
            page: The contents; each is added to the indexes of its rules.
            names: The terms by their numbers, see `TermCounter.names`.
        """
        if names is not self._names:
            if self._pages:
                self._submit()
            self._names = names
        self._docids.append(docid)
        self._pages.append(page)
        for content, rules in enumerate(page.rules, self._contents):
            for rule in rules:
                self._contents_of[rule].append(content)
        self._contents += len(page.rules)
        self._terms += len(page.terms)
        if self._terms >= self._most:
            self._submit()

    def _take_batch(self) -> Callable[[], None]:
        if not self._contents:
            return lambda: None
        batch = self._batch()
        parts = [
            (writer, _int32(contents))
            for writer, contents in zip(self._writers, self._contents_of, strict=True)
            if contents
        ]
        self._begin()
        return lambda: for_each(
            lambda part: part[0].add_counted(batch, part[1]), parts, self._threads
        )

    def _batch(self) -> Any:
        """Return a CountedBatch of all that waits."""
        numbers = np.concatenate([page.terms for page in self._pages])
        used: BoolArray = np.zeros(len(self._names), dtype=np.bool_)
        used[numbers] = True
        # Strings are sorted as their UTF-8 bytes are.
        order = sorted(np.flatnonzero(used).tolist(), key=self._names.__getitem__)
        places = np.empty(len(self._names), dtype=np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        sizes = [len(page.rules) for page in self._pages]
        starts = np.cumsum([0, *(len(page.terms) for page in self._pages[:-1])])
        ends = np.fromiter(chain.from_iterable(page.ends for page in self._pages), np.int64)
        docids = self._docids
        return self._class(
            *_strings([self._names[number] for number in order]),
            *_strings(docids),
            _int32(sorted(range(len(docids)), key=docids.__getitem__)),
            _int32(np.repeat(np.arange(len(sizes)), sizes)),
            _int32(list(chain.from_iterable(page.lengths for page in self._pages))),
            _int32(ends + np.repeat(starts, sizes)),
            _int32(places[numbers]),
            _int32(np.concatenate([page.frequencies for page in self._pages])),
        )


def _strings(strings: Sequence[str]) -> tuple[bytes, bytes]:
    """Return strings joined as UTF-8, and where each one ends."""
    encoded = [string.encode() for string in strings]
    return b"".join(encoded), _int32(np.cumsum([len(data) for data in encoded]))


def _int32(numbers: Sequence[int] | Numbers | Any) -> bytes:
    return np.asarray(numbers, dtype="<i4").tobytes()
