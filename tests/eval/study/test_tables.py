"""The study for people: tables, spreadsheets, and the answer in words."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.rules import Comparison, Or
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.variants import Variant
from boilersweep.eval.statistics import Outcomes
from boilersweep.eval.study.advice import advise
from boilersweep.eval.study.choice import Choice, Fold
from boilersweep.eval.study.differences import Difference, PValues
from boilersweep.eval.study.files import compare_csv, pairs_csv, topics_csv
from boilersweep.eval.study.forest import draw_forest
from boilersweep.eval.study.noise import within_noise
from boilersweep.eval.study.pairs import compare_pairs
from boilersweep.eval.study.results import (
    Advice,
    IndexSize,
    Losses,
    Result,
    Statistics,
    Study,
    StudyRow,
    StudyTopic,
    TopicLosses,
)
from boilersweep.eval.study.tables import (
    as_latex,
    as_markdown,
    as_text,
    p_text,
    pair_tables,
    size_text,
    study_tables,
    table_notes,
)
from boilersweep.indexer.analyzer import AnalyzerOptions

EITHER = Variant(Or(Comparison("words", ">=", 9.0), Comparison("link_density", "<", 0.1)))
SURE = Difference(
    0.2,
    (0.1, 0.3),
    Outcomes(2, 0, 0),
    PValues({"randomisation": 0.02, "t": 0.0002}, {"randomisation": 0.04, "t": 0.0004}),
    0.55,
    0.15,
)
UNSURE = Difference(
    -0.01,
    (-0.05, 0.03),
    Outcomes(0, 1, 1),
    PValues({"randomisation": 0.5, "t": 0.4}, {"randomisation": 1.0, "t": 0.8}),
)


def row(variant: object, role: str, mean: float, difference: Difference | None) -> StudyRow:
    losses = Losses(3, 0.0625, TopicLosses(np.array([1, 2]), np.array([0, 1])))
    return StudyRow(
        variant=variant,  # type: ignore[arg-type]
        role=role,  # type: ignore[arg-type]
        documents=990,
        empty=10,
        tokens=5000,
        tokens_kept=0.5,
        index=IndexSize(1_250_000, role == "baseline"),
        losses=losses,
        results={
            "P@10": Result(mean, (mean - 0.1, mean + 0.1), difference, 0.25),
            "Bpref": Result(mean / 2, None, None, None),
        },
        topic_scores={"P@10": np.array([mean, mean]), "Bpref": np.array([mean, 0.0])},
    )


BASE = row(Variant.at_least("words", 1.0), "baseline", 0.4, None)
BETTER = row(EITHER, "cleaner", 0.6, SURE)
WORSE = row(Variant.at_least("words", 50.0), "swept", 0.39, UNSURE)
GOLD = row(
    Variant(PageText("gold")), "gold", 0.9, replace(SURE, tests=None, mean=0.5, interval=None)
)
ROWS = [BASE, WORSE, BETTER, GOLD]
TABLES = study_tables(ROWS, ["P@10"], ["Bpref"])
NOTES = table_notes(2, 3, 7)


def test_the_table_for_the_terminal() -> None:
    lines = as_text(TABLES, NOTES).splitlines()
    first = [line.split("  ")[0] for line in lines[3:7]]
    assert first == [
        "words>=1 (baseline)",
        "words>=9 | link_density<0.1",
        "words>=50",
        "gold (upper bound)",
    ]
    better = lines[4].split()
    assert "+0.55" in better
    assert "+0.200*" in better
    assert {"<.001", "0.040", "2/0/0", "25.0%"} <= set(better)
    assert "[+0.100, +0.300]" in lines[4]
    assert "-0.010*" not in lines[5]
    assert "[-0.050, +0.030]" in lines[5]
    costs = as_text(TABLES, NOTES).split("What cleaning takes away")[1].splitlines()
    assert costs[3].split()[2:] == "0.200 990 10 3 6.2% 5,000 50.0% 1.2 MB".split()
    assert costs[4].endswith("about 1.2 MB")
    assert "corrected (Holm) over all 3 comparisons" in lines[-3]
    assert lines[-1] == "7 more thresholds are in compare.csv."
    assert len(table_notes(2, 3, 0)) == 2


def test_markdown_and_latex_show_signs_as_they_are() -> None:
    markdown = as_markdown(TABLES, NOTES)
    assert r"| words>=9 \| link\_density\<0.1 |" in markdown
    assert r"+0.200\* |" in markdown
    heads = [line for line in markdown.splitlines() if line.startswith("| kept")]
    for line in heads:
        assert line.count("|") == markdown[markdown.index(line) :].splitlines()[1].count("|")
    latex = as_latex(TABLES, NOTES)
    assert r"link\_density" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\bottomrule") == 2
    assert "% 7 more thresholds" in latex
    assert latex.startswith("\\documentclass[varwidth=\\maxdimen]{standalone}\n")
    assert latex.endswith("\\end{document}\n")


def test_columns_that_say_nothing_are_left_out_or_empty() -> None:
    rows = [
        replace(one, losses=None, tokens_kept=None, results={"P@10": Result(0.5, None, None, None)})
        for one in ROWS[:2]
    ]
    text = as_text(study_tables(rows, ["P@10"], []), NOTES)
    assert "gap closed" not in text
    assert "None" not in text


@pytest.mark.parametrize(
    ("p", "text"), [(1.0, "1.000"), (0.04, "0.040"), (0.00099, "<.001"), (0.0, "<.001")]
)
def test_p_values_as_people_write_them(p: float, text: str) -> None:
    assert p_text(p) == text


def test_the_tests_are_those_that_were_asked_for() -> None:
    p = PValues({"wilcoxon": 0.01, "t": 0.2}, {"wilcoxon": 0.02, "t": 0.3})
    rows = [BASE, row(EITHER, "cleaner", 0.6, replace(SURE, tests=p))]
    (table, _) = study_tables(rows, ["P@10"], [], tests=("wilcoxon", "t"))
    assert table.heads[5:8] == ["p (t)", "p (Wilc.)", "effect"]
    assert table.lines[1][5:7] == ["0.300", "0.020"]
    assert table.lines[1][3] == "+0.200*"  # Wilcoxon's decides, not t
    note = table_notes(2, 3, 0, tests=("wilcoxon", "t"))[0]
    assert "p: of the paired t-test and Wilcoxon's signed-rank test, each" in note
    assert "* that of Wilcoxon's signed-rank test is below 0.05" in note
    compared = next(csv.DictReader(io.StringIO(compare_csv(rows[1:], tests=("wilcoxon", "t")))))
    assert (compared["P@10_t"], compared["P@10_wilcoxon_holm"]) == ("0.2", "0.02")
    assert "P@10_randomisation" not in compared


def test_the_share_of_the_gap_has_an_interval() -> None:
    closed = replace(BETTER.results["P@10"], closed=0.8, closed_interval=(0.674, 0.902))
    rows = [BASE, replace(BETTER, results={**BETTER.results, "P@10": closed})]
    assert study_tables(rows, ["P@10"], [])[0].lines[1][-1] == "80.0% [67%, 90%]"
    compared = list(csv.DictReader(io.StringIO(compare_csv(rows))))[1]
    assert (compared["P@10_gap_low"], compared["P@10_gap_high"]) == ("0.6740", "0.9020")
    assert (compared["P@10_effect"], compared["P@10_detectable"]) == ("0.5500", "0.1500")


def many(letters: str, topics: int = 40) -> Study:
    """A study of rows with scores such that those that share a letter are alike."""
    noise = np.random.default_rng(1).normal(0, 0.01, (topics, len(letters)))
    values = {"P@10": np.array([(122 - ord(one)) / 30 for one in letters]) + noise}
    rows = []
    for place in range(len(letters)):
        variant = Variant.at_least("words", place + 1.0)
        made = row(
            variant, "cleaner" if place else "baseline", values["P@10"][:, place].mean(), None
        )
        rows.append(replace(made, topic_scores={"P@10": values["P@10"][:, place]}))
    pairs = compare_pairs(values, (range(len(letters)), 0), ["P@10"], ("t",), 1)
    best = letters.index(min(letters))
    study = chosen(choice(best, 0.1, 5), rows)
    topic = study.topics[0]
    statistics = Statistics(seed=1, comparisons=3, tests=("t",))
    return replace(study, pairs=pairs, topics=[topic] * topics, statistics=statistics)


def test_cleaners_that_are_not_told_apart_share_a_letter() -> None:
    study = many("cabba")
    found = {str(one.variant): group for one, group in study.letters("P@10").items()}
    assert found == dict(zip((f"words>={n}" for n in range(1, 6)), "cabba", strict=True))
    letters = {"P@10": study.letters("P@10")}
    (table, _) = study_tables(study.rows, ["P@10"], [], letters=letters)
    assert table.heads[-1] == "group"
    assert [line[-1] for line in table.lines] == ["c", *"aabb"]
    (matrix,) = pair_tables(study)
    assert matrix.heads == ["", "1", "2", "3", "4", "5"]
    assert [line[0][:9] for line in matrix.lines[:2]] == ["1 words>=", "2 words>="]
    assert [bool(cell) for cell in matrix.lines[1]] == [True, False, False, True, True, True]
    assert [cell.endswith("*") for cell in matrix.lines[0][2:]] == [False, True, True, True]
    assert matrix.lines[4][0] == "5 words>=1 (baseline)"
    assert "share a letter" in table_notes(40, 3, 0, pairs=study.pairs)[-1]
    rows = list(csv.DictReader(io.StringIO(pairs_csv(study))))
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
    told = within_noise(study)
    assert told
    assert told.startswith("words>=4 is within noise of it on these 40 topics. The smallest ")
    pair = study.pairs and study.pairs.of("P@10", 1, 3)
    assert pair
    assert pair.difference.detectable
    assert f"{pair.difference.detectable:.3f} if it were tested alone" in told
    assert f"{pair.detectable_corrected:.3f} among the 10 pairs" in told
    assert within_noise(many("dabc")) == (
        "On these 40 topics each of the 2 others that it was compared with in pairs is told apart "
        "from it."
    )
    assert within_noise(many("ba")) is None
    assert within_noise(replace(study, pairs=None)) is None
    several = within_noise(many("b" + "a" * 8))
    assert several
    assert " and 3 more are within noise of it" in several
    # The baseline's own test is the verdict's.
    assert within_noise(replace(many("aab"), choice=choice(1, 0.1, 5))) == (
        "On these 40 topics the other cleaner that it was compared with in pairs is told apart "
        "from it."
    )


def test_one_topic_tells_nothing_apart_and_shows_no_difference() -> None:
    assert within_noise(many("bac", 1)) == "words>=3 is within noise of it on this one topic."


def test_sizes() -> None:
    assert size_text(IndexSize(2_517_755, True)) == "2.5 MB"
    assert size_text(IndexSize(1_400_000_000, False)) == "about 1,400 MB"


def test_spreadsheets_have_one_row_per_variant_and_one_per_topic() -> None:
    compared = list(csv.DictReader(io.StringIO(compare_csv(ROWS))))
    assert [one["role"] for one in compared] == ["baseline", "swept", "cleaner", "gold"]
    assert compared[2]["cleaner"] == "words>=9 | link_density<0.1"
    assert compared[2]["P@10_randomisation_holm"] == "0.04"
    assert compared[2]["P@10_t"] == "0.0002"
    assert (compared[3]["P@10_t"], compared[3]["P@10_wins"]) == ("", "2")
    assert compared[0]["P@10_wins"] == compared[0]["Bpref_low"] == ""
    assert (compared[0]["index_measured"], compared[1]["index_measured"]) == ("1", "0")
    by_topic = list(csv.DictReader(io.StringIO(topics_csv(ROWS, ["7", "8"]))))
    assert len(by_topic) == 8
    assert by_topic[5]["topic"] == "8"
    assert float(by_topic[5]["P@10_diff"]) == pytest.approx(0.2)
    assert (by_topic[5]["relevant_empty"], by_topic[5]["terms_lost"]) == ("2", "1")


def test_what_losses_are_not_known_of_stays_empty() -> None:
    rows = [replace(one, losses=None) for one in ROWS]
    assert next(csv.DictReader(io.StringIO(compare_csv(rows))))["terms_lost"] == ""
    assert next(csv.DictReader(io.StringIO(topics_csv(rows, ["7", "8"]))))["terms_lost"] == ""


def choice(place: int, low: float, votes: int) -> Choice:
    folds = [Fold((0,), place if fold < votes else 1, 0.6, 0.5) for fold in range(5)]
    return Choice("P@10", place, 0.6, tuple(folds), 0.55, (0.5, 0.6), 0.15, (low, 0.3))


def chosen(made: Choice, rows: list[StudyRow] = ROWS) -> Study:
    return Study(
        title="",
        tested=["P@10"],
        beside=["Bpref"],
        topics=[StudyTopic(topic, topic, None, 1, 1, None, None) for topic in "78"],
        rows=rows,
        statistics=Statistics(seed=1, comparisons=3),
        choice=made,
        suggestion=None,
        advice=None,
        notes=[],
    )


def answer(made: Choice, output: str = "o") -> Advice:
    advice = advise(chosen(made), Path("s"), Path(output), AnalyzerOptions())
    assert advice
    return advice


def test_the_answer_says_how_sure_and_at_what_cost() -> None:
    sure = answer(choice(2, 0.1, 4), "o p")
    assert sure.sentences == (
        "Index with words>=9 | link_density<0.1, the best P@10 of 2 topics; judged by topics that "
        "had no say in it, such a choice scores 0.550, +0.150 [+0.100, +0.300] compared with "
        "words>=1 (4 of 5 folds chose the same; statistically significant, p = 0.040 after Holm's "
        "correction).",
        "The cost: it leaves 10 of 1,000 documents empty, 3 of them relevant, loses 6.2% of the "
        "topics' terms in relevant documents and keeps 50% of the tokens, an index of about 1.2 "
        "MB for 1.2 MB (without positions).",
    )
    assert sure.command == (
        "boilersweep index --store s --keep 'words>=9 | link_density<0.1' "
        "--output 'o p/index-words-ge-9-or-link_density-lt-0.1'"
    )
    assert (
        "p = 0.040 after Holm's correction, but the interval of the held-out gain includes zero"
        in answer(choice(2, -0.1, 4)).sentences[0]
    )
    assert (
        "not statistically significant, p = 1.000 after Holm's correction"
        in answer(choice(1, 0.1, 5)).sentences[0]
    )


def test_the_answer_may_be_to_keep_everything() -> None:
    german = AnalyzerOptions("de", "none", keep_stopwords=True, pretokenized=True)
    study = chosen(choice(0, 0, 5), [replace(BASE, losses=None)])
    answer = advise(study, Path("s"), Path("o"), german)
    assert answer
    assert answer.sentences[0].startswith(
        "Index with words>=1: no other has a better P@10 on the 2 topics; judged by"
    )
    assert "significant" not in answer.sentences[0]
    assert answer.sentences[1].startswith(
        "The cost: it leaves 10 of 1,000 documents empty and keeps 50% of the tokens, an index"
    )
    assert answer.command.endswith("--language de --stemmer none --keepStopwords --pretokenized")


@pytest.mark.usefixtures("drawn_figures")
def test_the_picture_is_drawn_the_same_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        draw_forest(ROWS, ["P@10"], "words>=1", tmp_path / name)
    svg = (tmp_path / "one.svg").read_text()
    assert svg == (tmp_path / "two.svg").read_text()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
