"""What a cleaner keeps counted several times, and the rest once."""

from dataclasses import replace

import pytest

import boilersweep
from boilersweep import UsageError, parse_cleaner
from boilersweep.cleaners.rules import Comparison, Weighted
from boilersweep.cleaners.selection import (
    Cleaner,
    PageText,
    Repeat,
    identity_of,
    needs_of,
    page_texts_of,
    select,
)
from boilersweep.cleaners.syntax.grammar import parse_cleaners, parse_rule
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.pages.columns import TEXTS, columns_of
from boilersweep.pages.segmenter import Segmenter

LONG = Comparison("words", ">=", 2)
PAGES = [
    Segmenter().html(html)
    for html in (b"<p>one two<p>three<p>four five", b"", b"<p>six")
]
COLUMNS = replace(
    columns_of(["a", "b", "c"], PAGES), page_texts={"x": ["X a", "", "X c"]}
)


def test_the_text_of_a_cleaner() -> None:
    weighted = parse_cleaner(" weighted ( words>=2,3.0 )")
    assert weighted == Weighted(LONG, 3)
    assert str(weighted) == "weighted(words>=2, 3)"
    assert Variant(weighted).name == "weighted-words-ge-2-3"
    assert parse_cleaners("weighted(words>=2, 2),words>=2") == [Weighted(LONG, 2), LONG]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("weighted", "expected weighted(CLEANER, TIMES), but it ends there"),
        (
            "weighted(bte)",
            "expected weighted(CLEANER, TIMES), got '(bte)' at character 9",
        ),
        ("weighted(3, bte)", "expected a cleaner, got 3.0"),
        ("weighted(bte, bte)", "expected a number, got bte"),
        (
            "weighted(bte, 0)",
            "expected to count 1 to 100 times, in whole numbers, got 0",
        ),
        (
            "weighted(bte, 1.5)",
            "expected to count 1 to 100 times, in whole numbers, got 1.5",
        ),
        (
            "weighted(bte, 101)",
            "expected to count 1 to 100 times, in whole numbers, got 101",
        ),
        ("weighted(bte, -1)", "expected one of words"),
        (f"weighted(bte, 1{'0' * 400})", "expected a number below 1e308"),
        (f"weighted(bte, 2.{'0' * 400}1", "expected a comma or a closing parenthesis"),
        (
            "weighted(bte, 2) & mss",
            "expected the end, as weighted drops nothing and stands alone",
        ),
        ("weighted(bte, 2) | mss", "got '| mss' at character 17"),
        (
            "mss & weighted(bte, 2)",
            "expected a cleaner that drops blocks, as weighted stands",
        ),
        ("!weighted(bte, 2)", "got 'weighted(bte, 2)' at character 2"),
        ("(weighted(bte, 2))", "expected a cleaner that drops blocks"),
        ("ancestor(weighted(bte, 2))", "expected a cleaner that drops blocks"),
        ("weighted(weighted(bte, 2), 2)", "expected a cleaner that drops blocks"),
        ("weigted(bte, 2)", "did you mean weighted?"),
    ],
)
def test_where_it_may_not_stand(text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_cleaner(text)
    assert told in str(caught.value)


def test_it_is_no_rule() -> None:
    with pytest.raises(
        UsageError, match="expected a rule, which keeps or drops blocks"
    ):
        parse_rule("weighted(bte, 2)")


@pytest.mark.application("learned")
def test_it_depends_on_its_cleaner() -> None:
    weighted, learned = parse_cleaner("weighted(learned, 2)"), parse_rule("learned")
    assert identity_of(weighted) == {**identity_of(learned), "text": str(weighted)}
    assert needs_of([weighted]) == learned.needs
    within = parse_cleaner("weighted(x, 2)")
    assert page_texts_of([within, PageText("y")]) == ["y", "x"]
    assert needs_of([within]) == TEXTS


@pytest.mark.parametrize(
    ("cleaners", "repeats", "weights"),
    [
        pytest.param(
            [Weighted(LONG, 3), PageText("x"), LONG, Weighted(LONG, 5)],
            {0: Repeat(4, 3), 3: Repeat(4, 5)},
            # A text beside the blocks counts nowhere.
            {
                0: [3, 1, 3, 0, 0, 1, 0],
                3: [5, 1, 5, 0, 0, 1, 0],
                2: [1, 0, 1, 0, 0, 0, 0],
            },
            id="some blocks count several times",
        ),
        pytest.param(
            [Weighted(LONG, 2), Weighted(parse_rule("words<2"), 2)],
            {0: Repeat(2, 2), 1: Repeat(3, 2)},
            {0: [2, 1, 2, 1], 1: [1, 2, 1, 2]},
            id="what no cleaner of the selection keeps stands behind",
        ),
        pytest.param([Weighted(LONG, 1)], {}, {0: [True] * 4}, id="once is everything"),
    ],
)
def test_weights(
    cleaners: list[Cleaner], repeats: dict[int, Repeat], weights: dict[int, list[int]]
) -> None:
    found = select(COLUMNS, cleaners)
    assert (found.cleaners, found.repeats) == (len(cleaners), repeats)
    assert {number: found.weights(number).tolist() for number in weights} == weights


def test_kept_text_and_what_counts_again() -> None:
    found = list(select(COLUMNS, [Weighted(LONG, 3)]).kept(0))
    assert [(one.text, one.repeated, one.times) for one in found] == [
        ("one two\nthree\nfour five", "one two\nfour five", 3),
        ("six", "", 3),
    ]


@pytest.mark.application("cleaning")
def test_a_page_has_no_text_under_it() -> None:
    for call in (boilersweep.clean, boilersweep.blocks):
        with pytest.raises(
            UsageError, match=r"expected a cleaner that keeps or drops text, got w"
        ):
            call("<p>one", "weighted(bte, 2)")
