"""Where every worker stands, in memory that the parent reads: what it must not ask a hung one."""

import time
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from typing import Any

_FIELDS = 5  # documents, bytes, file, record, time at which the record was begun (0: idle)


@dataclass(frozen=True, slots=True)
class Standing:
    """file, record: numbers of those at work. seconds: how long on this record; 0 when idle."""

    file: int
    record: int
    seconds: float


class Watch:
    """One worker's place; the worker writes, the parent reads."""

    def __init__(self, context: BaseContext) -> None:
        self._values: Any = context.RawArray("d", _FIELDS)

    def begin(self, file: int, record: int) -> None:
        """The worker turns to a record."""
        self._values[2], self._values[3] = file, record
        self._values[4] = time.monotonic()  # one clock for all processes of the machine

    def add(self, documents: int, read_bytes: int) -> None:
        """The worker has done some records and read some bytes."""
        self._values[0] += documents
        self._values[1] += read_bytes

    def rest(self) -> None:
        """The worker has finished its task."""
        self._values[4] = 0.0

    def forget(self) -> None:
        """The worker is gone, and what it counted in its task will be counted again."""
        self._values[0] = self._values[1] = self._values[4] = 0.0

    def take(self) -> tuple[int, int]:
        """Documents and bytes counted so far."""
        return int(self._values[0]), int(self._values[1])

    def standing(self) -> Standing:
        """Where the worker is now."""
        begun = self._values[4]
        seconds = time.monotonic() - begun if begun else 0.0
        return Standing(int(self._values[2]), int(self._values[3]), seconds)
