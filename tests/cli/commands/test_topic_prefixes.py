"""Topics, qrels and runs of CLEF eHealth's forms, whose topic ids begin differently."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs, read_json

# As the track's files: tabs, ids without a prefix, and runs of several teams' forms.
QRELS = (
    "1\t0\taldf.1864_12_000027\t1\n1\t0\taller1867_12_000032\t0\n1\t0\tarthr0949_12_000945\t2\n"
    "2\t0\tbupa.2183_12_000573\t1\n2\t0\tclini0836_12_103170\t0\n"
)
XAPIAN = (
    "qtest.1 Q0 aldf.1864_12_000027 1 18.3948 Xapian_BM25_bs4\n"
    "qtest.1 Q0 aller1867_12_000032 2 18.3786 Xapian_BM25_bs4\n"
    "qtest.2 Q0 clini0836_12_103170 1 17.7383 Xapian_BM25_bs4\n"
    "qtest.2 Q0 bupa.2183_12_000573 2 17.1 Xapian_BM25_bs4\n"
)
RANKS_FROM_0 = (
    "qtest.1 Q0 aldf.1864_12_000027 0 13.870650013 ecnuEn\r\n"
    "qtest.2 Q0 bupa.2183_12_000573 0 13.5887997697 ecnuEn\r\n"
)


@pytest.fixture
def track(tmp_path: Path) -> Path:
    for name, text in (
        ("qrels", QRELS),
        ("qtest", re.sub(r"(?m)^", "qtest.", QRELS.rstrip("\n")) + "\n"),
        ("run.1.dat", XAPIAN),
        ("run.2.dat", RANKS_FROM_0),
    ):
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


def test_evaluate_names_both_forms(call: Call, track: Path) -> None:
    given = (
        "evaluate",
        "--qrels",
        track / "qrels",
        "--run",
        track / "run.1.dat",
        "P@2",
    )
    call(*given).refused(
        1,
        "the run's topics have 'qtest.1' where the qrels have '1'",
        "--topic-prefix qtest. reads them so",
    )
    mapped = call(*given, "--run", track / "run.2.dat", "--topic-prefix", "qtest.").ok()
    assert mapped.out.splitlines() == [
        f"{track}/run.1.dat\tP@2\t0.5000",
        f"{track}/run.2.dat\tP@2\t0.5000",
    ]
    same = call(
        *("evaluate", "--qrels", track / "qtest", "--run", track / "run.1.dat", "P@2")
    )
    assert same.ok().out == "P@2\t0.5000\n"


def test_evaluate_names_those_that_differ_beside_others(
    call: Call, track: Path
) -> None:
    text = (track / "run.1.dat").read_text().replace("qtest.1", "1")
    (track / "run.1.dat").write_text(text)
    call(
        "evaluate", "--qrels", track / "qrels", "--run", track / "run.1.dat"
    ).ok().noted("have 'qtest.2' where the qrels have '2'")


@pytest.fixture
def prefixed(inputs: Inputs, tmp_path: Path) -> dict[str, Path]:
    """Return the topics of the test collection as `clef.test.N`, and a run as `qtest.N`."""
    topics = tmp_path / "topics.txt"
    queries = [line.split("\t") for line in inputs.topics.read_text().splitlines()]
    tops = (
        f"<top>\n\t<num>clef.test.{n}</num>\n\t<query>{q}</query>\n</top>"
        for n, q in queries
    )
    topics.write_text("<topics>\n{}\n</topics>\n".format("\n".join(tops)))
    judged = [line.split() for line in inputs.qrels.read_text().splitlines()]
    run = tmp_path / "baseline.dat"
    run.write_text(
        "".join(
            f"qtest.{t} Q0 {d} {n} {-n}.5 x\n" for n, (t, _, d, _) in enumerate(judged)
        )
    )
    return {"topics": topics, "run": run}


PREFIXES = ("--topic-prefix", "clef.test.", "--topic-prefix", "qtest.")


@pytest.mark.java
def test_a_study_of_topics_and_runs_that_begin_otherwise(
    call: Call, store: Path, inputs: Inputs, prefixed: dict[str, Path], tmp_path: Path
) -> None:
    given = (
        *("compare", "--store", store, "--topics", prefixed["topics"]),
        *(
            "--qrels",
            inputs.qrels,
            "--cleaners",
            "words>=3",
            "--output",
            tmp_path / "out",
        ),
    )
    call(*given).refused(
        1, "the topics have 'clef.test.", "--topic-prefix clef.test. reads them so"
    )
    runs = ("--runs", f"baseline={prefixed['run']}")
    call(*given, *PREFIXES[:2], *runs).refused(1, "--topic-prefix qtest. reads them so")
    call(*given, *PREFIXES, *runs).ok()
    study = (tmp_path / "out" / "study.json").read_text()
    assert "ranks nothing" not in study
    assert "topics of the qrels are not among" not in study
    assert (tmp_path / "out" / "runs" / "baseline.trec").read_text().startswith("1 Q0 ")
    manifest = read_json(tmp_path / "out" / "manifest.json")
    assert manifest["recipe"]["topic_prefixes"] == {"clef.test.": "", "qtest.": ""}
    call("check", tmp_path / "out").ok()
    call("report", tmp_path / "out").ok()
    usual = (*given[:3], "--topics", inputs.topics, *given[5:-1], tmp_path / "usual")
    call(*usual).ok()
    for name in ("words-001", "words-003"):
        one, other = (
            (tmp_path / folder / "runs" / f"{name}.trec").read_bytes()
            for folder in ("out", "usual")
        )
        assert one == other


@pytest.mark.java
def test_a_sweep_of_topics_that_begin_otherwise(
    call: Call, store: Path, inputs: Inputs, prefixed: dict[str, Path], tmp_path: Path
) -> None:
    given = (
        *(
            "sweep",
            "--store",
            store,
            "--topics",
            prefixed["topics"],
            "--engine",
            "exact",
        ),
        *(
            "--qrels",
            inputs.qrels,
            "--sweep",
            "words=1:2",
            "--output",
            tmp_path / "out",
        ),
    )
    call(*given).refused(1, "--topic-prefix clef.test. reads them so")
    call(*given, *PREFIXES[:2]).ok()
    call("check", tmp_path / "out").ok()


@pytest.mark.java
def test_judgements_of_topics_have_the_ids_of_the_qrels(
    call: Call, store: Path, prefixed: dict[str, Path], tmp_path: Path
) -> None:
    queries = tmp_path / "queries.txt"
    queries.write_text("night train\nbread\n")
    cleaners = ("--store", store, "--cleaners", "words>=1,words>=3")
    out = ("--write", tmp_path / "pool.csv", "--output", tmp_path / "judged")
    call("assess", *cleaners, "--queries", queries, *PREFIXES[:2], *out).refused(
        2, "--queries cannot be used with --topic-prefix"
    )
    call("assess", *cleaners, "--topics", prefixed["topics"], *PREFIXES[:2], *out).ok()
    ids = [
        line.split("\t")[0]
        for line in (tmp_path / "judged" / "topics.tsv").read_text().splitlines()
    ]
    assert ids
    assert all(id_.isdigit() for id_ in ids)
