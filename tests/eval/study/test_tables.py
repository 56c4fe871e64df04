"""The study for people: tables, spreadsheets, and the answer in words."""

import csv
import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from boilersweep.eval.stats.frames import Result, Role, Row, size_text
from boilersweep.eval.stats.statistics import p_text
from boilersweep.eval.study.advice import advise, within_noise
from boilersweep.eval.study.choice import Choice, Fold
from boilersweep.eval.study.differences import Group, compare_pairs, letters_of
from boilersweep.eval.study.files import write_study
from boilersweep.eval.study.results import (
    Advice,
    Measures,
    Statistics,
    Study,
    StudyTopic,
)
from boilersweep.eval.study.sheets import (
    compare_sheet,
    pairs_sheet,
    study_topics_sheet,
)
from boilersweep.eval.study.tables import (
    cost_table,
    notes,
    pair_tables,
    score_table,
)
from boilersweep.indexer import AnalyzerOptions
from boilersweep.outputs.tables import Table, as_latex, as_markdown, as_text
from tests.conftest import known
from tests.eval.study.conftest import run_scores
from tests.running import run

EITHER = "words>=9 | link_density<0.1"
PS = {"randomisation": 0.02, "t": 0.0002, "randomisation_holm": 0.04, "t_holm": 0.0004}
SURE: dict[str, Any] = {
    "difference": 0.2,
    "difference_low": 0.1,
    "difference_high": 0.3,
    "wins": 2,
    "ties": 0,
    "losses": 0,
    "effect": 0.55,
    "detectable": 0.15,
    "tests": PS,
}
UNSURE = {
    "difference": -0.01,
    "difference_low": -0.05,
    "difference_high": 0.03,
    "wins": 0,
    "ties": 1,
    "losses": 1,
    "tests": {"randomisation": 0.5, "t": 0.4, "randomisation_holm": 1.0, "t_holm": 0.8},
}
NO_LOSSES: dict[str, Any] = dict.fromkeys(
    "relevant_empty terms_lost relevant_empty_by_topic terms_lost_by_topic".split()
)


def row(cleaner: str, role: Role, mean: float, difference: dict[str, Any]) -> Row:
    return Row(
        name=cleaner.replace(">=", "-"),
        cleaner=cleaner,
        role=role,
        documents=990,
        empty=10,
        tokens=5000,
        tokens_kept=0.5,
        index_bytes=1_250_000,
        index_measured=role == "baseline",
        relevant_empty=3,
        terms_lost=0.0625,
        relevant_empty_by_topic=[1, 2],
        terms_lost_by_topic=[0, 1],
        results={
            "P@10": Result(
                mean=mean,
                low=mean - 0.1,
                high=mean + 0.1,
                gap_closed=0.25,
                **difference,
            ),
            "Bpref": Result(mean=mean / 2),
        },
        scores={"P@10": [mean, mean], "Bpref": [mean, 0.0]},
    )


BASE = row("words>=1", "baseline", 0.4, {})
BETTER = row(EITHER, "cleaner", 0.6, SURE)
WORSE = row("words>=50", "cleaner", 0.39, UNSURE)
BOUND = {"tests": {}, "difference": 0.5, "difference_low": None}
GOLD = row("gold", "gold", 0.9, SURE | BOUND)
ROWS = [BASE, WORSE, BETTER, GOLD]


def study_of(rows: list[Row], **given: Any) -> Study:
    usual: dict[str, Any] = {
        "title": "",
        "measures": Measures(["P@10"], ["Bpref"]),
        "topics": [
            StudyTopic(topic, topic, None, 1, 1, None, None, None) for topic in "78"
        ],
        "all_rows": rows,
        "statistics": Statistics(seed=1, comparisons=3),
        "choice": None,
        "suggestion": None,
        "advice": None,
        "notes": [],
        "run": {"languages": {}},
        "pairs": None,
        "sweeps": [],
        "kinds": [],
    }
    return Study(**usual | given)


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def study_tables(study: Study) -> list[Table]:
    return [
        *(score_table(study, measure) for measure in study.tested),
        cost_table(study),
    ]


STUDY = study_of(ROWS)
TABLES = study_tables(STUDY)
NOTES = notes(STUDY)


