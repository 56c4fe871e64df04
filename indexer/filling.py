"""Documents for many indexes, added in other threads while this one makes more."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from types import TracebackType
from typing import Any

from boilersweep.indexer.jvm import for_each
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter

_CHARACTERS_AT_A_TIME = 2**25
"""Of documents that wait to be added: Java takes two bytes for each, and as much waits as is added.

The more documents a writer is given in a row, the more of its terms are in the processor's cache.
"""

_Part = tuple[IndexWriter, Any]
"""A writer, and a java.util.List of documents for it."""


class Filling:
    """Adds documents to indexes; leave its context to have added all, or to hear why not."""

    def __init__(self, writers: Sequence[IndexWriter], maker: DocumentMaker, threads: int) -> None:
        """maker: makes the documents; its shared fields are used again when they are added."""
        from jnius import autoclass

        self._writers = writers
        self._maker = maker
        self._threads = threads
        self._list = autoclass("java.util.ArrayList")
        self._begin()
        self._background = ThreadPoolExecutor(1)
        self._adding: Future[None] | None = None

    def _begin(self) -> None:
        self._lists = [self._list() for _ in self._writers]
        self._characters = 0

    def __enter__(self) -> "Filling":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        with self._background:
            if kind is None:
                self._submit()
                self._wait()

    def add(self, indexes: Sequence[int], document: Any, characters: int) -> None:
        """Have a document added to some indexes, soon.

        characters: of its text. Raises IndexingError where one that was given before failed.
        """
        for index in indexes:
            self._lists[index].add(document)
        self._characters += characters
        if self._characters >= _CHARACTERS_AT_A_TIME:
            self._submit()

    def _submit(self) -> None:
        self._wait()
        parts = self._parts()
        self._begin()
        fields = self._maker.taken_fields()

        def add() -> None:
            for_each(lambda part: part[0].add(part[1]), parts, self._threads)
            self._maker.give_back(fields)

        self._adding = self._background.submit(add)

    def _wait(self) -> None:
        if self._adding is not None:
            self._adding.result()

    def _parts(self) -> list[_Part]:
        """What is to be added, dealt out so that few writers keep all threads busy, too."""
        filled = [
            (w, some) for w, some in zip(self._writers, self._lists, strict=True) if len(some)
        ]
        if len(filled) >= 4 * self._threads:
            return filled
        parts = []
        for writer, some in filled:
            bounds = [len(some) * number // self._threads for number in range(self._threads + 1)]
            parts += [
                (writer, some.subList(start, stop))
                for start, stop in pairwise(bounds)
                if start < stop
            ]
        return parts
