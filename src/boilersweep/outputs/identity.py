"""What a result depends on: digests of files and of code, and how two identities differ.

Everything that is kept and used again carries the identity of what it was made from, as nested
JSON, and is used again only where that is the one asked for.
"""

import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from boilersweep.outputs.files import open_regular
from boilersweep.outputs.locations import is_remote

__version__ = "0.1.0"

STAGES: dict[str, tuple[str, ...]] = {
    "segment": (
        "boilersweep.pages.page",
        "boilersweep.collection",
        "boilersweep.pages.compiled",
        "boilersweep.pages.content_kind",
        "boilersweep.pages.elements",
        "boilersweep.pages.encoding",
        "boilersweep.pages.language",
        "boilersweep.pages.libxml2",
        "boilersweep.pages.metadata",
        "boilersweep.pages.packed",
        "boilersweep.pages.segmenter",
        "boilersweep.segmenting.cutting",
        "boilersweep.segmenting.texts",
        "boilersweep.segmenting.limits",
        "boilersweep.segmenting.nesting",
        "boilersweep.segmenting.rows",
        "boilersweep.segmenting.shards",
        "boilersweep.store.layout",
        "boilersweep.store.shard",
        "boilersweep.pages.structure",
        "boilersweep.pages.words",
    ),
    "extract": ("boilersweep.extractors", "boilersweep.pages.language", "boilersweep.pages.words"),
    "clean": (
        "boilersweep.cleaners",
        "boilersweep.pages.alignment",
        "boilersweep.pages.boxes",
        "boilersweep.pages.columns",
        "boilersweep.pages.hosts",
        "boilersweep.features",
        "boilersweep.cleaners.learned",
        "boilersweep.cleaners.rules",
        "boilersweep.cleaners.selection",
        "boilersweep.pages.tree",
        "boilersweep.pages.words",
    ),
    "dedup": ("boilersweep.store.near_duplicates", "boilersweep.outputs.csvtext"),
    "render": (
        "boilersweep.rendering.browser",
        "boilersweep.rendering.chromium",
        "boilersweep.rendering.drawing",
        "boilersweep.rendering.marking",
        "boilersweep.pages.boxes",
        "boilersweep.store.box_files",
    ),
    "export": ("boilersweep.export", "boilersweep.store.vectors", "boilersweep.pages.words"),
    "index": ("boilersweep.indexer",),
    "train": ("boilersweep.eval.training", "boilersweep.eval.judge"),
    "rank": (
        "boilersweep.eval.exact",
        "boilersweep.eval.hits",
        "boilersweep.eval.ranking_models",
        "boilersweep.store.vectors",
    ),
}
"""The modules and packages whose code shapes what a stage leaves behind."""

_SOURCES = (".py", ".pyx", ".pxd", ".java")
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_SHOWN = 12  # letters of a digest in a message
_NAMED = 5  # clauses in a message


def digest_of(value: Any) -> str:
    """SHA-256 of a JSON-able value; the order of keys does not count."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content; raises OSError.

    A file of this machine is not read again by this process while its inode, size and times of
    change are those of an earlier call.
    """
    if is_remote(path):
        return _read_digest(path)
    stat = path.stat()
    now = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    return _known_digest(os.path.realpath(path), now)


@lru_cache(maxsize=2**16)
def _known_digest(path: str, _state: tuple[int, ...]) -> str:
    return _read_digest(Path(path))


def _read_digest(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def code_identity(*stages: str) -> dict[str, str]:
    """Stage -> SHA-256 of its code, for some of STAGES."""
    return {stage: _code_digest(stage) for stage in stages}


@cache
def _code_digest(stage: str) -> str:
    digest = hashlib.sha256()
    for module in STAGES[stage]:
        for name, path in sorted(module_sources(module)):
            digest.update(f"{name}\0{file_digest(path)}\n".encode())
    return digest.hexdigest()


def module_sources(module: str) -> Iterator[tuple[str, Path]]:
    """The source files of a module, or of a package and all in it, with names that stay the same.

    Raises ModuleNotFoundError where there is no such module. The module is not imported, those
    that contains it are.
    """
    spec = importlib.util.find_spec(module)
    if spec is None:
        raise ModuleNotFoundError(f"no module named {module}", name=module)
    if not spec.submodule_search_locations:
        if spec.origin and Path(spec.origin).is_file():
            yield module, Path(spec.origin)
        return
    for folder in map(Path, spec.submodule_search_locations):
        for path in folder.rglob("*"):
            if path.suffix in _SOURCES:
                yield f"{module}/{path.relative_to(folder).as_posix()}", path


def differences(made: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """A clause for each value in which two identities differ, such as `k1 was 0.9, is 1.2`."""
    found = []
    one, other = dict(_leaves(made)), dict(_leaves(wanted))
    for name in dict.fromkeys([*one, *other]):
        before, now = one.get(name), other.get(name)
        if before != now:
            found.append(f"{name} was {_shown(before)}, is {_shown(now)}")
    return found


def some_of(clauses: Sequence[str]) -> str:
    """Clauses as one text: the first few, and how many more there are."""
    more = f"; and {len(clauses) - _NAMED:,} more" if len(clauses) > _NAMED else ""
    return "; ".join(clauses[:_NAMED]) + more


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, one in value.items():
        if isinstance(one, Mapping) and one:
            yield from _leaves(one, f"{prefix}{key} ")
        else:
            yield f"{prefix}{key}".replace("_", " "), _plain(one)


def _plain(value: Any) -> Any:
    """As JSON has it: what is read back is compared with what was never written."""
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = _DIGEST.sub(lambda digest: digest[0][:_SHOWN], text)
    return text if len(text) <= 80 else f"{text[:77]}..."
