"""Topic ids with other beginnings: named with the option that maps them."""

import pytest

from boilersweep import QrelsError, UsageError
from boilersweep.topics import (
    Qrels,
    Topic,
    agree,
    describe,
    prefix_hint,
    renamed,
    require_agreement,
)

NUMBERS = [str(number) for number in range(1, 67)]


def ids(prefix: str, numbers: list[str] = NUMBERS) -> list[str]:
    return [prefix + number for number in numbers]


@pytest.mark.parametrize(
    ("ours", "theirs", "option"),
    [
        ("clef2015.test.", "", "clef2015.test."),
        ("qtest.", "", "qtest."),
        ("clef2015.test.", "qtest.", "clef2015.test.=qtest."),
        ("", "qtest.", "=qtest."),
        ("MB", "", "MB"),
        ("BLOG-", "TREC 2006-", "'BLOG-=TREC 2006-'"),
        ("q", "topic", "q=topic"),
    ],
)
def test_a_hint_names_both_forms_and_the_option(
    ours: str, theirs: str, option: str
) -> None:
    assert prefix_hint(ids(ours), ids(theirs), "the topics") == (
        f"the topics have '{ours}1' where the qrels have '{theirs}1': if these are the same "
        f"topics, --topic-prefix {option} reads them so"
    )
    one = prefix_hint([ours + "7"], [theirs + "7"], "x")
    assert f"--topic-prefix {option} " in one


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([], []),
        (["a.1"], []),
        ([], ["1"]),
        (
            ids("", ["851", "852", "853"]),
            ids("", ["1", "2", "3"]),
        ),  # no prefix: numbers
        (["01", "02", "03"], ["1", "2", "3"]),
        (
            ids("", [str(n) for n in range(101, 151)]),
            ids("", [str(n) for n in range(1, 51)]),
        ),
        (["a.1", "b.x", "c.y"], ["1", "2", "3"]),  # one of three
        (["bread", "night", "chess"], ["1", "2", "3"]),
        (NUMBERS, NUMBERS),
        (["1" * 100_000] * 3, ["x" + "1" * 100_000]),
    ],
)
def test_other_ids_are_no_hint(ours: list[str], theirs: list[str]) -> None:
    assert prefix_hint(ours, theirs, "x") == ""


@pytest.mark.parametrize(
    ("prefixes", "expected"),
    [
        ({"a.b.": ""}, ["1", "a.2", "x"]),
        ({"a.": "", "a.b.": "q"}, ["q1", "2", "x"]),
        ({"": "a."}, ["a.b.1", "a.2", "a.x"]),
        ({"z": "y"}, ["a.b.1", "a.2", "x"]),
        ({"a": "a.b."}, ["a.b.1", "a.b..2", "x"]),
        ({}, ["a.b.1", "a.2", "x"]),
    ],
)
def test_renamed(prefixes: dict[str, str], expected: list[str]) -> None:
    found = renamed(["a.b.1", "a.2", "x"], prefixes)
    assert list(found.items()) == list(
        zip(["a.b.1", "a.2", "x"], expected, strict=True)
    )


def test_ids_that_would_be_one_or_empty_are_refused() -> None:
    with pytest.raises(UsageError, match=r"got '1' for '1' and 'a\.1'$"):
        renamed(["a.1", "1"], {"a.": ""})
    with pytest.raises(UsageError, match=r"got '' for 'a\.'$"):
        renamed(["b", "a."], {"a.": ""})


def test_topics_and_qrels_that_differ_by_a_prefix_are_not_matched() -> None:
    topics = [Topic(id_, "x") for id_ in ids("clef2015.test.")]
    qrels = Qrels({number: {"d": 1} for number in NUMBERS})
    with pytest.raises(
        QrelsError, match=r"--topic-prefix clef2015\.test\. reads them so"
    ):
        require_agreement(topics, qrels)
    some = [Topic("1", "x"), *topics[1:]]
    sentences = describe(agree(some, qrels))
    assert sentences[-1].startswith(
        "The topics have 'clef2015.test.2' where the qrels have '2': if"
    )
