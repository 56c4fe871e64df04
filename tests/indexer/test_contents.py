"""Distinct contents against a naive oracle: what each rule keeps, counted on its own."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer import contents
from boilersweep.indexer.contents import (
    KeptBlocks,
    PureCounter,
    distinct_selections,
    kept_texts,
    written_contents,
)
from boilersweep.indexer.pieces import of_whole_texts
from boilersweep.pages.columns import BoolArray

if TYPE_CHECKING:
    from boilersweep.indexer.contents import TermCounter

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


def counted(
    counter: "TermCounter", bits: Bits, first: int, rules: int, repeats: Mapping[int, Repeat]
) -> list[tuple[list[int], str, int]]:
    """Rules, written terms and length of each content of a page."""
    page = counter.contents(bits, first, rules, repeats)
    written = written_contents(page, counter.names, SEPARATOR)
    return [(*both, length) for both, length in zip(written, page.lengths, strict=True)]


def counted_terms(
    tokens: list[str], masks: BoolArray, rules: int, repeats: Mapping[int, Repeat]
) -> list[tuple[list[int], str, int]]:
    counter = PureCounter()
    counter.begin(of_whole_texts(tokens, None))
    return counted(counter, np.packbits(masks, axis=0), 0, rules, repeats)


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
    for rules, terms, length in counted_terms(tokens, masks, len(masks), {}):
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


@given(MASKS, BLOCKS)
def test_kept_texts_have_a_block_a_line(masks: BoolArray, texts: list[str]) -> None:
    found = {rule: t for rules, t in kept_texts(texts, selections_of(masks)) for rule in rules}
    assert {rule: text.text for rule, text in found.items()} == {
        rule: "\n".join(texts[block] for block in np.flatnonzero(mask))
        for rule, mask in enumerate(masks)
        if mask.any()
    }


@st.composite
def weights(draw: st.DrawFn) -> tuple[BoolArray, dict[int, Repeat], list[list[int]]]:
    """Masks, what some rules count several times, and how often each rule counts each block."""
    masks = draw(any_masks())
    rules, blocks = masks.shape
    plain = draw(st.integers(0, rules))
    repeats = {}
    for rule in range(plain, rules):
        masks[rule] = True
        if draw(st.booleans()):
            repeats[rule] = Repeat(draw(st.integers(0, rules + 1)), draw(st.integers(2, 5)))
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


@given(weights(), BLOCKS)
def test_blocks_may_count_several_times(
    drawn: tuple[BoolArray, dict[int, Repeat], list[list[int]]], tokens: list[str]
) -> None:
    rows, repeats, expected = drawn
    rules = len(expected)

    def selections() -> Iterator[KeptBlocks]:
        return distinct_selections(np.packbits(rows, axis=0), rules, repeats)

    found = {
        rule: (counts(terms), length)
        for some, terms, length in counted_terms(tokens, rows, rules, repeats)
        for rule in some
    }
    repeated = [" ".join((tokens[n] + " ") * w for n, w in enumerate(row)) for row in expected]
    assert found == {
        rule: (Counter(text.split()), len(text.split()))
        for rule, text in enumerate(repeated)
        if text.split()
    }
    for some, text in kept_texts(tokens, selections()):
        words = Counter(text.text.split())
        for word in text.repeated.split():
            words[word] += text.times - 1
        assert all(words == Counter(repeated[rule].split()) for rule in some)
    patterns = [(tuple(s.blocks), s.times, tuple(s.repeated)) for s in selections()]
    assert len(set(patterns)) == len(patterns)


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
    found = counted_terms(["a b a", "b c"], masks, 2, {})
    assert found == [([1], "b c", 2), ([0], "b|2 c a|2", 5)]
