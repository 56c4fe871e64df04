"""When the phases of a job ended, and what they took."""

import resource
import sys
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")

_MAXRSS_UNIT = 1024 if sys.platform == "linux" else 1


class Marks:
    """Notes the end of one phase after the other; the first begins when this is made."""

    def __init__(self) -> None:
        self.phases: list[dict[str, Any]] = []
        self._wall = time.perf_counter()
        self._cpu = time.process_time()

    def mark(self, name: str) -> None:
        """Note that the phase of that name ends now.

        cpu and peak are of this process alone, the peak since the process began.
        """
        wall, cpu = time.perf_counter(), time.process_time()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT
        self.phases.append(
            {
                "name": name,
                "wall": wall - self._wall,
                "cpu": cpu - self._cpu,
                "peak": peak,
            }
        )
        self._wall, self._cpu = wall, cpu

    def around(self, owner: Any, function: str, before: str, after: str) -> None:
        """Have a function of a module marked.

        So a whole sweep is timed as it is, and not a copy of its steps.
        """
        setattr(owner, function, self.marked(getattr(owner, function), before, after))

    def marked(
        self, function: Callable[P, Result], before: str, after: str
    ) -> Callable[P, Result]:
        """Return the function, each call of which ends two phases: that before it, and the call."""

        def marked(*arguments: P.args, **options: P.kwargs) -> Result:
            self.mark(before)
            result = function(*arguments, **options)
            self.mark(after)
            return result

        return marked
