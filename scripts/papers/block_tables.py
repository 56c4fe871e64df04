"""Everything of the papers that blocks with classes reproduce, written to a folder.

One CSV file per table or figure, with the published figures where the paper prints any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from boilersweep.cleaners.rules import Rule
from boilersweep.eval.judge.leaks import folds
from boilersweep.eval.judge.scores import Score
from boilersweep.eval.study.suggestion import fit_two_class
from boilersweep.features.kohlschuetter import kohlschuetter_features
from boilersweep.features.recurrence import block_frequencies
from boilersweep.features.schaefer import schaefer_features
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.csvtext import csv_text
from boilersweep.pages.columns import BlockColumns, BoolArray, FloatArray, IntArray
from papers.annotated_columns import AnnotatedBlocks
from papers.classifiers import (
    logistic_regression,
    perceptron,
    perceptron_errors,
    rbf_svm,
)
from papers.crossvalidation import FOLDS, class_scores, held_out, scattered_folds
from papers.densitymodel import fit_density, words_by_density
from papers.distributions import (
    blocks_by_class,
    table1,
    token_density,
    words_by_class,
    words_of_long_text,
)
from papers.drawings import (
    draw_errors,
    draw_gains,
    draw_spread,
    draw_text_mass,
    draw_thresholds,
)
from papers.gain import information_gains
from papers.geometric import fit_geometric
from papers.published import BALANCED, FITS, FOLD_MEANS, PERCEPTRON, SCHAEFER_TABLE_3
from papers.published_cleaners import (
    cleaneval_table,
    depth_table,
    strategies_table,
)
from papers.table2 import ALGORITHMS, table2, table2_rows
from papers.thresholds import (
    ThresholdScores,
    balanced,
    fold_rows,
    mean_scores,
    most_correct,
    threshold_scores,
)

# The two ways of cross-validation: no site on both sides, or blocks at random as the papers.
SITES, BLOCKS = "sites", "blocks"

_SCORES = ("precision", "recall", "f1", "correct")
_FOLD = 9  # that Schäfer's Figure 4 shows
_ONE_RULE = 10.5  # the text density that 1R found, in Table 2


def write_rows(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    """Write rows of equal or growing keys as CSV.

    Raises:
        OutputError: a file cannot be written.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    write_text(
        path, csv_text(columns, ([row.get(name) for name in columns] for row in rows))
    )


def write_distributions(blocks: AnnotatedBlocks, output: Path) -> None:
    """Table 1, Figures 4 and 5 and the fits of section 5 of the 2010 paper.

    Raises:
        OutputError: a file cannot be written.
    """
    columns = blocks.columns
    write_rows(table1(columns, blocks.classes), output / "table1.csv")
    histogram = np.bincount(columns.words)
    stop, fit = fit_geometric(histogram)
    two_class = fit_two_class(histogram)
    density = fit_density(words_by_density(columns.density, columns.words))
    ours: dict[str, dict[str, float | None]] = {
        "geometric": asdict(fit) | {"stop": stop},
        "two classes": asdict(two_class.fit)
        | {
            name: getattr(two_class, name)
            for name in ("short_share", "short_stop", "long_stop")
        }
        | {"crossing": two_class.crossing},
        "text density": asdict(density.fit)
        | {
            f"{kind}_{name}": value
            for kind in ("template", "fulltext", "fuzzy")
            for name, value in asdict(getattr(density, kind)).items()
        },
        "long text": {**words_of_long_text(columns), **_one_rules(blocks)},
    }
    write_rows(
        [
            {"model": model, "figure": name, "value": value, "paper": paper.get(name)}
            for model, values in ours.items()
            for paper in (FITS.get(model, {}),)
            for name, value in values.items()
        ],
        output / "fits.csv",
    )
    by_words = blocks_by_class(columns, blocks.classes)
    by_density = words_by_class(columns, blocks.classes)
    write_rows(_spread("words", by_words), output / "figure4.csv")
    write_rows(_spread("text_density", by_density), output / "figure5.csv")
    # Most blocks are short, and not content
    draw_spread("number of words", "blocks", by_words, output / "figure4", "symlog")
    draw_spread("text density", "words", by_density, output / "figure5")


def _one_rules(blocks: AnnotatedBlocks) -> dict[str, float]:
    """Return the F1 of 1R's threshold of Table 2, over words and over tokens."""
    densities = {
        "density": blocks.columns.density,
        "density over tokens": token_density(blocks.columns),
    }
    return {
        f"F1 of {name}>={_ONE_RULE}": class_scores(
            blocks.two_classes,
            np.column_stack([values < _ONE_RULE, values >= _ONE_RULE]).astype(float),
            blocks.columns.words,
        ).f1
        for name, values in densities.items()
    }


