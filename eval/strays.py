"""What lies in the folder of a finished output and is not in its manifest.

A stray is what one could take for an answer of the output: a table, a picture, a page or a run of
an earlier or another one. A note, a log and an output of its own, such as an index to deploy, may
lie there. Hidden files are those of the system and of locks.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from boilersweep.indexer.manifest import MANIFEST as INDEX_MANIFEST
from boilersweep.indexer.manifest import is_index

MANIFEST = "manifest.json"

_ANSWERS = frozenset(".csv .html .json .jsonl .npz .parquet .png .svg .tex .trec".split())
"""Suffixes, before that of a compression, of what our commands write."""

_PACKED = frozenset((".gz", ".bz2", ".xz", ".zst"))


@dataclass(slots=True)
class Unlisted:
    """Names below the folder. strays: see above. others: what may lie there, but for indexes."""

    strays: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def unlisted(folder: Path, listed: Collection[str], *, own: Collection[str]) -> Unlisted:
    """What no manifest lists. own: folders and files in it that are this output's alone.

    In a folder of its own any file is a stray.
    """
    found = Unlisted()
    inner = {name.partition("/")[0] for name in listed if "/" in name}
    for path in _visible(folder):
        name = path.name
        if name in listed or name == MANIFEST:
            continue
        if path.is_dir() and name in own:
            found.strays += _strays_in(path, listed)
        elif name in own or not path.is_dir():
            is_stray = name in own or _is_answer(path)
            (found.strays if is_stray else found.others).append(name)
        elif name not in inner and any(_visible(path)) and not is_index(path):
            is_output = (path / MANIFEST).is_file()
            (found.others if is_output else found.strays).append(f"{name}/")
    return found


def _strays_in(folder: Path, listed: Collection[str], above: str = "") -> Iterator[str]:
    """Of a folder of this output; what is listed may stand in folders within."""
    for path in _visible(folder):
        name = f"{above}{folder.name}/{path.name}"
        if name in listed or f"{name}/{INDEX_MANIFEST}" in listed:
            continue
        if path.is_dir() and any(other.startswith(f"{name}/") for other in listed):
            yield from _strays_in(path, listed, f"{above}{folder.name}/")
        else:
            yield name


def _visible(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


def _is_answer(path: Path) -> bool:
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED]
    return bool(suffixes) and suffixes[-1] in _ANSWERS
