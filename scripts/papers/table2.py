"""Table 2 of the 2010 paper: classifiers over sets of features, cross-validated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.eval.judge.scores import block_scores
from boilersweep.features.kohlschuetter import SETS
from boilersweep.features.table import FeatureTable
from boilersweep.pages.columns import FloatArray, IntArray
from boilersweep.work.progress import steps
from papers import partitions
from papers.classifiers import (
    Learner,
    linear_svm,
    one_rule,
    range_leaves,
    tree,
    tree_leaves,
    zero_rule,
)
from papers.crossvalidation import ClassScores, class_scores, held_out
from papers.published import TABLE_2, PublishedRow


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm of Table 2.

    Attributes:
        features: the name of a set of SETS, or "" for none.
        learner: fits it.
        leaves: counts its leaves over all blocks; None for what is no tree.
        printed: the paper prints the rule.
        content: of a printed tree for two classes, which of its leaves are content.
    """

    features: str
    learner: Learner
    leaves: Callable[[FloatArray, IntArray, IntArray, int], int] | None = None
    printed: bool = False
    content: tuple[partitions.Partition, frozenset[int]] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """An algorithm's scores on held-out blocks beside the paper's.

    Attributes:
        leaves: of the tree or ranges over all blocks, None for what is no tree.
    """

    published: PublishedRow
    problem: int
    ours: ClassScores
    leaves: int | None

    @property
    def paper(self) -> ClassScores:
        """The paper's scores of the same problem."""
        return self.published.two if self.problem == 2 else self.published.four

    @property
    def paper_leaves(self) -> int | None:
        """The leaves of the paper's tree."""
        return (
            self.published.two_leaves
            if self.problem == 2
            else self.published.four_leaves
        )


def _cut(features: str, threshold: float) -> Algorithm:
    learner = partitions.learner(partitions.at_least(threshold), 2)
    return Algorithm(features, learner, leaves=lambda *_: 2, printed=True)


def _grown(features: str) -> Algorithm:
    return Algorithm(features, tree, leaves=tree_leaves)


def _printed(
    features: str, partition: Callable[[FloatArray], IntArray], content: frozenset[int]
) -> Algorithm:
    return Algorithm(
        features,
        partitions.learner(partition, 8),
        leaves=lambda *_: 8,
        printed=True,
        content=(partition, content),
    )


# The rows of the paper's table, by its names for them.
ALGORITHMS = {
    'ZeroR (baseline; predict "Content")': Algorithm("", zero_rule),
    "Only Avg. Sentence Length": Algorithm(
        "sentence length", one_rule, leaves=range_leaves
    ),
    "C4.8 Element Frequency (P/C/N)": _grown("frequency (P/C/N)"),
    "Only Avg. Word Length": Algorithm("word length", one_rule, leaves=range_leaves),
    "Only Number of Words @15": _cut("words", 15),
    "Only Link Density @0.33": _cut("link density", 0.333334),
    "1R: Text Density @10.5": _cut("text density", 10.5),
    "C4.8 Link Density (P/C/N)": _grown("link density (P/C/N)"),
    "C4.8 Number of Words (P/C/N)": _grown("words (P/C/N)"),
    "C4.8 All Local Features (C)": _grown("local (C)"),
    "C4.8 NumWords + LinkDensity, simplified": _printed(
        "words and link density (P/C/N)",
        partitions.by_words,
        partitions.CONTENT_LEAVES_OF_WORDS,
    ),
    "C4.8 Text + LinkDensity, simplified": _printed(
        "text and link density (P/C/N)",
        partitions.densitometric,
        partitions.CONTENT_LEAVES,
    ),
    "C4.8 All Local Features (C) + TDQ": _grown("local (C) + TDQ"),
    "C4.8 Text+Link Density (P/C/N)": _grown("text and link density (P/C/N)"),
    "C4.8 All Local Features (P/C/N)": _grown("local (P/C/N)"),
    "C4.8 All Local Features + Global Freq.": _grown("local and frequency"),
    "SMO All Local Features + Global Freq.": Algorithm(
        "local and frequency", linear_svm
    ),
}


def table2(
    table: FeatureTable,
    problems: Sequence[tuple[IntArray, int]],
    words: IntArray,
    fold_of: IntArray,
    names: Sequence[str] = tuple(ALGORITHMS),
) -> list[Row]:
    """Return the rows of some algorithms, for every problem.

    Args:
        table: all 67 features of m blocks.
        problems: (m,) classes from 0, and their number.
        words: (m,) weights.
        fold_of: (m,) the fold in which a block is tested. Printed thresholds and trees learn
            nothing but the chances of their leaves, for the AUC and for four classes, and those
            from all blocks.
        names: of the algorithms.

    Raises:
        UsageError: scikit-learn is missing.
    """
    rows = []
    with steps("Table 2", len(names) * len(problems), "classifiers") as bar:
        for name in names:
            algorithm = ALGORITHMS[name]
            chosen = SETS[algorithm.features] if algorithm.features else ()
            features = table.values[
                :, [table.names.index(feature) for feature in chosen]
            ]
            for classes, count in problems:
                rows.append(
                    Row(
                        TABLE_2[name],
                        count,
                        _scores(algorithm, features, classes, words, fold_of, count),
                        algorithm.leaves(features, classes, words, count)
                        if algorithm.leaves
                        else None,
                    )
                )
                bar.update()
    return rows


def table2_rows(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return the rows to write: both scores in percent, and the difference of F1 in points."""
    written = []
    for row in rows:
        line: dict[str, object] = {
            "algorithm": row.published.algorithm,
            "classes": row.problem,
            "dimensions": row.published.dimensions,
        }
        for field in ("precision", "recall", "f1", "false_positive_rate", "auc"):
            line[field] = round(100 * getattr(row.ours, field), 1)
            line[f"paper_{field}"] = round(100 * getattr(row.paper, field), 1)
        line["f1_difference"] = round(100 * (row.ours.f1 - row.paper.f1), 1)
        line["leaves"] = row.leaves
        line["paper_leaves"] = row.paper_leaves
        written.append(line)
    return written


def _scores(
    algorithm: Algorithm,
    features: FloatArray,
    classes: IntArray,
    words: IntArray,
    fold_of: IntArray,
    count: int,
) -> ClassScores:
    if algorithm.printed:
        chances = algorithm.learner(features, classes, words, count)(features)
    else:
        chances = held_out(algorithm.learner, features, classes, words, fold_of, count)
    scores = class_scores(classes, chances, words)
    if algorithm.content is None or count != 2:
        return scores
    partition, content = algorithm.content
    keep = np.isin(partition(features), list(content))
    fixed = block_scores(classes == 1, keep, words)
    return ClassScores(
        fixed.precision, fixed.recall, fixed.f1, fixed.false_positive_rate, scores.auc
    )
