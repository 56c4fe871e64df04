"""Compiled pieces against a regular expression, and the counter against a naive count."""

import random
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fuzzing.cutting import ExpectedPieces
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer import compiled
from boilersweep.indexer.compiled import make_counter
from boilersweep.indexer.contents import (
    STANDARD_BORDERS,
    Borders,
    PurePieces,
    TermTable,
    of_whole_texts,
)
from boilersweep.pages.columns import BoolArray
from tests.indexer.test_contents import BLOCKS, MASKS, Weighted, weights

if TYPE_CHECKING:
    from boilersweep.indexer.compiled.counter import CompiledCounter

pytestmark = pytest.mark.skipif(
    not compiled.built, reason="the extension module is not built"
)

# Of each rule that keeps a token, its terms; every text is in blocks, joined by spaces.
Found = dict[int, Counter[str]]


def counted(
    counter: "CompiledCounter",
    bits: Bits,
    first: int,
    rules: int,
    repeats: Mapping[int, Repeat],
    alone: int = 0,
) -> Found:
    page = counter.contents(bits, first, rules, repeats, alone)
    found: Found = {}
    start = 0
    for of_rules, length, end in zip(page.rules, page.lengths, page.ends, strict=True):
        names = [counter.names[number] for number in page.terms[start:end].tolist()]
        terms = Counter(
            dict(zip(names, page.frequencies[start:end].tolist(), strict=True))
        )
        assert len(terms) == end - start
        assert terms.total() == length
        assert not found.keys() & set(of_rules)
        found |= dict.fromkeys(of_rules, terms)
        start = end
    return found


def expected(tokens: list[str], weights: list[list[int]]) -> Found:
    """Count each rule's terms. weights: how often each rule counts each block."""
    found = {}
    for rule, row in enumerate(weights):
        joined = " ".join(
            f"{text} " * weight for text, weight in zip(tokens, row, strict=False)
        )
        if joined.split():
            found[rule] = Counter(joined.split())
    return found


TEXTS = st.lists(
    st.lists(st.sampled_from([*"abcdefgyz", "é", "本" * 9]), max_size=6).map(" ".join),
    min_size=12,
    max_size=12,
)
# z is no token, and y is two.
TERMS = {"z": "", "y": "e \U0001f600"}


@given(batches=st.lists(st.tuples(MASKS, TEXTS), min_size=1, max_size=4))
def test_batch_after_batch_of_a_table(
    batches: list[tuple[BoolArray, list[str]]],
) -> None:
    counter = make_counter()
    table = TermTable(
        PurePieces, lambda some: [TERMS.get(p, p) for p in some], lambda _: None
    )
    for masks, texts in batches:
        analysed = table.analysed(texts)
        tokens = analysed.tokens()
        counter.begin(analysed)
        bits = np.packbits(masks, axis=0)
        half = masks.shape[1] // 2
        for first, page in ((0, slice(half)), (half, slice(half, None))):
            found = counted(counter, bits[:, page], first, len(masks), {})
            assert found == expected(
                tokens[first:], masks[:, page].astype(int).tolist()
            )


@given(weights(), BLOCKS)
def test_blocks_that_count_several_times(drawn: Weighted, tokens: list[str]) -> None:
    rows, repeats, weights = drawn
    counter = make_counter()
    counter.begin(of_whole_texts(tokens, None))
    found = counted(counter, np.packbits(rows, axis=0), 0, len(weights), repeats)
    assert found == expected(tokens, weights)


def test_high_frequencies() -> None:
    tokens = [" ".join(["a"] * 63), "a b", "a"]
    rows = [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    counter = make_counter()
    counter.begin(of_whole_texts(tokens, None))
    bits = np.packbits(np.array(rows, dtype=bool), axis=0)
    assert counted(counter, bits, 0, 3, {}) == expected(tokens, rows)


def test_a_title_alone_is_no_content() -> None:
    tokens, rows = ["of title", "a", ""], [[1, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 0]]
    counter = make_counter()
    counter.begin(of_whole_texts(tokens, None))
    bits = np.packbits(np.array(rows, dtype=bool), axis=0)
    found = counted(counter, bits, 0, 4, {}, alone=2)
    assert found == {rule: Counter(["of", "title", "a"]) for rule in (0, 2)}


def test_a_page_that_fails_leaves_no_trace() -> None:
    counter = make_counter()
    counter.begin(of_whole_texts(["a b", "c"], None))
    rows = [[1, 1], [1, 0]]
    bits = np.packbits(np.array(rows, dtype=bool), axis=0)
    with pytest.raises(AttributeError):
        counter.contents(bits, 0, 2, {0: None}, 0)  # type: ignore[dict-item]
    assert counted(counter, bits, 0, 2, {}) == expected(["a b", "c"], rows)


if TYPE_CHECKING:
    from boilersweep.indexer.compiled.pieces import CompiledPieces

CHARACTERS = [
    *"abé本\U0001f600\U00020bb7  .,:;'\"-_(#*\0\n\x7f\x80\xff\u0301\u200d\uffff\ud800"
]
WORDS = st.lists(
    st.lists(st.sampled_from(CHARACTERS), max_size=12).map("".join), max_size=6
)


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
        "".join(dice.choices("abcdeéж本\U0001f600", k=dice.randint(1, 9)))
        for _ in range(9000)
    ]
    pieces, reference = make_pieces(), ExpectedPieces()
    for _ in range(8):
        texts = [
            " ".join(dice.choices(words, k=dice.randint(0, 40))) for _ in range(200)
        ]
        cut = pieces.cut(texts)
        assert (cut.pieces.tolist(), cut.starts.tolist(), cut.new) == reference.cut(
            texts
        )
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
