"""Judgements as numbers: means with intervals, and paired tests between cleaners."""

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from statistics import fmean

import numpy as np

from boilersweep.eval.judge.datasets import FORMATS
from boilersweep.eval.judge.judge import Judgement, PageScore
from boilersweep.eval.judge.scores import string_shares
from boilersweep.eval.stats.statistics import (
    bootstrap_intervals,
    differences_to,
    holm,
    paired_randomisations,
    paired_ts,
)
from boilersweep.pages.columns import FloatArray

# The measures by which cleaners are compared; the last one on pages with strings.
MEASURES: dict[str, Callable[[PageScore], float]] = {
    "f1": lambda score: score.bag.f1,
    "word_f1": lambda score: score.word.f1,
    "balanced": lambda score: score.balanced,
}

# The measures' names in tables.
NAMES = {"f1": "F1", "word_f1": "word F1", "balanced": "balanced"}


@dataclass(frozen=True, slots=True)
class Summary:
    """One cleaner's means over the pages; low and high are bounds of their 95 % intervals."""

    cleaner: str
    pages: int
    precision: float
    recall: float
    f1_mean: float
    f1_median: float
    word_f1: float
    ms_per_page: float
    empty: int
    f1_low: float
    f1_high: float
    word_f1_low: float
    word_f1_high: float
    word_precision: float
    word_recall: float
    failed: int


@dataclass(frozen=True, slots=True)
class StringSummary:
    """One cleaner's means over pages that have strings; see `StringShares` for the shares.

    `balanced` is the mean over pages, with the bounds of its 95 % interval.
    """

    cleaner: str
    pages: int
    kept: float
    dropped: float
    balanced: float
    f1: float
    ms_per_page: float
    empty: int
    balanced_low: float
    balanced_high: float
    failed: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A cleaner against the best one of all, page by page.

    The difference is cleaner minus best, with its 95 % interval; better, equal and worse count
    pages. The p-values are as tested, and corrected by Holm over all comparisons by this measure.
    """

    measure: str
    cleaner: str
    best: str
    pages: int
    mean: float
    best_mean: float
    difference: float
    difference_low: float
    difference_high: float
    better: int
    equal: int
    worse: int
    t_p: float
    t_p_holm: float
    randomisation_p: float
    randomisation_p_holm: float


@dataclass(frozen=True, slots=True)
class TypeScore:
    """One cleaner's means over the pages of one type."""

    cleaner: str
    page_type: str
    pages: int
    precision: float
    recall: float
    f1: float
    word_precision: float
    word_recall: float
    word_f1: float


def mean_of(row: Summary | StringSummary, measure: str) -> float:
    """Return a cleaner's mean of one of MEASURES."""
    return float(getattr(row, "f1_mean" if measure == "f1" else measure))


def interval_of(row: Summary | StringSummary, measure: str) -> tuple[float, float]:
    """Return the interval of that mean."""
    return getattr(row, f"{measure}_low"), getattr(row, f"{measure}_high")


def measure_of(dataset: str) -> str:
    """Return the measure by which cleaners are ranked on a dataset."""
    return FORMATS[dataset].measure


def values(judgements: Sequence[Judgement], measure: str) -> FloatArray:
    """Return (n, k) a measure's value of n pages by k cleaners."""
    rows = [list(map(MEASURES[measure], judgement.scores)) for judgement in judgements]
    return np.array(rows, dtype=np.float64).T


def summarise(judgements: Sequence[Judgement]) -> list[Summary]:
    """Return every cleaner's means, with bootstrap intervals over the pages."""
    f1, word_f1 = (values(judgements, measure) for measure in ("f1", "word_f1"))
    bounds = bootstrap_intervals(np.hstack([f1, word_f1])).tolist()
    return [
        Summary(
            cleaner=judgement.cleaner,
            pages=len(judgement.scores),
            precision=fmean(score.bag.precision for score in judgement.scores),
            recall=fmean(score.bag.recall for score in judgement.scores),
            f1_mean=float(f1[:, number].mean()),
            f1_median=float(np.median(f1[:, number])),
            word_f1=float(word_f1[:, number].mean()),
            ms_per_page=judgement.ms_per_page,
            empty=judgement.empty,
            f1_low=bounds[number][0],
            f1_high=bounds[number][1],
            word_f1_low=bounds[len(judgements) + number][0],
            word_f1_high=bounds[len(judgements) + number][1],
            word_precision=fmean(score.word.precision for score in judgement.scores),
            word_recall=fmean(score.word.recall for score in judgement.scores),
            failed=judgement.failed,
        )
        for number, judgement in enumerate(judgements)
    ]


def summarise_strings(judgements: Sequence[Judgement]) -> list[StringSummary]:
    """Return every cleaner's means over pages with strings, with bootstrap intervals."""
    bounds = bootstrap_intervals(values(judgements, "balanced")).tolist()
    rows = []
    for judgement, (low, high) in zip(judgements, bounds, strict=True):
        shares = string_shares(
            [score.strings for score in judgement.scores if score.strings]
        )
        rows.append(
            StringSummary(
                cleaner=judgement.cleaner,
                pages=len(judgement.scores),
                kept=shares.kept,
                dropped=shares.dropped,
                balanced=shares.balanced,
                f1=shares.f1,
                ms_per_page=judgement.ms_per_page,
                empty=judgement.empty,
                balanced_low=low,
                balanced_high=high,
                failed=judgement.failed,
            )
        )
    return rows


def compare(judgements: Sequence[Judgement], measure: str) -> list[Difference]:
    """Compare every cleaner with the one with the highest mean, the first of equals.

    The best cleaner is chosen on the pages that judge it, so it looks better than it is; the tests
    tell whether another one is really behind it on such pages.
    """
    table = values(judgements, measure)
    means = table.mean(axis=0)
    best = int(means.argmax())
    others = [number for number in range(len(judgements)) if number != best]
    if not others:
        return []
    differences = differences_to(table[:, others], table[:, best])
    t = paired_ts(differences).tolist()
    randomisation = paired_randomisations(differences)[0].tolist()
    corrected = zip(t, holm(t), randomisation, holm(randomisation), strict=True)
    bounds = bootstrap_intervals(differences).tolist()
    rows = []
    for number, column, (low, high), ps in zip(
        others, differences.T, bounds, corrected, strict=True
    ):
        better, worse = int((column > 0).sum()), int((column < 0).sum())
        rows.append(
            Difference(
                measure=measure,
                cleaner=judgements[number].cleaner,
                best=judgements[best].cleaner,
                pages=len(column),
                mean=float(means[number]),
                best_mean=float(means[best]),
                difference=float(column.mean()),
                difference_low=low,
                difference_high=high,
                better=better,
                equal=len(column) - better - worse,
                worse=worse,
                t_p=ps[0],
                t_p_holm=ps[1],
                randomisation_p=ps[2],
                randomisation_p_holm=ps[3],
            )
        )
    return rows


def by_type(judgement: Judgement, page_types: Sequence[str]) -> list[TypeScore]:
    """Return a cleaner's means by page type, the most frequent type first."""
    types = sorted(set(page_types), key=lambda kind: (-page_types.count(kind), kind))
    rows = []
    for kind in types:
        pairs = zip(judgement.scores, page_types, strict=True)
        scores = [
            (*astuple(s.bag), *astuple(s.word))
            for s, page_type in pairs
            if page_type == kind
        ]
        means = map(fmean, zip(*scores, strict=True))
        rows.append(TypeScore(judgement.cleaner, kind, len(scores), *means))
    return rows
