"""Prove an export again from its files."""

from collections.abc import Iterator
from pathlib import Path

from boilersweep.export.manifest import MANIFEST, read_export, strangers
from boilersweep.export.shards import Counts
from boilersweep.outputs.manifests import faults
from boilersweep.store.near_duplicates import check_duplicate_counts
from boilersweep.store.store import BlockStore


def check_export(output: Path, store: BlockStore | None) -> Iterator[str]:
    """A sentence for each fault. store: the one it was made from, where that is known.

    Raises OutputError where the manifest is not that of an export.
    """
    manifest = read_export(output)
    if manifest is None:
        yield f"it has no {MANIFEST}; run the same `boilersweep export` again to finish it"
        return
    yield from faults(output, manifest["files"])
    yield from strangers(output, manifest)
    for name, counts in manifest["counts"].items():
        found = Counts(**counts).total
        if found != manifest["documents"]:
            yield f"{name} has {found:,} documents, the store {manifest['documents']:,}"
    if manifest["identity"].get("dedup"):
        said = {name: counts["duplicates"] for name, counts in manifest["counts"].items()}
        yield from check_duplicate_counts(output, said)
    others = sum(manifest.get("other_languages", {}).values())
    if store and manifest["documents"] + others != store.documents:
        yield (
            f"its {manifest['documents']:,} documents and {others:,} in other languages are not "
            f"the {store.documents:,} of {store.path}"
        )
    if store and store.fingerprint != manifest["identity"]["store"]:
        yield f"it was made from another block store than {store.path}"
