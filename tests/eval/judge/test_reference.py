"""A page beside its gold text: labels of blocks, and blocks that a text has."""

from pathlib import Path

import numpy as np
import pytest

from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.judge.reference import Reference, labels_of, references
from boilersweep.pages.columns import columns_of
from boilersweep.pages.compiled import make_segmenter

HTML = (
    "<ul><li>Home pages<li><h3>News of today</h3><p>all of it</ul>"
    "<h1>The <i>pony</i></h1><div>crossed the river</div><p>- | -</p>"
)
LABELLED = "<h> The pony\n<p> crossed the river"


def reference(gold: str = "The pony crossed the river", html: str = HTML) -> Reference:
    columns = columns_of(["1"], [make_segmenter(structure=True).html(html.encode())])
    page = JudgedPage("1", Path("1.html"), None, gold, "1", labelled=LABELLED)
    (found,) = references([page], columns)
    return found


def test_a_block_has_the_label_of_the_innermost_element_that_has_one() -> None:
    pages = [HTML, "<dl><dt>Term<dd>and <p>meaning</dl>end"]
    cut = [make_segmenter(structure=True).html(page.encode()) for page in pages]
    labels = labels_of(columns_of(["1", "2"], cut))
    assert labels[:5] == ["<l>", "<h>", "<l>", "<h>", "<p>"]
    assert labels[-4:] == ["<l>", "<l>", "<l>", "<p>"]


def test_a_mask_is_scored_by_its_blocks_and_labels() -> None:
    found = reference()
    keep = np.array([label != "<l>" for label in found.labels])
    score = found.score("News of today The pony crossed the river", keep)
    # Of five blocks with words one is decided wrongly: the heading in the list.
    assert score.block_accuracy == pytest.approx(4 / 5)
    # The gold text has 2 + 5 labels and words, the kept blocks 3 + 8.
    assert score.text_and_markup.f1 == pytest.approx(2 * 7 / (7 + 11))
    assert score.text_only.f1 == pytest.approx(2 * 5 / (5 + 8))


@pytest.mark.parametrize(
    ("text", "accuracy", "labelled"),
    [
        ("URL: http://pony.example\n" + LABELLED, 1, 1),
        # Without labels each line is a paragraph, so the heading has a wrong one.
        ("The pony\n\ncrossed the river", 1, 12 / 14),
        ("The pony crossed the river", 1, 10 / 13),
        ("all of it", 2 / 5, 2 / 11),
        ("", 3 / 5, 0),
    ],
)
def test_a_text_is_scored_by_the_blocks_it_has(
    text: str, accuracy: float, labelled: float
) -> None:
    score = reference().score(text)
    assert score.block_accuracy == pytest.approx(accuracy)
    assert score.text_and_markup.f1 == pytest.approx(labelled)
    assert (score.bag.f1 == 1) is (accuracy == 1)


@pytest.mark.parametrize(
    ("gold", "text", "accuracy"),
    [("", "", 1), ("", "a", 0), ("a", "", 0), ("a", "b", 1)],
)
def test_a_page_without_words_is_one_block(
    gold: str, text: str, accuracy: float
) -> None:
    assert reference(gold, "<p>- | -").score(text).block_accuracy == accuracy
