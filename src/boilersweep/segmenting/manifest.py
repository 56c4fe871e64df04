"""The manifest of a block store, made from the footers of its shards once all of them are there."""

import contextlib
import platform
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import Any

from boilersweep.collection.format import Reason
from boilersweep.collection.formats import FORMATS
from boilersweep.errors import CollectionError, StoreError
from boilersweep.outputs.atomic import (
    output_errors,
    remove_empty,
    remove_leftovers,
    write_text,
)
from boilersweep.outputs.folder import KIND, MANIFEST, OutputFolder
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.manifest_file import (
    Listing,
    listing,
    read_manifest,
    write_manifest,
)
from boilersweep.outputs.typed_files import as_type, decode_json, json_text, read_json
from boilersweep.segmenting.input_file import notes_folder
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
    read_facts,
    read_fields,
    read_text_facts,
)
from boilersweep.store.store import STORE, BlockStore, open_store

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
class View:
    """What a store shows of the files in its folder.

    Attributes:
        shards: The files of the shards in the store's order.
        texts: For each name of texts, their files, one for each shard.
        sources: What the texts depend on beside the pages, by their names.
        root: The input, as text.
        reading: How the input was listed and what of it is not read.
        on_duplicate: What is done with duplicate docids.
    """

    shards: Sequence[Path]
    texts: Mapping[str, Sequence[Path]]
    sources: Mapping[str, str]
    root: str
    reading: Mapping[str, Any]
    on_duplicate: OnDuplicate

    @property
    def files(self) -> list[Path]:
        """All files that the manifest lists."""
        return [*self.shards, *chain.from_iterable(self.texts.values())]


def complete_store(
    output: Path, view: View, before: BlockStore | None = None
) -> BlockStore:
    """Write the manifest of a store, whose files are all there, and open it.

    The manifest before is replaced in one step. Then the files go that it named, and the new one
    does not; if a kill comes first, the next call removes them.

    Args:
        output: The folder of the store, which the caller holds.
        view: What the manifest shows.
        before: The whole store that is there; its manifest stays if nothing would change.

    Raises:
        CollectionError: There is no document, or a duplicate docid if that is an error.
        StoreError: A file is damaged.
        OutputError: The manifest cannot be written.
    """
    latest = view.on_duplicate == "latest"
    duplicates = find_duplicate_docids(view.shards, latest=latest)
    if duplicates and view.on_duplicate == "error":
        raise _duplicate_error(duplicates)
    manifest = _manifest(view, duplicates)
    if not manifest["documents"]:
        for file in view.files if before is None else ():
            file.unlink(missing_ok=True)
        raise CollectionError(
            f"{view.root} holds no document: {_found_instead(manifest, view.root)}"
        )
    digests = listing(output, [file.name for file in view.files])
    manifest = decode_json(json_text(_with_digests(manifest, digests)), dict)
    with replacing(output, _named_files(output), digests, _is_own):
        if before is None or as_type(manifest, StoreManifest) != before.manifest:
            write_manifest(output / MANIFEST, manifest)
    return open_store(output)


def _is_own(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in STORE.own)


def store_before(output: Path, *, overwrite: bool) -> BlockStore | None:
    """Return the whole block store in a folder, None where there is no manifest.

    Args:
        output: The folder.
        overwrite: Treat a damaged store, and one of another version, as missing.

    Raises:
        StoreError: There is such a store, or another output, whose manifest would be replaced.
    """
    if not (output / MANIFEST).exists():
        return None
    try:
        return open_store(output)
    except StoreError:
        OutputFolder(output, STORE).read(overwrite=True)  # raises for another output
        if not overwrite:
            raise
        return None


def _named_files(output: Path) -> set[str]:
    """Return the names of the files of the store in a folder, whatever its version."""
    names: set[str] = set()
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        for shard in read_manifest(output / MANIFEST)["shards"]:
            names.add(shard["file"])
            names.update(one["file"] for one in shard.get("texts", {}).values())
    return names


