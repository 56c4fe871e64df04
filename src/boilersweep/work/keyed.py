"""Tasks that know their file, which is named by what it is made of.

So a file that exists need not be made again, whoever made it, and processes that see the same
folder divide the work: each does what no other holds.
"""

import contextlib
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from boilersweep.errors import OutputError
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    remove_empty,
    remove_leftovers,
    write_text,
)
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.locations import is_remote
from boilersweep.outputs.locks import Claims
from boilersweep.outputs.typed_files import json_text, read_json
from boilersweep.work.tasks import Turns

# The hidden folder in an output in which tasks are locked, and what is known of them is noted.
NOTES = ".tasks"

_REPLACED = "replaced"

_LETTERS = 24  # of a digest in a name
KEY = "[0-9a-f]" * _LETTERS  # a pattern of keys

_WAIT = 0.5  # seconds between two looks at what other processes do


def key_of(recipe: Any) -> str:
    """Return the key of what is made of a recipe, a JSON-able value."""
    return digest_of(recipe)[:_LETTERS]


class Keyed(Protocol):
    """A task."""

    @property
    def name(self) -> str:
        """What tells the task from the others of its output."""


Task = TypeVar("Task", bound=Keyed)


def make_missing(
    tasks: Sequence[Task],
    has: Callable[[Task], bool],
    make: Callable[[Sequence[Task], Turns], int],
    claims: Claims,
    done: Callable[[Task, Path], object] = lambda *_: None,
) -> None:
    """Make files until none is missing; those that other processes make are waited for.

    Args:
        tasks: The tasks.
        has: Whether a task's file is there.
        make: Does some of the tasks, as `Turns` says, and returns how many it did.
        claims: What this process holds.
        done: Called with each task that this process has done and its file.

    Raises:
        OutputError: This process does not see what a worker has written.
    """
    made: set[str] = set()

    def take(task: Task) -> bool:
        if not claims.take(task.name):
            return False
        if has(task):  # another process has made it meanwhile
            claims.give_up(task.name)
            return False
        return True

    def finish(task: Task, file: Path) -> None:
        if not file.exists():
            raise OutputError(
                f"a worker wrote {file}, which this process does not see; workers need "
                "--output in a folder that all machines share under the same path"
            )
        done(task, file)
        made.add(task.name)
        claims.give_up(task.name)

    while missing := [one for one in tasks if one.name not in made and not has(one)]:
        if make(missing, Turns(take, finish)) == 0:
            time.sleep(_WAIT)


def notes_folder(output: Path) -> Path:
    """Make and return the hidden folder of an output in which its tasks are locked.

    Raises:
        OutputError: It is a link, which is not followed, or cannot be made.
    """
    folder = output / NOTES
    if not is_remote(folder) and folder.is_symlink():
        raise OutputError(
            f"{folder} is in the way: expected a folder that is no link; remove it, or choose "
            "another --output"
        )
    make_folder(folder)
    return folder


@contextlib.contextmanager
def replacing(
    output: Path,
    old: Collection[str],
    new: Collection[str],
    is_own: Callable[[str], bool],
) -> Iterator[None]:
    """Remove files that an output had and no longer has, once its manifest is written in the block.

    If a kill comes first, the next call removes them.

    Args:
        output: The folder, which the caller holds.
        old: The names of the files that it had.
        new: The names of those that it has.
        is_own: Whether a name is one that such an output gives its files; others stay.

    Raises:
        OutputError: Files cannot be removed.
    """
    pending = notes_folder(output) / _REPLACED
    gone = set(old)
    with contextlib.suppress(OSError, ValueError):
        gone.update(read_json(pending, set[str]))
    gone = {name for name in gone.difference(new) if ".." not in name and is_own(name)}
    if gone:
        write_text(pending, json_text(sorted(gone)))
    yield
    with output_errors(output):
        for name in gone:
            (output / name).unlink(missing_ok=True)
            remove_empty((output / name).parent)
        pending.unlink(missing_ok=True)
        # A lock that goes may be another process's, which then makes what another one makes, too.
        for lock in pending.parent.glob("*.lock"):
            lock.unlink(missing_ok=True)
        remove_leftovers(pending.parent)