def test_the_table_for_the_terminal() -> None:
    lines = as_text(TABLES, NOTES).splitlines()
    first = [line.split("  ")[0] for line in lines[3:7]]
    assert first == [
        "words>=1 (baseline)",
        f"{EITHER} (best)",
        "words>=50",
        "gold (upper bound)",
    ]
    better = lines[4].split()
    assert {"+0.55", "+0.200*", "<.001", "0.040", "2/0/0", "25.0%"} <= set(better)
    assert "[+0.100, +0.300]" in lines[4]
    assert "-0.010*" not in lines[5]
    assert "[-0.050, +0.030]" in lines[5]
    costs = as_text(TABLES, NOTES).split("What cleaning takes away")[1].splitlines()
    assert costs[3].split()[2:] == "0.200 990 10 3 6.2% 5,000 50.0% 1.2 MB".split()
    assert costs[4].endswith("about 1.2 MB")
    assert "corrected (Holm) over all 3 comparisons" in lines[-2]
    assert len(NOTES) == 2
    swept = [replace(one, role="swept") if one is WORSE else one for one in ROWS]
    assert notes(study_of([*swept, *(replace(WORSE, role="swept") for _ in range(7))]))[
        -1
    ] == ("7 more thresholds are in compare.csv.")


def test_markdown_shows_signs_as_they_are() -> None:
    markdown = as_markdown(TABLES, NOTES)
    assert r"| words>=9 \| link\_density\<0.1 (best) |" in markdown
    assert r"+0.200\* |" in markdown
    heads = [line for line in markdown.splitlines() if line.startswith("| kept")]
    for line in heads:
        assert line.count("|") == markdown[markdown.index(line) :].splitlines()[
            1
        ].count("|")


TITLE = "What cleaning does: 5 % of A & B_c"


def test_latex_has_floats_for_a_paper() -> None:
    latex = as_latex(TABLES, NOTES, TITLE)
    assert latex.count(r"\begin{table*}") == latex.count(r"\bottomrule") == 2
    assert r"\documentclass" not in latex
    assert r"\caption{What cleaning does: 5 \% of A \& B\_c. P@10.}" in latex
    assert r"\label{tab:boilersweep-1-p-10}" in latex
    assert r"\label{tab:boilersweep-2-what-cleaning-takes-away}" in latex
    best = r"{}words$\geq$9 \textbar{} link\_density\textless{}0.1 (best) & \textbf{0.600} &"
    assert best in latex
    assert latex.count(r"\textbf") == 1  # not the upper bound, though it is higher
    assert r"& $+$0.200$^{*}$ & [$+$0.100, $+$0.300] & \textless{}.001 &" in latex
    assert r"& $-$0.010 &" in latex
    assert latex.count("corrected (Holm) over all 3 comparisons") == 1
    assert latex.count("Terms lost: of") == 1


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs LaTeX with booktabs")
@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_a_paper_inputs_it(tmp_path: Path, columns: str) -> None:
    pypdf = pytest.importorskip("pypdf")
    odd = {r"a\b{c}~^<x>|\"#$%&_": BETTER, "[1]": WORSE}
    rows = [
        replace(of, cleaner=None, name=name, role="run") for name, of in odd.items()
    ]
    tables = study_tables(study_of([*ROWS, *rows]))
    (tmp_path / "table.tex").write_text(as_latex(tables, NOTES, TITLE), "utf-8")
    (tmp_path / "paper.tex").write_text(
        rf"\documentclass[{columns}]{{article}}\usepackage{{booktabs,graphicx}}"
        r"\begin{document}Tables \ref{tab:boilersweep-1-p-10} and "
        r"\ref{tab:boilersweep-2-what-cleaning-takes-away}.\input{table}\end{document}"
    )
    for _ in range(2):  # the second finds the labels
        done = run("pdflatex", "-interaction=nonstopmode", "paper.tex", cwd=tmp_path)
    assert "Overfull" not in done.stdout
    assert "undefined" not in done.stdout
    pages = pypdf.PdfReader(tmp_path / "paper.pdf").pages
    text = " ".join(page.extract_text() for page in pages)
    assert "Tables 1 and 2" in text
    assert "What cleaning does: 5 % of A & B c. P@10." in text
    assert "What cleaning takes away" in text