def write_gains(blocks: AnnotatedBlocks, output: Path) -> None:
    """Figure 1 of the 2010 paper, for two and for four classes.

    Raises:
        OutputError: a file cannot be written.
    """
    columns = blocks.columns
    table = kohlschuetter_features(columns, block_frequencies([columns]))
    gains = {
        number: information_gains(table, classes, columns.words)
        for number, classes in ((2, blocks.two_classes), (4, blocks.four_classes))
    }
    described = {feature.name: feature.description for feature in table.features}
    write_rows(
        [
            {
                "feature": name,
                "gain_2": gain,
                "gain_4": gains[4][name],
                "is": described[name],
            }
            for name, gain in gains[2].items()
        ],
        output / "figure1.csv",
    )
    draw_gains(gains, output / "figure1")


def write_table2(
    blocks: AnnotatedBlocks,
    split: str,
    output: Path,
    names: Sequence[str] = tuple(ALGORITHMS),
) -> None:
    """Table 2 of the 2010 paper, cross-validated by SITES or BLOCKS: `table2-<split>.csv`.

    Raises:
        OutputError: scikit-learn is missing.
        UsageError: scikit-learn is missing.
    """
    columns = blocks.columns
    rows = table2(
        kohlschuetter_features(columns, block_frequencies([columns])),
        [(blocks.two_classes, 2), (blocks.four_classes, 4)],
        columns.words,
        _folds(blocks, split),
        names,
    )
    write_rows(table2_rows(rows), output / f"table2-{split}.csv")


def write_perceptron(blocks: AnnotatedBlocks, split: str, output: Path) -> None:
    """Schäfer's Figures 2 to 4, Tables 1 and 2: `perceptron-<split>`; Table 3: `schaefer-<split>`.

    Raises:
        OutputError: scikit-learn is missing.
        UsageError: scikit-learn is missing.
    """
    features = schaefer_features(blocks.columns).values
    boilerplate = 1 - blocks.two_classes
    learners = (perceptron, rbf_svm, logistic_regression)
    words, fold_of = blocks.columns.words, _folds(blocks, split)
    found_by = {
        name: held_out(learner, features, boilerplate, words, fold_of, 2)[:, 1]
        for name, learner in zip(SCHAEFER_TABLE_3, learners, strict=True)
    }
    chances_of = {
        name: np.column_stack([1 - found, found]) for name, found in found_by.items()
    }
    ones = np.ones_like(words)
    correct = []
    for name, paper in SCHAEFER_TABLE_3.items():
        of_classes = class_scores(boilerplate, chances_of[name], ones)
        share = float(((found_by[name] >= 0.5) == boilerplate).mean())
        ours = (of_classes.precision, of_classes.recall, of_classes.f1, share)
        row: dict[str, object] = {"classifier": name}
        for field, value, printed in zip(_SCORES, ours, paper, strict=True):
            row |= {field: round(value, 4), f"paper_{field}": printed}
        correct.append(row)
    write_rows(correct, output / f"schaefer-{split}.csv")
    scores = threshold_scores(boilerplate == 1, found_by["mlp"])
    half = next(one for one in scores if one.threshold == PERCEPTRON["threshold"])
    found = (("at .5", half, PERCEPTRON), ("balanced", balanced(scores), BALANCED))
    write_rows([asdict(one) for one in scores], output / f"perceptron-{split}.csv")
    write_rows(
        [_beside(name, one, paper) for name, one, paper in found]
        + [_beside("most correct", most_correct(scores), {})],
        output / f"perceptron-{split}-summary.csv",
    )
    _write_folds(boilerplate == 1, found_by["mlp"], fold_of, split, output)
    errors = perceptron_errors(features, boilerplate, fold_of)
    draw_errors(errors, output / f"perceptron-{split}-errors")
    rows = [
        {
            "fold": fold,
            "epoch": epoch,
            **{name: float(errors[name][fold, epoch]) for name in errors},
        }
        for fold, epoch in np.ndindex(errors["training"].shape)
    ]
    write_rows(rows, output / f"perceptron-{split}-errors.csv")


