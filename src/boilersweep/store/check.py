"""Compare a block store's files with their digests, and add up what its shards say of themselves.

A shard that has its digest is as it was written, and need not be counted again.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from boilersweep.errors import StoreError
from boilersweep.outputs.folder import (
    SHARDS,
    Checked,
    OutputCheck,
    OutputFolder,
)
from boilersweep.store.shard import counts_of_rows, read_facts
from boilersweep.store.store import STORE, BlockStore, open_store

TOTALS = ("records", "documents", "without_blocks", "blocks", "words")


def check_store(path: Path, *, has_input: bool = False) -> Checked:
    """Compare a block store with its manifest.

    Args:
        path: The folder of the store.
        has_input: Whether the caller compares the input; otherwise, the result says it was not.
    """
    try:
        store = open_store(path)
    except StoreError as error:
        return Checked(STORE.name, path, [str(error)])
    checked = OutputFolder(path, STORE).check(lambda _: _wrong(store))
    checked.unseen += [] if has_input else ["its input; name that with --input"]
    return checked


def _wrong(store: BlockStore) -> Iterator[str]:
    """Yield what the manifest says else than the shards say of themselves."""
    manifest = store.manifest
    totals: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for shard in manifest.shards:
        try:
            facts = read_facts(store.path / shard["file"])
        except StoreError:  # missing or damaged: compared with its digest
            return
        totals.update({name: getattr(facts, name) for name in TOTALS})
        skipped.update(facts.skipped)
        if rows := shard["dropped_rows"]:
            totals.subtract(counts_of_rows(store.path / shard["file"], rows))
            skipped["duplicate docid"] += len(rows)
    for name in TOTALS:
        recorded = getattr(manifest, name)
        if recorded != totals[name]:
            yield f"the shards hold {totals[name]:,} {name}, the manifest says {recorded}"
    if manifest.skipped != dict(skipped):
        yield f"the shards skipped {dict(skipped)}, the manifest says {manifest.skipped}"
    languages = sum(manifest.languages.values())
    if languages != manifest.documents:
        yield f"{languages:,} of {manifest.documents:,} documents are counted by language"
    left = manifest.records - manifest.documents - sum(manifest.skipped.values())
    if left:
        yield f"{left:,} of {manifest.records:,} records are unaccounted for"


CHECK = OutputCheck(
    check=lambda path, request: [check_store(path, has_input=request.has_input)],
    manifest=STORE.name,
    marks=(SHARDS,),
    store_of=open_store,
)
