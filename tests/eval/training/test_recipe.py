"""The networks beside the shipped model's: headlines, and readers' comments."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.features import NAMES
from boilersweep.cleaners.learned.model import CLASSES, save_model
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.training import recipe, validation
from boilersweep.eval.training.sources import Source
from boilersweep.eval.training.train import TrainingRequest, finish, prepare
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.compiled import make_segmenter

STORY = "<p>The pony crossed the river before the rain came down, and people in {} saw it.</p>"
COMMENT = "<div class='{}'><p>I think that you are right, thanks for {}! My pony says so.</p></div>"


def page(town: str, mark: str) -> str:
    comments = "".join(
        COMMENT.format(mark, f"{word} {town}") for word in ("this", "that", "it")
    )
    title = f"News of the day from {town}"
    menu = "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
    story = STORY.format(town) * 3
    return f"<title>{title}</title>{menu}<h1>{title}</h1>{story}<div>{comments}</div>"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Twenty pages that mark their comments, which their gold texts leave out."""
    (tmp_path / "html").mkdir()
    (tmp_path / "text").mkdir()
    for number in range(20):
        town = f"town{number}"
        (tmp_path / "html" / f"{number}.html").write_text(page(town, "comment"))
        gold = f"News of the day from {town}\n{STORY.format(town) * 3}"
        (tmp_path / "text" / f"{number}.txt").write_text(gold)
    return tmp_path


def columns_with(mark: str) -> BlockColumns:
    segmenter = make_segmenter(structure=True)
    return columns_of([mark], [segmenter.html(page("Rome", mark).encode())])


@pytest.mark.application("learned")
def test_comments_without_marks_are_found(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(
        recipe.RECIPE, members=1, hidden=4, sampled=1.0, epochs=25, rate=0.01, batch=32
    )
    monkeypatch.setattr(recipe, "RECIPE", small)
    monkeypatch.setattr(
        recipe, "CLASS_RECIPE", replace(small, penalty=0.1, views=(1.0, 0.5))
    )
    monkeypatch.setattr(validation, "FOLDS", 2)
    dataset = read_dataset("folder", pages)
    model = finish(
        prepare(TrainingRequest((Source(dataset),), "learned", "paragraphs", 1))
    )
    assert tuple(model.classes) == CLASSES
    read = np.array([name.startswith(("own:", "near:", "all:")) for name in NAMES])
    assert not model.classes["comment"].scale[read].any()
    save_model(model, tmp_path / "model.npz")
    rule = Learned.made_of(str(tmp_path / "model.npz"))
    seen, unmarked = (columns_with(mark) for mark in ("comment", "y"))
    places = [n for n, text in enumerate(seen.texts) if text.startswith("I think")]
    for one in (seen, unmarked):
        found = rule.class_probabilities(one)
        assert found["comment"][places].min() > 0.5
        assert found["headline"].argmax() == seen.texts.index(
            "News of the day from Rome"
        )
