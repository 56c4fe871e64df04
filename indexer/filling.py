"""Documents for many indexes, added in other threads while this one makes more."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Self, TypeVar

from boilersweep.indexer.jvm import for_each
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter, heap_bytes

_CHARACTERS_OF_A_WRITER = 2**18
_CHARACTERS_AT_LEAST = 2**20
_CHARACTERS_OF_A_DOCUMENT = 2**8  # beside its text: it takes Java up to 600 bytes
_HEAP_BYTES_OF_A_CHARACTER = 32
"""Of documents that wait to be added: Java takes two bytes for each, and as much waits as is added.

The more documents a writer is given in a row, the more of its terms are in the processor's cache;
of a few writers the first documents are made while all threads wait. No more than an eighth of
Java's heap waits.
"""

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


def made_ahead(
    make: Callable[[_Given], _Made], given: Iterable[_Given], threads: int
) -> Iterator[tuple[_Given, _Made]]:
    """What is made of each, in their order, by as many threads; on one thread when it is wanted.

    No more is made and waits than there are threads. `make` must not call Java.
    """
    if threads < 2:
        yield from ((one, make(one)) for one in given)
        return
    waiting: deque[tuple[_Given, Future[_Made]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for one in given:
                waiting.append((one, pool.submit(make, one)))
                if len(waiting) > threads:
                    first, made = waiting.popleft()
                    yield first, made.result()
            while waiting:
                first, made = waiting.popleft()
                yield first, made.result()
        finally:
            pool.shutdown(cancel_futures=True)


_Part = tuple[IndexWriter, Any]
"""A writer, and a java.util.List of documents for it."""


class Adding(ABC):
    """Adds to indexes in the background; leave its context to have added all, or hear why not."""

    def __init__(self) -> None:
        self._background = ThreadPoolExecutor(1)
        self._running: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._background:
            if kind is None:
                self._submit()
                self._wait()

    @abstractmethod
    def _taken(self) -> Callable[[], None]:
        """What adds all that waits; from now on nothing waits."""

    def _submit(self) -> None:
        """Begin to add what waits, when what was begun before is added; raises what that raised."""
        import jnius

        self._wait()
        add = self._taken()

        def run() -> None:
            nonlocal add
            try:
                add()
            finally:
                del add  # to let go of something of Java's attaches this thread to it
                jnius.detach()

        self._running = self._background.submit(run)

    def _wait(self) -> None:
        if self._running is not None:
            self._running.result()


class Filling(Adding):
    """Adds documents to indexes; leave its context to have added all, or to hear why not."""

    def __init__(
        self,
        writers: Sequence[IndexWriter],
        maker: DocumentMaker,
        threads: int,
        *,
        in_order: bool = True,
    ) -> None:
        """maker: makes the documents; their fields are used again when they are added.

        in_order: an index has its documents in the order in which they come; else all threads may
        add to one.
        """
        from jnius import autoclass

        super().__init__()
        self._writers = writers
        self._maker = maker
        self._threads = threads
        self._parts_of_a_list = 1 if in_order else threads
        self._list = autoclass("java.util.ArrayList")
        self._begin()
        most = min(
            len(writers) * _CHARACTERS_OF_A_WRITER, heap_bytes() // _HEAP_BYTES_OF_A_CHARACTER
        )
        self._most = max(_CHARACTERS_AT_LEAST, most)

    def _begin(self) -> None:
        self._lists = [self._list() for _ in self._writers]
        self._characters = 0

    def add(self, indexes: Sequence[int], document: Any, characters: int) -> None:
        """Have a document added to some indexes, soon.

        characters: of its text. Raises IndexingError where one that was given before failed.
        """
        for index in indexes:
            self._lists[index].add(document)
        self._characters += characters + _CHARACTERS_OF_A_DOCUMENT
        if self._characters >= self._most:
            self._submit()

    def _taken(self) -> Callable[[], None]:
        parts = self._parts()
        self._begin()
        fields = self._maker.taken_fields()

        def add() -> None:
            try:
                for_each(lambda part: part[0].add(part[1]), parts, self._threads)
                self._maker.give_back(fields)
            finally:
                parts.clear()

        return add

    def _parts(self) -> list[_Part]:
        parts = []
        for writer, documents in zip(self._writers, self._lists, strict=True):
            count = self._parts_of_a_list
            bounds = [len(documents) * number // count for number in range(count + 1)]
            parts += [
                (writer, documents.subList(start, stop))
                for start, stop in pairwise(bounds)
                if start < stop
            ]
        return parts
