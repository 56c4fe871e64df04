"""Input that comes through a pipe: copied to a file first, since it cannot be read twice.

Then workers may die of a page and read it again, and another run with the same content takes up
what is there, as with any file.
"""

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from boilersweep.errors import UsageError
from boilersweep.outputs.atomic import make_folder, output_errors, remove_leftovers, scratch_folder

_NAME = "stdin"
_AT_A_TIME = 2**20


def is_piped(root: Path) -> bool:
    """Return whether the input is `-`, what comes through standard input."""
    return str(root) == "-"


@contextlib.contextmanager
def readable(root: Path, output: Path) -> Iterator[Path]:
    """Yield the input as a path that can be read again.

    Of a pipe a copy in `output` that goes again.

    Raises UsageError where standard input is none, OutputError where it cannot be copied.
    """
    if not is_piped(root):
        yield root
        return
    if sys.stdin is None or sys.stdin.isatty():
        found = "closed" if sys.stdin is None else "a terminal"
        raise UsageError(f"--input - reads a pipe, but standard input is {found}")
    make_folder(output)
    remove_leftovers(output)
    with contextlib.ExitStack() as stack:
        with output_errors(output):
            folder = stack.enter_context(scratch_folder(output / _NAME))
            with (folder / _NAME).open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy, _AT_A_TIME)
        yield folder / _NAME
