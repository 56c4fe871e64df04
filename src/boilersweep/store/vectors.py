"""Vectors of blocks that users made with their own encoders, by the ids of the blocks' texts.

VECTORS/vectors.json   {"model": its name, "dimension": d}, and "context": true of texts with it
VECTORS/blocks/        Parquet files with columns id and vector, or NAME.npy (n, d) beside NAME.txt,
                       an id a line
VECTORS/topics/        the same of topics, by their ids

A block's id is a digest of its text. A long text has a vector for each of its windows, ID#1/3 to
ID#3/3.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.rules import STRUCTURE, TEXTS, Need, Weighted
from boilersweep.cleaners.selection import Cleaner, PageText
from boilersweep.errors import StoreError, UsageError
from boilersweep.outputs.identity import digest_of, file_digest
from boilersweep.outputs.typed_files import read_json
from boilersweep.pages.columns import BlockColumns, structure_of
from boilersweep.pages.words import is_word

DTYPES = ("float32", "float16", "int8")
_ABOUT = "vectors.json"
_AT_A_TIME = 4096  # the same everywhere: sums depend on how many are multiplied at once
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_EXPECTED = (
    'expected a folder with vectors.json, {"model": NAME, "dimension": N}, and the folders blocks '
    "and topics of Parquet files with id and vector, or of .npy beside .txt"
)

# Some ids, and (n, d) vectors.
Part = tuple[list[str], NDArray[Any]]


def require_blocks(cleaners: Sequence[Cleaner]) -> None:
    """Raise UsageError for a cleaner that leaves something else than some of the blocks."""
    for cleaner in cleaners:
        if isinstance(cleaner, Weighted):
            raise UsageError(
                f"vectors: expected cleaners that keep or drop blocks, got {cleaner}, which keeps "
                f"all blocks and weights their words; the best block has no weight: use "
                f"{cleaner.cleaner}"
            )
        if isinstance(cleaner, PageText):
            raise UsageError(
                f"vectors: expected cleaners that keep or drop blocks, got {cleaner}, whose text "
                f"is not divided into blocks and so has no vectors; use a rule"
            )


def needs_for(*, context: bool) -> frozenset[Need]:
    """Return what `block_texts` reads of a store."""
    return TEXTS | STRUCTURE if context else TEXTS


@dataclass(frozen=True, slots=True)
class BlockTexts:
    """What encoders read of m blocks.

    Attributes:
        ids: (m,) 32 hexadecimal digits of the BLAKE2b of each context and text; "" of a block
            without a letter or digit, which has no vector.
        contexts: (m,) the page's title and the heading above, a line each, where there are any;
            none without context.
        texts: (m,).
    """

    ids: list[str]
    contexts: list[str]
    texts: list[str]

    def of(self, block: int) -> tuple[str, str, str]:
        """Return the id, context and text of a block."""
        return self.ids[block], self.contexts[block] if self.contexts else "", self.texts[block]


def block_texts(columns: BlockColumns, *, context: bool) -> BlockTexts:
    """Return what encoders read of some blocks."""
    texts = columns.texts
    contexts = _contexts(columns) if context else []
    names = {text: _digest(text) if is_word(text) else "" for text in dict.fromkeys(texts)}
    ids = list(map(names.__getitem__, texts))
    if context:
        both = zip(ids, contexts, texts, strict=True)
        ids = [id_ and _digest(before + text) for id_, before, text in both]
    return BlockTexts(ids, contexts, texts)


def _contexts(columns: BlockColumns) -> list[str]:
    structure = structure_of(columns, "context")
    codes = [code for code, name in enumerate(structure.name_list) if name in _HEADINGS]
    is_heading = np.isin(structure.names, codes) & (structure.end > structure.first)
    first, end = structure.first[is_heading], structure.end[is_heading]
    above = np.searchsorted(end, np.arange(len(columns.texts)), side="right") - 1
    headings = [" ".join(columns.texts[a:b]) for a, b in zip(first, end, strict=True)]
    contexts = []
    for owner, number in zip(columns.owners.tolist(), above.tolist(), strict=True):
        on_page = number >= 0 and first[number] >= columns.starts[owner]
        lines = (columns.titles[owner], headings[number] if on_page else "")
        contexts.append("".join(f"{line}\n" for line in lines if line))
    return contexts


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Vectors:
    """A folder of vectors, known by its content.

    Attributes:
        digest: Of all its files.
    """

    folder: Path = field(compare=False, repr=False)
    model: str
    dimension: int
    context: bool
    digest: str

    @property
    def identity(self) -> dict[str, Any]:
        """What results under these vectors depend on."""
        return {"model": self.model, "dimension": self.dimension, "digest": self.digest}

    def __str__(self) -> str:
        return f"{self.model},{self.dimension},{self.digest[:12]}"

    def missing(self, count: int, of: int, example: str) -> str:
        """Return what to say where texts have no vector. example: the id of such a text."""
        return (
            f"{self.folder}: {count:,} of {of:,} texts have no vector, or not of each window, such "
            f"as {example}; encode each text that `boilersweep export --distinct` writes of this "
            'store (and if it does with --context, state "context": true in vectors.json)'
        )

    def parts(self, what: str) -> Iterator[Part]:
        """Yield the ids and vectors of blocks or topics, some thousand at a time.

        They stay on disk.

        Raises StoreError where they cannot be read, have another dimension or type, or NaN.
        """
        for path in _files(self.folder / what):
            try:
                read = {".npy": _of_numpy, ".parquet": _of_parquet}.get(path.suffix)
                for part in read(path) if read else ():
                    yield self._checked(path, *part)
            except (OSError, ValueError, LookupError, EOFError) as error:
                raise StoreError(f"{path} cannot be read ({error}); write it again") from error

    def _checked(self, path: Path, ids: list[str], vectors: NDArray[Any]) -> Part:
        if vectors.shape != (len(ids), self.dimension) or vectors.dtype.name not in DTYPES:
            raise StoreError(
                f"{path}: expected {len(ids):,} vectors of dimension {self.dimension} as "
                f"{', '.join(DTYPES)}, got shape {vectors.shape} of {vectors.dtype.name}; "
                f"correct the ids, {_ABOUT} or the vectors"
            )
        if not np.isfinite(vectors).all():
            raise StoreError(f"{path} has a vector with NaN or infinity; encode it again")
        return ids, vectors


class _About(msgspec.Struct):
    """The content of `vectors.json`."""

    model: str
    dimension: int
    context: bool = False


def open_vectors(folder: Path | str) -> Vectors:
    """Identify a folder of vectors; raises UsageError where it is none."""
    folder = Path(folder).resolve()
    try:
        about = read_json(folder / _ABOUT, _About)
        files = [path for what in ("blocks", "topics") for path in _files(folder / what)]
        digests = {str(path.relative_to(folder)): file_digest(path) for path in files}
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder}: {_EXPECTED} ({error})") from error
    digest = digest_of([digests, about.context])
    return Vectors(folder, about.model, about.dimension, about.context, digest)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _of_numpy(path: Path) -> Iterator[Part]:
    vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    with path.with_suffix(".txt").open(encoding="utf-8") as file:
        for start in range(0, max(len(vectors), 1), _AT_A_TIME):
            ids = [line.rstrip("\n") for line in islice(file, _AT_A_TIME)]
            yield ids, vectors[start : start + _AT_A_TIME]
        if file.readline():
            raise ValueError(f"more ids than its {len(vectors):,} vectors")


def _of_parquet(path: Path) -> Iterator[Part]:
    import pyarrow.compute as pc  # not for the help text of a command that may read vectors
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, memory_map=True) as file:
        for batch in file.iter_batches(_AT_A_TIME, columns=["id", "vector"]):
            if not len(batch):
                continue
            vectors = batch["vector"]
            values = vectors.flatten()
            lengths = pc.unique(pc.list_value_length(vectors)).to_pylist()
            if len(lengths) > 1 or vectors.null_count or values.null_count:
                raise ValueError(f"expected one dimension and no nulls, got {lengths[:5]}")
            numbers = values.to_numpy(zero_copy_only=False)
            yield batch["id"].to_pylist(), numbers.reshape(-1, *lengths)
