"""Write what a command's `--output` names, a file or a stream of the shell, and read inputs."""

import contextlib
import errno
import gzip
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from boilersweep.errors import OutputError
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    remove_leftovers,
    whole_file,
)
from boilersweep.outputs.locations import (
    is_remote,
    open_regular,
    refuse_inputs,
    refuse_special,
)

_NO_TERMINAL = getattr(os, "O_NOCTTY", 0)

# The limit of an input that a command reads as a whole, such as qrels.
MOST_INPUT_BYTES = 2**30

_GZIP = b"\x1f\x8b"

_TERMINALS = ("/dev/tty", "/dev/pts/", "/dev/console")


@contextlib.contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file that becomes the file of `--output`, or is copied to its stream.

    Streams are FIFOs, terminals, the null device, and descriptors of this process (/dev/stdout,
    /dev/fd/N).

    Raises:
        OutputError: The output cannot be written, or is a folder, another device or a socket.
    """
    if not is_stream(path):
        remove_leftovers(path.parent)
        with whole_file(path) as temporary:
            yield temporary
        return
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "output")
        yield temporary
        if sys.stdout is not None:
            sys.stdout.flush()  # so that what was printed before comes first
        with output_errors(path):
            number = _descriptor(path)
            opened = (
                os.open(path, os.O_WRONLY | _NO_TERMINAL)
                if number is None
                else os.dup(number)
            )
            with temporary.open("rb") as source, os.fdopen(opened, "wb") as stream:
                shutil.copyfileobj(source, stream)


def write_output(path: Path, content: str | bytes) -> None:
    """Write what a command's `--output` names; text in UTF-8. Raises as `output_file`."""
    with output_file(path) as temporary:
        temporary.write_bytes(
            content.encode("utf-8") if isinstance(content, str) else content
        )


def read_input(path: Path) -> bytes:
    """Return the bytes of a file that a user named, or of a pipe that the shell opened, unpacked.

    `--qrels <(sort qrels)` names a descriptor of this process, such as /dev/fd/63.

    Raises:
        OSError: The path is neither a regular file nor a descriptor of this process. A named FIFO
            might never have a writer, and a device may have no end.
        ValueError: The input has more than MOST_INPUT_BYTES, or is a damaged gzip file.
    """
    number = _descriptor(path)
    with (
        open_regular(path)
        if number is None
        else os.fdopen(os.dup(number), "rb") as file,
        gzip_errors(),
        unpacked(file) as content,
    ):
        data = content.read(MOST_INPUT_BYTES + 1)
    if len(data) > MOST_INPUT_BYTES:
        raise ValueError(
            f"expected at most {MOST_INPUT_BYTES:,} bytes, got more; split the file"
        )
    return data


def unpacked(file: BinaryIO) -> BinaryIO:
    """Return what a gzip file that can be peeked at packs, any other file as it is."""
    peek = getattr(file, "peek", None)
    is_packed = peek is not None and peek(len(_GZIP)).startswith(_GZIP)
    return cast("BinaryIO", gzip.open(file)) if is_packed else file


@contextlib.contextmanager
def gzip_errors() -> Iterator[None]:
    """Turn the errors of reading a damaged gzip file into a ValueError."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(
            f"a truncated or damaged gzip file ({error}); fetch or write it again"
        ) from error


def is_stream(path: Path) -> bool:
    """Return whether `--output` names a stream; raises OutputError as `output_file`."""
    with output_errors(path):
        number = _descriptor(path)
        try:
            facts = path.stat() if number is None else os.fstat(number)
        except FileNotFoundError:
            return False
        if stat.S_ISDIR(facts.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if stat.S_ISREG(facts.st_mode):
            return number is not None
        if stat.S_ISCHR(facts.st_mode):
            # By its name: opening a device may already do something.
            device = os.path.realpath(path)
            is_stream = device == os.devnull or device.startswith(_TERMINALS)
        else:
            is_stream = stat.S_ISFIFO(facts.st_mode) or number is not None
        if not is_stream:
            refuse_special(facts)
        return True


def _descriptor(path: Path) -> int | None:
    """Return the descriptor of this process that a path names, such as /dev/fd/63."""
    standard = {"/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"}
    name = standard.get(str(path), path.name)
    folders = ("/dev", "/dev/fd", f"/proc/{os.getpid()}/fd")
    return (
        int(name)
        if name.isdecimal() and os.path.realpath(path.parent) in folders
        else None
    )


def make_folder_of(
    file: Path,
    *,
    inputs: Iterable[Path] = (),
    closed: Iterable[Path] = (),
    streams: bool = True,
) -> None:
    """Make the folder of an output file, before long work, after which the file is written.

    Args:
        file: The output file.
        inputs: What is read, which the file may not replace.
        closed: What is read that the file may not lie in; see `refuse_inputs`.
        streams: Whether it may be a stream.

    Raises:
        OutputError: As `output_file` would raise it.
        UsageError: The file is an input, or in one.
    """
    if is_stream(file):
        if not streams:
            with output_errors(file):
                raise OSError(errno.EEXIST, "expected a regular file, got a stream")
        return
    read = [*inputs]
    if file.exists():  # a file of the input
        closed = [
            *closed,
            *(path for path in read if not is_remote(path) and path.is_dir()),
        ]
    refuse_inputs(file.parent, [file.name], inputs=read, closed=closed)
    make_folder(file.parent)


def require_kind(file: Path, kind: re.Pattern[bytes], what: str) -> None:
    """Raise OutputError if a file is there that is not of the kind that would replace it."""
    if file.is_file():
        with file.open("rb") as stream:
            begin = stream.read(1000)
        if begin and not kind.match(begin):
            raise OutputError(
                f"{file} exists and is not {what}; move it, or choose another file"
            )
