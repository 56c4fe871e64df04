"""Scores by language: a topic is of the language that most of its relevant documents are in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boilersweep.eval.bootstrap import bootstrap_intervals
from boilersweep.eval.statistics import SEED, Interval, differences_to
from boilersweep.outputs.csvtext import csv_text
from boilersweep.pages.columns import FloatArray
from boilersweep.pages.language import UNKNOWN
from boilersweep.store.language_selection import docids_left_out
from boilersweep.store.store import BlockStore

UNDECIDED = "undecided"
"""The language of topics where no language has most of the relevant documents."""

LEAST_TOPICS = 10
"""Of a language that has intervals: those of fewer are too narrow."""

HEADS = (
    "language documents topics cleaner measure mean low high difference difference_low "
    "difference_high"
).split()
"""The columns of `languages.csv`."""

Line = list[Any]


@dataclass(frozen=True, slots=True)
class LanguageTopics:
    """The topics of a language. places: of theirs among all. documents: of it in the store."""

    language: str
    documents: int | None
    places: list[int]

    @property
    def head(self) -> str:
        """What heads its column or names its line: the language, and how many topics it has."""
        return f"{self.language} ({len(self.places):,})"

    @property
    def has_intervals(self) -> bool:
        """Whether the topics suffice."""
        return len(self.places) >= LEAST_TOPICS


@dataclass(frozen=True, slots=True)
class LanguageScore:
    """Of a variant on the topics of a language. interval: None where these are too few.

    difference: to the baseline, None for that and where there is none.
    """

    mean: float
    interval: Interval | None
    difference: float | None
    difference_interval: Interval | None


def relevant_documents(grades: Mapping[str, Mapping[str, int]]) -> dict[str, frozenset[str]]:
    """Topic -> docids with a grade of at least 1. grades: topic -> docid -> grade."""
    return {
        topic: frozenset(docid for docid, grade in judged.items() if grade >= 1)
        for topic, judged in grades.items()
    }


def judgements_left_out(store: BlockStore, grades: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A sentence on judgements of documents in other languages than those that were chosen.

    grades: topic -> docid -> grade. None where there are none. Raises StoreError.
    """
    gone = docids_left_out(store)
    outside = [grade for judged in grades.values() for d, grade in judged.items() if d in gone]
    if not outside:
        return []
    here = set(store.docids())
    relevant = relevant_documents(grades)
    without = sum(bool(docids) and not docids & here for docids in relevant.values())
    said = (
        f"{len(outside):,} judgements, {sum(grade >= 1 for grade in outside):,} of them relevant, "
        f"are of documents in other languages than {', '.join(store.chosen_languages)}: they stay "
        "in the qrels, as those of any document that is not in the collection"
    )
    if without:
        said += f"; {without:,} of the {len(grades):,} topics have no relevant document there"
    return [f"{said}."]


def topic_languages(
    store: BlockStore, relevant: Mapping[str, Iterable[str]]
) -> dict[str, str | None]:
    """The language that more than half of each topic's relevant documents in the store are in.

    relevant: topic -> docids. None where no language is, as where the store has none of them.
    Raises StoreError.
    """
    wanted = {docid for docids in relevant.values() for docid in docids}
    languages = {
        docid: language
        for docid, language in store.fields(["docid", "language"])
        if docid in wanted
    }
    return {
        topic: _most(languages[docid] for docid in docids if docid in languages)
        for topic, docids in relevant.items()
    }


def _most(languages: Iterable[str]) -> str | None:
    counts = Counter(languages)
    for language, count in counts.most_common(1):
        if language != UNKNOWN and 2 * count > counts.total():
            return language
    return None


def topics_by_language(
    languages: Sequence[str | None], documents: Mapping[str, int]
) -> list[LanguageTopics]:
    """The languages of some topics, the most frequent first, and the undecided topics last.

    languages: of each topic. documents: of the store, by language. None are given where the topics
    are of one language, or of none.
    """
    counts = Counter(language for language in languages if language)
    if len(counts) < 2:
        return []
    ranked = [name for name, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]
    found = [
        LanguageTopics(name, documents.get(name, 0), _places(languages, name)) for name in ranked
    ]
    undecided = _places(languages, None)
    return [*found, *([LanguageTopics(UNDECIDED, None, undecided)] if undecided else [])]


def _places(languages: Sequence[str | None], language: str | None) -> list[int]:
    return [place for place, one in enumerate(languages) if one == language]


def scores_of_language(
    values: FloatArray, topics: LanguageTopics, baseline: int | None, seed: int = SEED
) -> list[LanguageScore]:
    """The mean of each variant on the topics of a language, and its difference to the baseline.

    values: (t, v) of all topics and variants. baseline: its place among the variants.
    """
    here = values[topics.places]
    changes = np.zeros_like(here) if baseline is None else differences_to(here, here[:, baseline])
    bounds: list[Interval | None] = [None] * (2 * here.shape[1])
    if topics.has_intervals:
        both = bootstrap_intervals(np.concatenate([here, changes], axis=1), seed=seed)
        bounds = [(low, high) for low, high in both.tolist()]
    intervals, change_intervals = bounds[: here.shape[1]], bounds[here.shape[1] :]
    means, differences = here.mean(axis=0).tolist(), changes.mean(axis=0).tolist()
    return [
        LanguageScore(means[place], intervals[place], None, None)
        if baseline in (None, place)
        else LanguageScore(
            means[place], intervals[place], differences[place], change_intervals[place]
        )
        for place in range(here.shape[1])
    ]


def languages_csv(
    groups: Sequence[LanguageTopics],
    names: Sequence[str],
    scores: Mapping[str, FloatArray],
    baseline: int | None,
    seed: int = SEED,
) -> str:
    """One row per language, variant and measure; what does not apply is empty.

    names: of the variants. scores: measure -> (t, v) of topics and variants.
    """
    lines: list[Line] = []
    for group in groups:
        by_measure = {
            measure: scores_of_language(values, group, baseline, seed)
            for measure, values in scores.items()
        }
        lines += [
            [
                *(group.language, group.documents, len(group.places), name, measure),
                *_cells(found[place]),
            ]
            for place, name in enumerate(names)
            for measure, found in by_measure.items()
        ]
    return csv_text(HEADS, lines)


def _cells(score: LanguageScore) -> Line:
    numbers = [score.mean, *(score.interval or (None, None)), score.difference]
    numbers += score.difference_interval or (None, None)
    return [None if number is None else f"{number:.4f}" for number in numbers]
