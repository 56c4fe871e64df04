"""Several cleaners at once: conclusions, and the next document."""

import pytest

from boilersweep.eval.assess.differences import parse_summed_measure
from boilersweep.eval.assess.family import Conclusion, Family, draw_topics

TOPICS = [f"t{number:02}" for number in range(40)]


def family() -> Family:
    """Return a family where b finds two relevant documents more than a, and c is nearly a."""
    runs = {
        "a": {t: ["x", "n1", "n2", "n3"] for t in TOPICS},
        "b": {t: ["x", "r1", "r2", "n3"] for t in TOPICS},
        "c": {t: ["x", "n1", "n2", "n4"] for t in TOPICS},
    }
    return Family(runs, draw_topics(TOPICS, 1), parse_summed_measure("P@4"))


def grade(docid: str) -> tuple[int, int]:
    return (1, 1) if docid.startswith(("r", "x")) else (0, 0)


def test_assessor_needs_few_judgements_and_the_rest_comes_last() -> None:
    found = family()
    grades: dict[str, dict[str, tuple[int, int]]] = {}
    judged = 0
    certain: list[tuple[str, str]] = []
    while ("a", "b") not in certain:
        topic, docid = found.next_documents(grades, certain, 1)[0]
        assert docid != "x"  # all cleaners have it
        grades.setdefault(topic, {})[docid] = grade(docid)
        judged += 1
        certain = [(c.a, c.b) for c in found.conclusions(grades) if c.certain]
    assert judged < 100
    conclusion = next(c for c in found.conclusions(grades) if (c.a, c.b) == ("a", "b"))
    assert "b is better than a by 0.500" in conclusion.text
    rest = found.next_documents(grades, found.pairs, 1)
    assert any(docid == "x" for _, docid in rest)
    assert len(rest) + judged == sum(len(found.pool(topic)) for topic in TOPICS)


def test_topics_count_only_up_to_the_first_open_one() -> None:
    found = family()
    second = found.topics[1]
    grades = {second: {docid: grade(docid) for docid in found.pool(second)}}
    assert all(conclusion.topics == 0 for conclusion in found.conclusions(grades))


def test_decided_comparisons_ask_no_more() -> None:
    found = family()
    first = [docid for t, docid in found.next_documents({}, [("a", "b"), ("b", "c")], 1)[:2]]
    assert sorted(first) == ["n3", "n4"]


def test_documents_come_in_one_order_that_does_not_depend_on_the_runs() -> None:
    found = family()
    reversed_runs = dict(reversed(list(found.runs.items())))
    again = Family(reversed_runs, found.topics, found.measure)
    assert found.next_documents({}, [], 3) == again.next_documents({}, [], 3)


@pytest.mark.parametrize(
    ("estimate", "low", "high", "certain", "more", "text"),
    [
        (0.11, 0.05, 0.17, True, None, "b is better than a by 0.110 [0.050, 0.170]: certain"),
        (-0.11, -0.17, -0.05, True, None, "a is better than b by 0.110 [0.050, 0.170]: certain"),
        (0.05, -0.1, 0.2, False, 34, "uncertain; about 34 more judgements would tell"),
        (0.05, -0.1, 0.2, False, None, "no number of judgements is in sight"),
    ],
)
def test_conclusion_is_a_sentence(
    estimate: float, low: float, high: float, certain: bool, more: int | None, text: str
) -> None:
    assert text in Conclusion("a", "b", 9, estimate, low, high, 30.0, certain, more).text
