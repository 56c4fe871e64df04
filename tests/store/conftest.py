"""Manifests of block stores made by hand."""

from collections.abc import Sequence
from typing import Any

from boilersweep.store.layout import VERSION


def store_manifest(shards: Sequence[dict[str, Any]], **said: Any) -> dict[str, Any]:
    """Return a store's manifest with every key; counts are 0 unless given."""
    return {
        "kind": "store",
        "store_version": VERSION,
        **dict.fromkeys(("records", "documents", "without_blocks", "blocks", "words"), 0),
        **dict.fromkeys(("unspaced_words", "marked_texts"), 0),
        **dict.fromkeys(("dictionary", "detector")),
        **{name: {} for name in ("languages", "skipped", "left_out", "failed_extractions")},
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
            "extractors": [],
            "given": [],
        },
        "on_duplicate": "error",
        "follow_links": False,
        "shards": [{"blocks_sha256": "b" * 64, **shard} for shard in shards],
        **said,
    }
