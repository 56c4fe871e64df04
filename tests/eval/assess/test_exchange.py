"""Pools as files, answers read back, programs that judge, and who sees which document."""

import csv
import json
import sys
from pathlib import Path

import pytest

from boilersweep import QrelsError, UsageError
from boilersweep.eval.assess.exchange import read_answers, write_pool
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.assess.program import judge_by_program
from boilersweep.eval.people.assessors import ADJUDICATOR
from tests.eval.assess.conftest import Make, grade

PROGRAM = """
import json, sys
shown = json.load(sys.stdin)
assert shown["query"].startswith("bread ovens") and "ovens" in shown["text"]
print(2 if shown["docid"].startswith("r") else 0, "because")
"""


def test_pool_comes_back_from_a_spreadsheet(make: Make, tmp_path: Path) -> None:
    assessment, path = make(), tmp_path / "pool.csv"
    assert write_pool(assessment, path) == (5 * 40, 4 * 40)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["decides"] for row in rows] == ["yes"] * 160 + ["no"] * 40
    assert all(row["docid"] != "same" for row in rows[: 4 * 40])
    assert any(row["docid"] == "'=n2" for row in rows)
    graded = [
        row | {"grade": grade(row["docid"].lstrip("'"))} for row in rows[: 2 * 40]
    ]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(graded + rows[2 * 40 :])
    assert read_answers(assessment, path, "anna") == 80
    assert read_answers(assessment, path, "anna") == 0
    assert [conclusion.certain for conclusion in make().conclusions()] == [True]


