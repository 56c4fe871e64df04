"""The manifest of a block store, made from the footers of its shards once all of them are there."""

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from boilersweep.collection.formats import FORMATS
from boilersweep.collection.record import Reason
from boilersweep.errors import CollectionError, StoreError
from boilersweep.outputs.folder import KIND, MANIFEST, OutputFolder
from boilersweep.outputs.identity import __version__
from boilersweep.outputs.manifest_file import Listing, fault, listing, write_manifest
from boilersweep.outputs.typed_files import as_type, decode_json, json_text
from boilersweep.segmenting.tasks import Stated
from boilersweep.store.duplicates import (
    DuplicateDocid,
    find_duplicate_docids,
    rows_by_shard,
)
from boilersweep.store.manifest import StoreManifest
from boilersweep.store.shard import ShardFacts, read_facts, read_fields
from boilersweep.store.shard_columns import VERSION
from boilersweep.store.store import EXTRACTING, STORE, BlockStore, open_store

_SAMPLES_PER_REASON = 10

# The counts of a shard that are added up.
_COUNTED = (
    "records",
    "documents",
    "without_blocks",
    "blocks",
    "words",
    "unspaced_words",
    "marked_texts",
    "guessed_encodings",
)


def complete_store(
    output: Path,
    shards: Sequence[Path],
    stated: Stated,
    before: BlockStore | None = None,
    made: Collection[Path] = (),
) -> BlockStore:
    """Write the manifest of the store whose shards are all there, and open it.

    Several processes may do so at once: each writes the same.

    Args:
        output: The folder of the store.
        shards: The shards in the store's order.
        stated: What the manifest states besides the facts of the shards.
        before: The whole store that was there; its manifest stays if nothing would change.
        made: The shards that are not of that store.

    Raises:
        CollectionError: There is no document, or a duplicate docid if that is an error.
        StoreError: A shard is not the one that was written.
        OutputError: The manifest cannot be written.
    """
    duplicates = find_duplicate_docids(shards, latest=stated.on_duplicate == "latest")
    if duplicates and stated.on_duplicate == "error":
        raise _duplicate_error(duplicates)
    manifest = _manifest(shards, stated, duplicates)
    if not manifest["documents"]:
        for shard in shards if before is None else ():
            shard.unlink(missing_ok=True)  # they would be in the way of the right input
        raise CollectionError(
            f"{stated.root} holds no document: {_found_instead(manifest, stated.root)}"
        )
    if (
        before
        and not made
        and (output / MANIFEST).exists()
        and _is_same(before, manifest)
    ):
        return before
    listed = before.manifest.listing if before else {}
    for path in shards:
        if (
            path not in made
            and path.name in listed
            and (what := fault(path, listed[path.name]))
        ):
            raise StoreError(
                f"{path} {what}; delete it and run `boilersweep segment` again"
            )
    digests = listing(output, [shard.name for shard in shards])
    write_manifest(output / MANIFEST, _with_digests(manifest, digests))
    return open_store(output)


def whole_store(output: Path) -> BlockStore | None:
    """Return the whole block store in a folder, or None.

    Raises:
        StoreError: The folder has another output, whose manifest a store's would replace.
    """
    try:
        return open_store(output)
    except StoreError:
        # This raises if there is another output
        OutputFolder(output, STORE).read(overwrite=True)
        return None


def withdraw(output: Path) -> None:
    """Remove the manifest of a store that is about to change, and that of new shards within it."""
    (output / EXTRACTING / MANIFEST).unlink(missing_ok=True)
    (output / MANIFEST).unlink(missing_ok=True)


def _is_same(store: BlockStore, manifest: dict[str, Any]) -> bool:
    """Return whether a store's manifest equals a new one, except for the shards' digests."""
    digests = store.manifest.listing
    if digests.keys() != {shard["file"] for shard in manifest["shards"]}:
        return False
    return as_type(_with_digests(manifest, digests), StoreManifest) == store.manifest


def _with_digests(manifest: dict[str, Any], digests: Listing) -> dict[str, Any]:
    shards = []
    for shard in manifest["shards"]:
        entry = digests[shard["file"]]
        shards.append({**shard, "bytes": entry["bytes"], "sha256": entry["sha256"]})
    return {**manifest, "shards": shards}


