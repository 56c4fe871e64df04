"""`boilersweep compare` of the command line, under one formula and several."""
# ruff: noqa: S311

import html
import random
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from boilersweep.eval.study import ranked
from tests.cli.conftest import Call, Inputs, read_json

pytestmark = pytest.mark.java


def test_the_table_and_the_files(compare: Call, tmp_path: Path) -> None:
    outcome = compare("--cleaners", "words>=3,bte", "--sweep", "words=2:5").ok()
    table = (tmp_path / "out" / "table.txt").read_text()
    assert outcome.out.startswith(table)
    assert "words>=1 (baseline)" in table
    assert "Index with" not in outcome.out
    assert "are those of real indexes" in outcome.err
    for name in (
        "study.json",
        "compare.csv",
        "pairs.csv",
        "topics.csv",
        "table.md",
        "table.tex",
        "forest.png",
    ):
        assert str(tmp_path / "out" / name) in outcome.out
    assert read_json(tmp_path / "out" / "study.json")["run"]["engine"] == "exact"
    assert (
        compare("--cleaners", "words>=3,bte", "--sweep", "words=2:5").ok().out
        == outcome.out
    )


@pytest.mark.application("learned")
def test_without_compiled_code_the_report_has_no_kinds_of_pages(
    compare: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "boilersweep.cleaners.learned.compiled", None)
    compare("--cleaners", "bte").ok()
    study = read_json(tmp_path / "out" / "study.json")
    assert study["kinds"] == []
    (note,) = study["notes"]
    assert note.startswith("Pages were not sorted by kind: `learned` needs compiled")
    assert "Pages were not sorted" in (tmp_path / "out" / "report.html").read_text()


def test_choose_names_one_cleaner_and_the_command_that_deploys_it(
    compare: Call, call: Call, tmp_path: Path
) -> None:
    # The menus of the pages name every animal but their own; blocks of at least 3 words do not.
    outcome = compare(
        "--cleaners", "words>=3 & density>=1", "--choose", "--keepStopwords"
    ).ok(
        "Not proved, but ahead: words>=3 & density>=1. On topics that had no say in the choice",
        "0 of 30 documents left empty",
        "Without judgements: ",
    )
    command = next(
        line for line in outcome.out.splitlines() if "boilersweep index" in line
    )
    words = shlex.split(command)
    assert words[-1] == "--keepStopwords"
    call(*words[1:]).ok("30 documents")
    assert (
        read_json(tmp_path / "out" / "study.json")["advice"]["command"]
        == command.strip()
    )


def test_other_measures_baseline_engine_and_formula(
    compare: Call, tmp_path: Path
) -> None:
    compare(
        "--cleaners",
        "words>=3",
        "--baseline",
        "words>=2",
        "--measures",
        "AP",
        "Bpref",
        "--engine",
        "indexes",
        "--formula",
        "qld",
        "--hits",
        20,
    ).ok()
    found = read_json(tmp_path / "out" / "study.json")
    assert found["measures"] == {"tested": ["AP", "Bpref"], "beside": ["Judged@10"]}
    assert found["variants"][0]["cleaner"] == "words>=2"
    assert found["run"]["model"] == "qld(mu=1000)"
    assert found["run"]["engine"] == "indexes"
    assert all(variant["index_measured"] for variant in found["variants"])


