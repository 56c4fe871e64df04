"""What the drawing of a page tells of its paragraphs, and models that see it."""

from dataclasses import replace
from pathlib import Path

import drawn_features as drawing
import numpy as np
import pytest

from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.eval.training import recipe
from boilersweep.eval.training.sources import Source
from boilersweep.eval.training.train import LEARNED, Asked, prepare
from boilersweep.pages.boxes import Boxes, nothing
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.compiled import make_segmenter

PAGES = (
    "<div>home</div><main><p>one <b>two</b> three four</p><p>five six</p></main><p>gone",
    "<p>alone",
)


def _columns() -> BlockColumns:
    segmenter = make_segmenter(borders="paper", structure=True)
    return columns_of(["a", "b"], [segmenter.html(page.encode()) for page in PAGES])


def _boxes(columns: BlockColumns) -> Boxes:
    """The first page by hand; the second one was not drawn."""
    assert columns.structure
    blocks = nothing(len(columns.words))
    corners = [
        [0, 0, 50, 20],
        [200, 20, 240, 50],
        [240, 20, 300, 50],
        [300, 20, 600, 50],
        [200, 60, 300, 90],
    ]
    blocks.left[:5], blocks.top[:5], blocks.right[:5], blocks.bottom[:5] = np.array(corners).T
    blocks.size[:6], blocks.size[0] = 20, 10
    blocks.weight[:6], blocks.weight[2] = 400, 700
    blocks.background[:6], blocks.background[0] = 0xFFFFFF, 0x000000
    blocks.colour[0] = 0xFF0000
    blocks.shown[:5] = blocks.matched[:6] = True
    elements = nothing(len(columns.structure.names))
    elements.right[:] = 1280
    return Boxes(
        blocks=blocks,
        elements=elements,
        rules=nothing(0),
        rule_starts=np.zeros(3, dtype=np.int64),
        rule_elements=np.zeros(0, dtype=np.int64),
        widths=np.array([1280, 0]),
        heights=np.array([1024, 0]),
    )


def test_features_by_hand() -> None:
    columns = _columns()
    found = drawing.drawn_features(columns, _boxes(columns))
    assert found.values.shape == (5, len(found.groups))
    assert list(dict.fromkeys(found.groups)) == list(drawing.GROUPS)
    assert np.isfinite(found.values).all()
    of = {group: found.values[:, np.array(found.groups) == group] for group in drawing.GROUPS}
    left, right, width, aside = of["box"][:, :4].T
    np.testing.assert_allclose(left * 1280, [0, 200, 200, 0, 0])
    np.testing.assert_allclose(right * 1280, [50, 600, 300, 0, 0])
    np.testing.assert_allclose(width * 1280, [50, 400, 100, 0, 0])
    assert aside[1] == pytest.approx(0.5 - 400 / 1280)
    # Of the seven words that are seen six are in the large font, one of these bold.
    np.testing.assert_allclose(of["font"][:3, 0], [10 / 16, 20 / 16, 20 / 16])
    assert of["font"][1, 1] == pytest.approx(7 * 20 / 130, rel=1e-2)
    assert of["font"][1, 2] == pytest.approx(1 / 4, rel=1e-2)
    assert of["font"][2, 4] == pytest.approx(5 / 7, rel=1e-2)
    light, chroma, ground = of["colours"][:3, :3].T
    np.testing.assert_allclose(light, [0.2126, 0, 0])
    np.testing.assert_allclose(chroma, [1, 0, 0])
    np.testing.assert_allclose(ground, [0, 1, 1])
    assert of["colours"][1, 5] == pytest.approx(6 / 7, rel=1e-2)
    assert of["hidden"][:, 0].tolist() == [0, 0, 0, 1, 1]
    assert of["hidden"][:, 2].tolist() == [0, 0, 1, 1, 1]
    assert of["hidden"][0, 3] == 1 / 4


@pytest.mark.slow
@pytest.mark.exhaustive
def test_models_that_see_the_drawing_find_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages whose markup says nothing of their content, and whose drawing says it all."""
    pytest.importorskip("sklearn")
    # So few rows are learned from in more steps.
    quick = replace(recipe.RECIPE, members=1, sampled=1.0, epochs=50, rate=0.02, penalty=0.01)
    monkeypatch.setattr(recipe, "RECIPE", quick)
    drawn = np.random.default_rng(3)
    pages = []
    content = []
    for number in range(24):
        is_content = drawn.permutation([True, True, False, False])
        content += is_content.tolist()
        words = [" ".join(f"w{number}x{k}x{n}" for n in range(12)) for k in range(4)]
        path = tmp_path / f"{number}.html"
        path.write_text("".join(f"<p>{text}" for text in words))
        gold = "\n".join(text for text, one in zip(words, is_content, strict=True) if one)
        page = JudgedPage(str(number), path, None, gold, f"s{number}.example")
        pages.append(replace(page, page_type="forum" if number % 4 else "listing"))
    dataset = Dataset("folder", tmp_path, pages)
    training = prepare(Asked((Source(dataset),), LEARNED, recipe.FEATURES, seed=1))
    values = np.array(content, dtype=np.float64)[:, None]
    trial = drawing.Trial(training, drawing.DrawnRows(values, ["hidden"]))
    without, seen = trial.word_f1([], 1), trial.word_f1(["hidden"], 1)
    assert seen.mean() > 0.9 > 0.7 > without.mean()
    np.testing.assert_array_equal(trial.word_f1([], 1), without)
    _, _, *rows = drawing.table(training, without, {"hidden": seen}).splitlines()
    assert [row.split()[:-5] for row in rows] == [["folder"], ["-", "forum"], ["-", "listing"]]
    difference = f"{(seen - without).mean():+.4f}"
    assert rows[0].split()[1:4] == ["24", f"{without.mean():.4f}", difference]
