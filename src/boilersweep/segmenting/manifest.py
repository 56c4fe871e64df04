"""What the manifest of a block store says of the whole, from what is known of its shards."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boilersweep.collection.format import Reason
from boilersweep.collection.formats import FORMATS
from boilersweep.errors import CollectionError
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.typed_files import as_type, decode_json, json_text
from boilersweep.store.duplicate_docids import (
    DuplicateDocid,
    find_duplicate_docids,
    rows_by_shard,
)
from boilersweep.store.manifest import OnDuplicate, StoreManifest
from boilersweep.store.shard import (
    InputFile,
    ShardFacts,
    TextFacts,
    counts_of_rows,
    read_fields,
)

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


@dataclass(frozen=True, slots=True)
class StoreContents:
    """What a store shows of the files in its folder.

    Attributes:
        folder: The folder.
        shards: The names of the shards in the store's order, with what they count.
        texts: For each name of texts, the same of their files, one for each shard.
        files: The size and the digest of each file.
        sources: What the texts depend on beside the pages, by their names.
        root: The input, as text.
        reading: How the input was listed and what of it is not read.
        on_duplicate: What is done with duplicate docids.
        is_unique: Whether these shards are known to have no duplicate docid.
    """

    folder: Path
    shards: Sequence[tuple[str, ShardFacts]]
    texts: Mapping[str, Sequence[tuple[str, TextFacts]]]
    files: Mapping[str, FileEntry]
    sources: Mapping[str, str]
    root: str
    reading: Mapping[str, Any]
    on_duplicate: OnDuplicate
    is_unique: bool = False

    def listed(self, name: str) -> dict[str, Any]:
        """Return the name of a file with its size and digest."""
        entry = self.files[name]
        return {"file": name, "bytes": entry["bytes"], "sha256": entry["sha256"]}


def facts_of(view: StoreContents) -> StoreManifest:
    """Return what the manifest of a store says of the whole.

    Raises:
        CollectionError: There is no document, or a duplicate docid if that is an error.
        StoreError: A file is damaged.
    """
    latest = view.on_duplicate == "latest"
    files = [view.folder / name for name, _ in view.shards]
    duplicates = [] if view.is_unique else find_duplicate_docids(files, latest=latest)
    if duplicates and view.on_duplicate == "error":
        raise _duplicate_error(duplicates)
    facts = _facts(view, duplicates)
    if not facts.documents:
        raise CollectionError(f"{view.root} holds no document: {_found_instead(facts)}")
    return facts


def _found_instead(facts: StoreManifest) -> str:
    """Return what a collection without a document holds."""
    if not facts.records:
        return "its files hold no record; check the path and `collection`"
    reasons = []
    for reason, count in Counter(facts.skipped).most_common():
        sample = facts.skipped_samples[reason][0]
        detail = f": {sample['detail']}" if sample.get("detail") else ""
        reasons.append(f"{count:,} x {reason} (such as {sample['place']}{detail})")
    options = FORMATS[facts.options["collection"]].check
    return f"{'; '.join(reasons)}; check {options} of `boilersweep segment`, or fix the collection"


def _duplicate_error(duplicates: Sequence[DuplicateDocid]) -> CollectionError:
    duplicate = duplicates[0]
    more = f" (and {len(duplicates) - 1:,} more)" if len(duplicates) > 1 else ""
    return CollectionError(
        f"duplicate docid {duplicate.docid!r}: {duplicate.kept_place} and {duplicate.place}{more}; "
        "fix the collection, or let `boilersweep segment --on-duplicate first` keep the first of "
        "each, or `latest` the one of the latest date"
    )


def _facts(view: StoreContents, duplicates: Sequence[DuplicateDocid]) -> StoreManifest:
    dropped = rows_by_shard(duplicates)
    totals, languages = _totals(view, dropped)
    skipped, samples = _skipped(view, duplicates)
    lost, failed = _lost(view)
    shards = [
        _shard(view, index, dropped.get(index, [])) for index in range(len(view.shards))
    ]
    # The names of files say what they are made of.
    made = [
        [
            shard["file"],
            shard["dropped_rows"],
            {name: texts["file"] for name, texts in shard["texts"].items()},
        ]
        for shard in shards
    ]
    recipe = view.shards[-1][1].recipe if view.shards else {}
    facts = {
        **recipe,
        "python": platform.python_version(),
        "input": view.root,
        "texts": view.sources,
        **totals,
        "languages": languages,
        "failed_extractions": failed,
        "skipped": skipped,
        "skipped_samples": samples,
        "lost": lost,
        "fingerprint": digest_of([made, lost]),
        "shards": shards,
        **view.reading,
        "on_duplicate": view.on_duplicate,
    }
    return as_type(decode_json(json_text(facts), dict), StoreManifest)


def _totals(
    view: StoreContents, dropped: Mapping[int, list[int]]
) -> tuple[dict[str, int], dict[str, int]]:
    """Add up the counts of the shards, and their documents by language.

    Args:
        view: The files of the store.
        dropped: Index of a shard -> its rows that are duplicates, which do not count.
    """
    totals = dict.fromkeys(_COUNTED, 0)
    languages: Counter[str] = Counter()
    for index, (file, facts) in enumerate(view.shards):
        for key in totals:
            totals[key] += getattr(facts, key)
        languages.update(facts.languages)
        if rows := dropped.get(index):
            fields = read_fields(view.folder / file, ["language"])
            languages.subtract(fields[row][0] for row in rows)
            for key, count in counts_of_rows(view.folder / file, rows).items():
                totals[key] -= count
    return totals, dict(sorted((+languages).items()))


def _skipped(
    view: StoreContents, duplicates: Sequence[DuplicateDocid]
) -> tuple[dict[str, int], dict[str, list[dict[str, Any]]]]:
    """Return the numbers of skipped records by reason, and the first records of each reason."""
    skipped: Counter[str] = Counter()
    samples: dict[str, list[dict[str, Any]]] = {}
    for _, facts in view.shards:
        skipped.update(facts.skipped)
        for sample in facts.samples:
            places = samples.setdefault(sample.reason, [])
            if len(places) < _SAMPLES_PER_REASON:
                places.append(asdict(sample))
    if duplicates:
        skipped[Reason.DUPLICATE] += len(duplicates)
        samples[Reason.DUPLICATE] = [
            asdict(d) for d in duplicates[:_SAMPLES_PER_REASON]
        ]
    return dict(skipped), samples


def _lost(view: StoreContents) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the records lost to time, memory or crashes, and the extractors' failures by name."""
    lost: list[dict[str, Any]] = []
    failed: Counter[str] = Counter()
    for index, (_, facts) in enumerate(view.shards):
        lost += map(asdict, facts.lost)
        failed.update(facts.failed)
        for name, files in view.texts.items():
            _, of_texts = files[index]
            lost += map(asdict, of_texts.lost)
            failed[name] += of_texts.failed
    return lost, dict(+failed)


def _shard(view: StoreContents, index: int, rows: list[int]) -> dict[str, Any]:
    """Return what the manifest says of a shard; `rows` are those of its duplicates."""
    file, facts = view.shards[index]
    return {
        "records": facts.records,
        "documents": facts.documents,
        "skipped": facts.skipped,
        "dropped_rows": rows,
        "input": [_without_state(source) for source in facts.files],
        "allowed": facts.allowed,
        **view.listed(file),
        "texts": {
            name: _texts(view.listed(files[index][0]), files[index][1])
            for name, files in view.texts.items()
        },
    }


def _texts(listed: Mapping[str, Any], facts: TextFacts) -> dict[str, Any]:
    """Return what the manifest says of the texts beside a shard."""
    return {**listed, "failed": facts.failed, "allowed": facts.allowed}


def _without_state(file: InputFile) -> InputFile:
    return {"path": file["path"], "bytes": file["bytes"], "sha256": file["sha256"]}
