"""`boilersweep judge` on the command line."""

import csv
from pathlib import Path

import pytest

from boilersweep.cli.main import main


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.html").write_text("<p>menu<p>one two three four <a>five</a>")
        (folder / f"{name}.txt").write_text("one two three four five")
    return folder


def judge(*arguments: object) -> int:
    return main(["judge", *map(str, arguments)])


def test_a_folder_of_pages(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (pages / "d.html").write_text("<p>no gold")
    output = tmp_path / "out"
    status = judge(
        *("--dataset", "folder", "--input", pages, "--output", output),
        *("--cleaners", "words>=1,words>=2 & link_density<=0.5"),
    )
    shown = capsys.readouterr()
    assert status == 0
    assert "1 of 4 pages left out: no gold text (d)" in shown.err
    assert shown.out.startswith((output / "table.txt").read_text())
    assert str(output / "scores.csv") in shown.out
    rows = (output / "scores.csv").read_text().splitlines()
    assert [row.split(",")[:7] for row in rows[1:]] == [
        # Five of six tokens are gold, and all five are found: F1 = 2 * 5 / (6 + 5).
        ["words>=1", "3", "0.8333", "1.0000", "0.9091", "0.9091", "0.9091"],
        ["words>=2 & link_density<=0.5", "3", *["1.0000"] * 5],
    ]


def test_an_extractor_of_a_library_or_of_ones_own(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def take(html):\n    raise ValueError('no')\n")
    monkeypatch.syspath_prepend(tmp_path)
    output = tmp_path / "out"
    status = judge(
        *("--dataset", "folder", "--input", pages, "--output", output),
        *("--cleaners", "cetr,mine:take"),
    )
    assert status == 0
    assert "mine:take failed on 3 pages (a): ValueError: no" in capsys.readouterr().err
    rows = (output / "scores.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["cetr", "mine:take"]


def test_all_cleaners_by_default(pages: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert judge("--dataset", "folder", "--input", pages, "--output", output) == 0
    with (output / "scores.csv").open(newline="") as file:
        judged = {row["cleaner"] for row in csv.DictReader(file)}
    assert {"keep-everything", "numwords-rules", "bte", "words>=10"} <= judged
    assert {"ancestor(numwords-rules, 2)", "largest-content(density-rules)", "cetr"} <= judged


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "dragnet"], "l3s-gn1"),
        (["--dataset", "folder", "--cleaners", "words>="], "expected a number"),
    ],
)
def test_wrong_usage(
    pages: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    with pytest.raises(SystemExit) as stopped:
        judge(*arguments, "--input", pages, "--output", tmp_path / "out")
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_what_is_no_dataset(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge("--dataset", "wcxb", "--input", pages, "--output", tmp_path / "out") == 1
    assert "with the folders html and ground-truth" in capsys.readouterr().err


def test_a_cleaner_twice(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = judge(
        *("--dataset", "folder", "--input", pages, "--output", tmp_path / "out"),
        *("--cleaners", "words>=1,words>=1"),
    )
    assert status == 2
    assert "words>=1 more often" in capsys.readouterr().err


def test_an_output_that_cannot_be_written(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert judge("--dataset", "folder", "--input", pages, "--output", tmp_path / "file") == 1
    assert "choose" in capsys.readouterr().err
