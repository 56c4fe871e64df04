"""What an index stores of each document's blocks: numbers of seven bits a byte, the lowest first.

Two values of a document are made of such numbers. The first is written while Lucene reads the
contents, whose lines are the title, if there is one, and the blocks (`boilersweep.BlockContents`):

    the number of lines; for each line, its positions and which of them have a token; for each line
    its tokens at the position of the one before, if the document has any

The second is compressed, and has what rules read:

    the number of blocks; for each block its words, whether they are linked, and whether its density
    is another number; link words where some are linked; density as words of its last line and
    number of the lines before; for each stored rule, where it changes between keeping and dropping
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import BlockColumns, BoolArray, FloatArray, IntArray
from boilersweep.pages.words import LINE_WIDTH

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.uint64]
Counts = NDArray[np.int32] | NDArray[np.uint16]

# The fields of a document's lines, and of what rules read of its blocks.
LINES = "blocks"
COLUMNS = "blocks.columns"

_PAYLOAD = 7  # bits
_NONE_LINKED, _ALL_LINKED, _SOME_LINKED = range(3)
_RAW_DEFLATE = -15
_MOST_LINES = 4096  # before a density is stored as its bits


class DamagedBlocksError(ValueError):
    """The bytes are no such values."""


def encoded(numbers: Numbers) -> tuple[Bytes, IntArray]:
    """Return the bytes of some numbers, and where each number ends."""
    sizes = np.ones(len(numbers), dtype=np.int64)
    rest = numbers >> np.uint64(_PAYLOAD)
    while rest.any():
        sizes += rest > 0
        rest >>= np.uint64(_PAYLOAD)
    ends = np.cumsum(sizes)
    coded = np.empty(int(sizes.sum()), dtype=np.uint8)
    place = 0
    here = np.arange(len(numbers))
    while len(here):
        payload = (numbers[here] >> np.uint64(_PAYLOAD * place)) & np.uint64(127)
        more = sizes[here] > place + 1
        coded[ends[here] - sizes[here] + place] = payload.astype(np.uint8) | (
            more.astype(np.uint8) << _PAYLOAD
        )
        here, place = here[more], place + 1
    return coded, ends


def decoded(coded: Bytes) -> tuple[Numbers, IntArray]:
    """Return the numbers of some bytes, and the place at which each begins.

    Raises:
        DamagedBlocksError: The last number has no end.
    """
    ends = np.flatnonzero(coded < 128)
    if len(coded) and (not len(ends) or ends[-1] != len(coded) - 1):
        raise DamagedBlocksError("a number without end")
    starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)].astype(np.int64)
    numbers = np.zeros(len(ends), dtype=np.uint64)
    here, place = np.arange(len(ends)), 0
    while len(here):
        payload = (coded[starts[here] + place] & 127).astype(np.uint64)
        numbers[here] |= payload << np.uint64(_PAYLOAD * place)
        place += 1
        here = here[starts[here] + place <= ends[here]]
    return numbers, starts


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of n documents' contents: l titles and blocks.

    Attributes:
        starts: (n + 1,) the lines of document i are starts[i] to starts[i + 1].
        spans: (l,) the positions of each line.
        tokens: (l,) its tokens.
        stacked: (l,) of these, those at the position of the one before; None if there are none.
    """

    starts: IntArray
    spans: IntArray
    tokens: IntArray
    stacked: IntArray | None