def _found_instead(manifest: dict[str, Any], root: str) -> str:
    """Return what a collection without a document holds."""
    if any(Path(root).glob("shard-*.parquet")):
        return "it is a block store; pass it with --store"
    if not manifest["records"]:
        return "its files hold no record; check the path and --collection"
    found = []
    for reason, count in Counter(manifest["skipped"]).most_common():
        one = manifest["skipped_samples"][reason][0]
        detail = f": {one['detail']}" if one["detail"] else ""
        found.append(f"{count:,} x {reason} (such as {one['place']}{detail})")
    options = FORMATS[manifest["options"]["collection"]].check
    return f"{'; '.join(found)}; check {options}, or fix the collection"


def _duplicate_error(duplicates: Sequence[DuplicateDocid]) -> CollectionError:
    one = duplicates[0]
    more = f" (and {len(duplicates) - 1:,} more)" if len(duplicates) > 1 else ""
    return CollectionError(
        f"duplicate docid {one.docid!r}: {one.kept_place} and {one.place}{more}; "
        "fix the collection, or keep the first of each with --on-duplicate first, or the one of "
        "the latest date with --on-duplicate latest"
    )


def _manifest(
    files: Sequence[Path], stated: Stated, duplicates: Sequence[DuplicateDocid]
) -> dict[str, Any]:
    dropped = rows_by_shard(duplicates)
    totals = dict.fromkeys(_COUNTED, 0)
    skipped: Counter[str] = Counter()
    samples: dict[str, list[dict[str, Any]]] = {}
    lost: list[dict[str, Any]] = []
    shards = []
    languages: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    fingerprint = hashlib.sha256()
    task: dict[str, Any] = {}
    for number, file in enumerate(files):
        facts = read_facts(file)
        task, rows = facts.task, dropped.get(number, [])
        for key in totals:
            totals[key] += getattr(facts, key)
        languages.update(facts.languages)
        if rows:
            fields = read_fields(file, ["language"])
            languages.subtract(fields[row][0] for row in rows)
        skipped.update(facts.skipped)
        failed.update(facts.failed_extractions)
        for sample in facts.samples:
            places = samples.setdefault(sample.reason, [])
            if len(places) < _SAMPLES_PER_REASON:
                places.append(asdict(sample))
        lost += map(asdict, facts.lost)
        fingerprint.update(_content(facts, rows))
        shards.append(_shard(file.name, facts, rows))
    totals["documents"] -= len(duplicates)
    if duplicates:
        skipped[Reason.DUPLICATE] += len(duplicates)
        samples[Reason.DUPLICATE] = [
            asdict(d) for d in duplicates[:_SAMPLES_PER_REASON]
        ]
    manifest = {
        KIND: STORE.name,
        "store_version": VERSION,
        "boilersweep": __version__,
        "python": platform.python_version(),
        "input": stated.root,
        "options": task["options"],
        **totals,
        "dictionary": task["words"],
        "languages": dict(sorted((+languages).items())),
        "detector": task["detector"],
        "failed_extractions": dict(failed),
        "skipped": dict(skipped),
        "skipped_samples": samples,
        "lost": lost,
        "fingerprint": fingerprint.hexdigest(),
        "shards": shards,
        **stated.reading,
        "on_duplicate": stated.on_duplicate,
    }
    return decode_json(json_text(manifest), dict)  # as it is when it is read


def _shard(name: str, facts: ShardFacts, rows: list[int]) -> dict[str, Any]:
    """Return what the manifest says of a shard; `rows` are those of its duplicates."""
    return {
        "file": name,
        "records": facts.records,
        "documents": facts.documents,
        "skipped": facts.skipped,
        "dropped_rows": rows,
        "input": facts.files,
    }


def _content(facts: ShardFacts, rows: list[int]) -> bytes:
    """Return all that the documents of a shard depend on; `rows` are those of its duplicates."""
    digests = [[read["path"], read["sha256"]] for read in facts.files]
    losses = [[one.reason, one.place, one.records] for one in facts.lost]
    content = [
        facts.task,
        digests,
        rows,
        facts.skipped,
        losses,
        facts.failed_extractions,
    ]
    return json.dumps(content, sort_keys=True).encode()
