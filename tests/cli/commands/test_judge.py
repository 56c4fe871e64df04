"""`boilersweep judge` on the command line."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.learned.model import (
    Model,
    ModelProvenance,
    Tree,
    packed,
    page_digest,
    save_model,
)
from tests.cli.conftest import Call


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.html").write_text("<p>menu<p>one two three four <a>five</a>")
        (folder / f"{name}.txt").write_text("one two three four five")
    return folder


@pytest.fixture
def judge(call: Call, pages: Path, tmp_path: Path) -> Call:
    usual = (
        "judge",
        "--dataset",
        "folder",
        "--input",
        pages,
        "--output",
        tmp_path / "out",
    )
    return lambda *arguments: call(*usual, *arguments)


@pytest.mark.slow
def test_a_folder_of_pages(judge: Call, pages: Path, tmp_path: Path) -> None:
    (pages / "d.html").write_text("<p>no gold")
    output = tmp_path / "out"
    shown = (
        judge("--cleaners", "words>=1,words>=2 & link_density<=0.5")
        .ok()
        .noted("1 of 4 pages left out: no gold text (d)")
    )
    assert shown.out.startswith((output / "table.txt").read_text())
    assert str(output / "scores.csv") in shown.out
    rows = (output / "scores.csv").read_text().splitlines()
    assert [row.split(",")[:7] for row in rows[1:]] == [
        # Five of six tokens are gold, and all five are found: F1 = 2 * 5 / (6 + 5).
        ["words>=1", "3", "0.8333", "1.0000", "0.9091", "0.9091", "0.9091"],
        ["words>=2 & link_density<=0.5", "3", *["1.0000"] * 5],
    ]


def judged(folder: Path) -> list[str]:
    with (folder / "scores.csv").open(newline="") as file:
        return [row["cleaner"] for row in csv.DictReader(file)]


def test_texts_of_others_beside_cleaners(
    judge: Call, pages: Path, tmp_path: Path
) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("one two three four five")
    (texts / "z.txt").write_text("of no page")
    given = ("--cleaners", "words>=1", "--texts", f"model={texts}")
    shown = (
        judge(*given).ok().noted("model failed on 2 pages (b): no text of this page")
    )
    assert "1 texts of model belong to no page, or to one with a text (z)" in shown.out
    assert judged(tmp_path / "out") == ["words>=1", "model"]
    model = (tmp_path / "out" / "scores.csv").read_text().splitlines()[2].split(",")
    # Nobody knows how long it took.
    assert model[:8] == ["model", "3", *["0.3333"] * 3, "0.0000", "0.3333", ""]
    (texts / "a.txt").unlink()
    judge(*given, "--overwrite").refused(1, "expected texts of model in")
    judge("--cleaners", "words>=1", "--texts", "model").refused(2, "expected NAME=PATH")


def test_texts_are_of_one_dataset_and_no_output(
    call: Call, pages: Path, tmp_path: Path
) -> None:
    line = ("judge", "--cleaners", "words>=1", "--texts", f"model={pages}")
    shutil.copytree(pages, tmp_path / "more")
    both = ("--dataset", f"folder={pages}", "--dataset", f"folder={tmp_path / 'more'}")
    call(*line, *both, "--output", tmp_path / "out").refused(2, "one --dataset with")
    (pages / "table.txt").write_text("the text of a page")
    one = ("--dataset", f"folder={tmp_path / 'more'}")
    call(*line, *one, "--output", pages, "--overwrite").refused(1, "table.txt")


def test_an_extractor_of_a_library_or_of_ones_own(
    judge: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def take(html):\n    raise ValueError('no')\n")
    monkeypatch.syspath_prepend(tmp_path)
    judge("--cleaners", "cetr,mine:take").ok().noted(
        "mine:take failed on 3 pages (a): ValueError: no"
    )
    assert judged(tmp_path / "out") == ["cetr", "mine:take"]


@pytest.mark.slow
def test_all_cleaners_by_default(judge: Call, tmp_path: Path) -> None:
    judge().ok()
    assert {
        "keep-everything",
        "numwords-rules",
        "bte",
        "words>=10",
        "ancestor(numwords-rules, 2)",
        "largest-content(density-rules)",
        "cetr",
    } <= {*judged(tmp_path / "out")}


@pytest.mark.application("learned")
@pytest.mark.usefixtures("unusable_model")
def test_a_model_that_cannot_run_is_left_out(judge: Call, tmp_path: Path) -> None:
    judge().ok().noted("learned is left out: no compiled code")
    assert "learned" not in judged(tmp_path / "out")


@pytest.mark.application("learned")
def test_pages_of_the_training_are_counted(
    judge: Call, pages: Path, tmp_path: Path
) -> None:
    for name in "abc":
        (pages / f"{name}.html").write_text(f"<p>{name} one two three four <a>five</a>")
    # A tree of one leaf, which keeps everything, and was grown on two of the pages and another.
    leaf = Tree(*(np.array([number]) for number in (-1, 0.0, 0, 0, np.float32(1))))
    known = [(pages / f"{name}.html").read_bytes() for name in "ab"]
    no_column = np.zeros(0, dtype=np.int32)
    model = Model(
        "schaefer",
        1,
        no_column,
        leaf,
        "fixed",
        ModelProvenance(trained_on="news"),
        pages=packed(map(page_digest, [*known, b"<p>gone"])),
    )
    path = tmp_path / "model.npz"
    save_model(model, path)
    out = judge("--cleaners", f"learned('{path}'),bte,learned").ok().out
    named = f"2 of 3 pages of folder were in the training of learned('{path}'): its row flatters."
    assert named in out
    assert out.count("in the training of") == 1
    assert named in (tmp_path / "out" / "table.txt").read_text()


@pytest.mark.slow
def test_several_datasets(call: Call, pages: Path, tmp_path: Path) -> None:
    other = tmp_path / "more pages"
    shutil.copytree(pages, other)
    (other / "d.html").write_text("<p>no gold")
    output = tmp_path / "out"
    datasets = ("--dataset", f"folder={pages}", "--dataset", f"folder={other}")
    judge = ("judge", *datasets, "--output", output, "--cleaners", "words>=1,words>=2")
    shown = (
        call(*judge).ok().noted("more pages: 1 of 4 pages left out: no gold text (d)")
    )
    assert shown.out.startswith((output / "table.txt").read_text())
    assert "worst source" in shown.out
    assert (output / "sources" / "more pages" / "scores.csv").is_file()
    call(*judge).ok()
    (other / "a.txt").write_text("one")
    call(*judge).refused(1, "sources more pages pages was")
    call(*judge, "--overwrite").ok()
    call("check", output).ok()