def test_pool_comes_back_as_json_lines(make: Make, tmp_path: Path) -> None:
    assessment, path = make(), tmp_path / "pool.jsonl"
    write_pool(assessment, path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert "Second block" in rows[0]["text"]
    path.write_text(
        "".join(json.dumps(row | {"grade": "?"}) + "\n" for row in rows[:3])
    )
    assert read_answers(assessment, path, "anna") == 3
    assert assessment.judgements.write_merged().read_text() == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize(
    ("separator", "written"),
    [
        (",", "2"),
        (";", "2"),
        ("\t", "2"),
        (";", "2,0"),
        (",", "2.0"),
        ("\t", "02"),
        (",", " 2. "),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_answers_as_spreadsheets_write_them(
    make: Make, tmp_path: Path, separator: str, written: str, encoding: str, end: str
) -> None:
    rows = [
        ["Topic", "docid ", "title", "GRADE", "note"],
        ["t01", "r2", "Brötchen", written, "später"],
        ["t02", "r2", "", "", ""],
        ["", "", "", "", ""],
    ]
    text = "".join(separator.join(row) + end for row in rows)
    path, assessment = tmp_path / "pool.csv", make()
    path.write_bytes(text.encode(encoding))
    assert read_answers(assessment, path, "anna") == 1
    [judged] = assessment.judgements.records["people"]["anna"]
    assert (judged.grade, judged.note) == (2, "später")


def test_the_same_grade_twice_is_one_grade(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("topic,docid,grade,rating\nt01,r2,1,\nt01,r2, 1,1\nt01,r2,,\n")
    assert read_answers(make(), path, "anna") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "docid,grade\nr2,1\n",
            r"pool\.csv:1: expected the columns topic, docid and grade",
        ),
        ("topic,docid,grade\nt01,r2,7\n", r"pool\.csv:2: expected a grade from 0 to 3"),
        ("topic,docid,grade\nt01,other,1\n", "has no document 'other' to judge"),
        (
            "topic;docid;title\nt01;r2;2\n",
            r"pool\.csv:1: .*semicolons.*got 'topic, docid, title'; keep the first line",
        ),
        ("", r"pool\.csv:1: expected the columns topic, docid and grade"),
        ("topic,docid,grade\nt01,r2,2.5\n", r"expected a grade from 0 to 3.*'2.5'"),
        ("topic,docid,grade\nt01\n", "topic 't01' has no document '' to judge"),
        (
            "topic,docid,grade\nt01,r2,1\nt02,r2,1\nt01,r2,0\n",
            r"pool\.csv:4: expected one grade for topic 't01' and document 'r2', got 0 after 1",
        ),
        (
            "topic,docid,grade\nt01,r2,?\nt01,r2,2\n",
            r"pool\.csv:3: expected one grade .* got 2 after None",
        ),
        ("topic,docid,grade,grade\nt01,r2,1,2\n", "expected one column grade, got 2"),
        (
            "topic,docid,grade,rating\nt01,r2,1,2\n",
            r"pool\.csv:2: expected one grade, got 1 and 2 in the columns grade and rating",
        ),
    ],
)
def test_wrong_answers_are_named(
    make: Make, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "pool.csv"
    path.write_text(text)
    assessment = make()
    with pytest.raises(QrelsError, match=message):
        read_answers(assessment, path, "anna")
    assert assessment.judgements.grades() == {}


def test_program_judges_until_all_is_certain(make: Make, tmp_path: Path) -> None:
    script = tmp_path / "judge.py"
    script.write_text(PROGRAM)
    assessment = make()
    command = f"{sys.executable} {script}"
    first = list(judge_by_program(assessment, command, "model", 2))
    assert len(first) == 2
    assert list(judge_by_program(make(), command, "model", 2)) == []  # 2 in all
    assert len(list(judge_by_program(assessment, command, "model", 3))) == 1
    rest = list(judge_by_program(assessment, command, "model", None))
    assert 3 < len(first + rest) < 100
    assert [
        conclusion.certain for conclusion in assessment.conclusions("programs")
    ] == [True]
    assert [conclusion.topics for conclusion in assessment.conclusions()] == [0]
    [record, *_] = assessment.judgements.records["programs"]["model"]
    assert record.note == "because"


@pytest.mark.parametrize("code", ["print(9)", "print()", "raise SystemExit('no key')"])
def test_failing_program_is_named(make: Make, code: str) -> None:
    with pytest.raises(UsageError, match=r"--assessor: .* failed on topic"):
        list(judge_by_program(make(), f'{sys.executable} -c "{code}"', "model", 1))


@pytest.mark.parametrize("byte", ["\\377", "\\200", "\\355\\240\\200"])
def test_bytes_of_a_program_that_are_no_text_are_named(make: Make, byte: str) -> None:
    with pytest.raises(UsageError, match="failed on topic"):
        list(judge_by_program(make(), f"printf '{byte}'", "model", 1))
    with pytest.raises(UsageError, match="failed on topic"):
        list(judge_by_program(make(), f"sh -c 'printf \"{byte}\" >&2; exit 1'", "m", 1))
    assessment = make()
    [(_, grade)] = judge_by_program(assessment, f"printf '2 {byte}'", "model", 1)
    assert grade == 2
    assert make().judgements.records["programs"]["model"]


def test_deep_answers_are_named(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text("[" * 100_000)
    with pytest.raises(QrelsError, match=r"pool\.jsonl:1: expected the columns"):
        read_answers(make(), path, "anna")


def test_two_assessors_share_the_work_and_judge_some_documents_both(make: Make) -> None:
    assessment = make()
    seen: dict[str, list[tuple[str, str]]] = {"anna": [], "bob": []}
    for _ in range(25):
        shown = {name: assessment.next_for(name) for name in seen}
        assert shown["anna"]
        assert shown["bob"]
        assert shown["anna"][0] != shown["bob"][0]
        for name, found in shown.items():
            assert found
            (topic, docid), repeat = found
            assessment.add(
                "people", name, Judgement(topic, docid, grade(docid), repeat=repeat)
            )
            seen[name].append((topic, docid))
    both = set(seen["anna"]) & set(seen["bob"])
    assert 2 <= len(both) <= 8
    assert (
        sum(
            judgement.repeat
            for judgement in assessment.judgements.records["people"]["anna"]
        )
        == 1
    )


def test_adjudicator_sees_what_others_judged_differently(make: Make) -> None:
    assessment = make()
    assert assessment.next_for(ADJUDICATOR) is None
    found = assessment.next_for("anna")
    assert found
    (topic, docid), _ = found
    assessment.add("people", "anna", Judgement(topic, docid, 0))
    assessment.add("people", "bob", Judgement(topic, docid, 2))
    assert assessment.next_for(ADJUDICATOR) == ((topic, docid), False)
    with pytest.raises(UsageError, match="has no document 'elsewhere'"):
        assessment.add("people", "anna", Judgement(topic, "elsewhere", 1))
