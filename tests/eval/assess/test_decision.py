"""The end of judging: a decision, or that these queries cannot tell."""

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.decision import decide, prospect
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.stats.betting import BettingTest
from boilersweep.eval.stats.families import Family, parse_summed_measure
from tests.eval.assess.conftest import Make, grade


def judge_all(
    assessment: Assessment,
    *,
    same: bool,
    skips: Callable[[str, str], bool] = lambda *_: False,
) -> int:
    """Judge all that is asked for; return how many documents that was."""
    skipped: list[tuple[str, str]] = []
    for number in range(1000):
        while chosen := assessment.next_for("anna", skipped, rest=False):
            pair, repeat = chosen
            if repeat or pair in skipped or not skips(*pair):
                break
            skipped.append(pair)
            assessment.put_off(pair)
        if chosen is None:
            return number
        topic, docid = pair
        given = 0 if same else grade(docid)
        assessment.add("people", "anna", Judgement(topic, docid, given, repeat=repeat))
    raise AssertionError("it asks for ever")


def test_a_certain_answer_ends_the_judging(make: Make) -> None:
    assessment = make()
    assert (
        decide(assessment).progress
        == "0% certain (95% decides), 0% of the evidence, 0 of 40 queries; "
        "too early to estimate the rest"
    )
    assert judge_all(assessment, same=False) < 100
    decision = decide(assessment)
    assert (decision.best, decision.title) == ("learned", "You are done: use learned")
    assert (decision.left, decision.way, decision.progress) == (0, 1, "decided")
    assert assessment.next_for("anna")  # the rest of the pool, for whoever wants it


@pytest.mark.parametrize(
    ("skips", "topics"),
    [
        (lambda topic, docid: (topic, docid) == ("t23", "=n2"), 1),
        (lambda topic, _: topic == "t23", 1),
        (lambda topic, docid: (topic, docid[0]) in {("t23", "r"), ("t11", "n")}, 2),
        (lambda topic, _: topic in {"t23", "t02", "t11", "t01"}, 4),
    ],
)
def test_a_skip_costs_one_topic_at_most(
    make: Make, folder: Path, skips: Callable[[str, str], bool], topics: int
) -> None:
    without = judge_all(make(), same=False)
    shutil.rmtree(folder)
    assessment = make()
    judged = judge_all(assessment, same=False, skips=skips)
    of_topic = len(assessment.family.deciding("t23", assessment.family.pairs))
    assert judged <= without + topics * of_topic
    assert decide(assessment).best == "learned"
    # After a kill, and for --status, the order is the same
    again = make()
    assert again.family.topics == assessment.family.topics
    assert again.conclusions() == assessment.conclusions()
    assert {*again.family.topics} == {*again.topics}


def test_a_topic_that_waits_for_nothing_keeps_its_place(make: Make) -> None:
    assessment = make()
    judge_all(assessment, same=True)
    order, (first, *_) = [*assessment.family.topics], assessment.family.topics
    for docid in ("same", "r2", "no such document"):
        assessment.put_off((first, docid))
    assert [*assessment.family.topics] == order


def test_nothing_is_asked_for_when_nothing_decides(make: Make) -> None:
    assessment = make()
    judge_all(assessment, same=True)
    decision = decide(assessment)
    assert decision.title == "These queries cannot tell words>=1 from learned"
    test, outlook = decision.sentences
    assert (
        "The paired t-test of words>=1 and learned on all 40 queries gives p = 1. It is right"
        in test
    )
    assert outlook.startswith(
        "No number of queries like these is in sight that would tell"
    )
    assert decision.progress.endswith(
        "; no number of judgements is in sight; these queries have 0"
    )


def test_only_a_new_grade_is_computed_with(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    assessment = make()
    computed: list[int] = []
    bets = BettingTest.extend

    def counted(test: BettingTest, values: Sequence[tuple[float, float]]) -> None:
        computed.append(len(values))
        bets(test, values)

    monkeypatch.setattr(BettingTest, "extend", counted)
    judge_all(assessment, same=True)
    decide(assessment)
    assert computed == [1] * 40
    # A grade that changes counts, too.
    before = decide(assessment).conclusions
    assessment.add("people", "anna", Judgement("t00", "r1-t00", 3))
    assert decide(assessment).conclusions != before


def test_evidence_is_shown_where_nothing_is_certain(make: Make) -> None:
    runs = make().family.runs
    names = ["words>=1", *(f"words>={number}" for number in range(2, 9)), "learned"]
    alike = dict.fromkeys(names, runs["words>=1"]) | {"learned": runs["learned"]}
    assessment = make()
    assessment.family = replace(assessment.family, runs=alike)
    ways = []
    for number, topic in enumerate(assessment.family.topics[:9], start=1):
        for docid in assessment.family.pool(topic):
            assessment.add("people", "anna", Judgement(topic, docid, grade(docid)))
        decision = decide(assessment)
        assert f"{number} of 40 queries" in decision.progress
        ways += [] if decision.confidence else [decision.way]
    assert ways == sorted(ways)
    assert ways[-1] > 0.1


@pytest.mark.parametrize("topics", [3, 40, 300])
def test_what_so_many_queries_can_show_is_said_before(topics: int) -> None:
    names = [f"t{number:03}" for number in range(topics)]
    runs = {
        "a": {name: ["s", "t", "n1", "n2"] for name in names},
        "b": {name: ["s", "t", "r1", "r2"] for name in names},
    }
    measure = parse_summed_measure("P@4")
    family = Family(runs, names, measure)
    least = family.least_difference()
    if topics == 3:
        assert least == inf
        assert prospect(family).startswith("3 queries are too few to tell")
        return
    assert f"{topics} queries can show a difference of about 0." in prospect(family)
    # People whose judgements have such a difference come to an answer, by chance more or less
    found = []
    for seed in range(40):
        dice = random.Random(seed)  # noqa: S311
        chances = {"n": 0.5 - least, "r": 0.5 + least}  # 2 of 4 ranks
        grades = {
            name: {
                docid: (int(dice.random() < chances[docid[0]]),) * 2
                for docid in ("n1", "n2", "r1", "r2")
            }
            for name in names
        }
        found.append(Family(runs, names, measure).conclusions(grades)[0].certain)
    assert 0.6 <= sum(found) / len(found) <= 0.95


def test_more_queries_show_smaller_differences() -> None:
    least = []
    for topics in (10, 40, 160):
        names = [f"t{number:03}" for number in range(topics)]
        runs = {one: {name: ["s", one] for name in names} for one in "abc"}
        family = Family(runs, names, parse_summed_measure("DCG@2"))
        least.append(family.least_difference())
    assert least == sorted(least, reverse=True)
    assert len({*least}) == 3
