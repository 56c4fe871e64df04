"""The classifiers of the 2010 paper, leaf by leaf, against the trees as the paper prints them."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.published.boilerpipe import (
    CleanEvalRule,
    DensityRules,
    KeepEverything,
    NumWordsRules,
    OneRule,
)
from boilersweep.cleaners.rules import NamedRule
from boilersweep.pages.columns import BlockColumns

# Words, text density, link words.
Block = tuple[int, float, int]


def shard(*documents: list[Block]) -> BlockColumns:
    blocks = [block for document in documents for block in document]
    return BlockColumns(
        docids=[str(number) for number in range(len(documents))],
        starts=np.cumsum([0, *map(len, documents)]),
        words=np.array([words for words, _, _ in blocks], dtype=np.int64),
        density=np.array([density for _, density, _ in blocks], dtype=np.float64),
        link_words=np.array([links for _, _, links in blocks], dtype=np.int64),
        texts=[],
    )


def algorithm_1(before: Block, block: Block, after: Block) -> bool:
    if block[2] / max(block[0], 1) <= 0.333333:
        if before[2] / max(before[0], 1) <= 0.555556:
            if block[1] <= 9:
                if after[1] <= 10:
                    return before[1] > 4
                return True
            return after[1] != 0
        return after[1] > 11
    return False


def algorithm_2(before: Block, block: Block, after: Block) -> bool:
    if block[2] / max(block[0], 1) <= 0.333333:
        if before[2] / max(before[0], 1) <= 0.555556:
            if block[0] <= 16:
                if after[0] <= 15:
                    return before[0] > 4
                return True
            return True
        if block[0] <= 40:
            return after[0] > 17
        return True
    return False


MISSING = (0, 0.0, 0)
NUMBERS = [1, 3, 4, 5, 9, 10, 15, 16, 17, 18, 40, 41]
block_of = st.builds(
    lambda words, density, share: (words, float(density), round(words * share)),
    st.sampled_from(NUMBERS),
    st.sampled_from([1, 4, 4.5, 9, 9.5, 10, 10.5, 11, 11.5]),
    st.sampled_from([0, 1 / 3, 0.34, 5 / 9, 0.6, 1]),
)
documents_of = st.lists(st.lists(block_of, max_size=6), max_size=4)


@pytest.mark.parametrize(
    ("rule", "tree"), [(DensityRules(), algorithm_1), (NumWordsRules(), algorithm_2)]
)
@given(documents=documents_of)
def test_the_masks_are_the_trees_of_the_paper(
    rule: DensityRules | NumWordsRules,
    tree: Callable[[Block, Block, Block], bool],
    documents: list[list[Block]],
) -> None:
    expected = []
    for document in documents:
        padded = [MISSING, *document, MISSING]
        expected += [tree(*padded[i : i + 3]) for i in range(len(document))]
    assert rule.mask(shard(*documents)).tolist() == expected


LINKED_FOURTH = [(3, 3.0, 0), (24, 12.0, 0), (5, 5.0, 0), (6, 6.0, 6), (20, 10.0, 0)]


@pytest.mark.parametrize(
    ("rule", "document", "kept"),
    [
        # Block 0: density 3 <= 9, next 12 > 10: content. Block 1: 12 > 9, next 5 > 0: content.
        # Block 2: 5 <= 9, next 6 <= 10, previous 12 > 4: content. Block 3: linked: boilerplate.
        # Block 4: previous wholly linked, next 0 <= 11: boilerplate.
        (DensityRules(), LINKED_FOURTH, [1, 1, 1, 0, 0]),
        # Links 1/3 = .3333333 is just above the printed .333333: boilerplate. The last block of a
        # page is dense, but its missing successor has density 0: boilerplate.
        (DensityRules(), [(3, 3.0, 1), (24, 12.0, 0)], [0, 0]),
        # Block 0: 3 words, next 24 > 15: content. Block 1: 24 > 16: content. Block 2: 5 <= 16, next
        # 6 <= 15, previous 24 > 4: content. Block 3: linked. Block 4: previous linked, 20 <= 40,
        # next missing: 0 <= 17: boilerplate. Alone the same 20 words are content.
        (NumWordsRules(), LINKED_FOURTH, [1, 1, 1, 0, 0]),
        (NumWordsRules(), [(20, 10.0, 0)], [1]),
        (OneRule(), [(7, 7.0, 2), (20, 10.5, 8), (20, 10.4, 0)], [0, 1, 0]),
        # 2/7 = .286 and 7/20 = .35 are links enough to stay, 8/20 = .4 are too many.
        (
            CleanEvalRule(),
            [(7, 7.0, 2), (20, 10.5, 8), (3, 3.0, 0), (20, 7.0, 7)],
            [1, 0, 0, 1],
        ),
        (KeepEverything(), [(3, 3.0, 3), (20, 10.4, 0)], [1, 1]),
    ],
)
def test_masks_by_hand(rule: NamedRule, document: list[Block], kept: list[int]) -> None:
    assert rule.mask(shard(document)).tolist() == list(map(bool, kept))
