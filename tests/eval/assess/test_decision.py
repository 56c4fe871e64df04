"""The end of judging: a decision, or that these queries cannot tell."""

from collections.abc import Sequence

import pytest

from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.betting import BettingTest
from boilersweep.eval.assess.decision import decide
from boilersweep.eval.assess.log import Judgement
from tests.eval.assess.conftest import Make, grade


def judge_all(assessment: Assessment, *, same: bool) -> int:
    """Judge all that is asked for; return how many documents that was."""
    for number in range(1000):
        chosen = assessment.next_for("anna", rest=False)
        if chosen is None:
            return number
        (topic, docid), repeat = chosen
        given = 0 if same else grade(docid)
        assessment.add("people", "anna", Judgement(topic, docid, given, repeat=repeat))
    raise AssertionError("it asks for ever")


def test_a_certain_answer_ends_the_judging(make: Make) -> None:
    assessment = make()
    assert (
        decide(assessment).progress
        == "0% certain (95% decides); too early to estimate the rest"
    )
    assert judge_all(assessment, same=False) < 100
    decision = decide(assessment)
    assert (decision.best, decision.title) == ("learned", "You are done: use learned")
    assert (decision.left, decision.way, decision.progress) == (0, 1, "decided")
    assert assessment.next_for("anna")  # the rest of the pool, for whoever wants it


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
