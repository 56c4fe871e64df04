"""Tables of classes, thresholds and cleaners, worked out by hand; the published figures."""

from typing import Any

import numpy as np
import pytest
from papers import published
from papers.distributions import (
    LINKED,
    blocks_by_class,
    table1,
    words_by_class,
    words_of_long_text,
)
from papers.published_cleaners import (
    character_scores,
    cleaneval_table,
    depth_table,
    strategies_table,
)
from papers.table2 import ALGORITHMS
from papers.thresholds import (
    THRESHOLDS,
    balanced,
    most_correct,
    threshold_scores,
)

from boilersweep import parse_cleaner
from boilersweep.cleaners.rules import Comparison, Rule
from boilersweep.cli.commands.judge import as_judged
from boilersweep.eval.judge.datasets.judged_page import CLASSES
from boilersweep.eval.judge.scores import Score
from boilersweep.pages.columns import columns_of
from boilersweep.pages.segmenter import Segmenter

COLUMNS = columns_of(
    ["d"],
    [Segmenter().html(b"<p><a>Home</a> - news<p>One two three four<p>Two <a>more</a>")],
)
KINDS = np.array([0, 2, 2])


def test_table_1_by_hand() -> None:
    rows = {str(row["class"]): row for row in table1(COLUMNS, KINDS)}
    assert list(rows) == ["total", *CLASSES]
    assert [rows["total"][unit] for unit in ("blocks", "words", "tokens")] == [3, 8, 9]
    assert [rows["full text"][unit] for unit in ("blocks", "words", "tokens")] == [
        2,
        6,
        6,
    ]
    assert rows["full text"]["words_share"] == 0.75
    assert rows["not content"]["tokens"] == 3  # Home, -, news
    assert rows["full text"]["paper_words_share"] == 0.51


def test_distributions_by_hand() -> None:
    by_density = words_by_class(COLUMNS, KINDS)
    assert by_density["not content"].tolist() == [0, 0, 1, 0, 0]
    assert by_density["full text"].tolist() == [0, 0, 1, 0, 4]
    assert by_density[LINKED].tolist() == [0, 0, 2, 0, 0]
    by_words = blocks_by_class(COLUMNS, KINDS)
    assert by_words["full text"].tolist() == [0, 0, 1, 0, 1]
    # Of 2, 4 and 2 words, the first with three tokens: "Home - news"
    assert words_of_long_text(COLUMNS, 3) == {
        "words>=3": 4,
        "density>=3": 4,
        "difference of density": 0,
        "tokens>=3": 7,
        "density over tokens>=3": 7,
        "difference of density over tokens": 0,
    }


def test_thresholds_by_hand() -> None:
    boilerplate = np.array([True, True, True, False])
    scores = threshold_scores(
        boilerplate, np.array([0.9, 0.6, 0.2, 0.6]), [0.1, 0.5, 0.7, 1.0]
    )
    assert [one.accuracy for one in scores] == [0.75, 0.5, 0.5, 0.25]
    assert [one.precision for one in scores] == [0.75, 2 / 3, 1, 0]
    assert [one.recall for one in scores] == [1, 2 / 3, 1 / 3, 0]
    assert [one.f1 for one in scores] == pytest.approx([6 / 7, 2 / 3, 1 / 2, 0])
    assert balanced(scores).threshold == 0.5
    assert balanced(scores[2:]).threshold == 0.7  # not 1, where nothing is chosen
    assert most_correct(scores).threshold == 0.1
    assert THRESHOLDS[0] == 0
    assert THRESHOLDS[50] == 0.5
    assert THRESHOLDS[-1] == 1


def test_the_perceptrons_positive_class_is_boilerplate() -> None:
    # F1 .968 where precision and recall are equal is .032 + .032 of the positive class wrong;
    # accuracy .948 is .052 of all wrong: the positive class has .052 / .064 = 81 % of the blocks.
    wrong = 2 * (1 - published.BALANCED["f1"])
    assert (1 - published.BALANCED["accuracy"]) / wrong == pytest.approx(0.81, abs=0.01)


