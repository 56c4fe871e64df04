"""Scores of models on pages of sites, sources or languages that training left out; their tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from boilersweep.cleaners.learned.cleaner import chosen_rows, content_of, kept_rows
from boilersweep.cleaners.learned.inference import (
    expected_f1,
    kind_probabilities,
    likeliest,
    page_features,
)
from boilersweep.cleaners.learned.model import Model, ModelProvenance
from boilersweep.cleaners.page_model import KINDS
from boilersweep.errors import UsageError
from boilersweep.eval.judge.comparison import frequent
from boilersweep.eval.judge.leaks import folds
from boilersweep.eval.judge.scores import (
    bag_of_words,
    block_scores,
    string_score,
    string_shares,
    weighted_auc,
    word_score,
)
from boilersweep.eval.training.labelled import Pages, of_pages
from boilersweep.eval.training.recipe import kinds_of
from boilersweep.eval.training.sources import Source
from boilersweep.outputs.tables import text_table
from boilersweep.pages.alignment import HELD_SHARE
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

FOLDS = 5

# The groups of pages that are left out in turn; sites, which are many, in FOLDS parts.
GROUPS = ("site", "source", "language")

_DIGITS = 4

# The score in the tables: the first for pages with gold texts, the second for pages with strings.
MEASURES = ("word_f1", "balanced")


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A division of all pages into pages to learn from and pages to score.

    Attributes:
        out: (n,) whether a page is left out and scored.
        learned: (n,) whether to learn from a page.
    """

    out: BoolArray
    learned: BoolArray


def splits(
    kind: str, pages: Pages, sources: Sequence[Source], languages: Sequence[str]
) -> list[Split]:
    """Return the splits that leave out one of GROUPS in turn.

    A source or a language is left out with the pages of its sites and their near-duplicates.

    Raises:
        UsageError: There are too few sites, sources or languages.
    """
    if kind == "site":
        rows = pages.labelled.rows
        words = np.diff(np.concatenate([[0.0], np.cumsum(rows.words)])[rows.starts])
        fold_of = folds(pages.groups, words.astype(np.int64), FOLDS)
        return [Split(fold_of == n, fold_of != n) for n in range(FOLDS)]
    if kind == "source":
        parts = {one.label: pages.sources == index for index, one in enumerate(sources)}
    else:
        names = np.array(languages)
        parts = {name: names == name for name in frequent(list(languages))}
    if len(parts) < 2:
        raise UsageError(
            f"expected at least two {kind}s to leave out each in turn, got one"
        )
    taught = np.array([source.weight > 0 for source in sources])[pages.sources]
    plan = []
    for name, out in parts.items():
        learned = ~np.isin(pages.groups, pages.groups[out])
        if not (learned & taught).any():
            raise UsageError(f"nothing is left to learn from without the {kind} {name}")
        plan.append(Split(out, learned))
    return plan


class Held:
    """Predictions for n pages with r rows, each by a model that has not seen the page.

    Attributes:
        pages: The pages.
        done: (n,) whether a page has a prediction.
        probability: (r,) the probability that a row is content.
        keep: (r,) whether a row is kept.
        kinds: (n,) the kinds of pages; "" if the model does not tell kinds.
        confidence: (n,) the expected F1 of each page, see `expected_f1`.
    """

    def __init__(self, pages: Pages) -> None:
        rows, count = len(pages.labelled.texts), len(pages.pages)
        self.pages = pages
        self.done = np.zeros(count, dtype=bool)
        self.probability = np.zeros(rows)
        self.keep = np.zeros(rows, dtype=bool)
        self.kinds = np.full(count, "", dtype=object)
        self.confidence = np.zeros(count)

    def add(self, out: BoolArray, model: Model) -> None:
        """Add a model's predictions for pages.

        Args:
            out: (n,) whether to predict for a page.
            model: A model that has not seen these pages.
        """
        rows = self.pages.labelled.rows
        tested = of_pages(rows, out)
        of_rows = out[rows.owners]
        content = content_of(model, tested)
        chosen = chosen_rows(model, content, tested)
        self.done |= out
        self.probability[of_rows] = content
        self.keep[of_rows] = kept_rows(model, tested)
        self.confidence[out] = expected_f1(content, tested, chosen)
        if model.kinds:
            self.kinds[out] = likeliest(
                kind_probabilities(model.kinds, page_features(tested))
            )

    def text(self, page: int) -> str:
        """Return the kept text of a page."""
        own = slice(*self.pages.labelled.rows.starts[page : page + 2])
        return "\n".join(compress(self.pages.labelled.texts[own], self.keep[own]))


