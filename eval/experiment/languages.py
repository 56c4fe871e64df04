"""Scores by language: a topic is of the language that most of its relevant documents are in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boilersweep.eval.stats.statistics import (
    SEED,
    Interval,
    bootstrap_intervals,
    differences_to,
)
from boilersweep.indexer.analyzer import LANGUAGES
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure
from boilersweep.pages.columns import FloatArray
from boilersweep.pages.language import UNKNOWN
from boilersweep.store.store import BlockStore

# The language of topics where no language has most of the relevant documents.
UNDECIDED = "undecided"

# A language with fewer topics has no intervals, which would be too narrow.
LEAST_TOPICS = 10

# The columns of `languages.csv`.
HEADS = (
    "language documents topics cleaner measure mean low high difference difference_low "
    "difference_high"
).split()


def language_name(code: str) -> str:
    """Return a language's code, with its name if it has an analyzer."""
    if code == UNKNOWN:
        return "unknown"
    return f"{LANGUAGES[code]} ({code})" if code in LANGUAGES else code


@dataclass(frozen=True, slots=True)
class LanguageTopics:
    """The topics of a language.

    Attributes:
        language: The language.
        documents: How many documents of the store are in it; None for undecided topics.
        places: The places of the topics among all topics.
    """

    language: str
    documents: int | None
    places: list[int]

    @property
    def head(self) -> str:
        """The name of its column or line: the language, and its number of topics."""
        return f"{self.language} ({len(self.places):,})"

    @property
    def has_intervals(self) -> bool:
        """Whether the topics suffice for intervals."""
        return len(self.places) >= LEAST_TOPICS


@dataclass(frozen=True, slots=True)
class LanguageScore:
    """The scores of a variant on the topics of a language.

    Attributes:
        mean: The mean score.
        interval: Its interval; None if the topics are too few.
        difference: The mean difference to the baseline; None for the baseline itself.
        difference_interval: Its interval; None if the topics are too few.
    """

    mean: float
    interval: Interval | None
    difference: float | None
    difference_interval: Interval | None


def relevant_documents(
    grades: Mapping[str, Mapping[str, int]],
) -> dict[str, frozenset[str]]:
    """Map each topic to the docids with a grade of at least 1."""
    return {
        topic: frozenset(docid for docid, grade in judged.items() if grade >= 1)
        for topic, judged in grades.items()
    }


def judgements_left_out(
    store: BlockStore, grades: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Describe judgements of documents in other languages than those that were chosen.

    Args:
        store: The documents in the chosen languages.
        grades: Topic -> docid -> grade.

    Returns:
        A sentence; nothing if there are no such judgements.

    Raises:
        StoreError: The store is damaged.
    """
    gone = store.docids_left_out()
    outside = [
        grade for judged in grades.values() for d, grade in judged.items() if d in gone
    ]
    if not outside:
        return []
    here = set(store.docids())
    relevant = relevant_documents(grades)
    without = sum(bool(docids) and not docids & here for docids in relevant.values())
    sentence = (
        f"{len(outside):,} judgements, {sum(grade >= 1 for grade in outside):,} of them relevant, "
        f"are of documents in other languages than {', '.join(store.chosen_languages)}: they stay "
        "in the qrels, as those of any document that is not in the collection"
    )
    if without:
        sentence += f"; {without:,} of the {len(grades):,} topics have no relevant document there"
    return [f"{sentence}."]


def topic_languages(
    store: BlockStore, relevant: Mapping[str, Iterable[str]]
) -> dict[str, str | None]:
    """Find the language of more than half of each topic's relevant documents in the store.

    Args:
        store: The block store.
        relevant: Topic -> docids.

    Returns:
        Topic -> language; None if no language has more than half, or the store has none of them.

    Raises:
        StoreError: The store is damaged.
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
    """Group topics by language, the most frequent first, and the undecided topics last.

    Args:
        languages: The language of each topic.
        documents: The number of the store's documents by language.

    Returns:
        The groups; none if the topics have one language, or no language.
    """
    counts = Counter(language for language in languages if language)
    if len(counts) < 2:
        return []
    ranked = [
        name
        for name, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    ]
    groups = [
        LanguageTopics(name, documents.get(name, 0), _places(languages, name))
        for name in ranked
    ]
    undecided = _places(languages, None)
    return [
        *groups,
        *([LanguageTopics(UNDECIDED, None, undecided)] if undecided else []),
    ]


def _places(languages: Sequence[str | None], language: str | None) -> list[int]:
    return [
        place
        for place, topic_language in enumerate(languages)
        if topic_language == language
    ]


def scores_of_language(
    values: FloatArray, topics: LanguageTopics, baseline: int | None, seed: int = SEED
) -> list[LanguageScore]:
    """Compute the mean of each variant on the topics of a language, and its difference.

    Args:
        values: (t, v) scores of all topics and variants.
        topics: The topics of the language.
        baseline: The place of the baseline among the variants; None without a baseline.
        seed: The seed of the resamples.
    """
    here = values[topics.places]
    changes = (
        np.zeros_like(here)
        if baseline is None
        else differences_to(here, here[:, baseline])
    )
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
    """Write a row per language, variant and measure; what does not apply is empty.

    Args:
        groups: The languages.
        names: The names of the variants.
        scores: Measure -> (t, v) scores of topics and variants.
        baseline: The place of the baseline among the variants; None without a baseline.
        seed: The seed of the resamples.
    """
    lines: list[list[Any]] = []
    for group in groups:
        by_measure = {
            measure: scores_of_language(values, group, baseline, seed)
            for measure, values in scores.items()
        }
        topics = [group.language, group.documents, len(group.places)]
        for place, name in enumerate(names):
            for measure, by_variant in by_measure.items():
                score = by_variant[place]
                numbers = [
                    score.mean,
                    *(score.interval or (None, None)),
                    score.difference,
                ]
                numbers += score.difference_interval or (None, None)
                cells = [figure(number, ".4f") for number in numbers]
                lines.append([*topics, name, measure, *cells])
    return csv_text(HEADS, lines)
