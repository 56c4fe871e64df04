"""Adds documents to many indexes in other threads, while this one makes more."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from boilersweep.indexer.jvm import for_each
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter, heap_bytes

_CHARACTERS_OF_A_WRITER = 2**18
_CHARACTERS_AT_LEAST = 2**20
_CHARACTERS_OF_A_DOCUMENT = 2**8  # beside its text: it takes Java up to 600 bytes
# Of documents that wait to be added: Java takes two bytes for each, and as much waits as is
# added.
#
# The more documents a writer is given in a row, the more of its terms are in the processor's
# cache. No more than an eighth of Java's heap waits.
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
                del add  # to let go of something of Java's attaches this thread to it
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
            len(writers) * _CHARACTERS_OF_A_WRITER, heap_bytes() // _HEAP_BYTES_OF_A_CHARACTER
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
        parts = [(writer, documents) for writer, documents in pairs if not documents.isEmpty()]
        self._begin()
        taken = self._maker.taken()

        def add() -> None:
            try:
                for_each(lambda part: part[0].add(part[1]), parts, self._threads)
                self._maker.give_back(taken)
            finally:
                parts.clear()

        return add
