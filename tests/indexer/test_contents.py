"""Distinct texts against a naive oracle: what each rule keeps, on its own."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.selection import Repeat
from boilersweep.indexer import contents
from boilersweep.indexer.contents import KeptText, distinct_weights, kept_texts
from boilersweep.pages.columns import BoolArray

# Masks, what some rules count several times, and how often each rule counts each block.
Weighted = tuple[BoolArray, dict[int, Repeat], list[list[int]]]


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
    st.lists(st.sampled_from("abcdefg"), max_size=6).map(" ".join),
    min_size=12,
    max_size=12,
)


def texts_of(masks: BoolArray, texts: list[str]) -> list[tuple[list[int], KeptText]]:
    return list(
        kept_texts(texts[: masks.shape[1]], np.packbits(masks, axis=0), len(masks), {})
    )


@given(MASKS)
def test_texts_are_distinct_and_those_of_each_rule(masks: BoolArray) -> None:
    texts = [f"block {number}" for number in range(12)]
    found = texts_of(masks, texts)
    assert len({text for _, text in found}) == len(found)
    by_rule = {rule: text for rules, text in found for rule in rules}
    assert sum(len(rules) for rules, _ in found) == len(by_rule)
    assert by_rule == {
        rule: KeptText("\n".join(texts[block] for block in np.flatnonzero(mask)))
        for rule, mask in enumerate(masks)
        if mask.any()
    }


@given(nested_masks())
def test_thresholds_in_ascending_order_make_a_chain(masks: BoolArray) -> None:
    texts = [f"block {number}" for number in range(12)]
    sizes = [len(text.text) for _, text in texts_of(masks, texts)]
    assert sizes == sorted(sizes)


@st.composite
def weights(draw: st.DrawFn) -> Weighted:
    """Masks, what some rules count several times, and how often each rule counts each block."""
    masks = draw(any_masks())
    rules, blocks = masks.shape
    plain = draw(st.integers(0, rules))
    repeats = {}
    for rule in range(plain, rules):
        masks[rule] = True
        if draw(st.booleans()):
            repeats[rule] = Repeat(
                draw(st.integers(0, rules + 1)), draw(st.integers(2, 5))
            )
    rows = np.vstack(
        [
            masks,
            np.array(
                draw(
                    st.lists(
                        st.lists(st.booleans(), min_size=blocks, max_size=blocks),
                        min_size=2,
                        max_size=2,
                    )
                ),
                dtype=bool,
            ).reshape(2, blocks),
        ]
    )
    expected = [
        (masks[rule] + (repeats[rule].times - 1) * rows[repeats[rule].row]).tolist()
        if rule in repeats
        else masks[rule].astype(int).tolist()
        for rule in range(rules)
    ]
    return rows, repeats, expected


@given(weights())
def test_blocks_may_count_several_times(drawn: Weighted) -> None:
    rows, repeats, expected = drawn
    texts = [f"block{number}" for number in range(rows.shape[1])]
    found = list(kept_texts(texts, np.packbits(rows, axis=0), len(expected), repeats))
    assert len({text for _, text in found}) == len(found)
    for rules, text in found:
        words = text.text.split() + (text.times - 1) * text.repeated.split()
        for rule in rules:
            assert [words.count(block) for block in texts] == expected[rule]


@given(any_masks())
def test_a_page_of_many_blocks_is_taken_in_slices(masks: BoolArray) -> None:
    texts = [f"block {number}" for number in range(12)]
    whole = texts_of(masks, texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "_BLOCKS_AT_A_TIME", 8)
        assert texts_of(masks, texts) == whole


def test_memory_does_not_grow_with_rules_times_blocks() -> None:
    """Masks of a byte would be 80 MB; what is held is a bit for each."""
    bits = np.zeros((50, 200_000), dtype=np.uint8)
    bits[0] = 128
    tracemalloc.start()
    [(rules, *_)] = distinct_weights(bits, 400, {})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rules == [0]
    assert peak < 40 * 10**6
