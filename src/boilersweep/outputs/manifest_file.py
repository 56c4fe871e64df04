"""What an output folder holds: manifests that tell when they were changed, and files by digest.

A finished output has a manifest, written last. It lists files with size and SHA-256, and carries
the SHA-256 of all it says. What no manifest lists is not there.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import msgspec

from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.identity import digest_of, file_digest
from boilersweep.outputs.typed_files import json_text, read_json

# The last key of a manifest: SHA-256 of all the rest.
DIGEST = "digest"


class FileEntry(TypedDict):
    """A file in a listing: its size in bytes, and the SHA-256 of its content."""

    bytes: int
    sha256: str


# Path below a folder, with slashes -> the file's entry.
Listing = Mapping[str, FileEntry]


class OutputManifest(msgspec.Struct, kw_only=True):
    """The manifest of a finished output.

    Attributes:
        identity: Everything that the output depends on.
        files: The files that the output consists of.
    """

    identity: dict[str, Any]
    files: dict[str, FileEntry]


Found = TypeVar("Found")

_THREADS = 4  # hashing lets other threads run; more than a few wait for the disk


def manifest_text(value: Mapping[str, Any]) -> str:
    """Return the text of a manifest's file, with the digest as its last key."""
    return json_text({**value, DIGEST: digest_of(value)})


def write_manifest(path: Path, value: Mapping[str, Any]) -> None:
    """Write a manifest whole or not at all; raises OutputError."""
    write_text(path, manifest_text(value))


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


def listing(folder: Path, names: Iterable[str]) -> dict[str, FileEntry]:
    """Return the listing of some files below a folder; raises OSError where one cannot be read."""
    names = list(names)

    def entry(name: str) -> FileEntry:
        path = folder / name
        return {"bytes": path.stat().st_size, "sha256": file_digest(path)}

    return dict(zip(names, _in_threads(entry, names), strict=True))


def faults(folder: Path, listed: Listing) -> list[str]:
    """Return a sentence for each listed file that is missing, or is not as it was written."""
    found = _in_threads(lambda item: fault(folder / item[0], item[1]), listed.items())
    return [
        f"{name} {what}"
        for name, what in zip(listed, found, strict=True)
        if what is not None
    ]


def fault(path: Path, entry: FileEntry) -> str | None:
    """Return what is wrong with a listed file, None where it is as it was written."""
    try:
        size = path.stat().st_size
        if size != entry["bytes"]:
            return f"has {size:,} bytes, and was written with {entry['bytes']:,}"
        if file_digest(path) != entry["sha256"]:
            return "was changed or damaged after it was written"
    except (FileNotFoundError, NotADirectoryError):
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"
    return None


def _in_threads(work: Callable[[Any], Found], items: Iterable[Any]) -> list[Found]:
    items = list(items)
    if len(items) < 2:
        return list(map(work, items))
    with ThreadPoolExecutor(min(_THREADS, len(items))) as pool:
        return list(pool.map(work, items))
