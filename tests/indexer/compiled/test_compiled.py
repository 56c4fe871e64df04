"""Compiled pieces and counter beside those in Python: the same numbers, rules, terms, lengths."""

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fuzzing.cutting import ExpectedPieces
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer import compiled
from boilersweep.indexer.contents import PureCounter
from boilersweep.indexer.pieces import (
    STANDARD_BORDERS,
    Analysed,
    Borders,
    PurePieces,
    TermTable,
    of_whole_texts,
)
from boilersweep.pages.columns import BoolArray
from tests.indexer.test_contents import BLOCKS, MASKS, counted, weights

if TYPE_CHECKING:
    from boilersweep.indexer.compiled.counter import CompiledCounter
    from boilersweep.indexer.contents import TermCounter

pytestmark = pytest.mark.skipif(not compiled.built, reason="the extension module is not built")

Found = set[tuple[tuple[int, ...], frozenset[str], int]]


def make() -> "CompiledCounter":
    from boilersweep.indexer.compiled.counter import CompiledCounter

    return CompiledCounter()


def table() -> TermTable:
    """Where z is no token, and y is two."""
    terms = {"z": "", "y": "e \U0001f600"}
    return TermTable(PurePieces, lambda some: [terms.get(p, p) for p in some], lambda _: None)


def found(
    counter: "TermCounter", bits: Bits, first: int, rules: int, repeats: Mapping[int, Repeat]
) -> Found:
    contents = counted(counter, bits, first, rules, repeats)
    as_found = {(tuple(r), frozenset(t.split(" ")), length) for r, t, length in contents}
    assert len(as_found) == len(contents)
    return as_found


def assert_same(
    counter: "CompiledCounter",
    analysed: Analysed,
    pages: Sequence[tuple[int, Bits]],
    rules: int,
    repeats: Mapping[int, Repeat],
) -> None:
    """pages: first block and bits of each."""
    pure = PureCounter()
    pure.begin(analysed)
    counter.begin(analysed)
    for first, bits in pages:
        expected = found(pure, bits, first, rules, repeats)
        assert found(counter, bits, first, rules, repeats) == expected


TEXTS = st.lists(
    st.lists(st.sampled_from([*"abcdefgyz", "é", "本" * 9]), max_size=6).map(" ".join),
    min_size=12,
    max_size=12,
)


@given(batches=st.lists(st.tuples(MASKS, TEXTS), min_size=1, max_size=4))
def test_batch_after_batch_of_a_table(batches: list[tuple[BoolArray, list[str]]]) -> None:
    counter, terms = make(), table()
    for masks, texts in batches:
        bits = np.packbits(masks, axis=0)
        half = masks.shape[1] // 2
        pages = [(0, bits[:, :half]), (half, bits[:, half:])]
        assert_same(counter, terms.analysed(texts), pages, len(masks), {})


@given(weights(), BLOCKS)
def test_blocks_that_count_several_times(
    drawn: tuple[BoolArray, dict[int, Repeat], list[list[int]]], tokens: list[str]
) -> None:
    rows, repeats, expected = drawn
    bits = np.packbits(rows, axis=0)
    assert_same(make(), of_whole_texts(tokens, None), [(0, bits)], len(expected), repeats)


def test_high_frequencies() -> None:
    tokens = [" ".join(["a"] * 63), "a b", "a"]
    bits = np.packbits(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0]], dtype=bool), axis=0)
    counter = make()
    counter.begin(of_whole_texts(tokens, None))
    assert counted(counter, bits, 0, 3, {}) == [
        ([2], "a|63", 63),
        ([1], "a|64 b", 65),
        ([0], "a|65 b", 66),
    ]


def test_a_page_that_fails_leaves_no_trace() -> None:
    counter = make()
    counter.begin(of_whole_texts(["a b", "c"], None))
    bits = np.packbits(np.array([[1, 1], [1, 0]], dtype=bool), axis=0)
    with pytest.raises(AttributeError):
        counter.contents(bits, 0, 2, {0: None})  # type: ignore[dict-item]
    assert counted(counter, bits, 0, 2, {}) == [([1], "a b", 2), ([0], "a b c", 3)]


def test_the_fastest_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(compiled.make_counter(), type(make()))
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    assert isinstance(compiled.make_counter(), PureCounter)


if TYPE_CHECKING:
    from boilersweep.indexer.compiled.pieces import CompiledPieces

CHARACTERS = [*"abé本\U0001f600\U00020bb7  .,:;'\"-_(#*\0\n\x7f\x80\xff\u0301\u200d\uffff\ud800"]
WORDS = st.lists(st.lists(st.sampled_from(CHARACTERS), max_size=12).map("".join), max_size=6)


def make_pieces() -> "CompiledPieces":
    from boilersweep.indexer.compiled.pieces import CompiledPieces

    return CompiledPieces(STANDARD_BORDERS.at, STANDARD_BORDERS.between)


@given(batches=st.lists(WORDS, max_size=4))
def test_the_pieces_are_those_of_a_regular_expression(batches: list[list[str]]) -> None:
    pieces, reference = make_pieces(), ExpectedPieces()
    for texts in batches:
        cut = pieces.cut(texts)
        found = (cut.pieces.tolist(), cut.starts.tolist(), cut.new)
        assert found == reference.cut(texts)
        assert cut.pieces.dtype == np.dtype(np.int32)
        assert cut.starts.dtype == np.dtype(np.int64)
    assert len(pieces) == len(reference.numbers)
    assert pieces.characters == sum(map(len, reference.numbers))


def test_many_pieces() -> None:
    dice = random.Random(1)  # noqa: S311
    words = [
        "".join(dice.choices("abcdeéж本\U0001f600", k=dice.randint(1, 9))) for _ in range(9000)
    ]
    pieces, reference = make_pieces(), ExpectedPieces()
    for _ in range(8):
        texts = [" ".join(dice.choices(words, k=dice.randint(0, 40))) for _ in range(200)]
        cut = pieces.cut(texts)
        assert (cut.pieces.tolist(), cut.starts.tolist(), cut.new) == reference.cut(texts)
    assert len(pieces) > 5000


def test_a_piece_is_the_same_however_wide_the_text_is() -> None:
    cut = make_pieces().cut(["pony é", "pony é Ж", "pony é \U0001f600", "pony"])
    assert cut.pieces.tolist() == [0, 1, 0, 1, 2, 0, 1, 3, 0]
    assert cut.new == ["pony", "é", "Ж", "\U0001f600"]


def test_what_was_cut_stays_as_it_is() -> None:
    pieces = make_pieces()
    first = pieces.cut(["a b"])
    pieces.cut(["c d e f"])
    assert first.pieces.tolist() == [0, 1]


def test_without_borders_it_cuts_at_spaces() -> None:
    from boilersweep.indexer.compiled.pieces import CompiledPieces

    texts = ["a.b,\tc (d)", "x\uffffy"]
    assert CompiledPieces("", "").cut(texts).new == PurePieces().cut(texts).new


def test_which_pieces_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(compiled.make_pieces(Borders())).__name__ == "CompiledPieces"
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    assert isinstance(compiled.make_pieces(Borders()), PurePieces)
