"""Adds documents to many indexes in other threads, while this one makes more."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from typing import Any, Self

import numpy as np

from boilersweep.indexer import compiled
from boilersweep.indexer.contents import Numbers, PageContents
from boilersweep.indexer.jvm import for_each
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter, heap_bytes
from boilersweep.pages.columns import BoolArray

_CHARACTERS_OF_A_WRITER = 2**18
_CHARACTERS_AT_LEAST = 2**20
_CHARACTERS_OF_A_DOCUMENT = 2**8  # beside its text: it takes Java up to 600 bytes
# Java takes two bytes for a character of a waiting document, and while one batch is added, as much
# waits in the next. With 32 bytes of heap for each, both together fill an eighth of the heap. The
# more documents a writer is given in a row, the more of its terms are in the processor's cache.
_HEAP_BYTES_OF_A_CHARACTER = 32


class BackgroundAdder(ABC):
    """Adds to indexes in the background; leaving its context waits, and raises what failed."""

    def __init__(self, at_once: int = 1, waiting: int = 0) -> None:
        """Start the threads.

        Args:
            at_once: The number of batches that are added at the same time.
            waiting: The number of batches that may wait for these while more is made.
        """
        self._background = ThreadPoolExecutor(at_once)
        self._ahead = at_once + waiting - 1
        self._running: deque[Future[None]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._background:
            if kind is None:
                self._submit()
                self._wait(0)

    @abstractmethod
    def _take_batch(self) -> Callable[[], None]:
        """Return a function that adds everything collected, and begin a new batch."""

    def _submit(self) -> None:
        """Begin to add the batch once enough earlier batches are added; raise what these raised."""
        import jnius

        self._wait(self._ahead)
        add = self._take_batch()

        def run() -> None:
            nonlocal add
            try:
                add()
            finally:
                # Freed after detaching, Java's objects would attach the thread again.
                del add
                jnius.detach()

        self._running.append(self._background.submit(run))

    def _wait(self, most: int) -> None:
        """Wait until at most so many batches are being added."""
        while len(self._running) > most:
            self._running.popleft().result()


class DocumentAdder(BackgroundAdder):
    """Adds Lucene documents to indexes; leaving its context waits, and raises what failed."""

    def __init__(
        self,
        writers: Sequence[IndexWriter],
        maker: DocumentMaker,
        threads: int,
        *,
        in_order: bool = True,
    ) -> None:
        """Prepare the first batch.

        Args:
            writers: The indexes' writers.
            maker: Makes the documents, and reuses them once they have been added.
            threads: The number of threads that add.
            in_order: Whether an index has its documents in the order of `add`. Otherwise all
                threads may add to one index, and none waits for the others.
        """
        from jnius import autoclass

        at_once = 1 if in_order else threads
        super().__init__(at_once, 0 if in_order else 1)
        self._writers = writers
        self._maker = maker
        self._threads = threads
        self._list = autoclass("java.util.ArrayList")
        self._begin()
        most = min(
            len(writers) * _CHARACTERS_OF_A_WRITER,
            heap_bytes() // _HEAP_BYTES_OF_A_CHARACTER,
        )
        self._most = max(_CHARACTERS_AT_LEAST, most) // at_once

    def _begin(self) -> None:
        self._lists = [self._list() for _ in self._writers]
        self._characters = 0

    def add(self, indexes: Sequence[int], document: Any, characters: int) -> None:
        """Add a document to some indexes, soon; raise IndexingError if an earlier one failed.

        Args:
            indexes: The places of the indexes among the writers.
            document: The Lucene document.
            characters: The length of its text.
        """
        for index in indexes:
            self._lists[index].add(document)
        self._characters += characters + _CHARACTERS_OF_A_DOCUMENT
        if self._characters >= self._most:
            self._submit()

    def _take_batch(self) -> Callable[[], None]:
        pairs = zip(self._writers, self._lists, strict=True)
        parts = [
            (writer, documents)
            for writer, documents in pairs
            if not documents.isEmpty()
        ]
        self._begin()
        taken = self._maker.taken()

        def add() -> None:
            try:
                for_each(lambda part: part[0].add(part[1]), parts, self._threads)
                self._maker.give_back(taken)
            finally:
                parts.clear()

        return add


_MOST_TERMS = 2**24
# A term of a content takes eight bytes here, as many in Java, and again in a thread's segment.
_HEAP_BYTES_OF_A_TERM = 64


def segments_can_be_added() -> bool:
    """Return whether the counter is compiled, and allowed."""
    return not why_not_added()


def why_not_added() -> str:
    """Return why no segments can be added, with what to do; "" if they can."""
    if not compiled.built:
        return "it was not built; install a C compiler and Python's headers, then boilersweep again"
    if not compiled.allowed():
        return "BOILERSWEEP_PURE=1 forbids it; unset it"
    return ""


class CountedAdder(BackgroundAdder):
    """Adds counted contents to indexes; leaving its context waits, and raises what failed."""

    def __init__(self, writers: Sequence[IndexWriter], threads: int) -> None:
        super().__init__()
        self._writers = writers
        self._threads = threads
        self._class = compiled.java_class("CountedBatch")
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
            names: The terms by their numbers, see `CompiledCounter.names`.
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
        ends = np.fromiter(
            chain.from_iterable(page.ends for page in self._pages), np.int64
        )
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
