"""Documents of a store whose cleaned texts are alike.

Texts are compared in one of two ways:

exact    the same words in the same order: SHA-256 of the kept text, white space folded
minhash  shingles of five words (Broder 1997) of which so many are the same that their Jaccard
         similarity is at least a threshold; MinHash and its bands find who to compare with

The first document in the order of the store stays. Every other one is compared with those that
stayed, so each has a twin that is as like as the threshold says.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.selection import Cleaner, select
from boilersweep.cleaners.stored import columns_for
from boilersweep.errors import UsageError
from boilersweep.extras import require
from boilersweep.outputs.atomic import output_errors
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.identity import CodeVersion
from boilersweep.pages.words import UNSPACED_CLASS, is_word
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

Hashes = NDArray[np.int64]

METHODS = ("exact", "minhash")
# Of Lee et al. (2022), as the size of the shingles is.
THRESHOLD = 0.8

DEDUP_CODE = CodeVersion("dedup", 1)

# The file that names the documents that were left out, with their twins.
DUPLICATES = "duplicates.csv"

_HEADS = ("docid", "twin", "similarity", "cleaner")
_LEAST_THRESHOLD = 0.5
_SHINGLE = 5  # words
_PERMUTATIONS = 128  # at most
_MOST_MISSED = 1e-4  # of the pairs that are just as like as the threshold
_ESTIMATING = 512  # permutations of the sketch that spares comparing
# MinHash's estimate may be wrong by so much: four and a half standard deviations
_MARGIN = 0.1
_SEED = 1
_TOKEN = re.compile(rf"[{UNSPACED_CLASS}]|[^\s{UNSPACED_CLASS}]+")


@dataclass(frozen=True, slots=True)
class Dedup:
    """How near-duplicates are found.

    Attributes:
        method: One of METHODS.
        threshold: For minhash, the least Jaccard similarity of duplicates.
    """

    method: str
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(
                f"dedup {self.method!r}: expected one of {', '.join(METHODS)}"
            )
        if not _LEAST_THRESHOLD <= self.threshold <= 1:
            raise UsageError(
                f"dedup threshold {self.threshold}: expected from {_LEAST_THRESHOLD} to 1; 1 is "
                "for texts with the same shingles"
            )

    def identity(self) -> dict[str, Any]:
        """Return what the choice depends on; raise UsageError where rensa is missing."""
        if self.method == "exact":
            return {"method": self.method}
        require("rensa")
        return {
            "method": self.method,
            "threshold": self.threshold,
            "rensa": version("rensa"),
        }


class Duplicate(NamedTuple):
    """A document that is left out.

    Attributes:
        docid: Its docid.
        twin: The docid of the document that stays.
        similarity: 1 for the same text, or the same shingles.
        shard: The name of its file.
        document: Its number among the shard's documents.
    """

    docid: str
    twin: str
    similarity: float
    shard: str
    document: int


def find_duplicates(
    store: BlockStore, cleaners: Sequence[Cleaner], dedup: Dedup, scratch: Path
) -> list[list[Duplicate]]:
    """Return the duplicates among what each cleaner keeps of a store, in the order of the store.

    A document without a kept word is nobody's duplicate.

    Args:
        store: The store.
        cleaners: The cleaners.
        dedup: How duplicates are found.
        scratch: A folder on the disk that meanwhile holds the shingles of texts that stay, eight
            bytes each.

    Raises:
        UsageError: rensa is not installed.
        StoreError: A shard is missing or damaged.
        OutputError: The disk is full.
    """
    duplicates: list[list[Duplicate]] = [[] for _ in cleaners]
    with output_errors(scratch), ExitStack() as stack:
        # Files without a name, where the system has that: a kill leaves nothing behind.
        finders = [
            _Exact()
            if dedup.method == "exact"
            else _MinHash(
                dedup.threshold, stack.enter_context(TemporaryFile(dir=scratch))
            )
            for _ in cleaners
        ]
        with steps("find duplicates", store.documents, "documents") as bar:
            for name, shard in store.by_shard():
                before = 0
                for columns in columns_for(shard, cleaners):
                    selected = select(columns, cleaners)
                    for index, finder in enumerate(finders):
                        for kept in selected.kept(index):
                            if not is_word(kept.text):
                                continue
                            docid = columns.docids[kept.document]
                            if twin := finder.twin(docid, kept.text):
                                place = (name, before + kept.document)
                                duplicates[index].append(
                                    Duplicate(docid, *twin, *place)
                                )
                    before += len(columns)
                    bar.update(len(columns))
    return duplicates


def by_shard(duplicates: Iterable[Duplicate]) -> dict[str, list[int]]:
    """Return the numbers of the duplicates, by the names of their shards' files."""
    numbers: dict[str, list[int]] = {}
    for duplicate in duplicates:
        numbers.setdefault(duplicate.shard, []).append(duplicate.document)
    return numbers


