"""The plan of a run: it names every part before it is made, and lists those that exist.

It lets the run after a kill know what is ours, and which parts are whole.
"""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from boilersweep.errors import OutputError, raise_exhausted, reason_of
from boilersweep.outputs.atomic import output_errors, write_text
from boilersweep.outputs.locations import NO_FOLLOW, is_remote, read_regular
from boilersweep.outputs.manifest_file import FileEntry, kind_of, require_below
from boilersweep.outputs.typed_files import decode_json

PLAN = ".boilersweep-plan"


class Planned(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A line of a plan; see `Part` and `Entry`. Without files the part may be half made."""

    name: str
    key: str
    files: dict[str, FileEntry] | None = None
    facts: Any = None


class Plan:
    """The plan of the run that holds a folder.

    Args:
        folder: The output.
        kind: The kind of the output.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self._path = folder / PLAN
        self._head = _encoded({"kind": kind})
        self._file: int | None = None
        self._objects: list[Path] = []  # at a URL, where nothing can be appended
        self.is_written = False

    def append(self, lines: Sequence[Planned]) -> None:
        """Append lines; the first of them write the plan. Raises OutputError."""
        if not lines:
            return
        encoded = [_encoded(line) for line in lines]
        if self._file is not None:
            with output_errors(self._path):
                os.write(self._file, b"".join(encoded))
            return
        if self.is_written:
            name = f"{PLAN}-{len(self._objects) + 1:06}"
            self._objects.append(self._path.with_name(name))
            write_text(self._objects[-1], b"".join(encoded).decode())
            return
        write_text(self._path, b"".join([self._head, *encoded]).decode())
        self.is_written = True
        if not is_remote(self._path):
            with output_errors(self._path):
                flags = os.O_WRONLY | os.O_APPEND | NO_FOLLOW
                self._file = os.open(self._path, flags)

    def close(self, *, finished: bool) -> None:
        """Close the plan, and remove it once its output is finished; raises OutputError."""
        if self._file is not None:
            os.close(self._file)
        with output_errors(self._path):
            if finished:
                for path in (*_more(self._path), self._path):
                    path.unlink(missing_ok=True)


def _more(path: Path) -> list[Path]:
    """Return the objects that continue a plan at a URL, in their order."""
    return sorted(path.parent.glob(f"{PLAN}-*")) if is_remote(path) else []


def _encoded(line: Any) -> bytes:
    return msgspec.json.encode(line) + b"\n"


def unfinished_kind(folder: Path) -> str | None:
    """Return the kind of output that a run has left unfinished in a folder; None for none."""
    try:
        return kind_of(read_regular(folder / PLAN))
    except OSError:
        return None


def read_plan(folder: Path, kind: str) -> list[Planned]:
    """Read the plan that a run has left; a line that a kill cut off ends it.

    Args:
        folder: The output.
        kind: The kind of the output.

    Raises:
        OutputError: The plan is of something else.
    """
    path = folder / PLAN
    try:
        content = read_regular(path) + b"".join(map(read_regular, _more(path)))
        head, *lines = content.split(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise_exhausted(error)
        raise OutputError(
            f"cannot read {path}: {reason_of(error)}; remove it"
        ) from error
    if (made := kind_of(head)) != kind:
        raise OutputError(
            f"{folder} has an unfinished output of {made or 'another program'} ({path.name}), and "
            f"not of {kind}; choose another `output`"
        )
    found = []
    with contextlib.suppress(ValueError):
        for line in lines[:-1]:
            planned = decode_json(line, Planned)
            require_below([planned.name, *(planned.files or ())])
            found.append(planned)
    return found