def scores_of(held: Held, of: BoolArray) -> dict[str, Any]:
    """Return rounded scores of the predictions for some pages.

    word_f1, bag_f1: means over the pages with gold texts. confidence: the correlation of word F1
    with its estimate. block_f1, block_auc, calibration_error: of rows, weighted by words. kept,
    dropped, balanced: of strings. kind: the share of correct kinds among pages of a known kind;
    pages without a type count as articles. A score is missing if no page can have it.

    Args:
        held: The predictions.
        of: (n,) whether a page counts.
    """
    pages, chosen = held.pages, of & held.done
    counted = [(pages.pages[n], held.text(n)) for n in np.flatnonzero(chosen).tolist()]
    gold = [(text, p.gold) for p, text in counted if not (p.wanted or p.unwanted)]
    strings = [
        string_score(text, p.wanted, p.unwanted)
        for p, text in counted
        if p.wanted or p.unwanted
    ]
    scores: dict[str, float] = {}
    if gold:
        labelled = pages.labelled
        rows = np.array([not (p.wanted or p.unwanted) for p in pages.pages]) & chosen
        of_rows = rows[labelled.rows.owners]
        content = labelled.labels[of_rows] >= HELD_SHARE
        words = labelled.rows.words[of_rows].astype(np.int64)
        f1 = [word_score(text, wanted).f1 for text, wanted in gold]
        confidence = held.confidence[rows]
        if np.ptp(f1) and np.ptp(confidence):
            scores["confidence"] = float(np.corrcoef(f1, confidence)[0, 1])
        scores |= {
            "word_f1": float(np.mean(f1)),
            "bag_f1": float(
                np.mean([bag_of_words(text, wanted).f1 for text, wanted in gold])
            ),
            "block_f1": block_scores(content, held.keep[of_rows], words).content_f1,
            "block_auc": weighted_auc(content, held.probability[of_rows], words),
            "calibration_error": calibration_error(
                content, held.probability[of_rows], words
            ),
        }
    if strings:
        shares = string_shares(strings)
        scores |= {
            "kept": shares.kept,
            "dropped": shares.dropped,
            "balanced": shares.balanced,
        }
    kinds = kinds_of(pages.pages)
    right = [
        kinds[n] == held.kinds[n]
        for n in np.flatnonzero(chosen)
        if held.kinds[n] and kinds[n] in KINDS
    ]
    if right:
        scores["kind"] = float(np.mean(right))
    return {name: round(value, _DIGITS) for name, value in scores.items()}


def calibration_error(
    content: BoolArray, probability: FloatArray, words: IntArray
) -> float:
    """Return the mean distance of the share of content from the probability.

    The expected calibration error of Naeini, Cooper and Hauskrecht (AAAI 2015), in ten bins.

    Args:
        content: (r,) Whether each row is content.
        probability: (r,) The probability of that.
        words: (r,) The weights of rows.
    """
    bins = np.minimum((probability * 10).astype(np.int64), 9)
    distances = np.bincount(bins, (content - probability) * words, minlength=10)
    return float(np.abs(distances).sum() / max(words.sum(), 1))


def training_table(provenance: ModelProvenance) -> str:
    """Return a table of sources and one of languages with held-out scores, the lowest marked."""
    kinds = [kind for source in provenance.sources[:1] for kind in source.held_out]
    sources = [
        ([s.label, f"{s.pages:,}", f"{s.rows:,}", f"{s.share:.3f}"], s.held_out)
        for s in provenance.sources
    ]
    languages = [
        ([name, f"{language.pages:,}"], language.held_out)
        for name, language in provenance.languages.items()
    ]
    tables = [_table(sources, ["source", "pages", "rows", "share"], kinds)]
    if len(languages) > 1:
        tables.append(_table(languages, ["language", "pages"], kinds))
    tables.append(
        "Mean word F1 of pages that the model had not seen, with their site, source or language "
        "left out;\nof pages with strings (s) the balanced share; * the lowest of the word F1."
    )
    return "\n\n".join(tables)


def _table(
    rows: Sequence[tuple[list[str], Mapping[str, Mapping[str, float]]]],
    heads: Sequence[str],
    kinds: Sequence[str],
) -> str:
    lowest = {
        kind: min(
            (of[kind]["word_f1"] for _, of in rows if "word_f1" in of[kind]),
            default=None,
        )
        for kind in kinds
    }
    lines = [
        [*cells, *(_cell(of[kind], lowest[kind]) for kind in kinds)]
        for cells, of in rows
    ]
    return text_table(lines, [*heads, *(f"by {kind}" for kind in kinds)])


def _cell(scores: Mapping[str, float], lowest: float | None) -> str:
    if "word_f1" in scores:
        return f"{scores['word_f1']:.3f}" + (
            "*" if scores["word_f1"] == lowest else " "
        )
    return f"{scores['balanced']:.3f}s" if "balanced" in scores else ""
