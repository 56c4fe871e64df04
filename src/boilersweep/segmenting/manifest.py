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
    found = []
    for reason, count in Counter(facts.skipped).most_common():
        one = facts.skipped_samples[reason][0]
        detail = f": {one['detail']}" if one.get("detail") else ""
        found.append(f"{count:,} x {reason} (such as {one['place']}{detail})")
    options = FORMATS[facts.options["collection"]].check
    return f"{'; '.join(found)}; check {options} of `boilersweep segment`, or fix the collection"


def _duplicate_error(duplicates: Sequence[DuplicateDocid]) -> CollectionError:
    one = duplicates[0]
    more = f" (and {len(duplicates) - 1:,} more)" if len(duplicates) > 1 else ""
    return CollectionError(
        f"duplicate docid {one.docid!r}: {one.kept_place} and {one.place}{more}; "
        "fix the collection, or let `boilersweep segment --on-duplicate first` keep the first of "
        "each, or `latest` the one of the latest date"
    )


def _facts(view: StoreContents, duplicates: Sequence[DuplicateDocid]) -> StoreManifest:
    dropped = rows_by_shard(duplicates)
    totals = dict.fromkeys(_COUNTED, 0)
    skipped: Counter[str] = Counter()
    samples: dict[str, list[dict[str, Any]]] = {}
    lost: list[dict[str, Any]] = []
    shards = []
    languages: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    recipe: dict[str, Any] = {}
    for index, (file, facts) in enumerate(view.shards):
        recipe, rows = facts.recipe, dropped.get(index, [])
        for key in totals:
            totals[key] += getattr(facts, key)
        languages.update(facts.languages)
        if rows:
            fields = read_fields(view.folder / file, ["language"])
            languages.subtract(fields[row][0] for row in rows)
            for key, count in counts_of_rows(view.folder / file, rows).items():
                totals[key] -= count
        skipped.update(facts.skipped)
        failed.update(facts.failed)
        for sample in facts.samples:
            places = samples.setdefault(sample.reason, [])
            if len(places) < _SAMPLES_PER_REASON:
                places.append(asdict(sample))
        lost += map(asdict, facts.lost)
        texts = {}
        for name, files in view.texts.items():
            text_file, of_texts = files[index]
            failed[name] += of_texts.failed
            lost += map(asdict, of_texts.lost)
            texts[name] = {
                **view.listed(text_file),
                "failed": of_texts.failed,
                "allowed": of_texts.allowed,
            }
        shards.append({**_shard(facts, rows), **view.listed(file), "texts": texts})
    if duplicates:
        skipped[Reason.DUPLICATE] += len(duplicates)
        samples[Reason.DUPLICATE] = [
            asdict(d) for d in duplicates[:_SAMPLES_PER_REASON]
        ]
    # The names of files say what they are made of.
    made = [
        [
            one["file"],
            one["dropped_rows"],
            {n: t["file"] for n, t in one["texts"].items()},
        ]
        for one in shards
    ]
    facts_of_all = {
        **recipe,
        "python": platform.python_version(),
        "input": view.root,
        "texts": view.sources,
        **totals,
        "languages": dict(sorted((+languages).items())),
        "failed_extractions": dict(+failed),
        "skipped": dict(skipped),
        "skipped_samples": samples,
        "lost": lost,
        "fingerprint": digest_of([made, lost]),
        "shards": shards,
        **view.reading,
        "on_duplicate": view.on_duplicate,
    }
    return as_type(decode_json(json_text(facts_of_all), dict), StoreManifest)


def _shard(facts: ShardFacts, rows: list[int]) -> dict[str, Any]:
    """Return what the manifest says of a shard; `rows` are those of its duplicates."""
    return {
        "records": facts.records,
        "documents": facts.documents,
        "skipped": facts.skipped,
        "dropped_rows": rows,
        # Without their states, which a copy does not have.
        "input": [
            {key: file[key] for key in ("path", "bytes", "sha256")}
            for file in facts.files
        ],
        "allowed": facts.allowed,
    }
