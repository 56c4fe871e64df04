"""A whole study under several formulas and with runs from elsewhere, on a small collection."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from boilersweep import BlockStore, OutputError, RunError, UsageError
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from boilersweep.eval import (
    BM25,
    RM3,
    Lucene29,
    QueryLikelihood,
    Rocchio,
    SearchOptions,
    StudyFormula,
    StudyResult,
    report_study,
    run_study,
)
from boilersweep.eval.experiment.finished import CHECKED
from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.report.report import redraw_report
from boilersweep.eval.stats.scoring import parse_measures, score
from boilersweep.eval.stats.statistics import holm
from boilersweep.eval.study.advice import advise
from boilersweep.eval.study.choice import split
from boilersweep.eval.study.results import best_cleaner
from boilersweep.eval.study.study_json import read_study, study_json
from boilersweep.eval.study.tables import formula_tables, question
from boilersweep.indexer import AnalyzerOptions
from boilersweep.indexer.lucene import file_sizes
from boilersweep.outputs.figures import figure
from boilersweep.topics import Qrels, Topic
from tests.conftest import known
from tests.eval.requests import study_arguments
from tests.eval.study.conftest import rows_of, written_study
from tests.stores import faults_of

pytestmark = pytest.mark.java

CLEANERS = parse_cleaners("words>=5,bte")
NAMES = ("words-001", "words-005", "bte")
SEVERAL = (
    StudyFormula("bm25", BM25()),
    StudyFormula("qld", QueryLikelihood()),
    StudyFormula("rm3", RM3()),
    StudyFormula("lucene-2.9", Lucene29()),
)
GRID = tuple(BM25(k1, b) for k1 in (0.4, 0.9, 2.0) for b in (0.1, 0.9))
TUNED = (
    StudyFormula("bm25-tuned", BM25(), GRID),
    StudyFormula("bm25", BM25(), tested=False),
)

Run = Callable[..., StudyResult]


@pytest.fixture(scope="module")
def run(store: BlockStore, topics: Sequence[Topic], qrels: Qrels) -> Run:
    def study(output: Path, **more: Any) -> StudyResult:
        usual = {
            "cleaners": CLEANERS,
            "topics": topics,
            "qrels": qrels,
            "output": output,
        }
        return run_study(
            store, **study_arguments(measures=("P@5", "AP"), **usual | more)
        )

    return study


@pytest.fixture(scope="module")
def several(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> tuple[StudyResult, Path]:
    output = tmp_path_factory.mktemp("several") / "o"
    return run(output, formulas=SEVERAL), output


@pytest.fixture(scope="module")
def tuned(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> tuple[StudyResult, Path]:
    output = tmp_path_factory.mktemp("tuned") / "o"
    return run(output, formulas=TUNED), output


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    """Return a run that finds all relevant pages of three topics, and ranks an unknown page."""
    lines = [
        f"{topic} Q0 d{d:02d} 1 {1 - d / 100:.8f} dense\n"
        for topic in (1, 2, 3)
        for d in range(40)
        if d % 5 == topic - 1
    ]
    path = tmp_path / "dense.trec"
    path.write_text(
        "".join([*lines, "1 Q0 nowhere 1 2 dense\n", "77 Q0 d01 1 1 dense\n"])
    )
    return path


def test_the_runs_are_those_of_studies_under_each_formula_alone(
    several: tuple[StudyResult, Path], run: Run, tmp_path: Path
) -> None:
    _, output = several
    for formula in SEVERAL:
        engine = "indexes" if formula.name == "rm3" else "exact"
        alone = tmp_path / formula.name
        run(alone, search=SearchOptions(model=formula.model), engine=engine, verified=1)
        for name in NAMES:
            together = output / "runs" / formula.name / f"{name}.trec"
            assert (
                together.read_bytes() == (alone / "runs" / f"{name}.trec").read_bytes()
            )


def test_one_correction_over_all_formulas_each_against_its_own_baseline(
    several: tuple[StudyResult, Path],
) -> None:
    study = several[0].study
    assert [formula.name for formula in study.formulas] == [
        "bm25",
        "qld",
        "rm3",
        "lucene-2.9",
    ]
    tests = []
    for rows in study.by_formula.values():
        for row in rows[1:]:
            for measure in study.tested:
                result = row.results[measure]
                tests.append(result.tests)
                here, base = (
                    np.array(row.scores[measure]),
                    np.array(rows[0].scores[measure]),
                )
                assert result.difference == pytest.approx((here - base).mean())
    assert study.statistics.comparisons == len(tests) == 4 * 2 * 2
    for test in ("t", "randomisation"):
        corrected = holm([one[test] for one in tests])
        assert [one[f"{test}_holm"] for one in tests] == pytest.approx(corrected)
    assert study.rows == study.by_formula["bm25"]


def test_all_formulas_have_the_same_indexes_and_the_one_to_deploy_has_no_vectors(
    run: Run, tmp_path: Path
) -> None:
    feedback = (StudyFormula("rm3", RM3()), StudyFormula("rocchio", Rocchio()))
    result = run(tmp_path / "o", formulas=(*SEVERAL[:2], *feedback))
    assert known(result.verified).model == "bm25(k1=0.9,b=0.4), qld(mu=1000)"
    # The index to deploy is searched by BM25, which reads no document vectors.
    for row in result.study.rows:
        folder = tmp_path / "o" / "indexes" / row.name
        assert b".tvd" in (folder / "_0.cfe").read_bytes()
        sizes = {
            n: size for n, size in file_sizes(folder).items() if n != "boilersweep.json"
        }
        kept = sum(size for name, size in sizes.items() if ".tv" not in name)
        assert (row.index_bytes, row.index_measured) == (kept, True)
        assert kept < sum(sizes.values())


def test_the_files_and_their_check(
    several: tuple[StudyResult, Path], store: BlockStore
) -> None:
    result, output = several
    assert faults_of(CHECKED, output) == []
    compared = rows_of(output / "compare.csv")
    assert [(row["formula"], row["cleaner"]) for row in compared] == [
        (formula.name, cleaner)
        for formula in SEVERAL
        for cleaner in ("words>=1", "words>=5", "bte")
    ]
    assert [row["P@5_diff"] == "" for row in compared] == [True, False, False] * 4
    by_topic = rows_of(output / "topics.csv")
    assert len(by_topic) == 4 * 3 * 5
    assert {float(r["AP_diff"]) for r in by_topic if r["cleaner"] == "words>=1"} == {0}
    text = (output / "table.txt").read_text()
    assert text.startswith("Does cleaning still help under feedback? P@5 of ")
    assert "P@5 of every cleaner under every formula" in text
    read = read_study(output / "study.json")
    assert study_json(read) == (output / "study.json").read_text()
    assert read.by_formula["rm3"][1].scores["AP"] == pytest.approx(
        result.study.by_formula["rm3"][1].scores["AP"], abs=1e-6
    )
    variants = written_study(output)["variants"]
    assert variants[1]["run"] == "runs/bm25/words-005.trec"
    assert (variants[-1]["formula"], variants[-1]["run"]) == (
        "lucene-2.9",
        "runs/lucene-2.9/bte.trec",
    )


def test_the_lines_say_the_gain_under_each_formula(
    several: tuple[StudyResult, Path],
) -> None:
    study = several[0].study
    measures = replace(study.measures, tested=["AP"])
    table = formula_tables(replace(study, measures=measures))[0]
    for line, rows in zip(table.rows, study.by_formula.values(), strict=True):
        row = next(row for row in rows if row.name == study.chosen.name)
        before, after, *_, p, best = line.cells
        assert before.value == rows[0].results["AP"].mean
        assert (after.value, p.value) == (
            row.results["AP"].mean,
            row.results["AP"].p,
        )
        means = [other.results["AP"].mean for other in rows[1:]]
        assert best.text.endswith(figure(max(means)))
    assert question(study) == "Does cleaning still help under feedback?"
    without = replace(study, formulas=study.formulas[:2])
    assert question(without) == "Does cleaning help under every formula?"
    assert formula_tables(replace(study, formulas=study.formulas[:1])) == []


def test_the_answer_says_where_formulas_name_different_cleaners(
    several: tuple[StudyResult, Path],
) -> None:
    found = several[0].study
    measures = replace(found.measures, tested=["AP"])
    study = replace(found, formulas=found.formulas[:2], measures=measures)
    rows = study.by_formula["qld"]
    means = [row.results["AP"].mean for row in rows]
    best = best_cleaner(rows, "AP")
    for number, row in enumerate(rows[1:], 1):
        asked = replace(
            study, choice=replace(known(study.choice), measure="AP", chosen=number)
        )
        advice = known(advise(asked, Path("s"), Path("o"), AnalyzerOptions()))
        sentences = [
            one for one in advice.sentences if one.startswith("Formulas name different")
        ]
        assert len(sentences) == (row is not best)
        assert all(
            f"qld {best.label} ({max(means[1:]):.3f}" in one for one in sentences
        )
    assert len(set(means[1:])) > 1


def test_tuned_scores_are_those_of_what_the_other_topics_chose(
    tuned: tuple[StudyResult, Path],
    run: Run,
    qrels: Qrels,
    tmp_path: Path,
) -> None:
    result, output = tuned
    study = result.study
    measure = parse_measures(["P@5"])
    runs = {}
    for number, model in enumerate(GRID):
        folder = tmp_path / str(number)
        run(folder, search=SearchOptions(model=model), verified=1)
        runs[str(model)] = folder / "runs"
    folds = split(5, 5, study.statistics.seed)
    for row in study.rows:
        assert row.tuned
        scores = {
            name: score(
                read_run(path / f"{row.name}.trec"), qrels.grades, measure
            ).by_topic
            for name, path in runs.items()
        }
        table = np.array(
            [[by[topic]["P@5"] for topic in qrels.grades] for by in scores.values()]
        )
        names = list(scores)
        assert table[names.index(row.tuned)].mean() == pytest.approx(
            table.mean(axis=1).max()
        )
        here = read_run(output / row.run)
        for fold, topics in enumerate(folds):
            others = [n for n in range(5) if n not in topics]
            means = table[:, others].mean(axis=1)
            assert means[names.index(row.tuned_folds[fold])] == pytest.approx(
                means.max()
            )
            for place in topics:
                topic = str(place + 1)
                expected = read_run(runs[row.tuned_folds[fold]] / f"{row.name}.trec")
                assert here[topic] == expected[topic]
                assert (
                    row.scores["P@5"][place]
                    == scores[row.tuned_folds[fold]][topic]["P@5"]
                )


def test_only_the_tuned_differences_are_tested(tuned: tuple[StudyResult, Path]) -> None:
    result, output = tuned
    study = result.study
    assert study.statistics.comparisons == 2 * 2
    fixed = study.formulas[1]
    assert (fixed.name, fixed.tested) == ("bm25", False)
    for row in study.by_formula["bm25"][1:]:
        assert row.results["P@5"].difference is not None
        assert row.results["P@5"].tests == {}
    assert faults_of(CHECKED, output) == []
    assert (
        study_json(read_study(output / "study.json"))
        == (output / "study.json").read_text()
    )
    assert question(study) == "Does cleaning still help once both sides are tuned?"
    text = (output / "table.txt").read_text()
    assert "Not tested, and not among the comparisons: bm25." in text
    assert "tuned among 6 settings, bm25(k1=0.4,b=0.1) to bm25(k1=2,b=0.9)" in text
    best = known(study.chosen.tuned)
    assert f"Rank by {best}, to which all topics tune it." in " ".join(
        known(study.advice).sentences
    )
    assert rows_of(output / "compare.csv")[0]["tuned"] == study.rows[0].tuned


@pytest.mark.application("learned")
def test_a_run_from_elsewhere_takes_part_in_statistics_tables_and_report(
    run: Run, dense: Path, tmp_path: Path, store: BlockStore, qrels: Qrels
) -> None:
    output = tmp_path / "o"
    result = run(
        output,
        runs={"dense": dense},
        report=report_study,
        sources={},
    )
    study = result.study
    row = study.rows[-1]
    assert (row.label, row.role, row.documents, row.index_bytes) == (
        "dense",
        "run",
        None,
        None,
    )
    assert study.statistics.comparisons == 3 * 2
    assert row.scores["AP"] == pytest.approx([_ap(8), _ap(7), _ap(7), 0, 0])
    assert row.results["AP"].difference is not None
    assert study.chosen is not row
    assert study.notes[-3:] == [
        "Run dense ranks nothing for 2 of 5 topics, which count as zero.",
        "Run dense has 1 more topics, which do not count.",
        "Run dense: 1 of its 25 documents are not in the block store, such as nowhere; they count "
        "as the qrels judge them.",
    ]
    line = next(
        line
        for line in (output / "table.txt").read_text().splitlines()
        if line.startswith("dense (external run)") and " - " in line
    )
    assert line.split()[-7:] == ["-"] * 7
    (csv_row,) = (r for r in rows_of(output / "compare.csv") if r["cleaner"] == "dense")
    assert (csv_row["role"], csv_row["tokens"], csv_row["index_bytes"]) == (
        "run",
        "",
        "",
    )
    assert faults_of(CHECKED, output) == []
    assert (output / "runs" / "dense.trec").read_bytes() == dense.read_bytes()
    assert (
        study_json(read_study(output / "study.json"))
        == (output / "study.json").read_text()
    )
    page = (output / "report.html").read_text()
    assert "dense" in page
    assert redraw_report(output).page == output / "report.html"
    # The file's digest is part of what was asked for.
    dense.write_text(dense.read_text().replace("0.99", "0.98"))
    with pytest.raises(OutputError, match="runs dense was"):
        run(output, runs={"dense": dense})
    with pytest.raises(OutputError, match="runs dense was"):
        run(output)


def _ap(ahead: int) -> float:
    """Average precision of seven relevant pages in order; eight hits have a strange one first."""
    return 1.0 if ahead == 7 else sum(n / (n + 1) for n in range(1, 8)) / 7


def test_a_run_stands_before_the_gold_text_and_under_the_first_formula_alone(
    run: Run, dense: Path, tmp_path: Path
) -> None:
    result = run(
        tmp_path / "o", runs={"dense": dense, "again": dense}, formulas=SEVERAL[:2]
    )
    names = [row.name for row in result.study.rows]
    assert names == [*NAMES, "dense", "again"]
    assert [row.name for row in result.study.by_formula["bm25"]] == list(NAMES)
    assert len(result.study.all_rows) == 5 + 3
    assert result.study.statistics.comparisons == (2 + 2 + 2) * 2
    assert faults_of(CHECKED, tmp_path / "o") == []
    assert (tmp_path / "o" / "runs" / "again.trec").exists()


def test_runs_alone_can_be_compared(run: Run, dense: Path, tmp_path: Path) -> None:
    result = run(tmp_path / "o", cleaners=(), runs={"dense": dense})
    assert [row.name for row in result.study.rows] == ["words-001", "dense"]
    assert result.study.chosen is result.study.baseline


@pytest.mark.parametrize(
    ("more", "error", "says"),
    [
        ({"runs": {"bte": "dense"}}, UsageError, "bte is the name of bte already"),
        ({"runs": {"other": "missing"}}, RunError, "cannot read the run"),
        ({"formulas": (SEVERAL[0], SEVERAL[0])}, UsageError, "got bm25 twice"),
        ({"formulas": TUNED[1:]}, UsageError, "comes first, and is not tested"),
        ({"formulas": (SEVERAL[2],)}, UsageError, "no feedback"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    run: Run,
    dense: Path,
    tmp_path: Path,
    more: dict[str, Any],
    error: type[Exception],
    says: str,
) -> None:
    if "runs" in more:
        paths = {"dense": dense, "missing": tmp_path / "missing"}
        more = {"runs": {name: paths[path] for name, path in more["runs"].items()}}
    with pytest.raises(error, match=says):
        run(tmp_path / "o", **more)
    assert not (tmp_path / "o" / "study.json").exists()
