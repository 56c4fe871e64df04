"""Block stores of pages that a test makes up, and what is in folders."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boilersweep import BlockStore, Segmentation, segment_collection
from boilersweep.outputs.parts import MANIFEST, MANIFESTS, NotChecked, Output
from boilersweep.outputs.plan import Plan, Planned
from boilersweep.store.manifest import STORE


def faults_of(output: Output[Any], folder: Path) -> list[str]:
    """Return what is wrong with an output, without what could not be checked."""
    found = output.check(folder)
    return [one for one in found if not isinstance(one, NotChecked)]


def write_pages(path: Path, pages: Mapping[str, str]) -> Path:
    """Write pages by docid as JSON lines."""
    lines = (
        json.dumps({"id": docid, "contents": page}) for docid, page in pages.items()
    )
    path.write_text("\n".join(lines), "utf-8")
    return path


def make_store_of(
    folder: Path, *shards: Mapping[str, str], **options: Any
) -> BlockStore:
    """Make a store of pages in a folder.

    Args:
        folder: Gets the folders `pages` and `store`.
        *shards: The pages of each shard, docid -> HTML.
        **options: Those of `Segmentation`.
    """
    (folder / "pages").mkdir()
    for number, pages in enumerate(shards):
        write_pages(folder / "pages" / f"{number}.jsonl", pages)
    asked = Segmentation(**{"collection": "jsonl", **options})
    return segment_collection(folder / "pages", folder / "store", asked, workers=1)


# What a manifest says of where and when its files were written, and the digest of all.
_STATE = re.compile(rb'(,\s*)?"(state|digest)": "[^"]*"')


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files below a folder, hidden ones, too, by path.

    Manifests are without the states of files, which no two runs have in common.
    """
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _content(path) for path in found}


def _content(path: Path) -> bytes:
    return without_states(path.name, path.read_bytes())


def without_states(name: str, content: bytes) -> bytes:
    """Return the content of a file, a manifest without the states of files."""
    return _STATE.sub(b"", content) if name in MANIFESTS else content


def contents_of_sweep(folder: Path) -> dict[str, bytes]:
    """Return the contents of a sweep but for Lucene's files, never the same, and the manifest."""
    left_out = ("indexes/", "manifest")
    found = contents(folder)
    return {name: found[name] for name in found if not name.startswith(left_out)}


def unfinish(folder: Path) -> None:
    """Leave a store as a run that is killed before it writes the manifest."""
    manifest = STORE.require(folder)
    plan = Plan(folder, STORE.name)
    plan.append(
        [
            Planned(name=name, key=one.key, files=one.files, facts=one.facts)
            for name, one in manifest.parts.items()
        ]
    )
    plan.close(finished=False)
    (folder / MANIFEST).unlink()