def decode_lines(values: Bytes, lengths: IntArray) -> Lines:
    """Return the lines of documents.

    Args:
        values: The values, one after the other.
        lengths: (n,) the bytes of each value; 0 for a document that has no lines.

    Raises:
        DamagedBlocksError: The values are damaged.
    """
    reader = _Reader(values, lengths)
    counts = reader.one()
    codes = reader.some(counts)
    left = reader.left()
    if not (np.isin(left, [0]) | (left == counts)).all():
        raise DamagedBlocksError("numbers left")
    several = np.where(left > 0, counts, 0)
    stacked = None
    if several.any():
        stacked = np.zeros(len(codes), dtype=np.int64)
        stacked[np.repeat(several > 0, counts)] = reader.some(several)
    # code = span (span + 1) / 2 + positions without a token, which are at most the span
    spans = ((np.sqrt(8.0 * codes + 1) - 1) // 2).astype(np.int64)
    tokens = spans - (codes - spans * (spans + 1) // 2)
    if stacked is not None:
        tokens += stacked
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Lines(starts, spans, tokens, stacked)


def encode_columns(columns: BlockColumns, masks: Sequence[BoolArray]) -> list[bytes]:
    """Return the second value of each document, see above.

    Args:
        columns: The documents' blocks.
        masks: (m,) each: the blocks that each stored rule keeps.
    """
    starts, owners = columns.starts, columns.owners
    words, links = columns.words, columns.link_words
    linked = np.where(links == 0, _NONE_LINKED, _SOME_LINKED)
    linked[(links == words) & (links > 0)] = _ALL_LINKED
    wraps = columns.density != words
    some, several = linked == _SOME_LINKED, np.flatnonzero(wraps)
    sections = [
        (np.arange(len(columns)), np.diff(starts)),
        (owners, (words * 3 + linked) * 2 + wraps),
        (owners[some], links[some]),
        (np.repeat(owners[several], 2), _wrapped(columns, several).ravel()),
    ]
    for mask in masks:
        changes = np.flatnonzero(_differ(mask, owners))
        of = owners[changes]
        places = changes - starts[of]
        first = np.diff(of, prepend=-1) != 0
        gaps = np.where(first, places, np.diff(places, prepend=0))
        counts = np.bincount(of, minlength=len(columns))
        sections += [(np.arange(len(columns)), counts), (of, gaps)]
    order = np.argsort(np.concatenate([o for o, _ in sections]), kind="stable")
    numbers = np.concatenate([n.astype(np.uint64) for _, n in sections])[order]
    of = np.concatenate([o for o, _ in sections])[order]
    coded, ends = encoded(numbers)
    bounds = np.concatenate([[0], ends])[
        np.searchsorted(of, np.arange(len(columns) + 1))
    ]
    return [
        zlib.compress(coded[start:end].tobytes(), wbits=_RAW_DEFLATE)
        for start, end in pairwise(bounds.tolist())
    ]


def _differ(mask: BoolArray, owners: IntArray) -> BoolArray:
    """Return (m,) True where a mask differs from the block before in its document, or False."""
    before = np.zeros_like(mask)
    before[1:] = mask[:-1] & (owners[1:] == owners[:-1])
    differ: BoolArray = mask != before
    return differ


def _wrapped(columns: BlockColumns, blocks: IntArray) -> Numbers:
    """Return (n, 2) words of the last line and lines before it, which give blocks' densities.

    A density that is no such fraction has 0 lines, and its bits in place of the words.
    """
    words, density = columns.words[blocks], columns.density[blocks]
    wrapped = np.zeros((len(blocks), 2), dtype=np.uint64)
    wrapped[:, 0] = np.ascontiguousarray(density).view(np.uint64)
    left = np.arange(len(blocks))
    for lines in range(1, _MOST_LINES):
        if not len(left):
            break
        last = words[left] - np.rint(density[left] * lines).astype(np.int64)
        equal = (words[left] - last) / lines == density[left]
        equal &= (last >= 0) & (last <= LINE_WIDTH)
        wrapped[left[equal]] = np.stack([last[equal], np.full(equal.sum(), lines)], 1)
        left = left[~equal]
    return wrapped


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What rules read of m blocks of n documents.

    Attributes:
        starts: (n + 1,) the blocks of document i are starts[i] to starts[i + 1].
        words: (m,) words of a block.
        link_words: (m,) words within A.
        wrapped: The blocks whose density is not their number of words.
        density: The density of these.
        masks: (bytes, m) the blocks that each stored rule keeps, a bit for each rule.
    """

    starts: IntArray
    words: Counts
    link_words: Counts
    wrapped: IntArray
    density: FloatArray
    masks: Bytes

    def mask(self, number: int, blocks: slice) -> BoolArray:
        """Return which of some blocks a stored rule keeps."""
        byte, bit = divmod(number, 8)
        kept: BoolArray = self.masks[byte, blocks] & (128 >> bit) != 0
        return kept


def decode_columns(values: Bytes, lengths: IntArray, masks: int) -> Features:
    """Return what rules read of documents' blocks.

    Args:
        values: The values, one after the other.
        lengths: (n,) the bytes of each value; 0 for a document that has no blocks.
        masks: The number of stored rules.

    Raises:
        DamagedBlocksError: The values are damaged.
    """
    reader = _Reader(*_decompressed(values, lengths))
    counts = reader.one()
    starts = np.concatenate([[0], np.cumsum(counts)])
    codes = reader.some(counts)
    wrapped = np.flatnonzero(codes % 2)
    words, linked = np.divmod(codes // 2, 3)
    link_words = np.where(linked == _ALL_LINKED, words, 0)
    some = np.flatnonzero(linked == _SOME_LINKED)
    link_words[some] = reader.some(_per_document(some, starts))
    pairs = reader.some(2 * _per_document(wrapped, starts)).reshape(-1, 2)
    last, lines = pairs.T
    density = (words[wrapped] - last) / np.maximum(lines, 1)
    as_bits = lines == 0
    density[as_bits] = np.ascontiguousarray(last[as_bits]).view(np.float64)
    kept = np.zeros((masks, len(codes)), dtype=bool)
    for mask in kept:
        mask[:] = _mask(reader, starts)
    if reader.left().any():
        raise DamagedBlocksError("numbers left")
    return Features(
        starts,
        words.astype(np.int32),
        link_words.astype(np.int32),
        wrapped,
        density,
        np.packbits(kept, axis=0),
    )


def _decompressed(values: Bytes, lengths: IntArray) -> tuple[Bytes, IntArray]:
    content, ends = values.tobytes(), np.cumsum(lengths).tolist()
    try:
        parts = [
            zlib.decompress(content[start:end], wbits=_RAW_DEFLATE)
            if end > start
            else b""
            for start, end in pairwise([0, *ends])
        ]
    except zlib.error as error:
        raise DamagedBlocksError(str(error)) from error
    return np.frombuffer(b"".join(parts), np.uint8), np.array([*map(len, parts)])


def _mask(reader: "_Reader", starts: IntArray) -> BoolArray:
    counts = reader.one()
    gaps = reader.some(counts)
    summed = np.cumsum(np.concatenate([[0], gaps]))
    firsts = np.cumsum(counts) - counts
    places = summed[1:] - np.repeat(summed[firsts], counts)
    changes = np.zeros(starts[-1] + 1, dtype=np.int8)
    at = places + np.repeat(starts[:-1], counts)
    if len(at) and at.max() >= starts[-1]:
        raise DamagedBlocksError("a mask that goes on behind its blocks")
    changes[at + 1] = 1
    before = np.cumsum(changes, dtype=np.int64)
    kept: BoolArray = (
        before[1:] - np.repeat(before[starts[:-1]], np.diff(starts))
    ) % 2 == 1
    return kept


def _per_document(blocks: IntArray, starts: IntArray) -> IntArray:
    """Return (n,) how many of some blocks, which are ascending, each document has."""
    return np.diff(np.searchsorted(blocks, starts))


class _Reader:
    """Reads the numbers of many documents side by side."""

    def __init__(self, values: Bytes, lengths: IntArray) -> None:
        numbers, starts = decoded(values)
        self._numbers = numbers.astype(np.int64)
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        places = np.searchsorted(starts, bounds)
        self._at, self._ends = places[:-1].copy(), places[1:]
        self._filled = lengths > 0

    def one(self) -> IntArray:
        """Return (n,) the next number of each document; 0 of one whose value is empty."""
        numbers = np.zeros(len(self._filled), dtype=np.int64)
        numbers[self._filled] = self.some(self._filled.astype(np.int64))
        return numbers

    def some(self, counts: IntArray) -> IntArray:
        """Return the next numbers of all documents, so many of each."""
        if (self._at + counts > self._ends).any():
            raise DamagedBlocksError("too few numbers")
        places = np.repeat(self._at - (np.cumsum(counts) - counts), counts)
        self._at += counts
        return self._numbers[places + np.arange(len(places))]

    def left(self) -> IntArray:
        """Return (n,) how many numbers of each document are still to be read."""
        return self._ends - self._at


def batches(lengths: IntArray, most: int) -> Iterator[tuple[slice, slice]]:
    """Yield some documents at a time, and the bytes of their values.

    Args:
        lengths: (n,) the bytes of each document's value.
        most: The bytes after which a batch ends.
    """
    ends = np.cumsum(lengths)
    start = begun = 0
    while start < len(lengths):
        end = max(int(np.searchsorted(ends, begun + most, side="right")), start + 1)
        yield slice(start, end), slice(begun, int(ends[end - 1]))
        start, begun = end, int(ends[end - 1])
