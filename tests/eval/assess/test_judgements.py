"""Judgements on disk: appended one by one, complete after a kill."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from boilersweep.errors import InputError, QrelsError, UsageError
from boilersweep.eval.assess.agreement import agreements, krippendorff_alpha
from boilersweep.eval.assess.judgements import (
    ADJUDICATOR,
    Judgement,
    Judgements,
    consistency,
    keep_topics,
    parse_grade,
    require_assessor,
)
from boilersweep.topics import Topic, read_qrels, read_topics


def test_judgement_is_in_both_files_with_who_when_and_why(tmp_path: Path) -> None:
    judged = Judgements(tmp_path)
    judged.add("people", "anna", Judgement("t", "d", 2, seconds=3.5, note="on topic"))
    assert (tmp_path / "people" / "anna.qrels").read_text() == "t 0 d 2\n"
    [line] = (tmp_path / "people" / "anna.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert (record["grade"], record["seconds"], record["note"]) == (2, 3.5, "on topic")
    assert record["time"].endswith("+00:00")
    assert read_qrels(judged.write_merged()).grades == {"t": {"d": 2}}


def test_later_grade_replaces_and_cannot_tell_removes(tmp_path: Path) -> None:
    judged = Judgements(tmp_path)
    for grade in (2, 1):
        judged.add("people", "anna", Judgement("t", "d", grade))
    assert (tmp_path / "people" / "anna.qrels").read_text() == "t 0 d 1\n"
    assert judged.limits(3) == {"t": {"d": (1, 1)}}
    judged.add("people", "anna", Judgement("t", "d", None))
    assert (tmp_path / "people" / "anna.qrels").read_text() == ""
    assert judged.limits(3) == {"t": {"d": (0, 3)}}
    again = Judgements(tmp_path)
    assert again.records == judged.records


def test_differing_grades_count_as_a_range_until_they_are_adjudicated(tmp_path: Path) -> None:
    judged = Judgements(tmp_path)
    judged.add("people", "anna", Judgement("t", "d", 0))
    judged.add("people", "bob", Judgement("t", "d", 2))
    assert judged.differing() == [("t", "d")]
    assert judged.limits(3) == {"t": {"d": (0, 2)}}
    judged.add("people", ADJUDICATOR, Judgement("t", "d", 2))
    assert judged.differing() == []
    assert judged.limits(3) == {"t": {"d": (2, 2)}}


def test_program_stays_apart(tmp_path: Path) -> None:
    judged = Judgements(tmp_path)
    judged.add("programs", "model", Judgement("t", "d", 2))
    assert judged.limits(3) == {}
    assert judged.write_merged().read_text() == ""


def test_line_cut_off_by_a_kill_is_removed(tmp_path: Path) -> None:
    Judgements(tmp_path).add("people", "anna", Judgement("t", "d", 2))
    file = tmp_path / "people" / "anna.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:-9])
    (tmp_path / "people" / "anna.qrels").unlink()
    again = Judgements(tmp_path)
    assert again.grades_of("people", "anna") == {("t", "d"): 2}
    assert file.read_bytes() == whole
    assert (tmp_path / "people" / "anna.qrels").read_text() == "t 0 d 2\n"


@pytest.mark.parametrize("line", ["{}", "[]", "x", '{"topic": "t", "docid": "d", "grade": "2"}'])
def test_foreign_line_is_named(tmp_path: Path, line: str) -> None:
    Judgements(tmp_path)
    (tmp_path / "people" / "anna.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match=r"anna\.jsonl:1: expected a judgement"):
        Judgements(tmp_path)


_KILLED = """
import sys
from pathlib import Path
from boilersweep.eval.assess.judgements import Judgement, Judgements
judged = Judgements(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 100000):
    judged.add("people", "anna", Judgement("t", f"d{number}", 1))
    print(number, flush=True)
"""


def test_no_judgement_is_lost_in_kills(tmp_path: Path) -> None:
    acknowledged = -1
    for kill in range(4):
        command = [sys.executable, "-c", _KILLED, str(tmp_path), str(acknowledged + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for _ in range(5 + kill):
                acknowledged = int(process.stdout.readline())
            os.kill(process.pid, signal.SIGKILL)
        judged = Judgements(tmp_path).grades_of("people", "anna")
        assert {("t", f"d{number}") for number in range(acknowledged + 1)} <= judged.keys()
        acknowledged = len(judged) - 1


def test_names_and_grades_from_outside() -> None:
    assert parse_grade(" 2 ", 3) == 2
    assert parse_grade("?", 3) is None
    for value in ("4", "-1", "1.5", "", "²", None):
        with pytest.raises(QrelsError, match="expected a grade from 0 to 3"):
            parse_grade(value, 3)
    for name in ("../anna", "", "a" * 41, "a b", ".anna"):
        with pytest.raises(UsageError, match="assessor's name"):
            require_assessor(name)


def test_topic_keeps_its_query(tmp_path: Path) -> None:
    keep_topics(tmp_path, [Topic("1", "bread")])
    keep_topics(tmp_path, [Topic("2", "ovens")])
    assert [topic.id for topic in read_topics(tmp_path / "topics.tsv")] == ["1", "2"]
    with pytest.raises(UsageError, match="topic 1 is 'bread', got 'crust'"):
        keep_topics(tmp_path, [Topic("1", "crust")])


def test_agreement_of_assessors(tmp_path: Path) -> None:
    pytest.importorskip("krippendorff", reason="the extra `serve` is not installed")
    judged = Judgements(tmp_path)
    for number in range(8):
        judged.add("people", "anna", Judgement("t", f"d{number}", number % 2))
        judged.add("people", "bob", Judgement("t", f"d{number}", number % 2 if number else 1))
    judged.add("programs", "model", Judgement("t", "d0", 0))
    [people, *programs] = agreements(judged)
    assert (people.a, people.b, people.documents, people.same) == ("anna", "bob", 8, 7)
    assert people.kappa == pytest.approx(0.75)
    assert [pair.b for pair in programs] == ["program model", "program model"]
    assert programs[0].kappa is None
    assert krippendorff_alpha(judged) == pytest.approx(1 - 15 / 63)
    judged.add("people", "anna", Judgement("t", "d1", 0, repeat=True))
    judged.add("people", "anna", Judgement("t", "d2", 0, repeat=True))
    assert consistency(judged.records["people"]["anna"]) == (1, 2)
    assert judged.grades_of("people", "anna")["t", "d1"] == 1
