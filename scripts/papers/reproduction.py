"""The papers' tables and figures from a judged dataset, in a folder of their own."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boilersweep.cleaners.published.boilerpipe import NumWordsRules
from boilersweep.cleaners.published.filters import DEPTHS, Ancestor
from boilersweep.cleaners.rules import Rule
from boilersweep.errors import UsageError
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.judge import Judgements
from boilersweep.eval.judge.scores import PageScore, Score
from boilersweep.eval.training.learners import require_scikit_learn
from boilersweep.outputs.atomic import make_folder
from boilersweep.pages.columns import FloatArray, columns_of
from boilersweep.pages.compiled import make_segmenter
from boilersweep.work.progress import steps
from papers.annotated_columns import read_blocks
from papers.block_tables import (
    BLOCKS,
    SITES,
    write_cleaneval,
    write_density,
    write_depths,
    write_distributions,
    write_gains,
    write_perceptron,
    write_strategies,
    write_table2,
    write_text_mass,
)
from papers.published import GOOGLE_NEWS

# Datasets that the papers' figures are of.
REPRODUCED = ("l3s-gn1", "cleaneval")


def check_reproduction(dataset: str) -> None:
    """See that `reproduce` can work, by a dataset's name.

    Raises:
        UsageError: the papers print nothing of it, or scikit-learn is missing for it.
    """
    if dataset not in REPRODUCED:
        raise UsageError(
            f"expected the dataset {' or '.join(REPRODUCED)}, got {dataset}"
        )
    if dataset == "l3s-gn1":
        require_scikit_learn()


def reproduce(dataset: Dataset, found: Judgements, output: Path) -> list[Path]:
    """Write what the papers print of this dataset, beside ours; returns the files.

    L3S-GN1: Tables 1 and 2 and Figures 1, 2, 4 and 5 of the 2010 paper with the fits of its section
    5, Schäfer's classifiers, and the depths of Viveros-Jiménez' filter. CleanEval: Figures 2 and 3
    of the 2010 paper, CETR's column and the figures of Viveros-Jiménez. Raises OutputError, and
    UsageError as `check_reproduction`.
    """
    make_folder(output)
    scores: dict[str, FloatArray] = {
        one.cleaner: np.array([score.bag.f1 for score in one.scores])
        for one in found.judgements
    }
    if dataset.name == "l3s-gn1":
        write_strategies(scores, GOOGLE_NEWS, "figure2-googlenews", output)
        _reproduce_news(dataset, output)
    else:
        write_strategies(scores, {}, "figure2-cleaneval", output)
        write_cleaneval(
            {one.cleaner: of_means(one.scores) for one in found.judgements}, output
        )
        segmenter = make_segmenter(borders="paper")
        pages = [segmenter.html(page.utf8) for page in dataset.pages]
        write_density(
            columns_of([page.name for page in dataset.pages], pages), "figure3", output
        )
    return sorted(path for path in output.iterdir() if not path.name.startswith("."))


def of_means(scores: Sequence[PageScore]) -> Score:
    """Return mean precision and recall of words, and their harmonic mean, as CETR's F1 is."""
    precision, recall = (
        float(np.mean([getattr(score.word, name) for score in scores]))
        for name in ("precision", "recall")
    )
    return Score(precision, recall, 2 * precision * recall / (precision + recall or 1))


def _reproduce_news(dataset: Dataset, output: Path) -> None:
    filters: dict[int, Rule] = {
        depth: Ancestor(NumWordsRules(), depth) if depth else NumWordsRules()
        for depth in DEPTHS
    }
    with steps("reproduce", 7, "tables") as bar:
        blocks = read_blocks(dataset)
        write_distributions(blocks, output)
        bar.update()
        write_gains(blocks, output)
        bar.update()
        write_depths(blocks, filters, output)
        write_text_mass(blocks, output)
        bar.update()
        for split in (SITES, BLOCKS):
            write_perceptron(blocks, split, output)
            bar.update()
            write_table2(blocks, split, output)
            bar.update()
