"""What is written of annotated blocks: on made pages, and on the 2010 paper's own."""

import csv
import random
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from papers import block_tables as study
from papers.annotated_columns import AnnotatedBlocks, read_blocks
from papers.published import FITS, SCHAEFER_TABLE_3

from boilersweep import UsageError
from boilersweep.cleaners.published.boilerpipe import NumWordsRules
from boilersweep.cleaners.published.filters import Ancestor
from boilersweep.cleaners.rules import Rule
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.judge.scores import Score
from boilersweep.eval.study.suggestion import fit_two_class
from boilersweep.pages.columns import columns_of
from boilersweep.pages.segmenter import Segmenter


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def blocks() -> AnnotatedBlocks:
    """Twenty pages of ten sites: links around long paragraphs."""
    rng = random.Random(5)  # noqa: S311
    segmenter = Segmenter(structure=True)
    pages, classes = [], []
    for _ in range(20):
        kinds = [0] * 6 + [1] + [2] * 8 + [3, 4, 5] + [0] * 4
        parts = []
        for kind in kinds:
            words = " ".join(
                "word" for _ in range(rng.randint(1, 60 if kind in (2, 5) else 7))
            )
            parts.append(
                f"<div><a href=x>{words}</a></div>" if kind == 0 else f"<p>{words}.</p>"
            )
        pages.append(segmenter.html("".join(parts).encode()))
        classes += kinds
    columns = columns_of([str(number) for number in range(20)], pages)
    return AnnotatedBlocks(columns, np.array(classes), columns.owners // 2)


def test_related_content_is_boilerplate_and_comments_are_content(
    blocks: AnnotatedBlocks,
) -> None:
    kinds = replace(blocks, classes=np.arange(6))
    assert kinds.two_classes.tolist() == [0, 1, 1, 1, 0, 1]
    assert kinds.four_classes.tolist() == [0, 1, 2, 3, 0, 2]


def test_tables_are_written(blocks: AnnotatedBlocks, tmp_path: Path) -> None:
    study.write_distributions(blocks, tmp_path)
    study.write_gains(blocks, tmp_path)
    rules: dict[int | str, Rule] = {
        0: NumWordsRules(),
        2: Ancestor(NumWordsRules(), 2),
    }
    study.write_depths(blocks, rules, tmp_path)
    study.write_density(blocks.columns, "figure3", tmp_path)
    study.write_text_mass(blocks, tmp_path)
    study.write_strategies({"words>=10": np.array([0.5, 0.9])}, {}, "figure2", tmp_path)
    study.write_cleaneval({"cetr": Score(0.9, 0.9, 0.9)}, tmp_path)
    names = (
        "table1 fits figure1 figure2 figure3 figure4 figure5 ancestor-depths cleaneval"
    )
    written = {path.name for path in tmp_path.iterdir()}
    assert {f"{name}.csv" for name in names.split()} <= written
    drawn = "figure1 figure3 figure4 figure5 text-mass"
    assert {f"{name}.svg" for name in drawn.split()} <= written
    mass = rows_of(tmp_path / "text-mass.csv")
    assert (len(mass), mass[-1]["share"]) == (22, "1.0")
    total = rows_of(tmp_path / "table1.csv")[0]
    assert int(total["blocks"]) == len(blocks.classes)
    fits = {
        (row["model"], row["figure"]): row for row in rows_of(tmp_path / "fits.csv")
    }
    for model, figures in FITS.items():
        for figure, printed in figures.items():
            assert float(fits[model, figure]["paper"]) == printed
            assert fits[model, figure]["value"]
    by_density = rows_of(tmp_path / "figure5.csv")
    words = sum(
        int(v) for row in by_density for k, v in row.items() if k != "text_density"
    )
    assert words == blocks.columns.words.sum()
    assert len(rows_of(tmp_path / "figure1.csv")) == 67
    found = {
        (row["model"], row["figure"]): row["paper"]
        for row in rows_of(tmp_path / "fits.csv")
    }
    assert found["two classes", "short_share"] == "0.7586"


@pytest.mark.slow
@pytest.mark.parametrize(
    "split", [study.SITES, pytest.param(study.BLOCKS, marks=pytest.mark.exhaustive)]
)
def test_table_2_and_the_perceptron_are_written(
    blocks: AnnotatedBlocks, tmp_path: Path, split: str
) -> None:
    names = ["Only Link Density @0.33", "C4.8 Text+Link Density (P/C/N)"]
    study.write_table2(blocks, split, tmp_path, names)
    rows = rows_of(tmp_path / f"table2-{split}.csv")
    assert [(row["algorithm"], row["classes"]) for row in rows] == [
        (name, classes) for name in names for classes in "24"
    ]
    assert float(rows[0]["f1"]) > 90
    assert rows[0]["paper_f1"] == "87.4"
    assert rows[0]["leaves"] == "2"
    assert int(rows[2]["leaves"]) >= 2
    study.write_perceptron(blocks, split, tmp_path)
    assert len(rows_of(tmp_path / f"perceptron-{split}.csv")) == 101
    correct = rows_of(tmp_path / f"schaefer-{split}.csv")
    assert [row["classifier"] for row in correct] == list(SCHAEFER_TABLE_3)
    assert all(0 <= float(row["correct"]) <= 1 for row in correct)
    # Weighted with their blocks, the classes' recalls are the share of what is right
    assert all(row["recall"] == row["correct"] for row in correct)
    assert correct[0]["paper_precision"] == "0.944"
    folds = rows_of(tmp_path / f"perceptron-{split}-folds.csv")
    assert [row["fold"] for row in folds] == [*map(str, range(1, 11)), "AM", "HM"]
    assert [row["paper_f1"] for row in folds] == [""] * 10 + ["0.969"] * 2
    assert float(folds[-1]["f1"]) <= float(folds[-2]["f1"])
    errors = rows_of(tmp_path / f"perceptron-{split}-errors.csv")
    assert len(errors) == 10 * 60
    assert float(errors[0]["training"]) > float(errors[59]["training"])
    for name in ("errors", "mean", "fold-9"):
        assert (tmp_path / f"perceptron-{split}-{name}.svg").is_file()
    summary = rows_of(tmp_path / f"perceptron-{split}-summary.csv")
    assert [row["at"] for row in summary] == ["at .5", "balanced", "most correct"]
    assert summary[0]["paper_accuracy"] == "0.951"


def test_pages_without_classes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_text("<p>text")
    (tmp_path / "1.txt").write_text("text")
    with pytest.raises(UsageError, match="no classes of blocks"):
        read_blocks(read_dataset("folder", tmp_path))


@pytest.mark.slow
def test_a_tenth_of_the_papers_pages(
    outside_data: Callable[[str], Path], tmp_path: Path
) -> None:
    with tarfile.open(outside_data("l3s-gn1.tar.xz"), "r:xz") as archive:
        members = archive.getmembers()
        pages = sorted(
            {Path(one.name).name for one in members if one.name.endswith(".html")}
        )
        tenth = {*pages[::10], "url-mapping.txt"}
        chosen = [one for one in members if Path(one.name).name in tenth]
        archive.extractall(tmp_path, chosen, filter="data")
    blocks = read_blocks(read_dataset("l3s-gn1", tmp_path))
    names = ["Only Number of Words @15", "C4.8 NumWords + LinkDensity, simplified"]
    study.write_table2(blocks, study.SITES, tmp_path, names)
    for row in rows_of(tmp_path / "table2-sites.csv"):
        if row["classes"] == "2":
            assert abs(float(row["f1_difference"])) < 4
    model = fit_two_class(np.bincount(blocks.columns.words))
    assert model.short_share == pytest.approx(0.7586, abs=0.06)
    assert model.fit.r2_adjusted > 0.96
    assert model.crossing in range(6, 12)
    structure = blocks.columns.structure
    assert structure is not None
    assert {"html4", "xhtml", ""} <= set(structure.doctypes)