def _with_digests(manifest: dict[str, Any], digests: Listing) -> dict[str, Any]:
    def listed(entry: Mapping[str, Any]) -> dict[str, Any]:
        return {**entry, **digests[entry["file"]]}

    shards = []
    for shard in manifest["shards"]:
        texts = {name: listed(one) for name, one in shard["texts"].items()}
        shards.append({**listed(shard), "texts": texts})
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
    return f"{'; '.join(found)}; check {options} of `boilersweep segment`, or fix the collection"


def _duplicate_error(duplicates: Sequence[DuplicateDocid]) -> CollectionError:
    one = duplicates[0]
    more = f" (and {len(duplicates) - 1:,} more)" if len(duplicates) > 1 else ""
    return CollectionError(
        f"duplicate docid {one.docid!r}: {one.kept_place} and {one.place}{more}; "
        "fix the collection, or let `boilersweep segment --on-duplicate first` keep the first of "
        "each, or `latest` the one of the latest date"
    )


def _manifest(view: View, duplicates: Sequence[DuplicateDocid]) -> dict[str, Any]:
    dropped = rows_by_shard(duplicates)
    totals = dict.fromkeys(_COUNTED, 0)
    skipped: Counter[str] = Counter()
    samples: dict[str, list[dict[str, Any]]] = {}
    lost: list[dict[str, Any]] = []
    shards = []
    languages: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    recipe: dict[str, Any] = {}
    for number, file in enumerate(view.shards):
        facts = read_facts(file)
        recipe, rows = facts.recipe, dropped.get(number, [])
        for key in totals:
            totals[key] += getattr(facts, key)
        languages.update(facts.languages)
        if rows:
            fields = read_fields(file, ["language"])
            languages.subtract(fields[row][0] for row in rows)
            for key, count in counts_of_rows(file, rows).items():
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
            of_texts = read_text_facts(files[number])
            failed[name] += of_texts.failed
            lost += map(asdict, of_texts.lost)
            texts[name] = _texts(files[number].name, of_texts)
        shards.append(_shard(file.name, facts, rows, texts))
    if duplicates:
        skipped[Reason.DUPLICATE] += len(duplicates)
        samples[Reason.DUPLICATE] = [
            asdict(d) for d in duplicates[:_SAMPLES_PER_REASON]
        ]
    return {
        KIND: STORE.name,
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
        "fingerprint": digest_of([shards, lost]),
        "shards": shards,
        **view.reading,
        "on_duplicate": view.on_duplicate,
    }


def _shard(
    name: str, facts: ShardFacts, rows: list[int], texts: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return what the manifest says of a shard; `rows` are those of its duplicates."""
    return {
        "file": name,
        "records": facts.records,
        "documents": facts.documents,
        "skipped": facts.skipped,
        "dropped_rows": rows,
        "input": facts.files,
        "allowed": facts.allowed,
        "texts": texts,
    }


def _texts(name: str, facts: TextFacts) -> dict[str, Any]:
    """Return what the manifest says of the texts beside a shard."""
    return {"file": name, "failed": facts.failed, "allowed": facts.allowed}


_REPLACED = "replaced"


@contextlib.contextmanager
def replacing(
    output: Path,
    old: Collection[str],
    new: Collection[str],
    is_own: Callable[[str], bool],
) -> Iterator[None]:
    """Remove files that an output had and no longer has, once its manifest is written in the block.

    If a kill comes first, the next call removes them.

    Args:
        output: The folder, which the caller holds.
        old: The names of the files that it had.
        new: The names of those that it has.
        is_own: Whether a name is one that such an output gives its files; others stay.

    Raises:
        OutputError: Files cannot be removed.
    """
    pending = notes_folder(output) / _REPLACED
    gone = set(old)
    with contextlib.suppress(OSError, ValueError):
        gone.update(read_json(pending, set[str]))
    gone = {name for name in gone.difference(new) if ".." not in name and is_own(name)}
    if gone:
        write_text(pending, json_text(sorted(gone)))
    yield
    with output_errors(output):
        for name in gone:
            (output / name).unlink(missing_ok=True)
            remove_empty((output / name).parent)
        pending.unlink(missing_ok=True)
        # A lock that goes may be another process's, which then makes what another one makes, too.
        for lock in pending.parent.glob("*.lock"):
            lock.unlink(missing_ok=True)
        remove_leftovers(pending.parent)
