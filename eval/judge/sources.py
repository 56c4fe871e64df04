"""Several datasets judged at once: every cleaner by source and by language, and its worst group.

Means of different datasets are never averaged: the worst one counts. A page's language is that of
the dataset, else of the gold text, else the declared one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter

import numpy as np

from boilersweep.eval.judge.comparison import measure_of, values
from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.eval.judge.judge import Judgements
from boilersweep.eval.stats.statistics import bootstrap_intervals
from boilersweep.pages.columns import FloatArray
from boilersweep.pages.language import UNKNOWN, declared_language, language_of

# The least number of pages of a language with its own scores.
LEAST_PAGES = 10


def page_languages(dataset: Dataset) -> list[str]:
    """Return (n,) languages as of `boilersweep.pages.language`; raises InputError."""
    return [_language(page) for page in dataset.pages]


def _language(page: JudgedPage) -> str:
    if page.language:
        return page.language
    found = language_of(page.gold.splitlines() or page.wanted)
    if found.certainty is not None:
        return found.language
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
    found: Judgements, table: FloatArray, source: str, language: str, measure: str
) -> list[GroupScore]:
    """Return one row per cleaner of a (n, k) table."""
    bounds = bootstrap_intervals(table).tolist()
    return [
        GroupScore(
            judgement.cleaner, source, language, measure, len(table), mean, low, high
        )
        for judgement, mean, (low, high) in zip(
            found.judgements, table.mean(axis=0).tolist(), bounds, strict=True
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
