"""What an index stores of blocks: every value reads back, and damage is noticed."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.indexer.blocks.codec import (
    DamagedBlocksError,
    decode_columns,
    decode_lines,
    decoded,
    encode_columns,
    encoded,
)
from boilersweep.pages.columns import BlockColumns, starts_of
from tests.indexer.blocks.by_python import encode_lines

# Positions of a line, how many of them have a token, and tokens at the position of another.
line = st.integers(0, 5000).flatmap(
    lambda span: st.tuples(st.just(span), st.integers(0, span), st.integers(0, 3))
)


@st.composite
def block(draw: st.DrawFn) -> tuple[int, int, float, bool, bool]:
    """Words, link words, density and what two rules keep."""
    words = draw(st.integers(1, 300))
    links = draw(st.sampled_from([0, words, words // 2]))
    lines = draw(st.integers(0, words // 2))
    last = draw(st.integers(0, min(words - 1, 40)))
    density = (words - last) / lines if lines else float(words)
    density = draw(st.sampled_from([density, density, 1 / 3, 10.1]))
    return words, links, density, draw(st.booleans()), draw(st.booleans())


def joined(values: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    return np.frombuffer(b"".join(values), np.uint8), np.array([*map(len, values)])


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_numbers_read_back(numbers: list[int]) -> None:
    coded, ends = encoded(np.array(numbers, dtype=np.uint64))
    assert decoded(coded)[0].tolist() == numbers
    assert ends.tolist()[-1:] == [len(coded)] * bool(numbers)


def test_small_numbers_take_a_byte() -> None:
    coded, ends = encoded(np.array([0, 127, 128, 2**14], dtype=np.uint64))
    assert coded.tolist() == [0, 127, 128, 1, 128, 128, 1]
    assert ends.tolist() == [1, 2, 4, 7]


@given(st.lists(st.lists(line, max_size=5), max_size=5))
def test_lines_read_back(documents: list[list[tuple[int, int, int]]]) -> None:
    values = [
        encode_lines(*np.array(lines, dtype=np.int64).reshape(-1, 3).T)
        if lines
        else b""
        for lines in documents
    ]
    read = decode_lines(*joined(values))
    every = [one for lines in documents for one in lines]
    assert read.starts.tolist() == starts_of([*map(len, documents)]).tolist()
    assert read.spans.tolist() == [span for span, _, _ in every]
    assert read.tokens.tolist() == [steps + more for _, steps, more in every]
    stacked = [0] * len(every) if read.stacked is None else read.stacked.tolist()
    assert stacked == [more for _, _, more in every]


@given(st.lists(st.lists(block(), max_size=6), max_size=5))
def test_columns_read_back(
    documents: list[list[tuple[int, int, float, bool, bool]]],
) -> None:
    every = [one for blocks in documents for one in blocks]
    words, links, density, *masks = ([one[n] for one in every] for n in range(5))
    columns = BlockColumns(
        docids=[str(number) for number in range(len(documents))],
        starts=starts_of([*map(len, documents)]),
        words=np.array(words, dtype=np.int64),
        density=np.array(density, dtype=np.float64),
        link_words=np.array(links, dtype=np.int64),
        texts=[],
    )
    kept = [np.array(mask, dtype=bool) for mask in masks]
    read = decode_columns(*joined(encode_columns(columns, kept)), len(kept))
    assert read.starts.tolist() == columns.starts.tolist()
    assert (read.words.tolist(), read.link_words.tolist()) == (words, links)
    densities = read.words.astype(np.float64)
    densities[read.wrapped] = read.density
    assert densities.tolist() == density
    found = [read.mask(n, slice(None)).tolist() for n in range(len(masks))]
    assert found == masks


@pytest.mark.parametrize("value", [b"\x80", b"\x02\x01", b"\x01\x01\x01\x01"])
def test_damaged_lines(value: bytes) -> None:
    with pytest.raises(DamagedBlocksError):
        decode_lines(*joined([value]))


@pytest.mark.parametrize("masks", [0, 2])
def test_damaged_columns(masks: int) -> None:
    columns = BlockColumns(
        docids=["a"],
        starts=starts_of([3]),
        words=np.array([1, 2, 3]),
        density=np.array([1.0, 2.0, 3.0]),
        link_words=np.array([0, 1, 3]),
        texts=[],
    )
    [value] = encode_columns(columns, [columns.words > 1])
    with pytest.raises(DamagedBlocksError):
        decode_columns(*joined([value]), masks)
    with pytest.raises(DamagedBlocksError):
        decode_columns(*joined([value[:-2]]), 1)
