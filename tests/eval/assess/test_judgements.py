"""Judgements on disk: logs, grades, what `check` says of them, and those of others."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import InputError, OutputError, QrelsError, UsageError
from boilersweep.eval.assess.assessment import documents_to_judge
from boilersweep.eval.assess.checked_judgements import CHECKED
from boilersweep.eval.assess.decision import JudgedFolder
from boilersweep.eval.assess.judgements import (
    Judgements,
    agreements,
    consistency,
    is_assessment,
    judgements_in,
    krippendorff_alpha,
    parse_grade,
)
from boilersweep.eval.assess.output import ASSESSMENT, LOG, Judgement
from boilersweep.eval.people.assessors import ADJUDICATOR, require_assessor
from boilersweep.eval.people.log import AssessorLog
from boilersweep.outputs.parts import MANIFEST, NotChecked
from boilersweep.topics import Topic, read_qrels, read_topics
from boilersweep.topics.query_log import query_topic
from tests.eval.conftest import MakeStore
from tests.stores import contents, faults_of


def test_judgement_is_in_both_files_with_who_when_and_why(tmp_path: Path) -> None:
    judged = Judgements(tmp_path)
    judged.add("people", "anna", Judgement("t", "d", 2, seconds=3.5, note="on topic"))
    assert (tmp_path / "people" / "anna.qrels").read_text() == "t 0 d 2\n"
    [line] = (tmp_path / "people" / "anna.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert (record["grade"], record["seconds"], record["note"]) == (2, 3.5, "on topic")
    assert record["time"].endswith("+00:00")
    assert read_qrels(judged.write_merged()).grades == {"t": {"d": 2}}


@pytest.mark.parametrize("path", ["file", "file/below"])
def test_a_folder_that_cannot_be_is_no_empty_one(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=f"{path}: expected the folder of"):
        Judgements(tmp_path / path, complete=False)


def test_later_grade_replaces_and_cannot_tell_removes(tmp_path: Path) -> None:
    judged = Judgements(tmp_path)
    for grade in (2, 1):
        judged.add("people", "anna", Judgement("t", "d", grade))
    assert (tmp_path / "people" / "anna.qrels").read_text() == "t 0 d 1\n"
    assert judged.limits() == {"t": {"d": (1, 1)}}
    judged.add("people", "anna", Judgement("t", "d", None))
    assert (tmp_path / "people" / "anna.qrels").read_text() == ""
    assert judged.limits() == {"t": {"d": (0, 3)}}
    again = Judgements(tmp_path)
    assert again.records == judged.records


def test_differing_grades_count_as_a_range_until_they_are_adjudicated(
    tmp_path: Path,
) -> None:
    judged = Judgements(tmp_path)
    judged.add("people", "anna", Judgement("t", "d", 0))
    judged.add("people", "bob", Judgement("t", "d", 2))
    assert judged.differing() == [("t", "d")]
    assert judged.limits() == {"t": {"d": (0, 2)}}
    judged.add("people", ADJUDICATOR, Judgement("t", "d", 2))
    assert judged.differing() == []
    assert judged.limits() == {"t": {"d": (2, 2)}}


def test_line_cut_off_by_a_kill_is_removed(tmp_path: Path) -> None:
    Judgements(tmp_path).add("people", "anna", Judgement("t", "d", 2))
    file = tmp_path / "people" / "anna.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:-9])
    (tmp_path / "people" / "anna.qrels").unlink()
    again = Judgements(tmp_path)
    assert again.grades_of("people", "anna") == {("t", "d"): 2}
    assert file.read_bytes() == whole
    assert "anna.jsonl: removed an incomplete last line" in again.notes[0]
    assert (tmp_path / "people" / "anna.qrels").read_text() == "t 0 d 2\n"


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        "x",
        '{"topic": "t", "docid": "d", "grade": "2"}',
        '{"topic": "t", "docid": "d", "grade": 99}',
        '{"topic": "t", "docid": "d", "grade": 1, "more": 1}',
    ],
)
def test_foreign_line_is_named(tmp_path: Path, line: str) -> None:
    Judgements(tmp_path)
    (tmp_path / "people" / "anna.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match=r"anna\.jsonl:1: expected a judgement"):
        Judgements(tmp_path)


def test_fifo_in_place_of_a_log_is_named(tmp_path: Path) -> None:
    Judgements(tmp_path)
    os.mkfifo(tmp_path / "people" / "anna.jsonl")
    with pytest.raises(InputError, match=r"cannot read the judgements .*anna\.jsonl"):
        Judgements(tmp_path)


def judged_by_two(folder: Path) -> Judgements:
    """Three judgements of anna and one of bob, with all files."""
    judged = Judgements(folder)
    judged.keep_topics([Topic("t", "bread")])
    for docid, grade in (("d1", 2), ("d2", None), ("d3", 0)):
        judged.add("people", "anna", Judgement("t", docid, grade))
    judged.add("people", "bob", Judgement("t", "d1", 1))
    judged.write_merged()
    judged.finish()
    return judged


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a grade of a log": lambda f: change(
        f / "people/anna.jsonl", '"grade":2', '"grade":1'
    ),
    "a grade to null": lambda f: change(
        f / "people/anna.jsonl", '"grade":2', '"grade":null'
    ),
    "a grade to 99": lambda f: change(
        f / "people/anna.jsonl", '"grade":2', '"grade":99'
    ),
    "a note": lambda f: change(f / "people/anna.jsonl", '"note":""', '"note":"no"'),
    "a digest": lambda f: change(f / "people/anna.jsonl", '"chain":"', '"chain":"0'),
    "a missing line": lambda f: change(
        f / "people/anna.jsonl",
        (f / "people/anna.jsonl").read_text().split("\n")[1] + "\n",
        "",
    ),
    "a copied line": lambda f: change(
        f / "people/anna.jsonl", "\n", "\n" + (f / "people/anna.jsonl").read_text()
    ),
    "a half line": lambda f: (f / "people/anna.jsonl").write_bytes(
        (f / "people/anna.jsonl").read_bytes() + b"{"
    ),
    "a renamed assessor": lambda f: (f / "people/bob.jsonl").rename(
        f / "people/eve.jsonl"
    ),
    "a person as a program": lambda f: (f / "people/bob.jsonl").rename(
        f / "programs/bob.jsonl"
    ),
    "a grade of a person's qrels": lambda f: change(
        f / "people/anna.qrels", "d1 2", "d1 1"
    ),
    "a grade of the qrels": lambda f: change(f / "qrels.txt", "d3 0", "d3 1"),
    "a line of the qrels": lambda f: change(f / "qrels.txt", "t 0 d3", "t 0 d9"),
    "no qrels": lambda f: (f / "qrels.txt").unlink(),
    "another topic": lambda f: (f / "topics.tsv").write_text("u\ta query\n"),
    "damaged topics": lambda f: (f / "topics.tsv").write_bytes(b"t\n"),
    "another query": lambda f: (f / "topics.tsv").write_text(
        (f / "topics.tsv").read_text() + f"{query_topic('bread').id}\tovens\n"
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_check_sees_every_change(tmp_path: Path, name: str) -> None:
    judged_by_two(tmp_path)
    assert is_assessment(tmp_path)
    assert list(CHECKED.check(tmp_path)) == []
    CHANGES[name](tmp_path)
    assert faults_of(CHECKED, tmp_path)


def test_check_says_what_is_missing_from_the_qrels(tmp_path: Path) -> None:
    judged_by_two(tmp_path)
    change(tmp_path / "qrels.txt", "t 0 d3 0\n", "")
    changed, fault = faults_of(CHECKED, tmp_path)
    assert "qrels.txt has " in changed
    assert "qrels.txt is not what the logs give: it lacks t 0 d3 0" in fault


def test_judgements_of_changed_texts_do_not_count(tmp_path: Path) -> None:
    judged_by_two(tmp_path)
    judged = Judgements(tmp_path)
    judged.compare_texts({"d1": "another", "d3": ""})
    assert judged.changed == [("t", "d1")]
    assert judged.grades() == {("t", "d2"): [None], ("t", "d3"): [0]}
    assert (tmp_path / "qrels.txt").read_text() == "t 0 d3 0\n"
    judged.add("people", "bob", Judgement("t", "d1", 3, text="another"))
    assert judged.changed == []
    again = Judgements(tmp_path)
    again.compare_texts({"d1": ""})  # the first text is back
    assert again.grades()["t", "d1"] == [2, 1]
    assert again.changed == []
    again.finish()
    assert faults_of(CHECKED, tmp_path) == []


def test_names_and_grades_from_outside() -> None:
    assert parse_grade(" 2 ") == 2
    assert [parse_grade(value) for value in (2.0, "2,0", "02", "2.")] == [2] * 4
    assert parse_grade("?") is None
    for value in ("4", "-1", "1.5", "", "²", None):
        with pytest.raises(QrelsError, match="expected a grade from 0 to 3"):
            parse_grade(value)
    names = ("anna", "Zoë_2", "Ελένη", "анна", "अनिता", "安娜", "𝒜nna", "안나")  # noqa: RUF001
    assert tuple(map(require_assessor, names)) == names
    assert require_assessor("Zoe\u0308") == "Zoë"  # as macOS names files
    for name in (
        "../anna",
        "",
        "a" * 41,
        "a b",
        ".anna",
        "-a",
        "a\0",
        "a\u202eb",
        "\u0301",
    ):
        with pytest.raises(UsageError, match="assessor's name"):
            require_assessor(name)


def test_topic_keeps_its_query(tmp_path: Path) -> None:
    judged = Judgements(tmp_path)
    judged.keep_topics([Topic("1", "bread")])
    judged.keep_topics([Topic("2", "ovens")])
    assert [topic.id for topic in read_topics(tmp_path / "topics.tsv")] == ["1", "2"]
    with pytest.raises(UsageError, match="topic 1 is 'bread', got 'crust'"):
        judged.keep_topics([Topic("1", "crust")])


def test_agreement_of_assessors(tmp_path: Path) -> None:
    pytest.importorskip("krippendorff", reason="the extra `serve` is not installed")
    judged = Judgements(tmp_path)
    for number in range(8):
        judged.add("people", "anna", Judgement("t", f"d{number}", number % 2))
        judged.add(
            "people", "bob", Judgement("t", f"d{number}", number % 2 if number else 1)
        )
    judged.add("programs", "model", Judgement("t", "d0", 0))
    [people, *programs] = agreements(judged)
    assert people == "anna and bob: 7 of 8 documents graded alike, Cohen's kappa 0.75"
    assert [line.partition(":")[0] for line in programs] == [
        "anna and program model",
        "bob and program model",
    ]
    assert programs[0].endswith("Cohen's kappa undefined")
    assert krippendorff_alpha(judged) == pytest.approx(1 - 15 / 63)
    judged.add("people", "anna", Judgement("t", "d1", 0, repeat=True))
    judged.add("people", "anna", Judgement("t", "d2", 0, repeat=True))
    assert consistency(judged.records["people"]["anna"]) == (1, 2)
    assert judged.grades_of("people", "anna")["t", "d1"] == 1


def test_documents_whose_text_changed_are_asked_for_again(
    make_store: MakeStore, tmp_path: Path
) -> None:
    """Other pages under the same docids; another address alone is the same text."""
    pages = {"d1": "<title>T</title><p>Bread rises.</p>", "d2": "<p>Ovens are hot.</p>"}
    judged = Judgements(tmp_path)
    documents = documents_to_judge(make_store(pages), pages, judged)
    for docid, document in documents.items():
        judged.add("people", "anna", Judgement("t", docid, 1, text=document.digest))
    changed = pages | {"d1": "<title>T</title><p>Bread falls.</p>"}
    for store, expected in ((pages, []), (changed, [("t", "d1")]), ({}, [])):
        again = Judgements(tmp_path)
        shown = documents_to_judge(make_store(store or {"other": "x"}), store, again)
        assert list(shown) == list(store)
        assert again.changed == expected
        assert len(again.grades()) == 2 - len(expected)
    sentences = JudgedFolder(tmp_path)
    Judgements(tmp_path).keep_topics([Topic("t", "bread")])
    runs = {"a": {"t": ["d1"]}, "b": {"t": ["d2"]}}
    told, _ = sentences.answers(runs, "P@1", make_store(changed))
    assert any(
        "1 documents changed since they were judged (d1)" in line for line in told
    )


def _unlink(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).unlink()


def _write_another_log(folder: Path) -> None:
    path = folder / "people/anna.jsonl"
    path.unlink()
    log = AssessorLog(path, LOG)
    for docid in ("d1", "d2", "d3"):
        log.append(Judgement("t", docid, 3))


# A fault of finished judgements -> how to make it, what `check` and opening say, and whether it is
# of a log, so that they cannot be read either.
FAULTS: dict[str, tuple[Callable[[Path], object], str, bool]] = {
    "an overruled assessor's grades": (
        lambda f: shutil.copy(f / "people/bob.qrels", f / "qrels.txt"),
        "qrels.txt has 9 bytes",
        False,
    ),
    "two grades for one document": (
        lambda f: change(f / "qrels.txt", "t 0 d1 1\n", "t 0 d1 1\nt 0 d1 2\n"),
        "qrels.txt has ",
        False,
    ),
    "an edited grade": (
        lambda f: change(f / "qrels.txt", "d3 0", "d3 1"),
        "qrels.txt was changed",
        False,
    ),
    "a removed assessor": (
        lambda f: _unlink(f, "people/bob.jsonl", "people/bob.qrels"),
        "people/bob.jsonl is missing: restore the logs",
        True,
    ),
    "no programs": (
        lambda f: shutil.rmtree(f / "programs"),
        "programs/model.jsonl is missing: restore the logs",
        True,
    ),
    "a shorter log": (
        lambda f: change(
            f / "people/anna.jsonl",
            (f / "people/anna.jsonl").read_text().splitlines(keepends=True)[-1],
            "",
        ),
        "anna.jsonl has 2 judgements, and was written with 3",
        True,
    ),
    "another log": (
        _write_another_log,
        "anna.jsonl: its first 3 judgements are others than before",
        True,
    ),
    "missing qrels": (
        lambda f: _unlink(f, "people/bob.qrels", "qrels.txt"),
        "qrels.txt is missing",
        False,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_reported_and_never_written_around(
    tmp_path: Path, name: str
) -> None:
    judged_by_two(tmp_path)
    with judgements_in(tmp_path) as judged:
        judged.add("programs", "model", Judgement("t", "d1", 3))
    assert faults_of(CHECKED, tmp_path) == []
    whole = contents(tmp_path)
    do, message, is_of_a_log = FAULTS[name]
    do(tmp_path)
    damaged = contents(tmp_path)
    assert message in "\n".join(faults_of(CHECKED, tmp_path))
    if is_of_a_log:
        with pytest.raises(InputError, match=message.rpartition("/")[2]):
            Judgements(tmp_path, complete=False)
    else:
        notes = Judgements(tmp_path, complete=False).notes
        assert message in "\n".join(notes)
    assert contents(tmp_path) == damaged
    if name == "missing qrels":
        with judgements_in(tmp_path):
            pass
        assert contents(tmp_path) == whole
        return
    with pytest.raises((InputError, OutputError), match=re.escape(message)):
        Judgements(tmp_path)
    assert contents(tmp_path) == damaged


FOREIGN = {
    "qrels.txt": "".join(f"t 0 doc{number} 1\n" for number in range(2317)),
    "topics.tsv": "t\tbread\n",
    "people/anna.qrels": "t 0 mine 2\n",
    "manifest.json": '{"name": "an app of the web"}\n',
    ".boilersweep-plan": "mine\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_others_stay(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(FOREIGN[name])
    before = contents(tmp_path)
    with (
        pytest.raises(OutputError, match=re.escape(path.name)),
        judgements_in(tmp_path) as judged,
    ):
        judged.add("people", "anna", Judgement("t", "d", 2))
    assert path.read_text() == FOREIGN[name]
    assert before.items() <= contents(tmp_path).items()
    assert not (tmp_path / "people" / "anna.jsonl").exists()


def test_inputs_are_no_outputs(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("t\tbread\n")
    with (
        pytest.raises(UsageError, match=r"do not replace the input .*topics\.tsv"),
        judgements_in(tmp_path, [tmp_path / "topics.tsv"]),
    ):
        pass


def as_before_parts(folder: Path) -> dict[str, bytes]:
    """Leave what earlier versions wrote: logs, grades and topics, without a manifest."""
    judged_by_two(folder)
    _unlink(folder, "manifest.json")
    return contents(folder)


def test_folders_of_earlier_versions_are_read_and_go_on(tmp_path: Path) -> None:
    before = as_before_parts(tmp_path)
    read = Judgements(tmp_path, complete=False)
    assert (read.notes, len(read.grades())) == ([], 3)
    assert contents(tmp_path) == before
    with judgements_in(tmp_path) as judged:
        judged.keep_topics([Topic("t", "bread")])
        judged.add("people", "anna", Judgement("t", "d1", 3))
    assert faults_of(CHECKED, tmp_path) == []
    assert Judgements(tmp_path).merged() == {("t", "d1"): 1, ("t", "d3"): 0}
    log = (tmp_path / "people/anna.jsonl").read_bytes()
    assert log.startswith(before["people/anna.jsonl"])


def test_qrels_of_others_beside_the_logs_of_an_earlier_version_stay(
    tmp_path: Path,
) -> None:
    as_before_parts(tmp_path)
    (tmp_path / "qrels.txt").write_text("t 0 d1 2\nt 0 elsewhere 2\n")
    before = contents(tmp_path)
    with pytest.raises(OutputError, match=r"qrels\.txt is in no list"):
        Judgements(tmp_path)
    assert contents(tmp_path) == before


def test_a_session_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    judged_by_two(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    with judgements_in(tmp_path) as judged:
        judged.keep_topics([Topic("t", "bread")])
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    assert after == before


def test_the_manifest_lists_logs_with_length_and_last_digest(tmp_path: Path) -> None:
    judged_by_two(tmp_path)
    manifest = ASSESSMENT.require(tmp_path)
    log = AssessorLog(tmp_path / "people/anna.jsonl", LOG)
    assert manifest.parts["people/anna.jsonl"].facts == {
        "bytes": (tmp_path / "people/anna.jsonl").stat().st_size,
        "judgements": 3,
        "last": log.judgements[-1].chain,
    }
    assert sorted(manifest.files) == [
        "people/anna.qrels",
        "people/bob.qrels",
        "qrels.txt",
        "topics.tsv",
    ]


def test_an_open_or_killed_assessment_is_checked_without_its_manifest(
    tmp_path: Path,
) -> None:
    with judgements_in(tmp_path) as judged:
        judged.keep_topics([Topic("t", "bread")])
        judged.add("people", "anna", Judgement("t", "d1", 2))
        [clause] = CHECKED.check(tmp_path)
        assert isinstance(clause, NotChecked)
        assert "manifest.json" in clause
    assert list(CHECKED.check(tmp_path)) == []
    manifest = tmp_path / MANIFEST
    whole = manifest.read_text()
    manifest.write_text(whole[:-9])
    with pytest.raises(OutputError, match=r"move it away, so that .* from the logs"):
        Judgements(tmp_path)
    manifest.unlink()
    assert any("manifest.json is missing" in one for one in CHECKED.check(tmp_path))
    with judgements_in(tmp_path):
        pass
    assert list(CHECKED.check(tmp_path)) == []
