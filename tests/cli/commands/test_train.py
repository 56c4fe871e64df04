"""`boilersweep train` on the command line."""

from pathlib import Path
from unittest import mock

import pytest

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.eval.training import curve
from boilersweep.eval.training.learners import LEARNERS
from tests.cli.conftest import Call

STORY = (
    "The pony crossed the river before the rain came down in the evening, they said."
)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in range(8):
        text = f"{STORY} {name} " + " ".join(f"word{name}x{n}" for n in range(80))
        (folder / f"{name}.html").write_text(
            f"<li><a>Home</a><li><a>News</a><p>{text}</p>"
        )
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_a_learning_curve_among_the_pages_is_refused(
    call: Call, pages: Path, tmp_path: Path
) -> None:
    before = sorted(pages.iterdir())
    line = f"train --dataset folder --input {pages} --output {tmp_path / 'm.npz'}"
    call(*line.split(), "--learning-curve", pages).refused(2, "outside of the input")
    assert sorted(pages.iterdir()) == before


@pytest.mark.slow
def test_a_model_from_a_folder_of_pages(
    call: Call, pages: Path, tmp_path: Path
) -> None:
    output = tmp_path / "model.npz"
    kind = ("--model", "logistic", "--features", "schaefer", "--output", output)
    shown = call("train", "--dataset", "folder", "--input", pages, *kind).ok().out
    assert "logistic on 8 pages of folder, cross-validated by site: word_f1" in shown
    assert str(output) in shown
    assert str(Learned.made_of(str(output))) == f"learned('{output}')"


def test_a_tree_is_printed_and_is_a_rule(
    call: Call, pages: Path, tmp_path: Path
) -> None:
    # A leaf has at least a thousand words
    for page in pages.glob("*.html"):
        page.write_text("<li><a>Home</a>" * 400 + page.read_text())
        text = page.with_suffix(".txt")
        text.write_text(text.read_text() + " more words" * 200)
        page.write_text(page.read_text() + " more words" * 200)
    asked = "train --dataset folder --model tree --prune --features".split()
    asked += ["curr_words,link_density", "--input", str(pages)]
    model = tmp_path / "m.npz"
    shown = call(*asked, "--output", model).ok("2 leaves", "curr_").out
    [rule] = [line for line in shown.splitlines() if line.startswith("rule: ")]
    kept = [
        call("clean", pages / "1.html", "--keep", keep).ok("The pony").out
        for keep in (rule.removeprefix("rule: "), f"learned('{model}')")
    ]
    assert kept[0] == kept[1]
    assert "Home" not in kept[0]
    assert Learned.made_of(str(model))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--model tree --features wordz", "got 'wordz' (did you mean words"),
        ("--model logistic --features words --prune", "--prune requires the model"),
        ("--features words", "the model learned reads the features paragraphs"),
    ],
)
def test_features_and_pruning_that_are_refused(
    call: Call, pages: Path, tmp_path: Path, options: str, message: str
) -> None:
    line = f"train --dataset folder --input {pages} --output {tmp_path / 'm.npz'}"
    call(*line.split(), *options.split()).refused(2, message)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    home = tmp_path / "strings"
    (home / "html").mkdir(parents=True)
    lines = []
    for name in range(6):
        text = f"{STORY} {name} " + " ".join(f"more{name}x{n}" for n in range(80))
        (home / "html" / f"{name}.html").write_text(f"<li>Home<li>News<p>{text}</p>")
        lines.append(
            f'{{"name": "{name}", "with": ["pony crossed"], "without": ["Home"]}}\n'
        )
    (home / "snippets.jsonl").write_text("".join(lines))
    return home


def test_a_model_of_two_sources_is_made_again_byte_for_byte(
    call: Call, pages: Path, other: Path, tmp_path: Path
) -> None:
    output = tmp_path / "model.npz"
    asked = (
        f"train --dataset folder={pages} --dataset snippets={other} --model logistic --features "
        f"schaefer --seed 3 --weights snippets=0.5 --leave-out source,site --output {output}"
    )
    shown = call(*asked.split()).ok().out
    assert (
        "logistic on 14 pages of pages, snippets, cross-validated by site: word_f1"
        in shown
    )
    rows = [line.split() for line in shown.splitlines()]
    assert ["source", "pages", "rows", "share", "by", "site", "by", "source"] in rows
    # Of the strings' pages the list's "News" has no label.
    assert any(row[:4] == ["snippets", "6", "12", "0.333"] for row in rows)
    said = Learned.made_of(str(output)).provenance
    assert said.trained_on == "pages, snippets"
    command = said.command.removeprefix("boilersweep ")
    again = tmp_path / "again.npz"
    places = {"folder=pages": f"folder={pages}", "snippets=DIR": f"snippets={other}"}
    for place, folder in {**places, "FILE": str(again)}.items():
        command = command.replace(place, folder)
    call(*command.split()).ok()
    assert again.read_bytes() == output.read_bytes()
    assert {source.label: source.share for source in said.sources} == {
        "pages": 0.6667,
        "snippets": 0.3333,
    }
    held_out = {source.label: source.held_out for source in said.sources}
    assert held_out["pages"].keys() == held_out["snippets"].keys() == {"site", "source"}
    assert held_out["pages"]["source"]["word_f1"] > 0.9
    assert held_out["snippets"]["source"]["balanced"] > 0.9


@pytest.mark.slow
def test_a_learning_curve_is_drawn_on_demand(
    call: Call,
    pages: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fits = mock.Mock(side_effect=LEARNERS["logistic"])
    monkeypatch.setitem(LEARNERS, "logistic", fits)
    monkeypatch.setattr(curve, "SHARES", (0.5, 1.0))
    line = (
        f"train --dataset folder={pages} --model logistic --features schaefer --output "
        f"{tmp_path / 'model.npz'} --learning-curve {tmp_path / 'curve'}"
    )
    call(*line.split()).ok(str(tmp_path / "curve" / "learning-curve.svg"))
    # The curve, then the model with its cross-validation
    assert fits.call_count == 5 + 5 + 6
