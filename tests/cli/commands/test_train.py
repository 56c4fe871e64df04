"""`boilersweep train` on the command line."""

import argparse
from pathlib import Path

import pytest

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cli.commands import train
from boilersweep.cli.main import main

STORY = "The pony crossed the river before the rain came down in the evening, they said."


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in range(8):
        text = f"{STORY} {name} " + " ".join(f"word{name}x{n}" for n in range(80))
        (folder / f"{name}.html").write_text(f"<li><a>Home</a><li><a>News</a><p>{text}</p>")
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_a_model_from_a_folder_of_pages(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "model.npz"
    status = main(
        f"train --dataset folder --input {pages} --model logistic --features schaefer "
        f"--output {output}".split()
    )
    shown = capsys.readouterr().out
    assert status == 0
    assert "logistic on 8 pages of folder, cross-validated by site: word_f1" in shown
    assert str(output) in shown
    assert str(Learned.made_of(str(output))) == f"learned('{output}')"


def test_names_that_do_not_go_together(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(
        f"train --dataset folder --input {pages} --model learned --features schaefer "
        f"--output {tmp_path / 'model.npz'}".split()
    )
    assert status == 2
    assert "reads the features paragraphs" in capsys.readouterr().err
    assert not (tmp_path / "model.npz").exists()


def test_a_seed_is_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    train.add_parser(parser.add_subparsers())
    with pytest.raises(SystemExit):
        parser.parse_args(["train", "--seed", "x"])
