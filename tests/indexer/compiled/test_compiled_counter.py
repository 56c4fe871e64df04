"""The compiled counter against a naive count of what each rule keeps."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer import compiled
from boilersweep.indexer.compiled import make_counter
from boilersweep.indexer.pieces import PurePieces, TermTable, of_whole_texts
from boilersweep.pages.columns import BoolArray
from tests.indexer.test_contents import BLOCKS, MASKS, Weighted, weights

if TYPE_CHECKING:
    from boilersweep.indexer.compiled.counter import CompiledCounter

pytestmark = pytest.mark.skipif(not compiled.built, reason="the extension module is not built")

# Of each rule that keeps a token, its terms; every text is in blocks, joined by spaces.
Found = dict[int, Counter[str]]


def counted(
    counter: "CompiledCounter", bits: Bits, first: int, rules: int, repeats: Mapping[int, Repeat]
) -> Found:
    page = counter.contents(bits, first, rules, repeats)
    found: Found = {}
    start = 0
    for of_rules, length, end in zip(page.rules, page.lengths, page.ends, strict=True):
        names = [counter.names[number] for number in page.terms[start:end].tolist()]
        terms = Counter(dict(zip(names, page.frequencies[start:end].tolist(), strict=True)))
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
        joined = " ".join(f"{text} " * weight for text, weight in zip(tokens, row, strict=False))
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
def test_batch_after_batch_of_a_table(batches: list[tuple[BoolArray, list[str]]]) -> None:
    counter = make_counter()
    table = TermTable(PurePieces, lambda some: [TERMS.get(p, p) for p in some], lambda _: None)
    for masks, texts in batches:
        analysed = table.analysed(texts)
        tokens = analysed.tokens()
        counter.begin(analysed)
        bits = np.packbits(masks, axis=0)
        half = masks.shape[1] // 2
        for first, page in ((0, slice(half)), (half, slice(half, None))):
            found = counted(counter, bits[:, page], first, len(masks), {})
            assert found == expected(tokens[first:], masks[:, page].astype(int).tolist())


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


def test_a_page_that_fails_leaves_no_trace() -> None:
    counter = make_counter()
    counter.begin(of_whole_texts(["a b", "c"], None))
    rows = [[1, 1], [1, 0]]
    bits = np.packbits(np.array(rows, dtype=bool), axis=0)
    with pytest.raises(AttributeError):
        counter.contents(bits, 0, 2, {0: None})  # type: ignore[dict-item]
    assert counted(counter, bits, 0, 2, {}) == expected(["a b", "c"], rows)
