"""The compiled counter beside Python's: the same rules, terms and lengths."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer import compiled
from boilersweep.indexer.contents import PureCounter
from boilersweep.indexer.pieces import Analysed, PurePieces, TermTable, of_whole_texts
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
