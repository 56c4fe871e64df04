"""Open a block store and read its blocks."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.columns import BlockColumns, BoolArray
from boilersweep.errors import StoreError
from boilersweep.store.shard import VERSION, read_columns, read_docids

MANIFEST = "manifest.json"

_NEEDED = ("documents", "skipped", "fingerprint", "shards")


@dataclass(frozen=True, slots=True)
class BlockStore:
    """A whole block store.

    manifest: what `manifest.json` holds.
    """

    path: Path
    manifest: dict[str, Any]

    @property
    def documents(self) -> int:
        """How many documents the store has, those without a block among them."""
        return int(self.manifest["documents"])

    @property
    def skipped(self) -> Counter[str]:
        """The records that became no document, by reason."""
        return Counter(self.manifest["skipped"])

    @property
    def fingerprint(self) -> str:
        """SHA-256 over everything the blocks depend on; equal stores have equal fingerprints."""
        return str(self.manifest["fingerprint"])

    def docids(self) -> Iterator[str]:
        """The docids of all documents; one that stood twice in the collection comes twice."""
        for shard in self.manifest["shards"]:
            yield from read_docids(self.path / shard["file"])

    def columns(self, *, texts: bool = True) -> Iterator[BlockColumns]:
        """All documents in order, some hundred at a time, dropped duplicates left out.

        Raises StoreError where a shard is missing or damaged, or the documents are not as many
        as the manifest says.
        """
        documents = 0
        for shard in self.manifest["shards"]:
            row = 0
            dropped = np.array(shard["dropped_rows"], dtype=np.int64)
            for columns in read_columns(self.path / shard["file"], texts=texts):
                keep = np.ones(len(columns), dtype=bool)
                here = dropped[(dropped >= row) & (dropped < row + len(columns))]
                keep[here - row] = False
                row += len(columns)
                kept = columns if keep.all() else _select(columns, keep)
                documents += len(kept)
                yield kept
        if documents != self.documents:
            raise StoreError(
                f"{self.path} holds {documents:,} documents, its manifest says "
                f"{self.documents:,}; delete its shards and run `boilersweep segment` again"
            )


def open_store(path: Path) -> BlockStore:
    """Open a block store; raises StoreError where there is none, or only an unfinished one."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        version = manifest["store_version"]
        if version == VERSION:
            _ = [manifest[key] for key in _NEEDED]  # all are there
    except FileNotFoundError:
        unfinished = any(path.glob("shard-*.parquet"))
        raise StoreError(
            f"{path} is {'an unfinished' if unfinished else 'no'} block store "
            f"(it has no {MANIFEST}); run `boilersweep segment --output {path}` "
            f"{'again to finish it' if unfinished else 'to make one'}"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(
            f"{path / MANIFEST} is not a block store's manifest ({error!r}); "
            "delete it and run `boilersweep segment` again"
        ) from error
    if version != VERSION:
        raise StoreError(
            f"{path} is a block store of version {version}, this boilersweep reads version "
            f"{VERSION}; run `boilersweep segment` again into another folder"
        )
    return BlockStore(path, manifest)


def _select(columns: BlockColumns, keep: BoolArray) -> BlockColumns:
    lengths = np.diff(columns.starts)
    blocks = np.repeat(keep, lengths)
    return BlockColumns(
        docids=[docid for docid, kept in zip(columns.docids, keep, strict=True) if kept],
        starts=np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64),
        words=columns.words[blocks],
        density=columns.density[blocks],
        link_words=columns.link_words[blocks],
        texts=[t for t, kept in zip(columns.texts, blocks, strict=True) if kept]
        if columns.texts
        else [],
    )
