"""Run commands in this process as if each had one of its own."""

import contextlib
import importlib
import io
import sys
import traceback
from collections.abc import Sequence

_MODULES = ("plug", "aid", "shouting")  # of the world


def called(commands: Sequence[tuple[str, ...]]) -> tuple[int | None, str]:
    """Run commands in this process until one fails: its number, None for none, and what was said.

    Each finds the process as a new one would: nothing of the world is remembered.
    """
    from boilersweep.cli.main import main

    for number, argv in enumerate(commands):
        forget()
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                status = main(argv)
            except SystemExit as error:
                status = error.code if isinstance(error.code, int) else -1
            except Exception:
                said.write(traceback.format_exc())
                status = -1
        if status:
            return number, said.getvalue().strip()
    return None, ""


def forget() -> None:
    """Make this process forget the plug-ins of the world.

    Digests of files may stay: they are of an inode, its size and its times of change.
    """
    for name in _MODULES:
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