def _write_folds(
    boilerplate: BoolArray,
    chances: FloatArray,
    fold_of: IntArray,
    split: str,
    output: Path,
) -> None:
    """Write Schäfer's Tables 1 and 2 with a row per fold, and draw his Figures 3 and 4."""
    by_fold = [
        threshold_scores(boilerplate[fold_of == fold], chances[fold_of == fold])
        for fold in np.unique(fold_of)
    ]
    rows = fold_rows(by_fold)
    printed: dict[str, object] = {
        f"paper_{name}": value for name, value in FOLD_MEANS.items()
    }
    rows[-2:] = [row | printed for row in rows[-2:]]
    write_rows(rows, output / f"perceptron-{split}-folds.csv")
    printed_marks = {
        "paper, balanced": (BALANCED["threshold"], BALANCED["f1"]),
        "paper, most correct": (PERCEPTRON["threshold"], PERCEPTRON["accuracy"]),
    }
    fold = by_fold[min(_FOLD, len(by_fold)) - 1]
    for name, scores, marks in (
        ("mean", mean_scores(by_fold), printed_marks),
        (f"fold-{_FOLD}", fold, {}),
    ):
        even, best = balanced(scores), most_correct(scores)
        ours = {
            "balanced": (even.threshold, even.f1),
            "most correct": (best.threshold, best.accuracy),
        }
        draw_thresholds(
            [asdict(one) for one in scores],
            ours | marks,
            f"Perceptron on held-out {split}, {name}",
            output / f"perceptron-{split}-{name}",
        )


def write_depths(
    blocks: AnnotatedBlocks, rules: Mapping[int, Rule], output: Path
) -> None:
    """Viveros-Jiménez' Table 2: depth -> the ancestor filter, 0 -> none.

    Raises:
        OutputError: a file cannot be written.
    """
    content = blocks.two_classes == 1
    write_rows(
        depth_table(blocks.columns, content, rules), output / "ancestor-depths.csv"
    )


def write_density(columns: BlockColumns, name: str, output: Path) -> None:
    """Figure 3 of the 2010 paper, words by text density without classes: `<name>.csv`.

    Raises:
        OutputError: a file cannot be written.
    """
    proportions = words_by_density(columns.density, columns.words)
    words = {"words": proportions * float(columns.words.sum())}
    write_rows(_spread("text_density", words), output / f"{name}.csv")
    draw_spread("text density", "words", words, output / name)


def write_text_mass(blocks: AnnotatedBlocks, output: Path) -> None:
    """Schäfer's Figure 1, of the page with the median number of blocks: `text-mass.csv`.

    Raises:
        OutputError: a file cannot be written.
    """
    starts = blocks.columns.starts
    page = int(np.argsort(np.diff(starts), kind="stable")[(len(starts) - 1) // 2])
    here = slice(int(starts[page]), int(starts[page + 1]))
    words, content = blocks.columns.words[here], blocks.two_classes[here] == 1
    rows = draw_text_mass(words, content, output / "text-mass")
    write_rows(rows, output / "text-mass.csv")


def write_strategies(
    scores: Mapping[str, FloatArray],
    paper: Mapping[str, float],
    name: str,
    output: Path,
) -> None:
    """Figure 2 of the 2010 paper: cleaner -> (n,) F1 by page; `<name>.csv`.

    Args:
        scores: cleaner -> (n,) F1 by page.
        paper: cleaner -> mean F1 as printed.
        name: of the file.
        output: a folder.

    Raises:
        OutputError: a file cannot be written.
    """
    write_rows(strategies_table(scores, paper), output / f"{name}.csv")


def write_cleaneval(scores: Mapping[str, Score], output: Path) -> None:
    """CETR's CleanEval column and the figures of Viveros-Jiménez: `cleaneval.csv`.

    Raises:
        OutputError: a file cannot be written.
    """
    write_rows(cleaneval_table(scores), output / "cleaneval.csv")


def _folds(blocks: AnnotatedBlocks, split: str) -> IntArray:
    if split == SITES:
        return folds(blocks.groups, blocks.columns.words, FOLDS)
    return scattered_folds(len(blocks.groups))


def _beside(
    name: str, one: ThresholdScores, paper: Mapping[str, float]
) -> dict[str, object]:
    row: dict[str, object] = {"at": name}
    for field, value in asdict(one).items():
        row |= {field: round(value, 4), f"paper_{field}": paper.get(field)}
    return row


def _spread(axis: str, parts: Mapping[str, FloatArray]) -> list[dict[str, object]]:
    """Return a row a place at which any class has something."""
    names = list(parts)
    table = np.column_stack([parts[name] for name in names])
    return [
        {axis: place, **dict(zip(names, (round(value) for value in row), strict=True))}
        for place, row in enumerate(table.tolist())
        if any(row)
    ]
