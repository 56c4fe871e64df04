"""Docids that occur more than once in a store: one document keeps its docid, the others leave.

Docids are compared in eight bytes of memory per document.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from operator import itemgetter
from pathlib import Path

import numpy as np

from boilersweep.store.shard import read_docids, read_fields


@dataclass(frozen=True, slots=True)
class DuplicateDocid:
    """A document that is dropped, as another one with its docid is kept.

    Attributes:
        docid: The docid of both.
        shard: The number of its shard in the store.
        row: Its row in the shard.
        place: Where it was read from.
        kept_place: Where the document that is kept was read from.
    """

    docid: str
    shard: int
    row: int
    place: str
    kept_place: str


def find_duplicate_docids(
    shards: Sequence[Path], *, latest: bool = False
) -> list[DuplicateDocid]:
    """Return the documents that are dropped for another one of their docid, in the store's order.

    Args:
        shards: The files of the shards.
        latest: Keep the document with the latest date, of several the last; otherwise, keep the
            first document. A missing date comes before all others.
    """
    bearers: dict[str, list[tuple[datetime, DuplicateDocid]]] = defaultdict(list)
    for date, bearer in _bearers(shards):
        bearers[bearer.docid].append((_moment(date), bearer))
    duplicates = []
    for some in bearers.values():
        _, kept = max(reversed(some), key=itemgetter(0)) if latest else some[0]
        duplicates += [
            replace(duplicate, kept_place=kept.place)
            for _, duplicate in some
            if duplicate is not kept
        ]
    return sorted(duplicates, key=lambda duplicate: (duplicate.shard, duplicate.row))


def _bearers(shards: Sequence[Path]) -> Iterator[tuple[str, DuplicateDocid]]:
    """Yield the documents whose docids occur more than once, and few others, with their dates."""
    hashes = [_hashes(path) for path in shards]
    distinct, counts = np.unique(
        np.concatenate([np.empty(0, np.uint64), *hashes]), return_counts=True
    )
    repeated = distinct[counts > 1]
    for index, path in enumerate(shards):
        rows = np.flatnonzero(np.isin(hashes[index], repeated))
        if not len(rows):
            continue
        fields = read_fields(path, ["docid", "source", "offset", "date"])
        for row in map(int, rows):
            docid, source, offset, date = fields[row]
            place = f"{source} at byte {offset:,}"
            yield date, DuplicateDocid(docid, index, row, place, place)


def _moment(date: str) -> datetime:
    """Return the moment of a date; without a zone in UTC, of a day alone when it begins.

    A missing or unreadable date comes before all others.
    """
    moment = datetime.min
    with contextlib.suppress(ValueError):
        moment = datetime.fromisoformat(date)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def rows_by_shard(duplicates: Sequence[DuplicateDocid]) -> dict[int, list[int]]:
    """Return the rows of the duplicates, by the number of their shard."""
    rows: dict[int, list[int]] = defaultdict(list)
    for duplicate in duplicates:
        rows[duplicate.shard].append(duplicate.row)
    return dict(rows)


def _hashes(path: Path) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    digests = b"".join(
        blake2b(docid.encode(), digest_size=8).digest() for docid in read_docids(path)
    )
    return np.frombuffer(digests, dtype=np.uint64)
