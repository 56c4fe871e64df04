"""The time that work on one page may take."""

import math
import time

from boilersweep.errors import PageError


class Deadline:
    """The moment at which work on a page must have ended.

    Work that takes long calls `check` now and then, at least every tenth of a second.
    """

    __slots__ = ("_end", "_seconds")

    def __init__(self, seconds: float) -> None:
        """Begin to count.

        Args:
            seconds: Wall-clock time from now on; infinity for no limit.
        """
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise PageError if the time is over."""
        if time.monotonic() > self._end:
            raise PageError(
                f"the page takes more than {self._seconds:g} s; allow more seconds, or leave it out"
            )


# A deadline that never comes.
NO_DEADLINE = Deadline(math.inf)