def test_characters_by_hand() -> None:
    # Texts of 11, 18 and 8 characters; content is the last two.
    content = KINDS == 2
    scores = character_scores(COLUMNS, content, np.array([True, True, False]))
    assert scores.precision == pytest.approx(18 / 29)
    assert scores.recall == pytest.approx(18 / 26)
    assert scores.f1 == pytest.approx(36 / 55)
    assert character_scores(COLUMNS, content, np.zeros(3, dtype=bool)).f1 == 0


def test_depths_stand_beside_the_papers() -> None:
    rules: dict[int | str, Rule] = {
        0: Comparison("words", ">=", 1),
        2: Comparison("words", ">=", 4),
        "justext": Comparison("words", ">=", 2),
    }
    rows = depth_table(COLUMNS, KINDS == 2, rules)
    assert [row["depth"] for row in rows] == [0, 2, "justext"]
    assert rows[2]["paper_f1"] == 0.84
    assert rows[0]["paper_f1"] == 0.83
    assert rows[0]["recall"] == 1
    assert (rows[1]["precision"], rows[1]["paper_f1"]) == (1, 0.89)


def test_strategies_and_cetr_stand_beside_the_papers() -> None:
    scores = {
        "keep-everything": np.array([0.2, 0.4, 0.9]),
        "mine": np.array([1.0, 0.5, 0.6]),
    }
    rows = strategies_table(scores, published.GOOGLE_NEWS)
    assert [row["cleaner"] for row in rows] == ["mine", "keep-everything"]
    assert (rows[1]["f1_mean"], rows[1]["f1_median"]) == (0.5, 0.4)
    assert (rows[0]["paper_f1_mean"], rows[1]["paper_f1_mean"]) == (None, 0.685)
    given = {"cetr": Score(0.8, 0.7, 0.9), "numwords-rules": Score(0.5, 0.6, 0.7)}
    table = {row["cleaner"]: row for row in cleaneval_table(given)}
    assert list(table["cetr"].values()) == [
        "cetr",
        0.8,
        0.7,
        0.9,
        0.9472,
        None,
        None,
        None,
    ]
    assert list(table["numwords-rules"].values())[3:] == [0.7, None, 0.95, 0.74, 0.83]
    assert table["vips"]["f1"] is None
    assert len(table) == 14


def test_every_row_of_table_2_is_there() -> None:
    assert list(ALGORITHMS) == list(published.TABLE_2)
    assert len(ALGORITHMS) == 17
    last = published.TABLE_2["C4.8 All Local Features + Global Freq."]
    assert (last.dimensions, last.two.f1, last.two.auc, last.four.auc) == pytest.approx(
        (67, 0.951, 0.98, 0.969)
    )
    assert (last.two_leaves, last.four_leaves) == (99, 125)


@pytest.mark.parametrize("dataset", published.BY_CLEANER)
def test_every_printed_cleaner_has_a_row_of_ours(dataset: str) -> None:
    # Rows are found by what a cleaner is called where it runs
    named = {
        # vips is found only where Chromium is
        name if name == "vips" else str(as_judged(parse_cleaner(name)))
        for name in published.BY_CLEANER[dataset]
    }
    assert named == set(published.BY_CLEANER[dataset])
    figures: dict[str, dict[str, Any]] = {
        "l3s-gn1": published.GOOGLE_NEWS,
        "cleaneval": published.CETR_CLEANEVAL | published.VIVEROS_CLEANEVAL,
    }
    assert named == set(figures[dataset])


def test_every_dictionary_of_figures_is_used() -> None:
    """A figure has a row of ours, or a reason."""
    tables = {
        name
        for name, value in vars(published).items()
        if name.isupper() and isinstance(value, dict)
    }
    assert tables == {
        "TABLE_2",
        "TOTALS",
        "SHARES",
        "FITS",
        "GOOGLE_NEWS",
        "PERCEPTRON",
        "BALANCED",
        "DEPTHS",
        "FOLD_MEANS",
        "SCHAEFER_TABLE_3",
        "VIVEROS_CLEANEVAL",
        "CETR_CLEANEVAL",
        "BY_CLEANER",
    }
