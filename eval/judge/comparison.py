"""Judgements as numbers: means with intervals, paired tests of cleaners, and groups of pages.

Groups are the sources and the languages of pages. Means of different datasets are never averaged:
the worst one counts. A page's language is that of the dataset, else of the gold text, else the
declared one.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import chain, combinations
from operator import attrgetter
from statistics import fmean

import numpy as np

from boilersweep.eval.judge.datasets import FORMATS, Dataset, JudgedPage
from boilersweep.eval.judge.judge import Judgement, Judgements
from boilersweep.eval.judge.scores import PageScore, string_shares
from boilersweep.eval.stats.statistics import (
    bootstrap_intervals,
    differences_to,
    holm,
    paired_randomisations,
    paired_ts,
)
from boilersweep.pages.columns import FloatArray
from boilersweep.pages.language import UNKNOWN, declared_language, language_of

# The measures of a page; the last one of pages with strings.
MEASURES: dict[str, Callable[[PageScore], float]] = {
    "f1": lambda score: score.bag.f1,
    "word_f1": lambda score: score.word.f1,
    "character_f1": lambda score: score.characters.f1,
    "block_accuracy": lambda score: score.block_accuracy,
    "text_only": lambda score: score.text_only.f1,
    "text_and_markup": lambda score: score.text_and_markup.f1,
    "balanced": lambda score: score.balanced,
}

# The measures' names in tables.
NAMES = {
    "f1": "F1",
    "word_f1": "word F1",
    "character_f1": "char F1",
    "block_accuracy": "blocks",
    "text_only": "TO",
    "text_and_markup": "TM",
    "balanced": "balanced",
}

# The fewest cleaners whose ranks are worth comparing.
LEAST_CLEANERS = 3


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
    character_precision: float
    character_recall: float
    character_f1: float
    block_accuracy: float
    text_only: float
    text_and_markup: float


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
class Agreement:
    """How far two measures rank cleaners alike: Kendall's tau-b, from -1 to 1."""

    measure: str
    other: str
    cleaners: int
    tau: float


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
            precision=_mean(judgement, lambda s: s.bag.precision),
            recall=_mean(judgement, lambda s: s.bag.recall),
            f1_mean=float(f1[:, index].mean()),
            f1_median=float(np.median(f1[:, index])),
            word_f1=float(word_f1[:, index].mean()),
            ms_per_page=judgement.ms_per_page,
            empty=judgement.empty,
            f1_low=bounds[index][0],
            f1_high=bounds[index][1],
            word_f1_low=bounds[len(judgements) + index][0],
            word_f1_high=bounds[len(judgements) + index][1],
            word_precision=_mean(judgement, lambda s: s.word.precision),
            word_recall=_mean(judgement, lambda s: s.word.recall),
            failed=judgement.failed,
            character_precision=_mean(judgement, lambda s: s.characters.precision),
            character_recall=_mean(judgement, lambda s: s.characters.recall),
            character_f1=_mean(judgement, MEASURES["character_f1"]),
            block_accuracy=_mean(judgement, MEASURES["block_accuracy"]),
            text_only=_mean(judgement, MEASURES["text_only"]),
            text_and_markup=_mean(judgement, MEASURES["text_and_markup"]),
        )
        for index, judgement in enumerate(judgements)
    ]


def _mean(judgement: Judgement, value: Callable[[PageScore], float]) -> float:
    return fmean(map(value, judgement.scores))


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


def agreements(judgements: Sequence[Judgement]) -> list[Agreement]:
    """Compare the ranks of cleaners by the means of every two measures that the pages have.

    Source: Kendall, The treatment of ties in ranking problems, Biometrika 1945.

    Args:
        judgements: Those of all cleaners; of fewer than LEAST_CLEANERS nothing is returned.
    """
    from scipy.stats import kendalltau

    if len(judgements) < LEAST_CLEANERS:
        return []
    means = {name: values(judgements, name).mean(axis=0) for name in MEASURES}
    known = [name for name, column in means.items() if not np.isnan(column).any()]
    return [
        Agreement(
            one, other, len(judgements), float(kendalltau(means[one], means[other])[0])
        )
        for one, other in combinations(known, 2)
    ]


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


# The least number of pages of a language with its own scores.
LEAST_PAGES = 10


