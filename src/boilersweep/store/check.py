"""Prove a block store again from its files: that it is whole, and that its counts add up."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from boilersweep.errors import StoreError
from boilersweep.outputs.folder import (
    SHARDS,
    Checked,
    OutputCheck,
    OutputFolder,
)
from boilersweep.store.duplicates import find_duplicate_docids, rows_by_shard
from boilersweep.store.manifest import ShardEntry, StoreManifest
from boilersweep.store.shard import (
    ShardFacts,
    read_columns,
    read_docids,
    read_facts,
    read_fields,
    verify_checksums,
)
from boilersweep.store.store import STORE, BlockStore, open_store
from boilersweep.work.progress import steps

TOTALS = ("records", "documents", "without_blocks", "blocks", "words")


def check_store(path: Path, *, has_input: bool = False) -> Checked:
    """Prove a block store again: every shard is read, and compared with its digest.

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
    path, shards = store.path, store.manifest.shards
    there = [shard for shard in shards if (path / shard["file"]).exists()]
    totals: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    with steps("check", len(there), "shards") as bar:
        for shard in there:
            try:
                counted = _count(path / shard["file"])
                facts = read_facts(path / shard["file"])
                yield from _shard_faults(path / shard["file"], shard, facts, counted)
                totals.update({**counted, "records": facts.records})
                skipped.update(facts.skipped)
            except StoreError as error:
                yield str(error)
            bar.update()
    if len(there) == len(shards):
        yield from _manifest_faults(path, store.manifest, totals, skipped)


def _count(shard: Path) -> Counter[str]:
    """Return what a shard holds, counted, by the names of `ShardFacts`."""
    verify_checksums(shard)
    counted = Counter(dict.fromkeys(TOTALS[1:], 0))
    for columns in read_columns(shard):
        counted["documents"] += len(columns)
        counted["without_blocks"] += int((np.diff(columns.starts) == 0).sum())
        counted["blocks"] += len(columns.texts)
        counted["words"] += int(columns.words.sum())
    return counted


def _shard_faults(
    shard: Path, listed: ShardEntry, facts: ShardFacts, counted: Counter[str]
) -> Iterator[str]:
    for what, count in counted.items():
        said = getattr(facts, what)
        if said != count:
            yield f"{shard.name} holds {count:,} {what}, its footer says {said:,}"
    languages = dict(
        Counter(language for (language,) in read_fields(shard, ["language"]))
    )
    if facts.languages != languages:
        yield (
            f"{shard.name} holds documents by language {languages}, its footer says "
            f"{facts.languages}"
        )
    left = facts.records - counted["documents"] - sum(facts.skipped.values())
    if left:
        yield f"{shard.name}: {left:,} of {facts.records:,} records are unaccounted for"
    if listed["documents"] != counted["documents"] or listed["input"] != facts.files:
        yield f"{shard.name} is not the shard the manifest speaks of"
    for name, texts in listed["texts"].items():
        file = shard.with_name(texts["file"])
        if file.exists() and read_docids(file) != read_docids(shard):
            yield f"{file.name} does not hold a text of {name} for each page of {shard.name}"


def _manifest_faults(
    path: Path, manifest: StoreManifest, totals: Counter[str], skipped: Counter[str]
) -> Iterator[str]:
    files = [path / shard["file"] for shard in manifest.shards]
    duplicates = rows_by_shard(
        find_duplicate_docids(files, latest=manifest.on_duplicate == "latest")
    )
    dropped = {
        number: shard["dropped_rows"]
        for number, shard in enumerate(manifest.shards)
        if shard["dropped_rows"]
    }
    if duplicates != dropped:
        yield "docids stand twice that the manifest does not know of"
    again = sum(map(len, dropped.values()))
    totals["documents"] -= again
    if again:
        skipped["duplicate docid"] += again
    by_language = sum(manifest.languages.values())
    if by_language != totals["documents"]:
        yield (
            f"the shards hold {totals['documents']:,} documents, the manifest says {by_language:,} "
            "of all languages"
        )
    for name in TOTALS:
        recorded = getattr(manifest, name)
        if recorded != totals[name]:
            yield f"the shards hold {totals[name]:,} {name}, the manifest says {recorded}"
    if manifest.skipped != dict(skipped):
        yield f"the shards skipped {dict(skipped)}, the manifest says {manifest.skipped}"


CHECK = OutputCheck(
    check=lambda path, request: [check_store(path, has_input=request.has_input)],
    manifest=STORE.name,
    marks=(SHARDS,),
    store_of=open_store,
)
