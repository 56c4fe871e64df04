"""Segment chosen documents alone: the judged ones, and a sample of all others."""

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from boilersweep.collection.format import Format, Record, as_token
from boilersweep.errors import CollectionError, reason_of
from boilersweep.outputs.streams import read_input
from boilersweep.segmenting.input_file import DigestedFile


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents to segment; all others are skipped and counted.

    Attributes:
        docids: The docids to keep.
        sample: The number of other documents that are kept besides.
        seed: What that sample depends on beside the docids.
    """

    docids: frozenset[str]
    sample: int = 0
    seed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return what tells one choice from another."""
        digest = hashlib.sha256("\n".join(sorted(self.docids)).encode())
        return {"documents": len(self.docids), "sha256": digest.hexdigest()}


def with_sample(chosen: Chosen, format_: Format, files: Sequence[Path]) -> Chosen:
    """Return a choice with the docids of its sample, which needs a pass over the collection.

    Equal docids, sample size and seed give an equal sample, in whatever order the files are read.

    Raises:
        CollectionError: No chosen document is in the collection, or a file cannot be read.
    """
    if not chosen.sample:
        return chosen
    others = {docid for docid in _docids(format_, files) if docid not in chosen.docids}
    seed = str(chosen.seed).encode()
    sample = heapq.nsmallest(
        chosen.sample,
        others,
        key=lambda docid: hashlib.sha256(seed + b"\n" + docid.encode()).digest(),
    )
    return Chosen(chosen.docids.union(sample))


def read_docids(path: Path) -> frozenset[str]:
    """Read a file of docids, one per line.

    Raises:
        CollectionError: It cannot be read, or has none.
    """
    try:
        text = read_input(path).decode()
    except (OSError, ValueError) as error:
        raise CollectionError(
            f"{path}: expected a UTF-8 file of docids, got: {reason_of(error)}"
        ) from error
    docids = frozenset(line.strip() for line in text.splitlines() if line.strip())
    if not docids:
        raise CollectionError(f"{path}: expected docids, one per line, found none")
    return docids


def _docids(format_: Format, files: Sequence[Path]) -> Iterator[str]:
    for path in files:
        with DigestedFile(path) as raw:
            for item in format_.read(cast(Any, raw), path.name):
                if isinstance(item, Record):
                    yield as_token(item.docid)
