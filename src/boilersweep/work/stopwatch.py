"""How long a worker is at something, with pauses left out."""

import os
import time
from pathlib import Path

# Seconds that count of the time between two looks: beyond that, who looks was stopped itself.
_MOST_BETWEEN_LOOKS = 0.4


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
        """Return seconds that the process has been at each of some things.

        turns: of each a number that changes when the process turns to the next, 0 for nothing.
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
