"""BTE and maximum subsequence segmentation, by hand and against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.published.tag_curves import (
    BodyTextExtraction,
    MaximumSubsequence,
    best_runs,
)
from boilersweep.cleaners.rules import NamedRule
from boilersweep.pages.columns import BlockColumns, Structure
from tests.cleaners.conftest import Kept

BTE = BodyTextExtraction()
MSS = MaximumSubsequence()

# Words, tags before, tags within.
Block = tuple[int, int, int]


def shard(documents: list[list[Block]]) -> BlockColumns:
    blocks = np.array([b for d in documents for b in d], dtype=np.int64).reshape(-1, 3)
    none = np.zeros(0, dtype=np.int64)
    nothing = np.zeros(len(blocks), dtype=np.int64)
    structure = Structure(
        elements=nothing, tags_before=blocks[:, 1], tags_within=blocks[:, 2], links=nothing,
        markup=nothing, joined=nothing.astype(bool), unindexed=nothing.astype(bool), starts=none,
        names=none, name_list=[], marks=none, mark_list=[], classes=none, ids=none,
        attributes=none, attribute_list=[], parents=none, first=none, end=none, doctypes=[],
    )  # fmt: skip
    return BlockColumns(
        docids=[str(number) for number in range(len(documents))],
        starts=np.cumsum([0, *map(len, documents)]),
        words=blocks[:, 0],
        density=blocks[:, 0].astype(np.float64),
        link_words=nothing,
        texts=[],
        structure=structure,
    )


def objective(document: list[Block], first: int, last: int, cost: float) -> float:
    """Words within, less the cost of tags within; what lies outside only adds a constant."""
    inside = document[first : last + 1]
    tags = sum(b[2] for b in inside) + sum(b[1] for b in inside[1:])
    return sum(b[0] for b in inside) - cost * tags


def brute_force(document: list[Block], cost: float) -> tuple[int, int]:
    runs = [(first, last) for last in range(len(document)) for first in range(last + 1)]
    best = max(objective(document, *run, cost) for run in runs)
    return next(run for run in runs if objective(document, *run, cost) == best)


PAGE = "<p>one</p><p>two words</p><p>now there are five words</p><p>end</p>"


@pytest.mark.parametrize(
    ("rule", "page", "expected"),
    [
        # Tags between: 2, 2, 2. Sums: "one" 1; + "two words" 1 - 2 + 2 = 1 or 2 alone; the 5 words
        # then 2 - 2 + 5 = 5 or 5 alone: of these, that end in one place, the longer run; the last
        # adds 1 - 2 = -1.
        (BTE, PAGE, ["two words", "now there are five words"]),
        # The same page with -3.25 a tag: a gap costs 6.5, so the 5 words alone are best.
        (MSS, PAGE, ["now there are five words"]),
        # 8 + 9 - 6.5 = 10.5 is more than 9.
        (
            MSS,
            "<p>a b c d e f g h<p>a b c d e f g h i",
            ["a b c d e f g h", "a b c d e f g h i"],
        ),
        # 3 words with 2 tags of A are worth 1, and two tags stand between: 1 - 2 + 2 < 2.
        (BTE, "<p>a <a>b</a> c</p><p>d e</p>", ["d e"]),
        # The one block has 1 word and 2 tags of A within: -1, still the best there is.
        (BTE, "<p>- <a>b</a></p>", ["- b"]),
        (BTE, "<p></p>", []),
    ],
)
def test_runs_by_hand(
    kept: Kept, rule: NamedRule, page: str, expected: list[str]
) -> None:
    assert kept(rule, page, "") == [expected, []]


def test_of_equal_runs_the_one_that_ends_first_stays() -> None:
    assert best_runs(shard([[(2, 0, 0), (2, 9, 0)]]), 1.0, BTE).tolist() == [
        True,
        False,
    ]


documents_of = st.lists(
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(0, 6), st.integers(0, 4)), max_size=8
    ),
    max_size=5,
)


@given(documents=documents_of, cost=st.sampled_from([1.0, 3.25]))
def test_the_run_is_the_one_brute_force_finds(
    documents: list[list[tuple[int, int, int]]], cost: float
) -> None:
    expected = []
    for document in documents:
        first, last = brute_force(document, cost) if document else (0, -1)
        expected += [first <= place <= last for place in range(len(document))]
    assert best_runs(shard(documents), cost, BTE).tolist() == expected
