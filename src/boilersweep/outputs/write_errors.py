"""Errors of writing that say what to do."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from boilersweep.errors import OutputError, reason_of

# Errors of a full disk -> what to do.
DISK_ADVICE = {
    errno.ENOSPC: "free some space, or choose an --output on another disk",
    errno.EDQUOT: "free some space, or choose an --output on another disk",
}

_ADVICE = {
    **DISK_ADVICE,
    errno.EACCES: "choose an --output you may write to",
    errno.EPERM: "choose an --output you may write to",
    errno.EROFS: "choose an --output you may write to",
    errno.EEXIST: "choose another --output",
    errno.ENOTDIR: "choose an --output that is a folder or does not exist yet",
    errno.EISDIR: "choose an --output that is a file or does not exist yet",
    errno.EINVAL: "choose an --output that is a file, a pipe, or does not exist yet",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
}


@contextlib.contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of writing below `path` into an OutputError that says what to do."""
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "choose another --output")
        raise OutputError(f"cannot write {path}: {reason_of(error)}; {advice}") from error


def make_folder(path: Path) -> None:
    """Make a folder for output; raises OutputError where it cannot be made or written to."""
    with output_errors(path):
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
