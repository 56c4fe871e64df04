"""What an audit is begun with, and what begins another one."""

import json
from pathlib import Path

import msgspec
import pytest

from boilersweep import InputError
from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.checked_judgements import CHECKED
from boilersweep.eval.assess.decision import JudgedFolder, decide, prospect
from boilersweep.eval.assess.judgements import Judgements
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.stats.families import THESE
from tests.eval.assess.conftest import Make, grade
from tests.stores import faults_of


def predict(assessment: Assessment, *, wrong: int = 10) -> None:
    """Have a program judge all that decides, every tenth document wrongly."""
    for number, pair in enumerate(assessment.to_predict("model")):
        given = grade(pair[1]) if number % wrong else 2 - grade(pair[1])
        assessment.add("programs", "model", Judgement(*pair, given))


def judge(assessment: Assessment, most: int = 300) -> int:
    """Judge as the page asks; return how many documents that was."""
    judged = 0
    while judged < most and (chosen := assessment.next_for("anna", rest=False)):
        (topic, docid), repeat = chosen
        assessment.add(
            "people", "anna", Judgement(topic, docid, grade(docid), repeat=repeat)
        )
        judged += not repeat
    return judged


def faults(folder: Path) -> list[str]:
    return faults_of(CHECKED, folder)


def test_people_audit_a_program_until_it_is_certain(make: Make, folder: Path) -> None:
    assessment = make()
    predict(assessment)
    assert len(assessment.to_predict("other")) == 160
    assert assessment.to_predict("model") == []
    assessment.audit("model")
    before = prospect(assessment.family)
    assert before.startswith("160 documents decide; if the program is right about 85 %")
    judged = judge(assessment)
    decision = decide(assessment)
    assert decision.best == "learned"
    assert 5 < judged < 40
    [conclusion] = decision.conclusions
    assert (conclusion.claim, conclusion.topics) == (THESE, judged)
    text = " ".join(decision.about)
    assert "Claims are about these 40 queries alone" in text
    assert "audit model, which was right about" in text
    assert f"of {judged} documents" in text
    assessment.judgements.finish()
    assert faults(folder) == []
    # As again after a kill, and for a study of the same runs
    again = make()
    audit = again.judgements.audit
    assert audit
    assert audit.program == "model"
    again.audit("model")
    assert again.judgements.audit == audit
    assert again.conclusions() == assessment.conclusions()
    sentences, conclusions = JudgedFolder(folder).answers(again.family.runs, "P@3")
    assert conclusions == again.conclusions()
    assert "Claims are about these 40 queries alone" in sentences[0]
    assert sentences[1].endswith(f"certain for these queries ({judged} documents).")
    # Of other runs the audit says nothing
    others = {**again.family.runs, "bte": again.family.runs["words>=1"]}
    sentences, _ = JudgedFolder(folder).answers(others, "P@3")
    assert "queries like these" in sentences[0]


def test_what_people_judge_never_changes_the_order(make: Make) -> None:
    assessment = make()
    predict(assessment)
    assessment.audit("model")
    order = assessment.pending(rest=False)
    judge(assessment, 4)
    assert assessment.pending(rest=False) == order[4:]
    again = make()
    again.audit("model")
    assert again.pending(rest=False) == order[4:]


def test_another_program_or_another_query_begins_another_audit(make: Make) -> None:
    assessment = make()
    predict(assessment)
    assessment.audit("model")
    judge(assessment, 5)
    first = assessment.judgements.audit
    order = assessment.pending(rest=False)
    assessment.audit("")  # people alone
    second = assessment.judgements.audit
    assert first
    assert second
    assert (first.number, second.number, second.before) == (1, 2, {"anna": 5})
    assert assessment.pending(rest=False) != order
    assert {*assessment.pending(rest=False)} == {*order}  # the five are known
    [conclusion] = assessment.conclusions()
    assert conclusion.topics == 0
    family = assessment.family
    assessment.family = type(family)(family.runs, family.topics[:30], family.measure)
    assessment.audit("")
    third = assessment.judgements.audit
    assert third
    assert third.number == 3


def test_grades_that_come_after_the_beginning_do_not_count(make: Make) -> None:
    assessment = make()
    predict(assessment)
    assessment.audit("model")
    before = assessment.conclusions()
    judge(assessment, 3)
    topic, docid = assessment.pending(rest=False)[0]
    at_three = assessment.conclusions()
    assessment.add("programs", "model", Judgement(topic, docid, 1))
    assessment.audit("model")
    assert assessment.conclusions() == at_three
    assert at_three != before


def test_skipping_keeps_topics_and_counts_as_the_worst(
    make: Make, folder: Path
) -> None:
    assessment = make()
    assessment.audit("")
    topics = (folder / "topics.tsv").read_text()
    (pair, _) = assessment.next_for("anna") or ((("", ""), False))
    assessment.put_off(pair)
    assert (folder / "topics.tsv").read_text() == topics
    chosen = assessment.next_for("anna", [pair])
    assert chosen
    assert chosen[0] != pair
    assessment.add("people", "anna", Judgement(*chosen[0], grade(chosen[0][1])))
    [conclusion] = assessment.conclusions()
    assert conclusion.topics == 2
    assert assessment.next_for("anna") == (pair, False)


def test_a_damaged_record_is_named(make: Make, folder: Path) -> None:
    assessment = make()
    assessment.audit("")
    judge(assessment, 2)
    assessment.judgements.finish()
    path = folder / "audit.json"
    record = json.loads(path.read_text())
    assert record["number"] == 1
    path.write_text(json.dumps({**record, "seed": 2}))
    assert any("audit.json" in one for one in faults(folder))
    path.write_text("[" * 9)
    with pytest.raises(
        InputError, match=r"audit\.json: expected what `boilersweep assess`"
    ):
        Judgements(folder, complete=False).audit  # noqa: B018
    path.write_bytes(msgspec.json.encode({**record, "other": 1}))
    assert any("audit.json" in one for one in faults(folder))