def duplicates_csv(duplicates: Mapping[str, Sequence[Duplicate]]) -> str:
    """Return the duplicates of each cleaner, by its name, as the text of DUPLICATES."""
    rows = (
        (duplicate.docid, duplicate.twin, f"{duplicate.similarity:.4f}", name)
        for name, of_cleaner in duplicates.items()
        for duplicate in of_cleaner
    )
    return csv_text(_HEADS, rows)


class _Exact:
    def __init__(self) -> None:
        self._docids: dict[bytes, str] = {}

    def twin(self, docid: str, text: str) -> tuple[str, float] | None:
        """Return the docid of the first that is a twin of a text, and how like it is.

        Without a twin the text stays, and may be that of later ones.
        """
        digest = hashlib.sha256(" ".join(text.split()).encode()).digest()
        if digest in self._docids:
            return self._docids[digest], 1.0
        self._docids[digest] = docid
        return None


@dataclass(frozen=True, slots=True)
class _Kept:
    """A text that stays.

    Attributes:
        docid: Its docid.
        sketch: The sketch that estimates similarities.
        start: Where the hashes of its shingles begin in the file.
        shingles: The number of its shingles.
    """

    docid: str
    sketch: Any
    start: int
    shingles: int


class _MinHash:
    """Near-duplicates: rensa's sketches and bands say who to compare with; shingles decide.

    Shingles are compared by Python's hashes, 64 bits, which only this process can compare.

    Args:
        threshold: The least similarity of duplicates.
        file: An empty file for the shingles of the texts that stay.
    """

    def __init__(self, threshold: float, file: IO[bytes]) -> None:
        require("rensa")
        from rensa import RMinHashLSH

        bands, rows = bands_of(threshold)
        self._threshold = threshold
        self._permutations = bands * rows
        self._index = RMinHashLSH(
            threshold=threshold, num_perm=self._permutations, num_bands=bands
        )
        self._kept: list[_Kept] = []
        self._file = file
        self._end = 0

    def twin(self, docid: str, text: str) -> tuple[str, float] | None:
        """Return as `_Exact.twin`."""
        shingles = shingles_of(text)
        hashes = np.unique(np.fromiter(map(hash, shingles), np.int64, len(shingles)))
        banded, sketch = (
            _sketch(shingles, size) for size in (self._permutations, _ESTIMATING)
        )
        for number in sorted(self._index.query(banded)):
            kept = self._kept[number]
            if sketch.jaccard(kept.sketch) < self._threshold - _MARGIN:
                continue
            similarity = jaccard(hashes, self._hashes(kept))
            if similarity >= self._threshold:
                return kept.docid, similarity
        self._index.insert(len(self._kept), banded)
        self._kept.append(_Kept(docid, sketch, self._end, len(hashes)))
        self._file.seek(self._end)
        self._end += self._file.write(hashes.tobytes())
        return None

    def _hashes(self, kept: _Kept) -> Hashes:
        self._file.seek(kept.start)
        return np.frombuffer(self._file.read(8 * kept.shingles), dtype=np.int64)


def _sketch(shingles: set[str], permutations: int) -> Any:
    from rensa import RMinHash

    sketch = RMinHash(num_perm=permutations, seed=_SEED)
    sketch.update(list(shingles))
    return sketch


def bands_of(threshold: float) -> tuple[int, int]:
    """Return the bands of a sketch and the rows of a band: the most that find enough duplicates.

    A pair of similarity s shares a band with probability 1 - (1 - s ** rows) ** bands.
    """
    rows = 1
    while (
        rows < _PERMUTATIONS
        and (1 - threshold ** (rows + 1)) ** (_PERMUTATIONS // (rows + 1))
        <= _MOST_MISSED
    ):
        rows += 1
    return _PERMUTATIONS // rows, rows


def shingles_of(text: str) -> set[str]:
    """Return all runs of five words of a text; of a shorter one all of it.

    A word is what is between white space. In scripts that put none between words, every
    character counts as one.
    """
    words = _TOKEN.findall(text)
    runs = range(max(1, len(words) - _SHINGLE + 1))
    return {" ".join(words[start : start + _SHINGLE]) for start in runs}


def jaccard(one: Hashes, other: Hashes) -> float:
    """Return how much of all that is in either of two sets, not both empty, is in both."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)
