"""The manifest of a block store, made from the footers of its shards once all of them are there."""

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from boilersweep.collection.record import Reason
from boilersweep.errors import CollectionError, StoreError
from boilersweep.outputs.folder import KIND, MANIFEST, OutputFolder
from boilersweep.outputs.identity import __version__
from boilersweep.outputs.manifest_file import fault, listing, write_manifest
from boilersweep.store.box_files import blocks_digest
from boilersweep.store.duplicates import Duplicate, find_duplicates, rows_by_shard
from boilersweep.store.layout import VERSION
from boilersweep.store.shard import read_facts, read_fields
from boilersweep.store.store import EXTRACTING, STORE, BlockStore, open_store

OnDuplicate = Literal["error", "first", "latest"]

_SAMPLES_PER_REASON = 10


def complete_store(
    output: Path,
    shards: Sequence[Path],
    root: str,
    options: dict[str, Any],
    on_duplicate: OnDuplicate,
    reading: dict[str, Any],
    before: BlockStore | None = None,
    made: Collection[Path] = (),
) -> BlockStore:
    """Write the manifest of the store whose shards are all there, and open it.

    Several processes may do so at once: each writes the same. root: the input, as text.
    reading: how it was listed and what of it is not read, as the manifest has it. before: the whole
    store that was there, whose manifest stays where it says the same. made: the shards that were
    not of it.
    Raises CollectionError for a docid that occurs twice, if that is an error, and where there is no
    document at all; StoreError where a shard is not the one that was written; OutputError.
    """
    duplicates = find_duplicates(shards, latest=on_duplicate == "latest")
    if duplicates and on_duplicate == "error":
        raise _duplicate_error(duplicates)
    stated = {**reading, "on_duplicate": on_duplicate}
    manifest = _manifest(shards, root, options, duplicates) | stated
    if not manifest["documents"]:
        raise CollectionError(f"{root} holds no document: {_found_instead(manifest)}")
    if before and not made and (output / MANIFEST).exists() and manifest == _undigested(before):
        return before
    _require_whole(before, [shard for shard in shards if shard not in made])
    digests = listing(output, [shard.name for shard in shards])
    for shard in manifest["shards"]:
        shard.update(digests[shard["file"]])
    write_manifest(output / MANIFEST, manifest)
    return open_store(output)


def whole_store(output: Path) -> BlockStore | None:
    """The block store in a folder, None where there is none that is whole.

    Raises StoreError where the folder has another output, whose manifest a store's would replace.
    """
    try:
        return open_store(output)
    except StoreError:
        OutputFolder(output, STORE).read(overwrite=True)  # raises for that of another output
        return None


def withdraw(output: Path) -> None:
    """Remove the manifest of a store that is about to change, and that of new shards within it."""
    (output / EXTRACTING / MANIFEST).unlink(missing_ok=True)
    (output / MANIFEST).unlink(missing_ok=True)


def _undigested(store: BlockStore) -> dict[str, Any]:
    """The manifest as it was before the shards' digests were known."""
    shards = [
        {key: value for key, value in shard.items() if key not in ("bytes", "sha256")}
        for shard in store.manifest["shards"]
    ]
    return {**store.manifest, "shards": shards}


def _require_whole(before: BlockStore | None, shards: Sequence[Path]) -> None:
    """What is taken over from a store must not have been damaged since: it is digested anew."""
    listed = {shard["file"]: shard for shard in before.manifest["shards"]} if before else {}
    for path in shards:
        if path.name in listed and (what := fault(path, listed[path.name])):
            raise StoreError(f"{path} {what}; delete it and run `boilersweep segment` again")


def _found_instead(manifest: dict[str, Any]) -> str:
    """What a collection without a document holds."""
    if not manifest["records"]:
        return "its files hold no record; check the path and --collection"
    found = []
    for reason, count in Counter(manifest["skipped"]).most_common():
        one = manifest["skipped_samples"][reason][0]
        detail = f": {one['detail']}" if one["detail"] else ""
        found.append(f"{count:,} x {reason} (such as {one['place']}{detail})")
    is_jsonl = manifest["options"]["collection"] == "jsonl"
    options = "--id-field and --text-field" if is_jsonl else "--collection"
    return f"{'; '.join(found)}; check {options}, or fix the collection"


def _duplicate_error(duplicates: Sequence[Duplicate]) -> CollectionError:
    one = duplicates[0]
    more = f" (and {len(duplicates) - 1:,} more)" if len(duplicates) > 1 else ""
    return CollectionError(
        f"duplicate docid {one.docid!r}: {one.kept_place} and {one.place}{more}; "
        "fix the collection, or keep the first of each with --on-duplicate first, or the one of "
        "the latest date with --on-duplicate latest"
    )


def _manifest(
    files: Sequence[Path], root: str, options: dict[str, Any], duplicates: Sequence[Duplicate]
) -> dict[str, Any]:
    dropped = rows_by_shard(duplicates)
    shards = []
    skipped: Counter[str] = Counter()
    samples: dict[str, list[dict[str, Any]]] = {}
    lost: list[dict[str, Any]] = []
    totals = Counter(records=0, documents=-len(duplicates), without_blocks=0, blocks=0)
    totals.update(words=0, unspaced_words=0, marked_texts=0)
    languages: Counter[str] = Counter()
    dictionary = detector = None
    failed: Counter[str] = Counter()
    fingerprint = hashlib.sha256()
    for number, file in enumerate(files):
        facts = read_facts(file)
        rows = dropped.get(number, [])
        dictionary, detector = facts.task.get("words"), facts.task.get("detector")
        languages.update(facts.languages)
        if rows:
            said = read_fields(file, ["language"])
            languages.subtract(said[row][0] for row in rows)
        for key in totals:
            totals[key] += getattr(facts, key)
        skipped.update(facts.skipped)
        failed.update(facts.failed_extractions)
        for sample in facts.samples:
            places = samples.setdefault(sample.reason, [])
            if len(places) < _SAMPLES_PER_REASON:
                places.append(asdict(sample))
        lost += map(asdict, facts.lost)
        digests = [[read["path"], read["sha256"]] for read in facts.files]
        losses = [[one.reason, one.place, one.records] for one in facts.lost]
        content = [facts.task, digests, rows, facts.skipped, losses, facts.failed_extractions]
        fingerprint.update(json.dumps(content, sort_keys=True).encode())
        shards.append(
            {
                "file": file.name,
                "records": facts.records,
                "documents": facts.documents,
                "skipped": facts.skipped,
                "dropped_rows": rows,
                "input": facts.files,
                "blocks_sha256": blocks_digest(facts),
            }
        )
    if duplicates:
        skipped[Reason.DUPLICATE] += len(duplicates)
        samples[Reason.DUPLICATE] = [asdict(d) for d in duplicates[:_SAMPLES_PER_REASON]]
    manifest = {
        KIND: STORE.name,
        "store_version": VERSION,
        "boilersweep": __version__,
        "python": platform.python_version(),
        "input": root,
        "options": options,
        **totals,
        "dictionary": dictionary,
        "languages": {name: count for name, count in sorted(languages.items()) if count},
        "detector": detector,
        "failed_extractions": dict(failed),
        "skipped": dict(skipped),
        "skipped_samples": samples,
        "lost": lost,
        "fingerprint": fingerprint.hexdigest(),
        "shards": shards,
    }
    found: dict[str, Any] = json.loads(json.dumps(manifest))  # as it is when it is read
    return found