def test_columns_that_say_nothing_are_left_out_or_empty() -> None:
    results = {"P@10": Result(mean=0.5)}
    rows = [
        replace(one, **NO_LOSSES, tokens_kept=None, results=results) for one in ROWS[:2]
    ]
    text = as_text(study_tables(study_of(rows, measures=Measures(["P@10"], []))), NOTES)
    assert "gap closed" not in text
    assert "None" not in text


@pytest.mark.parametrize(
    ("p", "text"),
    [(1.0, "1.000"), (0.04, "0.040"), (0.00099, "<.001"), (0.0, "<.001"), (None, "")],
)
def test_p_values_as_people_write_them(p: float | None, text: str) -> None:
    assert p_text(p) == text


def test_the_tests_are_those_that_were_asked_for() -> None:
    p = {"wilcoxon": 0.01, "t": 0.2, "wilcoxon_holm": 0.02, "t_holm": 0.3}
    statistics = Statistics(seed=1, comparisons=3, tests=("wilcoxon", "t"))
    rows = [BASE, row(EITHER, "cleaner", 0.6, SURE | {"tests": p})]
    table = study_of(rows, statistics=statistics)
    shown = study_tables(table)[0]
    assert shown.columns[5:8] == ["p (t)", "p (Wilc.)", "effect"]
    assert shown.lines[1][5:7] == ["0.300", "0.020"]
    assert shown.lines[1][3] == "+0.200*"  # Wilcoxon's decides, not t
    note = notes(table)[0]
    assert "p: of the paired t-test and Wilcoxon's signed-rank test, each" in note
    assert "* that of Wilcoxon's signed-rank test is below 0.05" in note
    compared = csv_rows(compare_sheet(table).csv)[1]
    assert (compared["P@10_t"], compared["P@10_wilcoxon_holm"]) == ("0.2", "0.02")
    assert "P@10_randomisation" not in compared


def test_the_share_of_the_gap_has_an_interval() -> None:
    closed = replace(
        BETTER.results["P@10"], gap_closed=0.8, gap_low=0.674, gap_high=0.902
    )
    table = study_of(
        [BASE, replace(BETTER, results={**BETTER.results, "P@10": closed}), ROWS[-1]]
    )
    assert study_tables(table)[0].lines[1][-2:] == ["80.0%", "[67%, 90%]"]
    compared = csv_rows(compare_sheet(table).csv)[1]
    assert (compared["P@10_gap_low"], compared["P@10_gap_high"]) == ("0.6740", "0.9020")
    assert (compared["P@10_effect"], compared["P@10_detectable"]) == (
        "0.5500",
        "0.1500",
    )


def many(letters: str, topics: int = 40) -> Study:
    """Return a study whose rows have the same scores if they share a letter."""
    noise = np.random.default_rng(1).normal(0, 0.01, (topics, len(letters)))
    values = {"P@10": np.array([(122 - ord(one)) / 30 for one in letters]) + noise}
    rows = []
    for place in range(len(letters)):
        scores = values["P@10"][:, place]
        made = row(
            f"words>={place + 1}",
            "cleaner" if place else "baseline",
            scores.mean(),
            {},
        )
        rows.append(
            replace(made, scores={"P@10": scores.tolist(), "Bpref": scores.tolist()})
        )
    group = Group(run_scores(values), None)
    pairs = compare_pairs(group, (range(len(letters)), 0), ["P@10"], ("t",), 1)
    means = {place: row.results["P@10"].mean for place, row in enumerate(rows)}
    for place, groups in letters_of(pairs, "P@10", means).items():
        results = rows[place].results
        results["P@10"] = replace(results["P@10"], groups=groups)
    return study_of(
        rows,
        pairs=pairs,
        topics=[StudyTopic("7", "7", None, 1, 1, None, None, None)] * topics,
        statistics=Statistics(seed=1, comparisons=3, tests=("t",)),
        choice=choice(letters.index(min(letters)), 0.1, 5),
    )


