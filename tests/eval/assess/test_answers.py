"""What a study says of the judgements that `assess` collected."""

from pathlib import Path

import pytest

from boilersweep.eval.assess.decision import JudgedFolder
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.stats.families import supported_measure
from boilersweep.eval.study.plan import judged_folder
from tests.eval.assess.conftest import Make, grade


def judge(
    make: Make, topics: int, *, all_documents: bool = False, name: str = "anna"
) -> None:
    assessment = make()
    family = assessment.family
    for topic in family.topics[:topics]:
        wanted = (
            family.pool(topic)
            if all_documents
            else family.deciding(topic, family.pairs)
        )
        for docid in sorted(wanted):
            assessment.add("people", name, Judgement(topic, docid, grade(docid)))


def test_certain_and_uncertain_answers_are_told_apart(make: Make, folder: Path) -> None:
    judge(make, 3)
    runs = make().family.runs
    found, _ = JudgedFolder(folder).answers(runs, "P@3")
    assert "12 judgements by anna of 3 of 40 topics" in found[0]
    assert "for all comparisons together (1), by P@3" in found[0]
    assert "uncertain" in found[1]
    judge(make, 40)
    [_, answer, reason], [conclusion] = JudgedFolder(folder, ("AP",)).answers(
        runs, "P@10"
    )
    assert conclusion.certain
    assert answer.startswith("learned is better than words>=1 by")
    assert answer.endswith(": certain for queries like these (40 topics).")
    assert reason.startswith(
        "Only differences in P@10, with these intervals, are shown: the mean"
    )
    assert (
        "other measures (AP), as they depend on documents that nobody judged" in reason
    )


def test_cleaners_without_judgements_are_named(make: Make, folder: Path) -> None:
    judge(make, 5, all_documents=True)
    runs = make().family.runs
    others = {**runs, "bte": {topic: ["elsewhere"] for topic in make().family.topics}}
    found, _ = JudgedFolder(folder).answers(others, "P@3")
    assert found[-1] == "No document that decides about bte is judged yet."
    assert supported_measure(["nDCG@10", "AP", "P@20"]) == "P@20"
    assert supported_measure(["nDCG@10"]) == "P@10"


def test_differing_judgements_are_named(make: Make, folder: Path) -> None:
    judge(make, 1)
    assessment = make()
    topic = assessment.family.topics[0]
    assessment.add("people", "ben", Judgement(topic, "r2", 0))
    found, _ = JudgedFolder(folder).answers(assessment.family.runs, "P@3")
    assert "by anna, ben of" in found[0]
    assert any("1 documents were graded differently" in sentence for sentence in found)


@pytest.mark.parametrize("torn", [b"", b'{"topic": "t01", "doc'])
def test_reading_changes_no_file(make: Make, folder: Path, torn: bytes) -> None:
    judge(make, 2)
    runs = make().family.runs
    record = folder / "people" / "anna.jsonl"
    record.write_bytes(record.read_bytes() + torn)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "8 judgements" in JudgedFolder(folder).answers(runs, "P@3")[0][0]
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    } == before


def test_other_qrels_are_of_no_assessment(
    make: Make, folder: Path, tmp_path: Path
) -> None:
    judge(make, 1)
    assert judged_folder(folder / "qrels.txt") == JudgedFolder(folder)
    assert judged_folder(folder / "people" / "anna.qrels") is None
    assert judged_folder(tmp_path / "qrels.txt") is None
