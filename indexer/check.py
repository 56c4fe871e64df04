"""Compare an index's files with their digests, and its counts with its store's.

An index that has these files was opened and counted before its manifest was written.
"""

from collections.abc import Iterator
from pathlib import Path

from boilersweep.errors import BoilersweepError
from boilersweep.indexer.manifest import (
    INDEX,
    LISTING,
    IndexManifest,
    index_folders,
    is_index,
    read_manifest,
)
from boilersweep.outputs.folder import Checked, CheckRequest, OutputCheck, OutputFolder
from boilersweep.store.store import BlockStore


def check_index(path: Path, store: BlockStore | None) -> Checked:
    """Compare an index with its manifest.

    Args:
        path: The folder of the index.
        store: The block store it was built from, where that is known.
    """
    checked = OutputFolder(path, INDEX).check(lambda manifest: _faults(manifest, store))
    checked.unseen += (
        [] if store else ["the block store it was built from, which is not here"]
    )
    return checked


def _faults(manifest: IndexManifest, store: BlockStore | None) -> Iterator[str]:
    if store is None:
        return
    if manifest.identity.store != store.fingerprint:
        yield f"it was built from another block store than {store.path}"
        return
    others = sum(manifest.other_languages.values())
    there = store.documents_of_all_languages
    if manifest.documents + manifest.empty + manifest.duplicates + others != there:
        duplicates = (
            f", {manifest.duplicates:,} duplicates" if manifest.duplicates else ""
        )
        languages = f", {others:,} in other languages" if others else ""
        yield (
            f"{manifest.documents:,} documents indexed, {manifest.empty:,} left "
            f"empty{duplicates}{languages} are not the {there:,} of {store.path}"
        )


def _check(path: Path, request: CheckRequest) -> Iterator[Checked]:
    if is_index(path):
        yield check_index(path, request.store)
        return
    checked = Checked("parallel indexes", path)
    listing = OutputFolder(path, LISTING)
    if listing.manifest.exists():
        checked = listing.check()
    checked.faults += _copies(path)
    if checked.faults or listing.manifest.exists():
        yield checked


def _copies(folder: Path) -> Iterator[str]:
    """Yield a sentence for each parallel index that is a copy of another one beside it."""
    known: list[tuple[IndexManifest, str]] = []
    for path in index_folders(folder):
        try:
            manifest = read_manifest(path)
        except BoilersweepError:  # reported where the index itself is checked
            continue
        if manifest is None or manifest.identity.layout.positions:
            continue
        for other, name in known:
            if other.identity == manifest.identity:
                yield f"{path.name} is a copy of {name}; move it elsewhere"
        known.append((manifest, path.name))


def _is_recognised(path: Path) -> bool:
    return (
        is_index(path)
        or (path / LISTING.manifest).exists()
        or bool(index_folders(path))
    )


CHECK = OutputCheck(check=_check, recognises=_is_recognised)
