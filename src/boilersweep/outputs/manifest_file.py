"""What an output folder holds: manifests that tell when they were changed, and files by digest.

A finished output has a manifest, written last. It lists files with size and SHA-256, and carries
the SHA-256 of all it says. What no manifest lists is not there.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NotRequired, TypedDict

from boilersweep.errors import raise_exhausted
from boilersweep.outputs.identity import digest_of, file_digest
from boilersweep.outputs.locations import driver_errors, in_threads, is_remote
from boilersweep.outputs.typed_files import json_text, read_json

# The last key of a manifest: SHA-256 of all the rest.
DIGEST = "digest"


class FileEntry(TypedDict):
    """A file in a listing.

    Attributes:
        bytes: Its size.
        sha256: The SHA-256 of its content.
        state: Inode and times of change when it was listed: a file of this state is not read again.
    """

    bytes: int
    sha256: str
    state: NotRequired[str]


# Path below a folder, with slashes -> the file's entry.
Listing = Mapping[str, FileEntry]


# The beginning of every manifest and plan.
_KIND = re.compile(rb'\s*\{\s*"kind": ?"([a-z ]+)"')

_THREADS = 4  # hashing lets other threads run; more than a few wait for the disk


def manifest_text(value: Mapping[str, Any]) -> str:
    """Return the text of a manifest's file, with the digest as its last key."""
    return json_text({**value, DIGEST: digest_of(value)})


def read_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest, and return it without its digest.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is no JSON, or was changed after it was written.
    """
    return unchanged(read_json(path, dict))


def unchanged(value: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest without its digest; raises ValueError if the digest does not match."""
    rest = {key: inner for key, inner in value.items() if key != DIGEST}
    if not rest or value.get(DIGEST) != digest_of(rest):
        raise ValueError("it was changed or damaged after it was written")
    return rest


def kind_of(content: bytes) -> str | None:
    """Return the kind of output that a manifest or plan is of, also a damaged one.

    None for a file of another program.
    """
    kind = _KIND.match(content)
    return kind[1].decode() if kind else None


def require_below(names: Iterable[str]) -> None:
    """Raise ValueError for the name of a file that is outside of its output."""
    for name in names:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ValueError(f"expected files below the folder, got {name}")


def listing(folder: Path, names: Iterable[str]) -> dict[str, FileEntry]:
    """Return the listing of some files below a folder; raises OSError where one cannot be read."""
    names = list(names)

    def entry(name: str) -> FileEntry:
        path = folder / name
        return {"bytes": path.stat().st_size, "sha256": file_digest(path)}

    return dict(zip(names, in_threads(entry, names, _THREADS), strict=True))


def state_of(path: Path) -> str:
    """Return the state of a file, for its entry; "" at a URL, where only the size counts."""
    return "" if is_remote(path) else _state(path.stat())


def _state(stat: os.stat_result) -> str:
    return f"{stat.st_ino} {stat.st_mtime_ns} {stat.st_ctime_ns}"


def faults(folder: Path, listed: Listing, *, read: bool = False) -> list[str]:
    """Return a sentence for each listed file that is missing, or is not as it was written."""
    faulty = faulty_files(folder, listed, read=read)
    return [f"{name} {what}" for name, what in faulty.items()]


def faulty_files(
    folder: Path, listed: Listing, *, read: bool = False
) -> dict[str, str]:
    """Map each listed file that is missing, or is not as it was written, to what is wrong with it.

    Args:
        folder: The folder of the files.
        listed: The listing.
        read: Read also files whose size and state are as listed.
    """

    def fault_of(item: tuple[str, FileEntry]) -> str | None:
        return fault(folder / item[0], item[1], read=read)

    checked = in_threads(fault_of, listed.items(), _THREADS)
    return {
        name: what
        for name, what in zip(listed, checked, strict=True)
        if what is not None
    }


def fault(path: Path, entry: FileEntry, *, read: bool = False) -> str | None:
    """Return what is wrong with a listed file, None where it is as it was written.

    Raises:
        OSError: A resource ran out, such as the number of open files.
    """
    try:
        with driver_errors(f"cannot reach {path}"):
            stat = path.stat()
        if stat.st_size != entry["bytes"]:
            return (
                f"has {stat.st_size:,} bytes, and was written with {entry['bytes']:,}"
            )
        if not read and "state" in entry:
            known = "" if is_remote(path) else _state(stat)
            if entry["state"] == known:
                return None
        if file_digest(path) != entry["sha256"]:
            return "was changed or damaged after it was written"
    except (FileNotFoundError, NotADirectoryError):
        return "is missing"
    except OSError as error:
        raise_exhausted(error)
        return f"cannot be read ({error.strerror or error})"
    return None
