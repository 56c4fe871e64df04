"""`scripts/reproduce_papers.py`: the papers' figures beside ours."""

import csv
from pathlib import Path

import pytest
from reproduce_papers import main

PAGE = "<p>menu<p>one two three four five six seven eight nine ten <a>eleven</a>"
GOLD = "URL: http://x\n<p> one two three four five six seven eight nine ten eleven"


@pytest.fixture
def cleaneval(tmp_path: Path) -> Path:
    for folder in ("input", "GoldStandard"):
        (tmp_path / "ce" / folder).mkdir(parents=True)
    for number in (1, 2, 3):
        (tmp_path / "ce" / "input" / f"{number}.html").write_text(PAGE)
        (tmp_path / "ce" / "GoldStandard" / f"{number}.txt").write_text(GOLD)
    return tmp_path / "ce"


def test_what_the_papers_print_of_cleaneval(cleaneval: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    arguments = [
        "--dataset",
        "cleaneval",
        "--input",
        str(cleaneval),
        "--output",
        str(output),
    ]
    assert (
        main([*arguments, "--cleaners", "words>=1,bte,cetr,ancestor(numwords-rules)"])
        == 0
    )
    with (output / "cleaneval.csv").open(newline="") as file:
        rows = {row["cleaner"]: row for row in csv.DictReader(file)}
    # Gold: 11 words. Both keep "menu", too, as BTE has no tag less without it: P 11/12, R 1.
    assert float(rows["words>=1"]["f1"]) == pytest.approx(22 / 23)
    assert rows["bte"]["cetr_f1"] == "0.9313"
    assert rows["cetr"]["f1"]
    assert rows["ancestor(numwords-rules, 2)"]["viveros_f1"] == "0.78"
    assert (output / "figure2-cleaneval.csv").exists()
    assert (output / "figure3.csv").exists()


def test_a_dataset_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--dataset", "cleaneval", "--input", str(tmp_path / "none")]
    assert main([*arguments, "--output", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.startswith("reproduce_papers: ")
