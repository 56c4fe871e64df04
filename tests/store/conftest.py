"""Block stores made by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boilersweep.collection.format import Record, SourceLocation
from boilersweep.outputs.manifest_file import listing
from boilersweep.outputs.parts import MANIFEST
from boilersweep.pages.language import Clue
from boilersweep.pages.page import Page, pack
from boilersweep.store.shard import ShardFacts, ShardWriter
from boilersweep.store.shard_columns import VERSION, document
from tests.manifests import write_manifest


def write_shard(path: Path, pages: Sequence[tuple[Record, Page]]) -> Path:
    with ShardWriter(path, ShardFacts(recipe={})) as writer:
        for record, page in pages:
            add(writer, record, page)
    return path


def add(writer: ShardWriter, record: Record, page: Page) -> None:
    writer.add(document(record, "utf-8", pack(page), {}), record, Clue())


def write_store(
    folder: Path,
    shards: Sequence[Mapping[str, Page]],
    dropped: Sequence[Sequence[int]] = (),
    **said: Any,
) -> Path:
    """Write a store of pages by their docids; returns its folder.

    Args:
        folder: An existing folder.
        shards: The pages of each shard.
        dropped: For each shard the rows of dropped duplicates; none for none.
        said: Further values of the manifest.
    """
    entries = []
    parts = {}
    rows = dropped or [()] * len(shards)
    for number, (pages, out) in enumerate(zip(shards, rows, strict=True)):
        file = f"shard-{number:05d}.parquet"
        place = SourceLocation("f", 0)
        some = [(Record(docid, b"", place), page) for docid, page in pages.items()]
        write_shard(folder / file, some)
        entry: dict[str, Any] = {
            "file": file,
            "documents": len(pages),
            "dropped_rows": [*out],
        }
        entry |= {"skipped": {}, "input": [], "allowed": {}, "texts": {}}
        listed = listing(folder, [file])
        entries.append({**entry, **listed[file]})
        parts[file] = {"key": "", "files": listed, "facts": {"files": []}}
    documents = sum(map(len, shards)) - sum(map(len, rows))
    facts = store_facts(entries, documents=documents, skipped={"no docid": 3})
    manifest = {"kind": "store", "facts": facts | said, "recipe": {}, "parts": parts}
    write_manifest(folder / MANIFEST, manifest)
    return folder


def store_facts(shards: Sequence[dict[str, Any]], **said: Any) -> dict[str, Any]:
    """Return what a store's manifest says of the whole; counts are 0 unless given."""
    return {
        "store_version": VERSION,
        **dict.fromkeys(
            ("records", "documents", "without_blocks", "blocks", "words"), 0
        ),
        **dict.fromkeys(("unspaced_words", "marked_texts", "guessed_encodings"), 0),
        **dict.fromkeys(("dictionary", "detector")),
        **{
            name: {}
            for name in ("languages", "skipped", "left_out", "failed_extractions")
        },
        **{name: {} for name in ("skipped_samples", "left_out_samples")},
        "lost": [],
        "fingerprint": "f" * 64,
        "input": "",
        "options": {
            "collection": "jsonl",
            "reading": {},
            "borders": "paper",
            "metadata": False,
            "limits": {},
            "chosen": None,
        },
        "texts": {},
        "parser": "boilersweep 1",
        "on_duplicate": "error",
        "follow_links": False,
        "shards": shards,
        **said,
    }
