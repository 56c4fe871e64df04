"""Progress on stderr: a bar on a terminal, lines elsewhere if asked for; in notebooks one line.

Commands ask for lines (`--log-every`), as batch systems show nothing else; a library stays quiet.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, Never, Self

from boilersweep.redaction import without_secrets

if TYPE_CHECKING:  # importing it takes a tenth of the start of a worker
    from tqdm import tqdm

_seconds: float | None = None  # between two lines
_last = monotonic()  # when a line was written, or the process began

_named = False  # whether a part of the work was named

_COLUMNS = 79  # of a line in a notebook

# The seconds in silence after which the next part of the work is named.
_SHORTLY = 1.0


def log_every(seconds: float | None) -> None:
    """Without a terminal, say every so many seconds how far the work is; None: say nothing."""
    global _seconds, _last, _named
    _seconds, _last, _named = seconds, monotonic(), False


def say(line: str) -> None:
    """Write a line to stderr; bars stay whole."""
    global _last
    _last, line = monotonic(), without_secrets(line)
    if "tqdm" not in sys.modules:
        print(line, file=sys.stderr)  # noqa: T201
        return
    from tqdm import tqdm

    tqdm.write(line, file=sys.stderr)


def begin(part: str) -> None:
    """Name the part of a long work that begins: the first, and others if no line was lately."""
    global _named
    if _seconds is not None and (not _named or monotonic() - _last >= _SHORTLY):
        _named = True
        say(f"{part} ...")


def say_if_asked(line: str) -> None:
    """Say a line about work in progress; a library stays quiet."""
    if _seconds is not None:
        say(line)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show on a terminal what the program waits for, and remove the line afterwards."""
    if not _is_terminal():
        yield
        return
    sys.stderr.write(f"{what} ...")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def steps(description: str, total: int, unit: str) -> "tqdm[Never] | LoggedSteps":
    """Return what counts to `total`, and shows the rate and the time left."""
    if not _shows_bars():
        return LoggedSteps(description, total, unit)
    return _bar(total=total, desc=description, unit=f" {unit}")


class DocumentsBar:
    """A bar whose length is bytes read and whose text is documents done and their rate."""

    def __init__(self, description: str, total_bytes: int) -> None:
        self._log = _Log(description)
        self._description = description
        self._total = total_bytes
        self._bar: tqdm[Never] | None = None

    def show(self, documents: int, read_bytes: int) -> None:
        """Show how far the work is."""
        if self._bar is None and _shows_bars():
            form = "{desc}: {percentage:3.0f}%|{bar}|{postfix} [{elapsed}<{remaining}]"
            # Not before the work has begun: a bar has a thread, and `worker_context` wants none.
            self._bar = _bar(total=self._total, desc=self._description, bar_format=form)
        if self._bar is None:
            share = read_bytes / self._total if self._total else 1.0
            self._log.show(f"{share:.0%}, {documents:,} documents", documents, share)
            return
        elapsed = self._bar.format_dict["elapsed"]
        rate = documents / elapsed if elapsed else 0.0
        self._bar.set_postfix_str(
            f"{documents:,} documents, {rate:,.0f}/s", refresh=False
        )
        self._bar.update(read_bytes - self._bar.n)

    def close(self) -> None:
        """Report the end of the work."""
        self._log.close()
        if self._bar is not None:
            self._bar.close()


class _Log:
    """Lines about one piece of work, the last one, at its end, only where there was one before."""

    def __init__(self, description: str) -> None:
        self._description = description
        self._begun = monotonic()
        self._has_said = False
        self._done = ""

    def show(self, done: str, count: int, share: float) -> None:
        """Say how far the work is, if it is time: what is done, and its share of the whole."""
        self._done = done
        now = monotonic()
        if _seconds is None or now - _last < _seconds:
            return
        self._has_said = True
        elapsed = now - self._begun
        parts = [done]
        if count:
            parts.append(_rate(count, elapsed))
        if 0 < share < 1:
            parts.append(f"{_interval(elapsed / share - elapsed)} left")
        say(f"{self._description}: {', '.join(parts)}")

    def close(self) -> None:
        """Say how long all took."""
        if self._has_said:
            took = _interval(monotonic() - self._begun)
            say(f"{self._description}: {self._done} in {took}")


class LoggedSteps(_Log):
    """Steps as lines; a context in which every step that is done is told."""

    def __init__(self, description: str, total: int, unit: str) -> None:
        super().__init__(description)
        self._total = total
        self._unit = unit
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, n: int = 1) -> None:
        """So many more are done."""
        self._count += n
        done = f"{self._count:,} of {self._total:,} {self._unit}"
        self.show(done, self._count, self._count / self._total if self._total else 1.0)


def _interval(seconds: float) -> str:
    from tqdm import tqdm

    return tqdm.format_interval(seconds)


def _rate(count: int, seconds: float) -> str:
    a_second = count / seconds
    return f"{_short(1 / a_second)} s each" if a_second < 1 else f"{_short(a_second)}/s"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def _bar(**options: Any) -> "tqdm[Never]":
    """Return a bar on the terminal, or in the cell's line of progress."""
    from tqdm import tqdm

    if not _in_notebook():
        return tqdm(dynamic_ncols=True, **options)
    line: Any = _CellLine()
    return tqdm(file=line, ncols=_COLUMNS, **options)


class _CellLine:
    """The file of a bar in a notebook: one line of the cell, which all its bars share.

    The line is an output that is replaced, so a notebook keeps the last state alone, with or
    without widgets, and in what nbconvert makes of it.
    """

    encoding = "utf-8"  # tqdm draws with more than ASCII
    _of_cell: tuple[int, Any] = (-1, None)  # the number of the cell, and its line

    def write(self, text: str) -> None:
        """Show the line; tqdm moves the cursor between bars, which has no meaning here."""
        if not (line := text.replace("\x1b[A", "").strip()):
            return
        number, handle = _CellLine._of_cell
        cell = _shell().execution_count
        if number == cell:
            handle.update({"text/plain": line}, raw=True)
        else:
            module: Any = import_module("IPython.display")
            handle = module.display({"text/plain": line}, raw=True, display_id=True)
            _CellLine._of_cell = cell, handle

    def flush(self) -> None:
        """Do nothing: a line is shown when it is written."""


def _shows_bars() -> bool:
    return _is_terminal() or _in_notebook()


def _in_notebook() -> bool:
    """Return whether Jupyter runs this process."""
    return hasattr(_shell(), "kernel")


def _shell() -> Any:
    """Return IPython's shell, None without one."""
    find_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return find_shell() if find_shell else None


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
