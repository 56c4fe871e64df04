"""Distinct contents against a naive oracle: what each rule keeps, counted on its own."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.indexer import contents
from boilersweep.indexer.contents import (
    KeptBlocks,
    counted_terms,
    distinct_selections,
    kept_texts,
)
from boilersweep.pages.columns import BoolArray

SEPARATOR = "|"


@st.composite
def any_masks(draw: st.DrawFn) -> BoolArray:
    rules, blocks = draw(st.integers(1, 9)), draw(st.integers(0, 12))
    rows = st.lists(st.booleans(), min_size=blocks, max_size=blocks)
    drawn = draw(st.lists(rows, min_size=rules, max_size=rules))
    return np.array(drawn, dtype=bool).reshape(rules, blocks)


@st.composite
def nested_masks(draw: st.DrawFn) -> BoolArray:
    values = np.array(draw(st.lists(st.integers(1, 20), max_size=12)), dtype=int)
    thresholds = sorted(draw(st.lists(st.integers(1, 22), min_size=1, max_size=9)))
    return np.array([values >= threshold for threshold in thresholds], dtype=bool)


MASKS = any_masks() | nested_masks()
BLOCKS = st.lists(
    st.lists(st.sampled_from("abcdefg"), max_size=6).map(" ".join), min_size=12, max_size=12
)


def selections_of(masks: BoolArray) -> Iterator[KeptBlocks]:
    return distinct_selections(np.packbits(masks, axis=0), len(masks))


def counts(terms: str) -> Counter[str]:
    counter: Counter[str] = Counter()
    for term in terms.split(" "):
        name, bar, count = term.partition(SEPARATOR)
        assert name not in counter
        assert not bar or int(count) > 1
        counter[name] = int(count) if bar else 1
    return counter


@given(MASKS, BLOCKS)
def test_each_rule_gets_the_terms_of_its_own_blocks(masks: BoolArray, tokens: list[str]) -> None:
    found: dict[int, tuple[Counter[str], int]] = {}
    for rules, terms, length in counted_terms(tokens, selections_of(masks), SEPARATOR):
        for rule in rules:
            assert rule not in found
            found[rule] = counts(terms), length
    expected = {}
    for rule, mask in enumerate(masks):
        own = " ".join(tokens[block] for block in np.flatnonzero(mask)).split()
        if own:
            expected[rule] = Counter(own), len(own)
    assert found == expected


@given(MASKS)
def test_selections_are_distinct_and_true_to_the_masks(masks: BoolArray) -> None:
    selections = list(selections_of(masks))
    assert len({tuple(s.blocks) for s in selections}) == len(selections)
    by_rule = {rule: s.blocks for s in selections for rule in s.rules}
    assert sum(len(s.rules) for s in selections) == len(by_rule)
    assert by_rule == {
        rule: np.flatnonzero(mask).tolist() for rule, mask in enumerate(masks) if mask.any()
    }


@given(MASKS)
def test_added_is_what_the_selection_before_lacks(masks: BoolArray) -> None:
    before: set[int] = set()
    for selection in selections_of(masks):
        blocks = set(selection.blocks)
        assert selection.extends == (before <= blocks)
        assert selection.added == sorted(blocks - before if selection.extends else blocks)
        before = blocks


@given(nested_masks())
def test_thresholds_in_ascending_order_make_a_chain(masks: BoolArray) -> None:
    assert all(selection.extends for selection in selections_of(masks))


@given(MASKS, BLOCKS)
def test_kept_texts_have_a_block_a_line(masks: BoolArray, texts: list[str]) -> None:
    found = {rule: t for rules, t in kept_texts(texts, selections_of(masks)) for rule in rules}
    assert found == {
        rule: "\n".join(texts[block] for block in np.flatnonzero(mask))
        for rule, mask in enumerate(masks)
        if mask.any()
    }


@given(any_masks())
def test_a_page_of_many_blocks_is_taken_in_slices(masks: BoolArray) -> None:
    whole = list(selections_of(masks))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "_BLOCKS_AT_A_TIME", 8)
        assert list(selections_of(masks)) == whole


def test_memory_does_not_grow_with_rules_times_blocks() -> None:
    """Masks of a byte would be 80 MB; what is held is a bit for each."""
    bits = np.zeros((50, 200_000), dtype=np.uint8)
    bits[0] = 128
    tracemalloc.start()
    [selection] = distinct_selections(bits, 400)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (selection.rules, len(selection.blocks)) == ([0], 200_000)
    assert peak < 40 * 10**6


def test_the_written_form() -> None:
    masks = np.array([[True, True], [False, True]])
    found = list(counted_terms(["a b a", "b c"], selections_of(masks), SEPARATOR))
    assert found == [([1], "b c", 2), ([0], "b|2 c a|2", 5)]
