"""Gold texts aligned with blocks."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages import alignment
from boilersweep.pages.alignment import align

WORDS = st.lists(st.sampled_from("a b c d e f g".split()), max_size=6).map(" ".join)


def test_the_gold_text_is_some_blocks() -> None:
    texts = [
        "Home",
        "The pony news",
        "The pony crossed the river.",
        "It rained",
        "About us",
    ]
    assert align(
        texts, "THE PONY news the pony crossed the river: it rained"
    ).shares.tolist() == [*(0, 1, 1, 1, 0)]


def test_a_share_of_a_block() -> None:
    # Of "by Ann Lee today" the gold text has "ann lee": 2 of 4 words.
    assert align(["by Ann Lee today", "text"], "Ann Lee text").shares.tolist() == [
        0.5,
        1.0,
    ]


@pytest.mark.parametrize(
    ("texts", "gold", "shares"),
    [
        # The word before the article and the one it begins with are the same.
        (["News", "News of the day", "More"], "News of the day", [0, 1, 0]),
        (["About", "x", "About ponies we know"], "About ponies we know", [0, 0, 1]),
        # The same at the end.
        (["the end of it", "it", "x"], "the end of it", [1, 0, 0]),
        (["a b c d", "x", "c d"], "a b c d", [1, 0, 0]),
        (["a b", "x", "a b c d"], "a b c d", [0, 0, 1]),
    ],
)
def test_words_that_are_there_twice_belong_to_their_neighbours(
    texts: list[str], gold: str, shares: list[float]
) -> None:
    assert align(texts, gold).shares.tolist() == shares


def test_what_stands_in_another_order_is_found() -> None:
    first = "one two three four five six seven eight"
    second = "red orange yellow green blue indigo violet"
    assert align([first, "menu", second], f"{second} {first}").shares.tolist() == [
        1,
        0,
        1,
    ]
    # Three words of eight are not the block.
    assert align([first, second], f"{second} one two three").shares.tolist() == [0, 1]
    # A short block is not looked for out of order, nor one that is there in order already.
    assert align(["red green", first], f"{first} red green").shares.tolist() == [0, 1]
    assert align([first, first], first).shares.sum() == 1


@pytest.mark.parametrize(
    ("texts", "gold", "shares"),
    [
        ([], "x", []),
        (["x"], "", [0]),
        (["-", "x"], "x", [0, 1]),
        (["", "!"], "", [0, 0]),
    ],
)
def test_nothing_to_align(texts: list[str], gold: str, shares: list[float]) -> None:
    assert align(texts, gold).shares.tolist() == shares


def test_a_page_too_large_is_aligned_by_its_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alignment, "_MAX_CELLS", 0)
    text = "one two three four five six"
    assert align([text, "one two"], f"{text} more").shares.tolist() == [1, 0]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.data())
def test_a_gold_text_of_distinct_words_is_found_exactly(
    lengths: list[int], data: st.DataObject
) -> None:
    numbers = iter(range(99))
    texts = [" ".join(f"w{next(numbers)}" for _ in range(length)) for length in lengths]
    kept = [data.draw(st.booleans()) for _ in texts]
    gold = " ".join(text for text, keep in zip(texts, kept, strict=True) if keep)
    assert align(texts, gold).shares.tolist() == [float(keep) for keep in kept]


@given(st.lists(WORDS, max_size=6), WORDS)
def test_matches_are_a_common_subsequence_in_order(texts: list[str], gold: str) -> None:
    page = [ord(word) for text in texts for word in re.findall(r"\w+", text)]
    wanted = [ord(word) for word in gold.split()]
    sources, targets = alignment._matches(page, wanted)
    assert [page[place] for place in sources] == [wanted[place] for place in targets]
    for places in (sources, targets):
        assert all(a < b for a, b in pairwise(places))
    assert len(sources) == longest(page, wanted)


@pytest.mark.parametrize(
    ("page", "wanted", "sources", "targets"),
    [
        ("abcxdyz", "abdz", [0, 1, 4, 6], [0, 1, 2, 3]),
        ("xabab", "ab", [3, 4], [0, 1]),  # both end so
        ("xababy", "ab", [1, 2], [0, 1]),  # the first place on the page
        ("abxab", "ab", [0, 1], [0, 1]),  # both begin so
        ("xaby", "ba", [1], [1]),
        ("aaaa", "aa", [0, 1], [0, 1]),
        ("ab", "cd", [], []),
    ],
)
def test_which_of_the_longest_is_taken(
    page: str, wanted: str, sources: list[int], targets: list[int]
) -> None:
    found = alignment._longest_common([*map(ord, page)], [*map(ord, wanted)])
    assert found == (sources, targets)


def test_thousands_of_words_are_matched_to_the_last() -> None:
    page = [number % 700 for number in range(20_000)]
    sources, targets = alignment._longest_common(
        page, page[5_000:5_003] + page[9_000:14_000]
    )
    assert len(sources) == len(targets) == 5_003


def longest(a: list[int], b: list[int]) -> int:
    lengths = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for at, y in enumerate(b, 1):
            before, lengths[at] = (
                lengths[at],
                before + 1 if x == y else max(lengths[at], lengths[at - 1]),
            )
    return lengths[-1]


def test_words_of_scripts_without_spaces_are_aligned() -> None:
    found = align(["首页", "我们喜欢苹果。", "我们去学校"], "我们喜欢苹果我们")
    assert found.shares.tolist() == [0, 1, 1 / 3]
