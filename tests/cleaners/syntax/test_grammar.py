"""Cleaners written as text."""

import pytest

from boilersweep import UsageError, collect_variants, parse_cleaner
from boilersweep.cleaners.published.boilerpipe import NumWordsRules
from boilersweep.cleaners.published.filters import Ancestor, LinkQuota
from boilersweep.cleaners.published.tag_curves import BodyTextExtraction
from boilersweep.cleaners.rules import And, Comparison, Not, Rule
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.syntax.grammar import (
    parse_cleaners,
    parse_range,
    parse_rule,
)
from boilersweep.cleaners.syntax.variants import Variant

LONG = Comparison("words", ">=", 5)

LEARNED = pytest.mark.application("learned")


@pytest.mark.parametrize(
    ("text", "cleaner"),
    [
        ("bte", BodyTextExtraction()),
        (" bte ", BodyTextExtraction()),
        ("!bte & words>=5", And(Not(BodyTextExtraction()), LONG)),
        ("ancestor(numwords-rules)", Ancestor(NumWordsRules(), 2)),
        ("ancestor( bte , 5 )", Ancestor(BodyTextExtraction(), 5)),
        ("ancestor(words>=5 & bte,1)", Ancestor(And(LONG, BodyTextExtraction()), 1)),
        ("link-quota", LinkQuota()),
        ("link-quota(.25)", LinkQuota(0.25)),
        ("link-quota(25e-2)", LinkQuota(0.25)),
        ("words>=.5e1", LONG),
        ("trafilatura", PageText("trafilatura")),
        ("my.module:function", PageText("my.module:function")),
    ],
)
def test_what_is_read(text: str, cleaner: Rule | PageText) -> None:
    assert parse_cleaner(text) == cleaner
    assert parse_cleaner(str(cleaner)) == cleaner


def test_lists() -> None:
    assert parse_cleaners("words>=5, ancestor(bte, 3),cetr") == [
        LONG,
        Ancestor(BodyTextExtraction(), 3),
        PageText("cetr"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected one of words, "),
        ("bte,", "but it ends there"),
        ("bte()", "expected one of words, "),
        pytest.param(
            "learned('')",
            "expected a model file, got no name; learned alone is",
            marks=LEARNED,
        ),
        pytest.param(
            "learnd() & words>=3",
            "(did you mean learned?), got 'learnd() & words>=3'",
            marks=LEARNED,
        ),
        ("bte(3)", "expected bte, got '(3)' at character 4"),
        ("ancestor", r"expected ancestor(CLEANER[, DEPTH]), but it ends there"),
        ("ancestor(3)", "expected a cleaner, got 3.0"),
        ("ancestor(bte, 6)", "expected a depth of 1, 2, 3, 4 or 5, got 6"),
        ("ancestor(bte, 1.5)", "expected a depth of 1, 2, 3, 4 or 5, got 1.5"),
        ("ancestor(bte, 2, 3)", "expected ancestor(CLEANER[, DEPTH])"),
        (
            "ancestor(bte",
            "expected a comma or a closing parenthesis, but it ends there",
        ),
        ("link-quota(bte)", "expected a number, got bte"),
        ("link-quota('x')", "expected a number, got 'x'"),
        (
            "link-quota(2)",
            "expected link-quota([QUOTA]) (link-quota: expected a quota from 0 to 1",
        ),
        pytest.param(
            "learned(3)",
            "expected learned(['FILE'][, comments=yes]) (expected a text in quotes, got 3.0)",
            marks=LEARNED,
        ),
        ("trafilatura(3) & bte", "expected one of words, "),
        ("trafilatura>=3", "expected one of words, "),
        ("trafilatura bte", "expected one of words, "),
        ("link_density & trafilatura", "expected one of >= > "),
        ("ancestor('bte')", "expected a cleaner, got 'bte'"),
        pytest.param(
            "learned(comments=maybe)",
            "expected comments=yes or comments=no, got 'maybe)'",
            marks=LEARNED,
        ),
        pytest.param(
            "learned(comments)",
            "expected comments=yes or comments=no, got ')'",
            marks=LEARNED,
        ),
        ("bte(comments=yes)", "expected one of words, "),
    ],
)
def test_errors_say_what_was_expected(text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_cleaners(text)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "name", ["trafilatura", "a" * 100_000], ids=lambda name: name[:12]
)
def test_a_rule_is_no_extractor(name: str) -> None:
    with pytest.raises(
        UsageError, match=r"no cleaner is named .{,90}; there are keep-ev.{,700}$"
    ):
        parse_rule(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bte", "bte"),
        ("words>=11", "words-011"),
        ("words>=100", "words-100"),
        ("words>=1000", "words-1000"),
        ("words>=1.5", "words-001.5"),
        ("density>=1", "density-01"),
        ("density>=10.5", "density-10.5"),
        ("density>=1.1", "density-01.1"),
        ("words>11", "words-gt-11"),
        ("ancestor(numwords-rules)", "ancestor-numwords-rules-2"),
        ("density>=5 & link_density<=0.33", "density-ge-5-and-link_density-le-0.33"),
        ("!bte", "not-bte"),
        ("my.module:function", "my.module-function"),
        pytest.param(
            "(bte & learned) | words>=2", "bte-and-learned-or-words-ge-2", marks=LEARNED
        ),
        pytest.param(
            "bte & (learned | words>=2)",
            "bte-and-learned-or-words-ge-2-bb65c540",
            marks=LEARNED,
        ),
        pytest.param("!(bte & learned)", "not-bte-and-learned-b5de6e7d", marks=LEARNED),
        pytest.param("!bte & learned", "not-bte-and-learned", marks=LEARNED),
        pytest.param(
            "ancestor(bte & learned, 2)", "ancestor-bte-and-learned-2", marks=LEARNED
        ),
    ],
)
def test_names_for_files(text: str, name: str) -> None:
    assert Variant(parse_cleaner(text)).name == name


@pytest.mark.parametrize(
    "text",
    [
        "words>=1 & " * 9_000 + "x(",
        "words>=1," * 9_000 + "?",
        "words>=" + "9" * 100_000,
        "a" * 100_000 + "(",
        "(" * 100_000,
        f"ancestor('{'x' * 100_000}', 2)",
        f"learned('{'x' * 100_000}')",
        f"slope-curves({'x' * 100_000}",
    ],
    ids=lambda text: text[:12],
)
def test_a_long_text_is_not_repeated_in_full(text: str) -> None:
    for parse in (parse_cleaners, parse_range):
        with pytest.raises(UsageError) as caught:
            parse(text)
        assert len(str(caught.value)) < 1_000
        assert "..." in str(caught.value)


def test_two_cleaners_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="would both be named a-b"):
        collect_variants((), [PageText("a:b"), PageText("a-b")])
