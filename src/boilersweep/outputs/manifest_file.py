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

ENTRY: Mapping[str, Any] = {"bytes": int, "sha256": str}
LISTING: Mapping[Any, Any] = {str: ENTRY}
"""The shapes of a file in a listing, and of a listing; see `require_shape`."""

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


def require_shape(value: Any, shape: Any, where: str = "it") -> None:
    """Raise ValueError where a manifest's JSON has no value, or one of another type.

    shape: a type or a tuple of types; [shape] for a list; {str: shape} for an object with any
    names; {name: shape} for one with these names among others, where "name?" may be missing.
    where: names the value in the message.
    """
    if isinstance(shape, list):
        _require_type(value, list, where)
        for one in value:
            require_shape(one, shape[0], f"an item of {where}")
    elif isinstance(shape, Mapping):
        _require_type(value, Mapping, where)
        for name, inner in shape.items():
            if name is str:
                for key, one in value.items():
                    require_shape(one, inner, f"{where}: {key}")
            elif name.removesuffix("?") in value:
                require_shape(value[name.removesuffix("?")], inner, f"{where}: {name}")
            elif not name.endswith("?"):
                raise ValueError(f"{where}: {name} is missing")
    else:
        _require_type(value, shape, where)


def _require_type(value: Any, kind: Any, where: str) -> None:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kind) or (isinstance(value, bool) and bool not in kinds):
        names = " or ".join("null" if one is type(None) else one.__name__ for one in kinds)
        raise ValueError(f"{where} has another type than {names}")


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
