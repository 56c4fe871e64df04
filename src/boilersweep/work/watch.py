"""Where every worker is, and how long, as its parent sees it: it must not ask a hung one."""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

_DOCUMENTS, _BYTES, _FILE, _RECORD, _TURN, _CALL, _STOPPED, _FIELDS = range(8)

# Of the seconds between two looks, at most so many count: beyond, the observer was stopped itself.
_MOST_BETWEEN_LOOKS = 0.4


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a worker is.

    Attributes:
        file: The number of the file that it reads.
        record: The number of the record in the file.
        turn: How many records it has turned to, this one included; 0 when it is idle.
        call: How many extractors it has called, the one at work included; 0 if none is at work.
    """

    file: int
    record: int
    turn: int
    call: int


class Watch:
    """One worker's place; the worker writes, the parent reads."""

    def __init__(self, context: BaseContext) -> None:
        self._values: Any = context.RawArray("d", _FIELDS)
        self._turns = self._calls = 0

    def begin(self, file: int, record: int) -> None:
        """Note in the worker that it turns to a record."""
        self._values[_FILE], self._values[_RECORD] = file, record
        self._turns += 1
        self._values[_TURN] = self._turns

    def add(self, documents: int, read_bytes: int) -> None:
        """Note in the worker that it has done some records and read some bytes."""
        self._values[_DOCUMENTS] += documents
        self._values[_BYTES] += read_bytes

    def rest(self) -> None:
        """Note in the worker that it has finished its task."""
        self._values[_TURN] = 0

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """Note in the worker that the block runs an extractor, which TimeoutError may stop."""
        self._calls += 1
        self._values[_CALL] = self._calls
        try:
            yield
        finally:
            self._values[_CALL] = 0

    def stop_call(self, *_: object) -> None:
        """Stop the call in the worker, at the signal that the parent sends after `mark_call`."""
        if self._values[_CALL] and self._values[_CALL] == self._values[_STOPPED]:
            raise TimeoutError

    def mark_call(self, call: int) -> None:
        """Mark in the parent that this call is to be stopped, and none that comes after it."""
        self._values[_STOPPED] = call

    def forget(self) -> None:
        """Forget a worker that is gone: another one counts its task again."""
        self._values[_DOCUMENTS] = self._values[_BYTES] = self._values[_TURN] = 0

    def take(self) -> tuple[int, int]:
        """Return documents and bytes counted so far."""
        return int(self._values[_DOCUMENTS]), int(self._values[_BYTES])

    def standing(self) -> Standing:
        """Return where the worker is now."""
        return Standing(
            *(int(self._values[place]) for place in (_FILE, _RECORD, _TURN, _CALL))
        )


class Stopwatch:
    """The time that a process spends working or asleep, as another sees it from look to look.

    Left out is time for which the process was stopped, or waited for a processor or for a disk;
    and where no one looked for long, as both were stopped or their machine was, all but a moment.
    Where there is no /proc to tell these apart, only the latter is left out.
    """

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._seconds = 0.0
        self._looked = time.monotonic()
        self._cpu = self._read()[1]
        self._begun: dict[int, tuple[int, float]] = {}

    def look(self, *turns: int) -> list[float]:
        """Return the seconds that the process has spent on each of some things.

        Args:
            *turns: For each thing, a number that changes when the process turns to another one; 0
                for nothing.
        """
        now = time.monotonic()
        elapsed = min(now - self._looked, _MOST_BETWEEN_LOOKS)
        state, cpu = self._read()
        worked = min(cpu - self._cpu, elapsed)
        self._seconds += elapsed if state in ("S", "") else worked
        self._looked, self._cpu = now, cpu
        return [self._spent(place, turn) for place, turn in enumerate(turns)]

    def _spent(self, place: int, turn: int) -> float:
        if not turn or self._begun.get(place, (0, 0.0))[0] != turn:
            self._begun[place] = turn, self._seconds
        return self._seconds - self._begun[place][1]

    def _read(self) -> tuple[str, float]:
        """State and seconds of CPU time of the process; "" where that cannot be known."""
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:  # no such system, or the process is gone
            return "", 0.0
        return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
