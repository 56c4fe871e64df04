"""TREC run files and hits in arrays: written, read, and refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from boilersweep import OutputError, RunError
from boilersweep.eval.ranking.runs import (
    ArrayHits,
    PackedDocids,
    Run,
    as_written,
    read_run,
    run_file,
    top_of,
    write_run,
)
from boilersweep.eval.stats.scoring import parse_measures, score
from tests.running import python

LINE = "7 Q0 d1 1 3.5 tag\n"


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_the_written_form(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"07": [("d-ü", 2.0), ("d2", 1.25)], "8": []}, "tag")
    assert (tmp_path / "run").read_text("utf-8") == (
        "07 Q0 d-ü 1 2.000000 tag\n07 Q0 d2 2 1.250000 tag\n"
    )


def test_round_trip(tmp_path: Path) -> None:
    run: Run = {"1": [("a", 9.5), ("b", 9.499999), ("c", -3.25)], "02": [("😀", 0.0)]}
    write_run(tmp_path / "run", run, "tag")
    assert read_run(tmp_path / "run") == run
    assert list(tmp_path.iterdir()) == [tmp_path / "run"]


def test_scores_order_the_hits_and_ties_stay_as_they_stand(tmp_path: Path) -> None:
    text = (
        "1 Q0 low 1 1 t\n1 Q0 tie-b 2 5e0 t\n\n1\tQ0\ttie-a  3 5.0 t\r\n1 Q0 top 9 6 t"
    )
    found = read_run(write(tmp_path / "run", text))
    assert found == {"1": [("top", 6.0), ("tie-b", 5.0), ("tie-a", 5.0), ("low", 1.0)]}


def test_some_topics_of_a_file(tmp_path: Path) -> None:
    text = LINE + "8 Q0 d1 1 1 t\n\nno run 9\n8 Q0 d2 2 1 t\n7 Q0 d0 2 1 t\n"
    path = write(tmp_path / "run", text)
    assert read_run(path, {"8", "10"}) == {"8": [("d1", 1.0), ("d2", 1.0)]}
    with pytest.raises(RunError, match="run:4: expected six columns"):
        read_run(path)


def test_a_file_in_parts_is_the_file_at_once(tmp_path: Path) -> None:
    run: Run = {"1": [("a", 9.5), ("b", 9.25)], "2": [], "3": [("a", 1.0)]}
    write_run(tmp_path / "once", run, "tag")
    with run_file(tmp_path / "parts", "tag") as add:
        for topic, hits in run.items():
            add({topic: hits})
            assert not (tmp_path / "parts").exists()
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "once").read_bytes()


def test_a_mark_of_utf_8_is_no_part_of_a_topic(tmp_path: Path) -> None:
    assert read_run(write(tmp_path / "run", "\ufeff" + LINE)) == {"7": [("d1", 3.5)]}


def test_a_topic_and_a_docid_keep_their_own_marks(tmp_path: Path) -> None:
    run: Run = {
        "\ufeff7": [("\ufeffd1", 2.0), ("d1", 1.0)],
        "7": [("\ufffed1", 2.0)],
        "\ufeff": [],
    }
    write_run(tmp_path / "run", run, "tag")
    assert read_run(tmp_path / "run") == {
        topic: hits for topic, hits in run.items() if hits
    }
    write_run(tmp_path / "run", {"7": run["\ufeff7"]}, "tag")
    assert (tmp_path / "run").read_bytes().startswith(b"7 Q0 \xef\xbb\xbfd1 1 ")


def test_an_empty_file_is_an_empty_run(tmp_path: Path) -> None:
    assert read_run(write(tmp_path / "run", "")) == {}


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("7 Q0 d1 1 3.5\n", "got 5"),
        ("7 Q0 d1 1 3.5 my tag\n", "got 7"),
        ("7 Q0 d1 1 high tag\n", "got 'high' for the score"),
        ("7 Q0 d1 1 1_0 tag\n", "got '1_0' for the score"),
        ("7 Q0 d1 1 \u0663 tag\n", "got '\u0663' for the score"),
        ("7 Q0 d1 1 \uff11.5 tag\n", "got '\uff11.5' for the score"),
        ("7 Q0 d1 1 1_000.5e1 tag\n", "got '1_000.5e1' for the score"),
        ("7 Q0 d1 1 nan tag\n", "got 'nan' for the score"),
        ("7 Q0 d1 1 -inf tag\n", "got '-inf' for the score"),
        ('{"not": "a run"}\n', "got 4"),
        ("7 Q0 d1\0 1 3.5 tag\n", "got a NUL in topic or docid"),
        ("7\0 Q0 d1 1 3.5 tag\n", "got a NUL in topic or docid"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, got: str) -> None:
    path = write(tmp_path / "run", "\n" + LINE + line.replace("d1", "d2"))
    with pytest.raises(RunError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}:3: expected six columns")
    assert got in str(caught.value) or len(line.split()) != 6


def test_a_document_twice_in_a_topic_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "run", LINE + "8 Q0 d1 1 3.5 tag\n" + "7 Q0 d1 2 1.5 tag\n")
    with pytest.raises(RunError, match=r"run:3: topic 7 has document d1 twice"):
        read_run(path)


@pytest.mark.parametrize(
    "content", [b"\x1f\x8b\x08\x00rest", b"7 Q0 d\xff 1 3.5 tag\n"]
)
def test_what_is_no_text_is_a_run_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(
        RunError, match=r"cannot read the run .*expected a TREC run file"
    ):
        read_run(write(tmp_path / "run", content))


def test_a_missing_file_is_a_run_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot read the run"):
        read_run(tmp_path / "nothing")


def test_a_run_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot write"):
        write_run(tmp_path / "file" / "run", {}, "tag")


@pytest.mark.parametrize("docids", [[], ["d1"], ["a", "", "zürich", "\ufeffx", "😀"]])
def test_packed_docids_are_the_docids(docids: list[str]) -> None:
    packed = PackedDocids(docids)
    assert len(packed) == len(docids)
    assert list(packed) == docids == packed[:]
    assert [packed[n] for n in range(len(docids))] == docids
    assert packed.numbers_of([*docids, "none"]).tolist() == [*range(len(docids)), -1]
    assert not len(packed.numbers_of([]))
    for beyond in (-1, len(docids)):
        with pytest.raises(IndexError):
            packed[beyond]


def random_hits(docids: PackedDocids, seed: int) -> ArrayHits:
    """Hits with many ties, and scores of every size below and above 2^63."""
    dice = np.random.default_rng(seed)
    scores = dice.normal(size=40) * 10.0 ** dice.integers(-7, 18 + 4 * (seed % 2), 40)
    scores = np.sort(np.repeat(scores.astype(np.float32), 2))[::-1]
    return ArrayHits(docids, dice.permutation(len(docids))[: len(scores)], scores)


def test_hits_in_arrays_are_written_and_scored_as_others(tmp_path: Path) -> None:
    docids = PackedDocids([f"d{number}ü" for number in range(100)])
    arrays: Run = {f"{seed}é": random_hits(docids, seed) for seed in range(8)}
    arrays["\ufeffnone"] = ArrayHits(
        docids, np.empty(0, np.int64), np.empty(0, np.float32)
    )
    lists: Run = {topic: list(hits) for topic, hits in arrays.items()}
    written = {}
    for name, run in {
        "arrays": arrays,
        "lists": lists,
        "mixed": lists | {"0é": arrays["0é"]},
    }.items():
        write_run(tmp_path / name, run, "tag")
        written[name] = (tmp_path / name).read_bytes()
    assert written["arrays"] == written["lists"] == written["mixed"]
    assert as_written(arrays) == as_written(lists)
    for depth in range(1, 80):
        assert top_of(arrays["1é"], depth) == top_of(lists["1é"], depth)
    grades = {topic: {"d3ü": 1, "d7ü": 0, "d50ü": 2, "nowhere": 1} for topic in arrays}
    measures = parse_measures(["AP", "P@10", "nDCG", "Bpref", "Judged@10", "AP(rel=2)"])
    assert score(arrays, grades, measures) == score(lists, grades, measures)


def test_hits_in_arrays_are_written_and_scored_without_pandas(tmp_path: Path) -> None:
    """To import it takes as long as to write and score 20 runs, in every worker."""
    code = (
        "import sys; from pathlib import Path; from tests.eval.ranking.test_runs import *; "
        "docids = PackedDocids([f'd{number}' for number in range(100)]); "
        "run = {'1': random_hits(docids, 1)}; write_run(Path(sys.argv[1]), run, 'tag'); "
        "score(run, {'1': {'d3': 1}}, parse_measures(['AP', 'Judged@10'])); "
        "assert 'pandas' not in sys.modules"
    )
    python("-c", code, tmp_path / "run")


@pytest.mark.parametrize("streams", [False, True])
def test_a_gzipped_run_is_the_run(tmp_path: Path, streams: bool) -> None:
    plain, packed = write(tmp_path / "run", LINE), tmp_path / "run.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_run(packed, streams=streams) == read_run(plain) != {}
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-5])
    with pytest.raises(RunError, match="a truncated or damaged gzip file"):
        read_run(packed, streams=streams)
