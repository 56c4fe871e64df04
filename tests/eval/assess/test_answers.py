"""What a study says of the judgements that `assess` collected."""

from pathlib import Path

import pytest

from boilersweep.eval.assess.answers import JudgedFolder, judged_folder
from boilersweep.eval.assess.log import Judgement
from tests.eval.assess.conftest import Make, grade


def judge(make: Make, topics: int, *, all_documents: bool = False, name: str = "anna") -> None:
    assessment = make()
    family = assessment.family
    for topic in family.topics[:topics]:
        wanted = family.pool(topic) if all_documents else family.deciding(topic, family.pairs)
        for docid in sorted(wanted):
            assessment.add("people", name, Judgement(topic, docid, grade(docid)))


def test_certain_and_uncertain_answers_are_told_apart(make: Make, folder: Path) -> None:
    judge(make, 3)
    runs = make().family.runs
    found = JudgedFolder(folder).answers(runs, "P@3")
    assert "12 judgements by anna of 3 of 40 topics" in found[0]
    assert "for all comparisons together (1), by P@3" in found[0]
    assert "uncertain" in found[1]
    judge(make, 40)
    _, answer, share = JudgedFolder(folder).answers(runs, "nDCG@10")
    assert answer.startswith("learned is better than words>=1 by")
    assert answer.endswith(": certain (40 topics).")
    assert "all of them are in every list, so that the differences are right" in share


def test_judged_at_k_is_one_when_the_pool_is_judged(make: Make, folder: Path) -> None:
    judge(make, 5, all_documents=True)
    runs = make().family.runs
    assert JudgedFolder(folder).answers(runs, "P@3")[-1] == (
        "Judged@3 of these cleaners is 1 on the topics with judgements."
    )
    others = {**runs, "bte": {topic: ["elsewhere"] for topic in make().family.topics}}
    share = JudgedFolder(folder).answers(others, "P@3")[-1]
    assert share == "No document that decides about bte is judged yet."


def test_differing_judgements_are_named(make: Make, folder: Path) -> None:
    judge(make, 1)
    assessment = make()
    topic = assessment.family.topics[0]
    assessment.add("people", "ben", Judgement(topic, "r2", 0))
    found = JudgedFolder(folder).answers(assessment.family.runs, "P@3")
    assert "by anna, ben of" in found[0]
    assert any("1 documents were graded differently" in sentence for sentence in found)


@pytest.mark.parametrize("torn", [b"", b'{"topic": "t01", "doc'])
def test_reading_changes_no_file(make: Make, folder: Path, torn: bytes) -> None:
    judge(make, 2)
    runs = make().family.runs
    record = folder / "people" / "anna.jsonl"
    record.write_bytes(record.read_bytes() + torn)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "8 judgements" in JudgedFolder(folder).answers(runs, "P@3")[0]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_other_qrels_are_of_no_assessment(make: Make, folder: Path, tmp_path: Path) -> None:
    judge(make, 1)
    assert judged_folder(folder / "qrels.txt") == JudgedFolder(folder)
    assert judged_folder(folder / "people" / "anna.qrels") is None
    assert judged_folder(tmp_path / "qrels.txt") is None
