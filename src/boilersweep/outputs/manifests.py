"""What an output folder holds: manifests that tell when they were changed, and files by digest.

A finished output has a manifest, written last. It lists files with size and SHA-256, and carries
the SHA-256 of all it says. What no manifest lists is not there.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from boilersweep.outputs.files import read_regular, write_text
from boilersweep.outputs.identity import digest_of, file_digest

DIGEST = "digest"
"""The last key of a manifest: SHA-256 of all the rest."""

Listing = Mapping[str, Mapping[str, Any]]
"""Path below a folder, with slashes -> `bytes` and `sha256` of the file."""

Found = TypeVar("Found")

_THREADS = 4  # hashing lets other threads run; more than a few wait for the disk


def manifest_text(value: Mapping[str, Any]) -> str:
    """A manifest as its file has it, the digest last."""
    whole = {**value, DIGEST: digest_of(value)}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def write_manifest(path: Path, value: Mapping[str, Any]) -> None:
    """Write a manifest whole or not at all; raises OutputError."""
    write_text(path, manifest_text(value))


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest without its digest; raises OSError, and ValueError where it was changed."""
    try:
        return unchanged(json.loads(read_regular(path)))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def unchanged(value: Any) -> dict[str, Any]:
    """What a manifest's JSON says, without its digest; raises ValueError where it was changed."""
    said = {k: one for k, one in value.items() if k != DIGEST} if isinstance(value, dict) else {}
    if not said or value.get(DIGEST) != digest_of(said):
        raise ValueError("it was changed or damaged after it was written")
    return said


def listing(folder: Path, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The listing of some files below a folder; raises OSError where one cannot be read."""
    names = list(names)

    def entry(name: str) -> dict[str, Any]:
        path = folder / name
        return {"bytes": path.stat().st_size, "sha256": file_digest(path)}

    return dict(zip(names, _in_threads(entry, names), strict=True))


def faults(folder: Path, listed: Listing) -> list[str]:
    """A sentence for each listed file that is missing, or is not as it was written."""
    found = _in_threads(lambda item: fault(folder / item[0], item[1]), listed.items())
    return [f"{name} {what}" for name, what in zip(listed, found, strict=True) if what is not None]


def fault(path: Path, entry: Mapping[str, Any]) -> str | None:
    """What is wrong with a listed file, None where it is as it was written."""
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