def test_cleaners_that_are_not_told_apart_share_a_letter() -> None:
    study = many("cabba")
    assert [row.results["P@10"].groups for row in study.rows] == [*"cabba"]
    table = study_tables(study)[0]
    assert table.columns[-1] == "group"
    assert [line[-1] for line in table.lines] == ["c", *"aabb"]
    (matrix,) = pair_tables(study)
    assert matrix.columns == ["kept", "P@10", "group", "1", "2", "3", "4", "5"]
    assert [line[0][:9] for line in matrix.lines[:2]] == ["1 words>=", "2 words>="]
    assert [bool(cell) for cell in matrix.lines[1][3:]] == [True, False, *[True] * 3]
    assert [cell.endswith("*") for cell in matrix.lines[0][4:]] == [False, *[True] * 3]
    assert matrix.lines[4][0] == "5 words>=1 (baseline)"
    assert "share a letter" in notes(study)[-1]
    rows = csv_rows(pairs_sheet(study).csv)
    assert len(rows) == 10
    assert (rows[0]["first"], rows[0]["second"]) == ("words>=1", "words>=2")
    assert (rows[0]["told_apart"], rows[5]["told_apart"]) == ("1", "1")
    assert sum(row["told_apart"] == "0" for row in rows) == 2
    assert "randomisation" not in rows[0]


def test_the_tables_of_pairs_hold_as_many_as_fit_with_baseline_and_choice() -> None:
    study = many("z" + "a" * 20)
    (matrix,) = pair_tables(study)
    assert len(matrix.lines) == 12
    assert matrix.lines[-1][0] == "12 words>=1 (baseline)"
    assert f"words>={study.rows.index(study.chosen) + 1}" in {
        line[0].split(" ")[1] for line in matrix.lines
    }


def test_what_is_within_noise_of_the_choice() -> None:
    study = many("dabac")
    told = known(within_noise(study))
    assert told.startswith(
        "words>=4 is within noise of it on these 40 topics. The smallest "
    )
    pair = known(study.pairs).of("P@10", 1, 3)
    assert pair.detectable
    assert f"{pair.detectable:.3f} if it were tested alone" in told
    assert f"{pair.detectable_corrected:.3f} among the 10 pairs" in told
    assert within_noise(many("dabc")) == (
        "On these 40 topics each of the 2 others that it was compared with in pairs is told apart "
        "from it."
    )
    assert within_noise(many("ba")) is None
    assert within_noise(replace(study, pairs=None)) is None
    several = known(within_noise(many("b" + "a" * 8)))
    assert " and 3 more are within noise of it" in several
    # The baseline's own test is the verdict's.
    assert within_noise(replace(many("aab"), choice=choice(1, 0.1, 5))) == (
        "On these 40 topics the other cleaner that it was compared with in pairs is told apart "
        "from it."
    )


def test_one_topic_tells_nothing_apart_and_shows_no_difference() -> None:
    assert (
        within_noise(many("bac", 1))
        == "words>=3 is within noise of it on this one topic."
    )


def test_sizes() -> None:
    assert size_text(replace(BASE, index_bytes=2_517_755)) == "2.5 MB"
    assert size_text(replace(WORSE, index_bytes=1_400_000_000)) == "about 1,400 MB"


def test_spreadsheets_have_one_row_per_variant_and_one_per_topic() -> None:
    compared = csv_rows(compare_sheet(STUDY).csv)
    assert [one["role"] for one in compared] == [
        "baseline",
        "cleaner",
        "cleaner",
        "gold",
    ]
    assert compared[2]["cleaner"] == EITHER
    assert compared[2]["P@10_randomisation_holm"] == "0.04"
    assert compared[2]["P@10_t"] == "0.0002"
    assert (compared[3]["P@10_t"], compared[3]["P@10_wins"]) == ("", "2")
    assert compared[0]["P@10_wins"] == compared[0]["Bpref_low"] == ""
    assert (compared[0]["index_measured"], compared[1]["index_measured"]) == ("1", "0")
    by_topic = csv_rows(study_topics_sheet(STUDY).csv)
    assert len(by_topic) == 8
    assert by_topic[5]["topic"] == "8"
    assert float(by_topic[5]["P@10_diff"]) == pytest.approx(0.2)
    assert (by_topic[5]["relevant_empty"], by_topic[5]["terms_lost"]) == ("2", "1")


def test_unknown_losses_stay_empty() -> None:
    table = study_of([replace(one, **NO_LOSSES) for one in ROWS])
    assert csv_rows(compare_sheet(table).csv)[0]["terms_lost"] == ""
    assert csv_rows(study_topics_sheet(table).csv)[0]["terms_lost"] == ""