def page_languages(dataset: Dataset) -> list[str]:
    """Return (n,) languages as of `boilersweep.pages.language`; raises InputError."""
    return [_language(page) for page in dataset.pages]


def _language(page: JudgedPage) -> str:
    if page.language:
        return page.language
    detected = language_of(page.gold.splitlines() or page.wanted)
    if detected.certainty is not None:
        return detected.language
    return declared_language(page.utf8) or UNKNOWN


def frequent(languages: list[str]) -> list[str]:
    """Return the languages of at least LEAST_PAGES pages, the most frequent first."""
    counts = Counter(sorted(language for language in languages if language != UNKNOWN))
    return [
        language for language, count in counts.most_common() if count >= LEAST_PAGES
    ]


@dataclass(frozen=True, slots=True)
class JudgedSource:
    """A dataset, its judgements, and (n,) the languages of its pages."""

    dataset: Dataset
    found: Judgements
    languages: list[str]

    @property
    def measure(self) -> str:
        """The measure by which cleaners are ranked on this dataset."""
        return measure_of(self.dataset.name)

    @property
    def values(self) -> FloatArray:
        """(n, k) The measure of n pages by k cleaners."""
        return values(self.found.judgements, self.measure)


@dataclass(frozen=True, slots=True)
class GroupScore:
    """A cleaner's mean over the pages of a source, of a language, or of a language in a source.

    Attributes:
        cleaner: The cleaner.
        source: A dataset's label, "" for all datasets with gold texts.
        language: "" for all languages.
        measure: The source's measure; "own" if every page has its source's measure.
        pages: The number of pages.
        mean: The mean.
        low: The lower bound of its 95 % interval.
        high: The upper bound.
        worst: Whether no other source, or no other language, has a lower mean.
    """

    cleaner: str
    source: str
    language: str
    measure: str
    pages: int
    mean: float
    low: float
    high: float
    worst: bool = False

    @property
    def group(self) -> str:
        """The name of the pages in tables."""
        return " ".join(filter(None, (self.source, self.language)))


def by_source(sources: Sequence[JudgedSource]) -> list[GroupScore]:
    """Score every cleaner on every source.

    If any source has gold texts, the worst is chosen among those.
    """
    rows = [
        _scores(source.found, source.values, source.dataset.label, "", source.measure)
        for source in sources
    ]
    counted = [source.dataset.has_gold for source in sources]
    return _with_worst(rows, counted if any(counted) else [True] * len(rows))


def by_language(sources: Sequence[JudgedSource]) -> list[GroupScore]:
    """Score every cleaner on every frequent language; nothing if there is only one.

    Pages with gold texts are counted together, those with strings by their dataset.
    """
    gold = [source for source in sources if source.dataset.has_gold]
    rows = []
    counted = []
    pools = [("", "own", gold)] if gold else []
    pools += [
        (source.dataset.label, source.measure, [source])
        for source in sources
        if not source.dataset.has_gold
    ]
    for label, measure, pooled in pools:
        languages = list(chain.from_iterable(source.languages for source in pooled))
        table = np.concatenate([source.values for source in pooled])
        for language in frequent(languages):
            pages = np.array(languages) == language
            rows.append(
                _scores(pooled[0].found, table[pages], label, language, measure)
            )
            counted.append(not label or not gold)
    if len({row[0].language for row in rows}) < 2:
        return []
    return _with_worst(rows, counted)


def _scores(
    judgements: Judgements, table: FloatArray, source: str, language: str, measure: str
) -> list[GroupScore]:
    """Return one row per cleaner of a (n, k) table."""
    bounds = bootstrap_intervals(table).tolist()
    return [
        GroupScore(
            judgement.cleaner, source, language, measure, len(table), mean, low, high
        )
        for judgement, mean, (low, high) in zip(
            judgements.judgements, table.mean(axis=0).tolist(), bounds, strict=True
        )
    ]


def _with_worst(
    rows: Sequence[list[GroupScore]], counted: Sequence[bool]
) -> list[GroupScore]:
    """Return all rows, the worst of each cleaner marked.

    Args:
        rows: The cleaners of each group.
        counted: Which groups can be the worst.
    """
    groups = [group for group, counts in zip(rows, counted, strict=True) if counts]
    worst = {
        min(rows_of_cleaner, key=attrgetter("mean"))
        for rows_of_cleaner in zip(*groups, strict=True)
    }
    return [replace(row, worst=row in worst) for group in rows for row in group]
