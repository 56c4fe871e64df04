"""Runs made elsewhere: what is in them is counted, and what is no run is refused."""

import re
from pathlib import Path

import ir_measures
import pytest

from boilersweep import BoilersweepError, RunError, UsageError, parse_cleaner
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.stats.scoring import parse_measures
from boilersweep.eval.study.external_runs import (
    RunFile,
    check_names,
    copy_and_score,
    look_at_runs,
)

VARIANTS = [Variant.at_least("words", 11), Variant(parse_cleaner("bte"))]
TOPICS = {"1", "2", "3"}
DOCIDS = {"a", "b", "c"}


def look(path: Path, name: str = "dense") -> RunFile:
    (found,) = look_at_runs({name: path}, VARIANTS, TOPICS, DOCIDS, path.parent / "out")
    return found


def written(folder: Path, text: str) -> Path:
    path = folder / "dense.trec"
    path.write_text(text, "utf-8")
    return path


def test_what_it_ranks_is_counted_and_said(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "1 Q0 a 1 2.5 x\n1 Q0 strange 2 2.5 x\n2 Q0 b 1 7 x\n9 Q0 a 1 1 x\n8 Q0 elsewhere 1 1 x\n",
    )
    found = look(path)
    assert (found.topics, found.others, found.documents, found.unknown) == (2, 2, 3, 1)
    assert found.notes(3) == [
        "Run dense ranks nothing for 1 of 3 topics, which count as zero.",
        "Run dense has 2 more topics, which do not count.",
        "Run dense: 1 of its 3 documents are not in the block store, such as strange; they count "
        "as the qrels judge them.",
    ]
    text = "3 Q0 a 1 0.99999999 x\n3 Q0 b 2 0.99999998 x\n"
    assert look(written(tmp_path, text)).notes(1) == [
        "Run dense: different scores become equal in trec_eval's single precision (topic 3), and "
        "it orders their documents by docid; write scores that differ in their first seven digits."
    ]
    whole = written(tmp_path, "".join(f"{topic} Q0 a 1 1 x\n" for topic in "123"))
    assert look(whole).notes(3) == []
    assert look(whole).digest != found.digest
    assert look(whole).facts["path"] == str(whole)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected hits for topics of this study; it is empty"),
        ("7 Q0 a 1 1 x\n", "expected hits for topics of this study; it has 7"),
        (
            "1 Q0 a 1 1\n",
            "dense.trec:1: expected six columns: topic Q0 docid rank score tag",
        ),
        ("1 Q0 a 1 1 x y\n", "dense.trec:1: expected six columns"),
        ("1 Q0 a 1 1 x\n1 Q0 a 2 0 x\n", "dense.trec:2: topic 1 has document a twice"),
        ("1 Q0 a 1 nan x\n", "got 'nan' for the score"),
        ("1 Q0 a 1 inf x\n", "got 'inf' for the score"),
        ("1 Q0 a 1 high x\n", "got 'high' for the score"),
        ("1 Q0 a\0b 1 1 x\n", "got a NUL"),
        ("9 Q0 a 1\n1 Q0 a 1 1 x\n", "dense.trec:1: expected six columns"),
    ],
)
def test_what_is_no_run_of_these_topics_is_refused(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(RunError, match=re.escape(says)):
        look(written(tmp_path, text))


def test_a_run_of_the_folder_that_is_cleared_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "1 Q0 a 1 1 x\n")
    with pytest.raises(UsageError, match="is in the output folder, which is cleared"):
        look_at_runs({"dense": path}, VARIANTS, TOPICS, DOCIDS, tmp_path)


@pytest.mark.parametrize("name", ["words-011", "WORDS-011", "bte", "Bte"])
def test_a_name_that_a_variant_has_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is the name of"):
        check_names([name], VARIANTS)


