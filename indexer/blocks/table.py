"""The blocks of an index's documents: their positions and tokens, and what rules read of them."""

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from boilersweep.command_lines import command_line
from boilersweep.errors import IndexingError
from boilersweep.indexer.arithmetic import (
    Codes,
    Documents,
    as_indexed,
    docid_ranks,
    encode_lengths,
    sum_by_document,
)
from boilersweep.indexer.blocks.codec import (
    COLUMNS,
    LINES,
    Counts,
    DamagedBlocksError,
    Features,
    batches,
    decode_columns,
    decode_lines,
)
from boilersweep.indexer.compiled import java_class
from boilersweep.indexer.lucene import CONTENTS, DOCID, lucene_errors
from boilersweep.pages.columns import BoolArray, IntArray

# How often a line counts: truth values, or numbers for a cleaner that counts blocks several times.
Weights = BoolArray | NDArray[np.uint8]

_VALUE_BYTES = 2**23  # of documents that are decoded at a time
_LINES_AT_A_TIME = 2**16
_KNOWN_OCCURRENCES = 2**24  # of terms

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Recent(OrderedDict[_Key, _Value]):
    """Values that are computed once, and forgotten when newer ones need their place."""

    def __init__(self, most: int, size: Callable[[_Value], int] = lambda _: 1) -> None:
        """Begin without values.

        Args:
            most: The size of all values together.
            size: Gives the size of a value.
        """
        super().__init__()
        self._most, self._size, self._held = most, size, 0

    def value(self, key: _Key, compute: Callable[[], _Value]) -> _Value:
        """Return a key's value, and compute it if it is not known."""
        if key not in self:
            self[key] = compute()
            self._held += self._size(self[key])
            while self._held > self._most and len(self) > 1:
                self._held -= self._size(self.popitem(last=False)[1])
        self.move_to_end(key)
        return self[key]

    def clear(self) -> None:
        """Forget all values."""
        super().clear()
        self._held = 0


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Where a term occurs: one row per occurrence, documents ascending.

    Attributes:
        documents: (o,) the numbers of the documents.
        lines: (o,) the numbers of the lines among all documents' lines.
    """

    documents: NDArray[np.int32]
    lines: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class KeptDocuments:
    """A collection as a rule leaves it.

    Attributes:
        weights: (l,) how often each line counts.
        codes: (N,) codes of the documents' lengths; 0 for a document without a token.
        documents: The number of documents with a token.
        tokens: The number of tokens, with repeats.
    """

    weights: Weights
    codes: Codes
    documents: int
    tokens: int


class BlockTable:
    """The N documents of an open index, whose contents have l lines: titles and blocks.

    Attributes:
        docids: (N,) the docids in the index's order; "" for a deleted document.
        starts: (N + 1,) the lines of document i are starts[i] to starts[i + 1].
        tokens: (l,) the tokens of each line.
    """

    def __init__(self, path: Path, reader: Any, *, titles: bool, masks: int) -> None:
        """Read where blocks begin.

        Args:
            path: The folder of the index.
            reader: Java's reader of the index.
            titles: Whether a document's first line is its title.
            masks: The number of stored rules.

        Raises:
            IndexingError: A document has no blocks, or they are damaged.
        """
        self._path, self._titles, self._masks = path, int(titles), masks
        with lucene_errors(path):
            self._leaves = _leaves(reader)
        self.docids = [
            value.tobytes().decode()
            for values, lengths in self._values(DOCID)
            for value in np.split(values, np.cumsum(lengths)[:-1])
        ]
        parts = self._decoded(LINES, decode_lines)
        counts = [np.diff(part.starts) for part in parts]
        self.starts: IntArray = _summed(counts)
        self.tokens = _narrow(_joined([part.tokens for part in parts]))
        self._stacked = None
        if any(part.stacked is not None for part in parts):
            self._stacked = _joined(
                [
                    np.zeros_like(part.tokens) if part.stacked is None else part.stacked
                    for part in parts
                ]
            )
        self._occurrences = _reader_of_occurrences(
            self._leaves, self.starts, _joined([part.spans for part in parts])
        )
        self._filled = self.starts[1:] > self.starts[:-1]
        self._known: Recent[str, Occurrences] = Recent(
            _KNOWN_OCCURRENCES, lambda some: len(some.lines) + 1
        )

    @cached_property
    def batches(self) -> list[slice]:
        """All documents, so many at a time that their lines stay in the processor's caches."""
        lines = np.arange(0, self.starts[-1], _LINES_AT_A_TIME)
        firsts = np.searchsorted(self.starts[:-1], lines)
        bounds = np.unique([*firsts, 0, len(self.starts) - 1]).tolist()
        return list(itertools.starmap(slice, itertools.pairwise(bounds)))

    @cached_property
    def ranks(self) -> IntArray:
        """(N,) See `docid_ranks`."""
        return docid_ranks(self.docids)

    @cached_property
    def titles(self) -> IntArray:
        """The lines that are titles."""
        return self.starts[:-1][self._filled] if self._titles else self.starts[:0]

    @cached_property
    def features(self) -> Features:
        """What rules read of all blocks; raises IndexingError if they are damaged."""
        parts = self._decoded(COLUMNS, partial(decode_columns, masks=self._masks))
        blocks = [len(part.words) for part in parts]
        read = Features(
            starts=_summed([np.diff(part.starts) for part in parts]),
            words=_narrow(_joined([part.words for part in parts])),
            link_words=_narrow(_joined([part.link_words for part in parts])),
            wrapped=np.concatenate(
                [self.starts[:0]]
                + [
                    part.wrapped + before
                    for part, before in zip(parts, _summed([blocks])[:-1], strict=True)
                ]
            ),
            density=np.concatenate([np.empty(0), *(part.density for part in parts)]),
            masks=np.concatenate(
                [
                    np.empty((-(-self._masks // 8), 0), np.uint8),
                    *(part.masks for part in parts),
                ],
                axis=1,
            ),
        )
        lines = np.diff(self.starts)
        if not np.array_equal(np.diff(read.starts), lines - self._titles * (lines > 0)):
            raise self._damaged("its blocks are not those of its contents")
        return read

    def weights(self, mask: BoolArray, times: int = 1) -> Weights:
        """Return how often each line counts: titles once, blocks by a mask.

        Args:
            mask: The blocks, without titles, that a rule keeps.
            times: How often these count; if several times, all other blocks count once.
        """
        weights = np.ones(len(self.tokens), dtype=bool if times == 1 else np.uint8)
        of_blocks = mask if times == 1 else np.where(mask, times, 1).astype(np.uint8)
        if not self._titles:
            weights[:] = of_blocks
            return weights
        block = 0
        for documents in self.batches:
            first, end = self.starts[[documents.start, documents.stop]]
            is_block = np.ones(end - first, dtype=bool)
            starts, filled = self.starts[documents], self._filled[documents]
            is_block[starts[filled] - first] = False
            count = len(is_block) - int(filled.sum())
            weights[first:end][is_block] = of_blocks[block : block + count]
            block += count
        return weights

    def under(self, weights: Weights) -> KeptDocuments:
        """Return the collection with lines that count so often."""
        titles = stacked = None
        if self._titles:
            titles = np.zeros(len(self.docids), dtype=np.int64)
            titles[self._filled] = self.tokens[self.titles]
        if self._stacked is not None:
            stacked = self._by_document(weights, self._stacked)
        tokens, lengths = as_indexed(
            self._by_document(weights, self.tokens), titles, stacked
        )
        documents = int((lengths > 0).sum())
        codes = encode_lengths(lengths)
        return KeptDocuments(weights, codes, documents, int(tokens.sum()))

    def postings(self, term: str, kept: KeptDocuments) -> tuple[Documents, IntArray]:
        """Return the documents with a term, ascending, and how often each has it."""
        occurrences = self._known.value(term, lambda: self._read(term))
        counted = kept.weights[occurrences.lines]
        here = np.flatnonzero(counted)
        documents, tf = sum_by_document(occurrences.documents[here], counted[here])
        filled = kept.codes[documents] != 0
        return (documents, tf) if filled.all() else (documents[filled], tf[filled])

    def forget(self) -> None:
        """Forget where terms occur, so that the next query reads it."""
        self._known.clear()

    def _by_document(self, weights: Weights, counts: Counts) -> IntArray:
        """Return (N,) the sum of each document's lines, each as often as it counts."""
        sums = np.zeros(len(self.starts) - 1, dtype=np.int64)
        for documents in self.batches:
            first, end = self.starts[[documents.start, documents.stop]]
            filled = self._filled[documents]
            if filled.any():
                starts = self.starts[documents][filled] - first
                here = slice(first, end)
                counted = np.multiply(weights[here], counts[here], dtype=np.int64)
                sums[documents][filled] = np.add.reduceat(counted, starts)
        return sums

    def _read(self, term: str) -> Occurrences:
        """Read where a term occurs."""
        with lucene_errors(self._path):
            return self._occurrences(term.encode())

    def _decoded(
        self, field: str, decode: Callable[[NDArray[np.uint8], IntArray], _Value]
    ) -> list[_Value]:
        """Return what the values of a field say, of some documents at a time."""
        try:
            return [
                decode(values[here], lengths[documents])
                for values, lengths in self._values(field)
                for documents, here in batches(lengths, _VALUE_BYTES)
            ]
        except DamagedBlocksError as error:
            raise self._damaged(str(error)) from error

    def _values(self, field: str) -> Iterator[tuple[NDArray[np.uint8], IntArray]]:
        for leaf in self._leaves:
            with lucene_errors(self._path):
                values, lengths = _read_values(leaf, field)
            if (lengths < 0).any():
                raise self._damaged(f"a document has no {field}")
            yield values, lengths

    def _damaged(self, what: str) -> IndexingError:
        again = command_line("index", blocks=True, overwrite=True)
        return IndexingError(
            f"the block table of {self._path} is damaged ({what}), or something else than "
            f"boilersweep changed the index; build it again with `{again}`"
        )


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[np.int32]:
    """Return all values in a row; there may be none."""
    return np.concatenate([np.empty(0, np.int32), *parts], dtype=np.int32)


def _narrow(numbers: NDArray[np.int32]) -> Counts:
    """Return numbers that are not negative in two bytes each, if they fit."""
    return numbers.astype(np.uint16) if numbers.max(initial=0) < 2**16 else numbers


def _summed(parts: Sequence[IntArray | Sequence[int]]) -> IntArray:
    """Return where each of many things begins, given how long each is, and where the last ends."""
    lengths = [np.zeros(1, np.int64), *(np.asarray(part, np.int64) for part in parts)]
    return np.cumsum(np.concatenate(lengths))


def _leaves(reader: Any) -> list[Any]:
    """Return Java's readers of an index's segments."""
    from jnius import cast

    contexts = cast("org.apache.lucene.index.IndexReader", reader).leaves()
    kind = "org.apache.lucene.index.LeafReader"
    return [
        cast(kind, contexts.get(index).reader()) for index in range(contexts.size())
    ]


def _read_values(leaf: Any, field: str) -> tuple[NDArray[np.uint8], IntArray]:
    """Return the values of a segment's documents in a row, and the length of each.

    A deleted document has length 0, one without a value -1.
    """
    raw = java_class("BlockSearch").values(leaf, field).tostring()
    lengths = np.frombuffer(raw, "<i4", leaf.maxDoc()).astype(np.int64)
    return np.frombuffer(raw, np.uint8, offset=4 * len(lengths)), lengths


def _reader_of_occurrences(
    leaves: Sequence[Any], starts: IntArray, spans: NDArray[np.int32]
) -> Callable[[bytes], Occurrences]:
    """Return a function that reads where a term occurs.

    Args:
        leaves: Java's readers of the segments.
        starts: See `BlockTable`.
        spans: (l,) the positions of each line.
    """
    search, first = java_class("BlockSearch")(), 0
    for leaf in leaves:
        here = starts[first : first + leaf.maxDoc() + 1]
        search.add(
            leaf,
            (here - here[0]).astype("<i4").tobytes(),
            spans[here[0] : here[-1]].astype("<i4").tobytes(),
        )
        first += len(here) - 1

    def read(term: bytes) -> Occurrences:
        raw = search.occurrences(CONTENTS, term).tostring()
        return Occurrences(*np.frombuffer(raw, "<i4").reshape(2, -1))

    return read
