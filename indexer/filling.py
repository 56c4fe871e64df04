"""Documents for many indexes, added in other threads while this one makes more."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self, TypeVar

from boilersweep.indexer.jvm import for_each
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter, heap_bytes

_CHARACTERS_OF_A_WRITER = 2**18
_CHARACTERS_AT_LEAST = 2**20
_CHARACTERS_OF_A_DOCUMENT = 2**8  # beside its text: it takes Java up to 600 bytes
_HEAP_BYTES_OF_A_CHARACTER = 32
"""Of documents that wait to be added: Java takes two bytes for each, and as much waits as is added.

The more documents a writer is given in a row, the more of its terms are in the processor's cache.
No more than an eighth of Java's heap waits.
"""

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


def made_ahead(
    make: Callable[[_Given], _Made], given: Iterable[_Given], threads: int
) -> Generator[tuple[_Given, _Made]]:
    """As `made_in_background`, but on one thread what is made is made when it is wanted."""
    if threads > 1:
        yield from made_in_background(make, given, threads)
    else:
        yield from ((one, make(one)) for one in given)


def made_in_background(
    make: Callable[[_Given], _Made], given: Iterable[_Given], threads: int
) -> Generator[tuple[_Given, _Made]]:
    """What is made of each, in their order, by so many other threads.

    No more is made and waits than there are threads. `make` may call Java where nothing else does
    at the same time.
    """
    import jnius

    def make_and_detach(one: _Given) -> _Made:
        try:
            return make(one)
        finally:
            jnius.detach()  # a thread that ends attached would keep the JVM from ending

    waiting: deque[tuple[_Given, Future[_Made]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for one in given:
                waiting.append((one, pool.submit(make_and_detach, one)))
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

    def __init__(self, at_once: int = 1, waiting: int = 0) -> None:
        """at_once: of what is submitted. waiting: for these, while more is made."""
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
    def _taken(self) -> Callable[[], None]:
        """What adds all that waits; from now on nothing waits."""

    def _submit(self) -> None:
        """Begin to add what waits, when enough of what was begun before is added.

        Raises what that raised.
        """
        import jnius

        self._wait(self._ahead)
        add = self._taken()

        def run() -> None:
            nonlocal add
            try:
                add()
            finally:
                del add  # to let go of something of Java's attaches this thread to it
                jnius.detach()

        self._running.append(self._background.submit(run))

    def _wait(self, most: int) -> None:
        """Wait until no more than so much is being added."""
        while len(self._running) > most:
            self._running.popleft().result()


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
        """maker: makes the documents; they are used again when they have been added.

        in_order: an index has its documents in the order in which they come; else all threads may
        add to one, and none waits for the others.
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
            len(writers) * _CHARACTERS_OF_A_WRITER, heap_bytes() // _HEAP_BYTES_OF_A_CHARACTER
        )
        self._most = max(_CHARACTERS_AT_LEAST, most) // at_once

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
        added = zip(self._writers, self._lists, strict=True)
        parts: list[_Part] = [(writer, some) for writer, some in added if not some.isEmpty()]
        self._begin()
        taken = self._maker.taken()

        def add() -> None:
            try:
                for_each(lambda part: part[0].add(part[1]), parts, self._threads)
                self._maker.give_back(taken)
            finally:
                parts.clear()

        return add