@pytest.mark.application("report")
def test_the_tests_are_chosen_and_the_first_one_decides(
    compare: Call, call: Call, tmp_path: Path
) -> None:
    outcome = compare(
        "--cleaners", "words>=3,bte", "--tests", "wilcoxon,t", "--choose"
    ).ok("p (Wilc.)")
    assert "p (rand.)" not in outcome.out
    assert "that of Wilcoxon's signed-rank test is below" in outcome.out
    found = read_json(tmp_path / "out" / "study.json")
    assert found["statistics"]["tests"] == ["wilcoxon", "t"]
    pairs = found["pairs"]
    assert pairs["rows"] == [0, 1, 2]
    assert pairs["comparisons"] == 6
    names = {"wilcoxon", "wilcoxon_holm", "t", "t_holm"}
    assert pairs["compared"][0]["tests"].keys() == names
    assert (tmp_path / "out" / "pairs.csv").read_text().count("\n") == 1 + 6
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Wilcoxon" in page
    assert "Every cleaner against every other" in page
    compare("--cleaners", "words>=3,bte", "--choose").refused(1, "tests was [")
    call("report", tmp_path / "out").ok()
    assert (tmp_path / "out" / "report.html").read_text() == page


def test_what_takes_long_is_said_beforehand(
    compare: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "minutes" not in compare("--cleaners", "bte", "--verify", 1).err
    monkeypatch.setattr(ranked, "_SECONDS_A_TOPIC", 60.0)
    outcome = compare("--cleaners", "bte", "--verify", 1).ok()
    first, _, rest = outcome.err.partition("\n")
    assert first == "topics, judgements and the store ..."
    assert rest.startswith(
        "5 topics and 2 cleaners: searching, scoring, resampling and the report will take "
        "about 5 minutes; fewer --hits take less\n"
    )


def test_a_rule_of_any_length(compare: Call, tmp_path: Path) -> None:
    rule = " & ".join(f"words>={number}" for number in [*range(2, 40), 2])
    compare("--cleaners", f"{rule},{rule} | words>=3", "--verify", 3).ok()
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 3
    assert len(list((tmp_path / "out" / "indexes").iterdir())) == 3


@pytest.mark.parametrize("method", ["rm3", "rocchio"])
def test_feedback_over_real_indexes(
    compare: Call, call: Call, tmp_path: Path, method: str
) -> None:
    compare("--cleaners", "words>=3", f"--{method}").refused(
        2, f"--{method} requires --engine indexes"
    )
    arguments = (
        "--cleaners",
        "words>=3",
        "--engine",
        "indexes",
        "--choose",
        f"--{method}",
    )
    outcome = compare(*arguments).ok()
    assert f"+{method}(" in read_json(tmp_path / "out" / "study.json")["run"]["model"]
    command = next(
        line for line in outcome.out.splitlines() if "boilersweep index" in line
    )
    assert "--storeDocvectors" in command
    assert compare(*arguments).out == outcome.out
    call("report", tmp_path / "out").ok()
    compare(*arguments[:-1]).refused(1, "ranking formula was")


@pytest.fixture
def study(compare: Call) -> Call:
    return lambda *arguments: compare("--cleaners", "words>=3", *arguments)


def formulas(folder: Path) -> dict[str, str]:
    return {
        one["name"]: one["model"]
        for one in read_json(folder / "study.json").get("formulas", [])
    }


def test_several_formulas(study: Call, call: Call, tmp_path: Path) -> None:
    arguments = (
        "--formula",
        "bm25,rm3,classic",
        "--k1",
        1.2,
        "--rm3",
        "fbTerms=5",
        "--choose",
    )
    outcome = study(*arguments).ok()
    out = tmp_path / "out"
    assert outcome.out.startswith("Does cleaning still help under feedback? P@10 of ")
    assert "P@10 under bm25 " in outcome.out
    assert "--storeDocvectors" not in outcome.out
    assert formulas(out) == {
        "bm25": "bm25(k1=1.2,b=0.4)",
        "rm3": "bm25(k1=1.2,b=0.4)+rm3(fbTerms=5,fbDocs=10,originalQueryWeight=0.5)",
        "classic": "classic",
    }
    assert sorted(path.name for path in (out / "runs").iterdir()) == [
        "bm25",
        "classic",
        "rm3",
    ]
    assert study(*arguments).out == outcome.out
    call("report", out).ok()
    page = (out / "report.html").read_text()
    assert "Does cleaning still help under feedback?" in page
    call("check", out).ok()
    assert (out / "runs" / "rm3" / "words-003.trec").exists()


def test_lists_of_parameters_are_tuned_on_both_sides(
    study: Call, tmp_path: Path
) -> None:
    outcome = study("--k1", "0.4,2", "--b", "0.1,0.9", "--choose").ok()
    assert outcome.out.startswith(
        "Does cleaning still help once both sides are tuned? P@10 of "
    )
    assert "Rank by bm25(k1=" in outcome.out
    assert formulas(tmp_path / "out") == {
        "bm25-tuned": "tuned among 4 settings, bm25(k1=0.4,b=0.1) to bm25(k1=2,b=0.9)",
        "bm25": "bm25(k1=0.9,b=0.4)",
    }
    assert read_json(tmp_path / "out" / "study.json")["statistics"]["comparisons"] == 2
    study("--k1", "0.4,1.5", "--b", "0.1,0.9").refused(
        1, "formulas bm25-tuned tuned among was"
    )


def test_runs_from_elsewhere(study: Call, call: Call, tmp_path: Path) -> None:
    made = tmp_path / "made.trec"
    dice = random.Random(1)
    made.write_text(
        "".join(
            f"{topic} Q0 GX000-{number:02d} 1 {dice.random()} mine\n"
            for topic in range(1, 5)
            for number in range(31)
        )
    )
    arguments = ("--runs", f"mine={made}", "--choose")
    study(*arguments).ok("mine (external run)").noted(
        "Run mine ranks nothing for 1 of 5 topics, which count as zero.",
        "are not in the block store, such as GX000-30",
    )
    call("check", tmp_path / "out").ok()
    call("report", tmp_path / "out").ok()
    made.write_text(made.read_text() + "5 Q0 GX000-01 1 1 mine\n")
    assert "runs mine was" in study(*arguments).err


@pytest.mark.parametrize(
    "words",
    [
        "sweep --sweep words=1:2",
        "sweep --sweep words=1:2 --engine exact",
        "sweep --grid words=1:2 density=1:2",
        pytest.param("compare --cleaners bte", marks=pytest.mark.application("report")),
    ],
)
def test_judged_documents_that_the_collection_lacks_are_counted(
    call: Call, store: Path, inputs: Inputs, tmp_path: Path, words: str
) -> None:
    qrels, out = tmp_path / "qrels.txt", tmp_path / "out"
    lines = [f"1 0 gone-{number:03} {number % 2}" for number in range(120)]
    lines += ["1 0 GX000-00 1", "2 0 gone-000 2", "3 0 GX000-02 0"]
    qrels.write_text("\n".join(lines))
    given = [
        "--store",
        store,
        "--topics",
        inputs.topics,
        "--qrels",
        qrels,
        "--output",
        out,
    ]
    outcome = call(*words.split(), *given, "--threads", 1).ok()
    said = (
        "120 of 122 judged documents, among them 61 of 62 relevant ones, are not in the "
        "collection",
        "gone-000, gone-001, gone-002 ...; the collection has docids such as 'GX000-01', the "
        "qrels such as 'gone-000'",
        "1 topic has no relevant document in the collection and scores zero: 2.",
        "1 topic has no relevant document in the qrels: 3.",
    )
    outcome.noted(*said)
    assert all(outcome.err.count(one) == 1 for one in said)
    notes = " ".join(read_json(out / "manifest.json")["facts"]["notes"])
    assert all(one in notes for one in said)
    if words.startswith("compare"):
        report = html.unescape((out / "report.html").read_text("utf-8"))
        assert all(one in report for one in said)


@pytest.mark.parametrize(
    "words",
    [
        "sweep --sweep words=1:2 --engine exact",
        "sweep --grid words=1:2 density=1:2",
        pytest.param("compare --cleaners bte", marks=pytest.mark.application("report")),
    ],
)
def test_titles_name_the_collection_and_not_the_store(
    call: Call, inputs: Inputs, tmp_path: Path, words: str
) -> None:
    pages = tmp_path / "newspapers"
    shutil.copytree(inputs.pages, pages)
    call("segment", "--input", pages, "--output", tmp_path / "store").ok()
    given = [
        "--store",
        tmp_path / "store",
        *inputs.judged,
        "--output",
        tmp_path / "out",
    ]
    call(*words.split(), *given).ok()
    drawn = "".join(
        path.read_text("utf-8") for path in (tmp_path / "out").glob("*.svg")
    )
    assert "retrieval: store" not in drawn
    if words.startswith("compare"):
        report = (tmp_path / "out" / "report.html").read_text("utf-8")
        assert "What cleaning does to retrieval: newspapers</title>" in report


@pytest.mark.application("report")
def test_a_finished_sweep_is_compared_without_its_inputs(
    call: Call, compare: Call, store: Path, inputs: Inputs, tmp_path: Path
) -> None:
    sweep, out = tmp_path / "sweep", tmp_path / "study"
    swept = ("--sweep", "words=2:4")
    given = ("--store", store, *inputs.judged, "--engine", "exact", "--k1", "0.5")
    call("sweep", *given, *swept, "--output", sweep).ok()
    asked = ("compare", "--of-sweep", sweep, "--cleaners", "bte", "--choose")
    outcome = call(*asked, "--output", out).ok("words>=3", str(out / "report.html"))
    compare("--k1", "0.5", *swept, "--cleaners", "bte").ok()
    same = tmp_path / "out"
    for name in ("compare.csv", "topics.csv", "pairs.csv", "table.md"):
        assert (out / name).read_bytes() == (same / name).read_bytes()
    assert "boilersweep index --store" in outcome.out
    assert (
        call(*asked, "--output", out).ok().out == outcome.out
    )  # finished: nothing to do
    (sweep / "runs" / "words-002.trec").write_text("")
    refused = call(*asked, "--output", tmp_path / "other")
    assert (refused.status, refused.out) == (1, "")
    assert f"{sweep} is not as it was made: runs/words-002.trec" in refused.err


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        (
            ["--of-sweep", "SWEEP", "--store", "S", "--topics", "T", "--qrels", "Q"],
            "--of-sweep cannot be used with --store, --topics, --qrels",
        ),
        (
            ["--of-sweep", "SWEEP", "--k1", "0.5", "--sweep", "words=1:9"],
            "--of-sweep cannot be used with --sweep, --k1",
        ),
        (["--cleaners", "bte"], "expected --store or --of-sweep"),
    ],
)
def test_a_sweep_has_its_own_inputs(
    call: Call, tmp_path: Path, arguments: list[str], mistake: str
) -> None:
    outcome = call("compare", *arguments, "--output", tmp_path / "out")
    assert outcome.status == 2
    assert mistake in outcome.err
    assert not (tmp_path / "out").exists()


def test_a_margin_and_the_false_discovery_rate(compare: Call, tmp_path: Path) -> None:
    outcome = compare(
        "--cleaners", "words>=3,bte", "--margin", "0.5", "--correction", "bh"
    ).ok("at most 0.5 worse in P@10: certain", "p (not worse)")
    outcome.noted("topics can show a difference of about 0.", "in four of five cases")
    assert "corrected (Benjamini and Hochberg) over all" in outcome.out
    assert "fewer tokens, at most 0.5 worse in P@10" in outcome.out
    study = read_json(tmp_path / "out" / "study.json")
    assert study["statistics"]["margin"] == 0.5
    assert study["statistics"]["method"] == "bh"
    head = (tmp_path / "out" / "compare.csv").read_text().split("\n")[0]
    assert "P@10_not_worse" in head
    assert "P@10_t_bh" in head
    compare("--cleaners", "bte", "--margin", "-1").refused(2, "above 0")
    compare("--cleaners", "bte", "--correction", "none").refused(2, "--correction")
