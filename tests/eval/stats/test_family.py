"""Several cleaners at once: conclusions, and the next document."""

import random
from dataclasses import replace
from math import inf

import pytest

from boilersweep.eval.people.assessors import in_random_order
from boilersweep.eval.stats.families import (
    Conclusion,
    Family,
    parse_summed_measure,
    shortest_way,
)

TOPICS = [f"t{number:02}" for number in range(40)]


def family() -> Family:
    """Return a family where b finds two relevant documents more than a, and c is nearly a."""
    runs = {
        "a": {t: ["x", "n1", "n2", "n3"] for t in TOPICS},
        "b": {t: ["x", "r1", "r2", "n3"] for t in TOPICS},
        "c": {t: ["x", "n1", "n2", "n4"] for t in TOPICS},
    }
    return Family(runs, in_random_order(TOPICS, 1), parse_summed_measure("P@4"))


def grade(docid: str) -> tuple[int, int]:
    return (1, 1) if docid.startswith(("r", "x")) else (0, 0)


def test_assessor_needs_few_judgements_and_the_rest_comes_last() -> None:
    found = family()
    grades: dict[str, dict[str, tuple[int, int]]] = {}
    judged = 0
    certain: list[tuple[str, str]] = []
    while ("a", "b") not in certain:
        topic, docid = found.next_documents(grades, found.pairs)[0]
        assert docid != "x"  # all cleaners have it
        grades.setdefault(topic, {})[docid] = grade(docid)
        judged += 1
        conclusions = found.conclusions(grades)
        certain = [(c.a, c.b) for c in conclusions if c.certain]
    assert judged < 100
    conclusion = next(c for c in found.conclusions(grades) if (c.a, c.b) == ("a", "b"))
    assert "b is better than a by" in conclusion.text
    rest = found.next_documents(grades, [])
    assert any(docid == "x" for _, docid in rest)
    assert len(rest) + judged == sum(len(found.pool(topic)) for topic in TOPICS)


@pytest.mark.parametrize(("names", "seed"), [("ab", 1), ("abc", 2)])
def test_the_course_is_what_was_certain_at_each_judgement(
    names: str, seed: int
) -> None:
    whole, dice = family(), random.Random(seed)  # noqa: S311
    runs = {name: whole.runs[name] for name in names}
    found = Family(runs, whole.topics, whole.measure)
    grades: dict[str, dict[str, tuple[int, int]]] = {}
    judged: list[tuple[str, str]] = []
    live = {0: 0.0}
    while documents := found.next_documents(grades, found.pairs, rest=False):
        # Judges of several topics at once, who agree with `grade` most of the time
        pair = dice.choice(documents[:6])
        chance = (dice.randint(0, 1),) * 2
        known = grades.setdefault(pair[0], {})
        known[pair[1]] = grade(pair[1]) if dice.random() < 0.8 else chance
        judged.append(pair)
        ways = [
            min(
                max(
                    (
                        c.confidence
                        for c in found.conclusions(grades)
                        if c.order[1] == n
                    ),
                    default=0.0,
                )
                for n in names
                if n != winner
            )
            for winner in names
        ]
        live[len(judged)] = max(ways)
    course = found.course(grades, judged)
    assert max(course.values()) > 0.5
    level = 0.0
    for number, sure in live.items():
        level = course.get(number, level)
        assert level == pytest.approx(sure, abs=1e-9), number


def test_topics_count_only_up_to_the_first_open_one() -> None:
    found = family()
    second = found.topics[1]
    grades = {second: {docid: grade(docid) for docid in found.pool(second)}}
    assert all(conclusion.topics == 0 for conclusion in found.conclusions(grades))


def conclusion(a: str, b: str, low: float, high: float) -> Conclusion:
    return Conclusion(a, b, 9, (low + high) / 2, low, high, 0.5, (20, 34, 60))


def test_cleaners_that_are_beaten_are_compared_no_more() -> None:
    found = family()
    open_ones = [conclusion("a", "c", -0.1, 0.1), conclusion("b", "c", -0.2, 0.1)]
    assert (
        found.open_pairs([conclusion("a", "b", -0.1, 0.3), *open_ones]) == found.pairs
    )
    assert found.open_pairs([conclusion("a", "b", 0.0, 0.3), *open_ones]) == [
        ("b", "c")
    ]
    first = [docid for _, docid in found.next_documents({}, [("a", "c")])[:2]]
    assert sorted(first) == ["n3", "n4"]
    assert {
        docid for _, docid in found.next_documents({}, [("a", "c")], rest=False)
    } == {*first}


def test_documents_come_in_one_order_that_does_not_depend_on_the_runs() -> None:
    found = family()
    reversed_runs = dict(reversed(list(found.runs.items())))
    again = Family(reversed_runs, found.topics, found.measure)
    assert found.next_documents({}, found.pairs) == again.next_documents(
        {}, again.pairs
    )


@pytest.mark.parametrize(
    ("low", "high", "more", "text"),
    [
        (0.05, 0.17, (0, 0, 0), "b is better than a by 0.110 [0.050, 0.170]: certain"),
        (
            -0.17,
            -0.05,
            (0, 0, 0),
            "a is better than b by 0.110 [0.050, 0.170]: certain",
        ),
        (
            -0.1,
            0.2,
            (20, 34, 60),
            "uncertain; about 34 more judgements would tell (20 to 60)",
        ),
        (
            -0.1,
            0.2,
            (20, 34, inf),
            "about 34 more judgements would tell (20 or many more)",
        ),
        (-0.1, 0.2, (20, inf, inf), "no number of judgements is in sight"),
    ],
)
def test_conclusion_is_a_sentence(
    low: float, high: float, more: tuple[float, float, float], text: str
) -> None:
    found = replace(conclusion("a", "b", low, high), more=more)
    assert text in found.text
    unjudged = replace(found, topics=0).text
    assert (unjudged == "a and b: no topic is judged yet") == (not found.certain)


@pytest.mark.parametrize(
    ("estimate", "low", "text"),
    [
        (0.0004, -0.1, "b and a are level so far [-0.100, 0.200]: uncertain"),
        (-0.0004, -0.1, "a and b are level so far [-0.200, 0.100]: uncertain"),
        (0.0004, 0.0001, "b is better than a by less than 0.001 [0.000, 0.200]"),
        (0.0006, -0.1, "b is ahead of a by 0.001 [-0.100, 0.200]: uncertain"),
    ],
)
def test_no_cleaner_is_ahead_by_nothing(estimate: float, low: float, text: str) -> None:
    found = replace(conclusion("a", "b", low, 0.2), estimate=estimate)
    assert found.text.startswith(text)


def test_the_way_to_a_winner_needs_no_order_of_the_losers() -> None:
    best = replace(conclusion("a", "b", 0.1, 0.3), confidence=0.9, more=(0, 0, 0))
    next_one = replace(conclusion("b", "c", -0.3, 0.1), confidence=0.6, more=(8, 9, 10))
    losers = replace(conclusion("a", "c", -0.2, 0.2), confidence=0.0, more=(inf,) * 3)
    assert shortest_way("abc", [best, next_one, losers]) == (0.6, (8, 9, 10))
    # One cleaner is level with the best: no way is in sight
    level = replace(next_one, more=(inf,) * 3, confidence=0.1)
    assert shortest_way("abc", [best, level, losers])[1][1] == inf
