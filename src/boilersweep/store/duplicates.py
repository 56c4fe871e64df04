"""Find docids that stand twice in a store, in eight bytes of memory per document."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from boilersweep.store.shard import read_docids, read_places


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A document whose docid another, earlier one bears. shard, row: where in the store it is."""

    docid: str
    shard: int
    row: int
    place: str
    first_place: str


def find_duplicates(shards: Sequence[Path]) -> list[Duplicate]:
    """All later bearers of a docid, in the order of the store."""
    hashes = [_hashes(path) for path in shards]
    if not hashes:
        return []
    distinct, counts = np.unique(np.concatenate(hashes), return_counts=True)
    repeated = distinct[counts > 1]
    if not len(repeated):
        return []
    duplicates = []
    first: dict[str, str] = {}
    for number, path in enumerate(shards):
        rows = np.flatnonzero(np.isin(hashes[number], repeated))
        if not len(rows):
            continue
        docids, places = read_places(path)
        for row in map(int, rows):
            docid = docids[row]
            if docid in first:
                duplicate = Duplicate(docid, number, row, places[row], first[docid])
                duplicates.append(duplicate)
            else:
                first[docid] = places[row]
    return duplicates


def rows_by_shard(duplicates: Sequence[Duplicate]) -> dict[int, list[int]]:
    """The rows of the duplicates, by the number of their shard."""
    rows: dict[int, list[int]] = defaultdict(list)
    for duplicate in duplicates:
        rows[duplicate.shard].append(duplicate.row)
    return dict(rows)


def _hashes(path: Path) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    digests = b"".join(
        blake2b(docid.encode(), digest_size=8).digest() for docid in read_docids(path)
    )
    return np.frombuffer(digests, dtype=np.uint64)
