"""How often the text of a block occurs in the whole collection: the one feature of more pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import BlockColumns, IntArray

HashArray = NDArray[np.uint64]

_PENDING = 1 << 20  # hashes gathered, at least, before they are merged


@dataclass(frozen=True, slots=True, eq=False)
class BlockFrequencies:
    """How often texts occur.

    Attributes:
        hashes: (d,) The hashes of the distinct texts, ascending.
        counts: (d,) The number of blocks with that text.
    """

    hashes: HashArray
    counts: IntArray

    def of(self, texts: Sequence[str]) -> IntArray:
        """(m,) the blocks of the collection that have each text; 0 where none has."""
        return self.of_hashes(text_hashes(texts))

    def of_hashes(self, wanted: HashArray) -> IntArray:
        """(m,) the same for texts by their hashes."""
        if not len(self.hashes):
            return np.zeros(len(wanted), dtype=np.int64)
        places = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        return np.where(self.hashes[places] == wanted, self.counts[places], 0)


def block_frequencies(collection: Iterable[BlockColumns]) -> BlockFrequencies:
    """Count the blocks' texts, white space folded, over a collection.

    It passes it once; memory and certainty as of `count_hashes`.
    """
    return count_hashes(text_hashes(columns.texts) for columns in collection)


def count_hashes(parts: Iterable[HashArray]) -> BlockFrequencies:
    """Count texts by their hashes.

    It keeps 16 bytes per distinct text. Texts are told apart by 64 bits of BLAKE2b: of ten million
    distinct ones two collide with a chance of 3 in a million.
    """
    merged = BlockFrequencies(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
    pending: list[HashArray] = []
    waiting = 0
    for hashes in parts:
        pending.append(hashes)
        waiting += len(hashes)
        if waiting > max(_PENDING, len(merged.hashes)):  # so each is merged a few times at most
            merged = _merged(merged, pending)
            pending.clear()
            waiting = 0
    return _merged(merged, pending)


def text_hashes(texts: Iterable[str]) -> HashArray:
    """(m,) the hash of each text."""
    digests = (blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8).digest() for t in texts)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _merged(counted: BlockFrequencies, pending: Sequence[HashArray]) -> BlockFrequencies:
    found = np.concatenate([counted.hashes, *pending])
    weights = np.concatenate([counted.counts, np.ones(len(found) - len(counted.hashes), int)])
    order = np.argsort(found, kind="stable")
    found = found[order]
    first = np.flatnonzero(np.concatenate([[True], found[1:] != found[:-1]])[: len(found)])
    if not len(first):
        return counted
    return BlockFrequencies(found[first], np.add.reduceat(weights[order], first))
