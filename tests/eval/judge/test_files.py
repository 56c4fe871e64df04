"""Summaries, comparisons and files of judgements."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from boilersweep.cleaners.rules import Comparison
from boilersweep.eval.judge.comparison import (
    agreements,
    compare,
    interval_of,
    summarise,
)
from boilersweep.eval.judge.datasets import Dataset, JudgedPage, Skipped, read_dataset
from boilersweep.eval.judge.files import (
    JUDGEMENT,
    Report,
    judgement_identity,
    judging,
    write_report,
)
from boilersweep.eval.judge.judge import Judgement, Judgements, judge
from boilersweep.eval.judge.scores import PageScore, Score
from boilersweep.eval.judge.tables import agreement_table, scores_table
from boilersweep.eval.stats import STATISTICS_CODE
from boilersweep.outputs.identity import code_identity
from tests.eval.judge.conftest import WriteWcxb

LONG = Comparison("words", ">=", 3)


def written(dataset: Dataset, found: Judgements, output: Path) -> Report:
    """Write a judgement into a folder, in place of another one."""
    with judging(output, [dataset], {}, overwrite=True) as writer:
        return write_report(writer, dataset, found)


def judgement(name: str, *f1: float, seconds: float = 0.0) -> Judgement:
    """Word F1 is half of F1."""
    scores = [
        PageScore(
            Score(value, value, value),
            Score(value / 2, value / 2, value / 2),
            value == 0,
        )
        for value in f1
    ]
    return Judgement(name, scores, seconds=seconds)


GOOD = judgement("good", 0.9, 0.8, 1.0, 0.9, 0.6, 0.9)
LESS = judgement("less", 0.8, 0.7, 0.9, 0.9, 0.7, 0.8, seconds=0.012)
NONE = judgement("none", 0, 0, 0, 0, 0, 0)


def test_a_summary_by_hand() -> None:
    (row,) = summarise([LESS])
    assert (row.pages, row.empty, row.failed) == (6, 0, 0)
    assert row.f1_mean == pytest.approx(4.8 / 6)
    assert row.f1_median == pytest.approx(0.8)
    assert row.word_f1 == pytest.approx(0.4)
    assert row.ms_per_page == pytest.approx(2)
    assert row.f1_low < 0.8 < row.f1_high
    assert interval_of(row, "word_f1") == pytest.approx(
        (row.f1_low / 2, row.f1_high / 2)
    )


def test_comparisons_by_hand() -> None:
    less, none = compare([LESS, GOOD, NONE], "f1")
    assert (less.cleaner, less.best, none.cleaner) == ("less", "good", "none")
    # Differences: -.1, -.1, -.1, 0, +.1, -.1.
    assert less.difference == pytest.approx(-0.3 / 6)
    assert (less.better, less.equal, less.worse) == (1, 1, 4)
    # Of 2 ** 5 ways to give five differences of .1 their signs, those with a sum of at least .3
    # either way have four or five alike: 2 * (5 + 1) = 12.
    assert less.randomisation_p == pytest.approx(12 / 32)
    # Of 2 ** 6 only the two with all signs alike.
    assert none.randomisation_p == pytest.approx(2 / 64)
    # Holm: the smaller one times 2, the other one as it is.
    assert none.randomisation_p_holm == pytest.approx(2 * 2 / 64)
    assert less.randomisation_p_holm == pytest.approx(12 / 32)
    # t = mean / (s / sqrt(6)); s ** 2 = (5 * .01 - 6 * .0025) / 5 = .007; t = -1.4639.
    assert less.t_p == pytest.approx(0.2031, abs=1e-4)


def test_measures_agree_as_far_as_they_rank_alike() -> None:
    def both(name: str, one: float, other: float) -> Judgement:
        score = PageScore(Score(1, 1, one), Score(1, 1, other), empty=False)
        return Judgement(name, [score])

    three = [both("a", 0.1, 0.3), both("b", 0.2, 0.2), both("c", 0.3, 0.4)]
    # Of three pairs of cleaners, one is ranked the other way round; without other measures.
    (row,) = agreements(three)
    assert (row.measure, row.other, row.cleaners) == ("f1", "word_f1", 3)
    assert row.tau == pytest.approx((2 - 1) / 3)
    table = agreement_table([row]).splitlines()
    assert table[0].split()[-3:] == ["F1", "word", "F1"]
    assert table[2].split() == ["F1", "0.33"]
    assert agreements(three[:2]) == []


def test_equal_cleaners_do_not_differ() -> None:
    (row,) = compare([GOOD, judgement("same", 0.9, 0.8, 1.0, 0.9, 0.6, 0.9)], "word_f1")
    assert (row.best, row.cleaner, row.randomisation_p, row.t_p) == (
        "good",
        "same",
        1,
        1,
    )
    assert compare([GOOD], "f1") == []


def test_one_page_has_no_interval() -> None:
    (row,) = summarise([judgement("one", 0.5)])
    assert math.isnan(row.f1_low)
    assert "nan" not in scores_table([row], [], "f1")


def test_the_table_begins_with_the_best() -> None:
    three = [LESS, GOOD, NONE]
    lines = scores_table(summarise(three), compare(three, "f1"), "f1").splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["good", "less", "none"]
    assert {"0.800", "0.375"} < set(lines[3].split())
    assert "Means over 6 pages" in lines[6]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.slow
def test_the_files_of_a_dataset_with_types(
    write_wcxb: WriteWcxb, tmp_path: Path
) -> None:
    truth = {
        "ground_truth": {"main_content": "one two three"},
        "url": "http://x.example",
    }
    article = {**truth, "_internal": {"page_type": "article"}}
    pages: dict[str, tuple[str, object]] = {
        "1": (
            "<p>menu<p>one two three",
            {**truth, "_internal": {"page_type": "forum"}},
        ),
        "2": ("<p>menu<p>one two three", article),
        "3": ("<p>menu<p>one, two", article),
        "4": ("<p>x", "{"),
    }
    dataset = read_dataset("wcxb", write_wcxb(pages))
    output = tmp_path / "out"
    found = judge(dataset, [Comparison("words", ">=", number) for number in (1, 2, 3)])
    report = written(dataset, found, output)
    assert list(JUDGEMENT.check(output)) == []
    assert {path.name for path in output.iterdir()} == {
        path.name for path in report.files
    }
    assert [row["cleaner"] for row in read(output / "scores.csv")] == [
        "words>=1",
        "words>=2",
        "words>=3",
    ]
    header = (
        "cleaner,pages,precision,recall,f1_mean,f1_median,word_f1,ms_per_page,empty,"
    )
    assert (output / "scores.csv").read_text().startswith(header)
    types = {
        (row["cleaner"], row["page_type"]): row for row in read(output / "types.csv")
    }
    # Two of three gold words found, all found are gold: 2 * 2 / (2 + 3); and of page 2 all.
    assert types["words>=2", "article"]["word_f1"] == f"{(0.8 + 1) / 2:.4f}"
    assert types["words>=2", "article"]["pages"] == "2"
    assert types["words>=3", "forum"]["word_f1"] == "1.0000"
    assert len(read(output / "pages.csv")) == 9
    assert read(output / "pages.csv")[-1] == {
        "cleaner": "words>=3",
        "page": "3",
        "site": "x.example",
        "page_type": "article",
        **dict.fromkeys(
            "precision recall f1 word_precision word_recall word_f1 character_precision "
            "character_recall character_f1 text_only".split(),
            "0.0000",
        ),
        # The menu is dropped as in the gold text, the block with two of its words is, too.
        "block_accuracy": "0.5000",
        "text_and_markup": "",
        "empty": "1",
    }
    assert read(output / "agreement.csv")[0] == {
        "measure": "f1",
        "other": "word_f1",
        "cleaners": "3",
        "tau": "1.0000",
    }
    assert {row["measure"] for row in read(output / "comparisons.csv")} == {
        "f1",
        "word_f1",
    }
    manifest = json.loads((output / "manifest.json").read_text())["facts"]
    assert manifest["left_out"] == {
        "the ground truth is not the JSON expected": {"pages": 1, "names": ["4"]}
    }
    assert manifest["sha256"] == found.digest
    assert (output / "table.txt").read_text() == report.table + "\n"
    assert "article (2)" in report.table
    assert (output / "ranked.png").read_bytes().startswith(b"\x89PNG")
    assert (output / "ranked.svg").stat().st_size


def test_the_files_of_a_dataset_with_classes_of_blocks(
    l3s: Path, tmp_path: Path
) -> None:
    dataset = read_dataset("l3s-gn1", l3s)
    output = tmp_path / "out"
    output.mkdir()
    report = written(dataset, judge(dataset, [Comparison("words", ">=", 1)]), output)
    (row,) = read(output / "blocks.csv")
    assert (row["cleaner"], row["auc"]) == ("words>=1", "0.5000")
    assert not (output / "types.csv").exists()
    assert "weighted by words" in report.table


def test_failures_are_listed(tmp_path: Path) -> None:
    pages = [JudgedPage("1", tmp_path, None, "x", "1")]
    found = Judgements(
        [replace(judgement("mine", 0.0), failures={"ValueError: no": ["1"]})], ""
    )
    dataset = Dataset("folder", tmp_path, pages, [Skipped("2", "no page")])
    written(dataset, found, tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())["facts"]
    assert manifest["failures"] == {
        "mine": {"ValueError: no": {"pages": 1, "names": ["1"]}}
    }
    assert read(tmp_path / "scores.csv")[0]["failed"] == "1"


def test_the_files_of_pages_with_strings(snippets: Path, tmp_path: Path) -> None:
    dataset = read_dataset("snippets", snippets)
    output = tmp_path / "out"
    output.mkdir()
    rules = [Comparison("words", ">=", number) for number in (1, 3)]
    report = written(dataset, judge(dataset, rules), output)
    everything, long = read(output / "scores.csv")
    # Of 3 wanted strings 2 and 1 are kept, of 3 unwanted ones 0 and 3 dropped.
    shares = {"kept": "0.6667", "dropped": "0.0000", "balanced": "0.3750"}
    assert shares.items() <= everything.items()
    shares = {
        "kept": "0.3333",
        "dropped": "1.0000",
        "balanced": "0.7500",
        "f1": "0.5000",
    }
    assert shares.items() <= long.items()
    assert "word_f1" not in everything
    assert read(output / "pages.csv")[0] == {
        "cleaner": "words>=1",
        "page": "a",
        "site": "pony.de",
        "language": "de",
        "wanted": "1",
        "kept": "1",
        "unwanted": "2",
        "dropped": "0",
        "balanced": "0.5000",
        "empty": "0",
    }
    assert {row["measure"] for row in read(output / "comparisons.csv")} == {"balanced"}
    assert report.table.split()[:5] == ["cleaner", "kept", "dropped", "F1", "of"]
    assert "balanced, by paired randomisation" in report.table


def test_a_judgement_depends_on_the_code_of_its_intervals(
    write_wcxb: WriteWcxb,
) -> None:
    truth = {"url": "http://a", "ground_truth": {"main_content": "one"}}
    dataset = read_dataset("wcxb", write_wcxb({"1": ("<p>one", truth)}))
    identity = judgement_identity(dataset, [])
    assert code_identity(STATISTICS_CODE).items() <= identity["code"].items()