def test_a_name_is_that_of_a_file() -> None:
    check_names(["dense", "e5-base.v2", "A_b", "0"], VARIANTS)
    for name in (
        "",
        "a/b",
        "..",
        "a b",
        ".hidden",
        "a.",
        "-x",
        "ä",
        "x" * 61,
        "words>=1",
    ):
        with pytest.raises(
            UsageError, match="expected NAME=RUN with a name of letters"
        ):
            check_names([name], VARIANTS)
    with pytest.raises(UsageError, match="Dense is the name of run dense already"):
        check_names(["dense", "Dense"], VARIANTS)


def test_it_is_scored_as_ir_measures_scores_the_file_ties_and_all(
    tmp_path: Path,
) -> None:
    # Of tied documents trec_eval takes the last docid first; ranks do not count.
    path = written(
        tmp_path,
        "1 Q0 a 1 1.0 x\n1 Q0 b 2 1.0 x\n1 Q0 c 3 1.0 x\n2 Q0 a 9 0.12345678 x\n"
        "2 Q0 b 1 0.12345671 x\n",
    )
    grades = {"1": {"c": 1, "a": 0}, "2": {"a": 1}, "3": {"a": 1}}
    measures = parse_measures(["P@1", "nDCG@10", "Judged@10", "RR"])
    copy = tmp_path / "out" / "dense.trec"
    copy.parent.mkdir()
    scores = copy_and_score(look(path), grades, measures, copy)
    assert copy.read_bytes() == path.read_bytes()
    run = list(ir_measures.read_trec_run(str(path)))
    expected = ir_measures.calc_aggregate(measures, grades, run)
    assert scores.mean == {str(measure): value for measure, value in expected.items()}
    assert scores.by_topic["1"]["P@1"] == 1
    assert scores.by_topic["3"] == {"P@1": 0, "nDCG@10": 0, "Judged@10": 0, "RR": 0}


def test_a_run_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "1 Q0 a 1 1 x\n")
    found = look(path)
    path.write_text("1 Q0 b 1 1 x\n")
    with pytest.raises(RunError, match="changed while it was read"):
        copy_and_score(
            found, {"1": {"a": 1}}, parse_measures(["P@1"]), tmp_path / "copy.trec"
        )
    path.unlink()
    with pytest.raises(BoilersweepError):
        copy_and_score(
            found, {"1": {"a": 1}}, parse_measures(["P@1"]), tmp_path / "copy.trec"
        )


def test_a_run_whose_topic_ids_begin_otherwise(tmp_path: Path) -> None:
    lines = "qtest.1 Q0 a 0 2.5 my tag\r\n".replace("my tag", "tag")
    path = written(tmp_path, lines + " qtest.2\tQ0\tb\t1\t7\tx\n\n9 Q0 c 1 1 x\n")
    with pytest.raises(
        RunError, match=r"its topics have 'qtest\.1' where the qrels have '1'"
    ):
        look(path)
    (run,) = look_at_runs(
        {"dense": path}, VARIANTS, TOPICS, DOCIDS, tmp_path / "out", {"qtest.": ""}
    )
    assert (run.topics, run.others, run.documents, run.hint) == (2, 1, 2, "")
    grades = {"1": {"a": 1}, "2": {"b": 0}, "3": {"c": 1}}
    copy = tmp_path / "copy.trec"
    scores = copy_and_score(run, grades, parse_measures(["P@1"]), copy)
    assert copy.read_bytes() == (
        b"1 Q0 a 0 2.5 tag\r\n2 Q0\tb\t1\t7\tx\n9 Q0 c 1 1 x\n"
    )
    assert scores.mean == {"P@1": pytest.approx(1 / 3)}


def test_some_topics_of_a_run_that_begin_otherwise_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, "1 Q0 a 0 2 x\nq.2 Q0 b 1 7 x\nq.3 Q0 c 1 1 x\n")
    found = look(path)
    assert (found.topics, found.others) == (1, 2)
    assert "--topic-prefix q. reads them so" in found.notes(3)[-1]