def choice(place: int, low: float, votes: int) -> Choice:
    folds = [Fold((0,), place if fold < votes else 1, 0.6, 0.5) for fold in range(5)]
    counted = ((place, votes), (1, 5 - votes)) if votes < 5 else ((place, 5),)
    return Choice(
        "P@10", place, 0.6, tuple(folds), 0.55, (0.5, 0.6), 0.15, (low, 0.3), counted
    )


def answer(made: Choice, output: str = "o") -> Advice:
    return known(
        advise(study_of(ROWS, choice=made), Path("s"), Path(output), AnalyzerOptions())
    )


def test_the_answer_says_how_sure_and_at_what_cost() -> None:
    sure = answer(choice(2, 0.1, 4), "o p")
    assert sure.sentences == (
        "Index with words>=9 | link_density<0.1. On topics that had no say in the choice P@10 goes "
        "from 0.400 with words>=1 to 0.550, a statistically significant gain.",
        "How much better, P@10: +0.150; 95% interval +0.100 to +0.300; on held-out topics, by "
        "cross-validation; +0.200 on the topics it was chosen by, which flatters; 25% of the way "
        "to the gold text.",
        "How sure: significant; p = 0.040 after Holm\u2019s correction for 3 comparisons (the "
        "interval is for one); +0.55 standard deviations over topics; 2 topics better, 0 worse, "
        "0 the same; 4 of 5 folds chose the same, 1 words>=50.",
        "At what cost, of the tokens: 50% kept; index about 1.2 MB for 1.2 MB, without positions; "
        "10 of 1,000 documents left empty, 3 relevant; 6.2% of the topics' terms lost from "
        "relevant documents.",
    )
    assert sure.command == (
        "boilersweep index --store s --keep 'words>=9 | link_density<0.1' "
        "--storeContents --output 'o p/index-words-9 | link_density<0.1'"
    )
    unconfirmed = answer(choice(2, -0.1, 4)).sentences
    assert unconfirmed[0].startswith("Not proved, but ahead: words>=9")
    assert "; the interval of the held-out gain includes zero; " in unconfirmed[2]
    level = answer(replace(choice(2, -0.1, 4), gain=0.0004)).sentences
    assert level[0].startswith("Not proved: words>=9")
    assert any("Intervals are for one comparison, p for all" in note for note in NOTES)
    unproved = answer(choice(1, 0.1, 5)).sentences[2]
    assert unproved.startswith("How sure: not significant; p = 1.000 after Holm")


def test_the_command_names_the_analyzer_of_identifiers() -> None:
    study = study_of([replace(BASE, **NO_LOSSES)], choice=choice(0, 0, 5))
    analyzer = AnalyzerOptions(identifiers=True)
    answer = known(advise(study, Path("s"), Path("o"), analyzer))
    assert answer.command.endswith(" --identifiers")


def test_the_answer_may_be_to_keep_everything() -> None:
    german = AnalyzerOptions("de", "none", keep_stopwords=True, pretokenized=True)
    study = study_of([replace(BASE, **NO_LOSSES)], choice=choice(0, 0, 5))
    answer = known(advise(study, Path("s"), Path("o"), german))
    assert answer.sentences[0] == (
        "Index with words>=1. No other cleaner has a better P@10 on the 2 topics: 0.400."
    )
    assert (
        answer.sentences[2] == "How sure: nothing to test; 5 of 5 folds chose the same."
    )
    assert "50% kept" in answer.sentences[3]
    assert "10 of 1,000 documents left empty." in answer.sentences[3]
    assert answer.command.endswith(
        "--language de --stemmer none --keepStopwords --pretokenized"
    )


@pytest.mark.usefixtures("drawn_figures")
def test_the_picture_is_drawn_the_same_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_study(STUDY, tmp_path / name)
    svg = (tmp_path / "one" / "forest.svg").read_text()
    assert svg == (tmp_path / "two" / "forest.svg").read_text()
    assert "mean and 95 % interval over topics<" in svg
    assert "Filled: statistically significant (p &lt; 0.05 after Holm" in svg
    assert (tmp_path / "one" / "forest.png").read_bytes().startswith(b"\x89PNG")
