"""Scores by language: a topic is of the language that most of its relevant documents are in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from boilersweep.eval.stats.frames import Result, results_of
from boilersweep.eval.stats.statistics import SEED
from boilersweep.indexer.analyzer import LANGUAGES
from boilersweep.outputs.columns import Sheet
from boilersweep.pages.columns import FloatArray
from boilersweep.pages.language import UNKNOWN
from boilersweep.store.store import BlockStore

# The language of topics where no language has most of the relevant documents.
UNDECIDED = "undecided"

# A language with fewer topics has no intervals, which would be too narrow.
LEAST_TOPICS = 10

# The columns of `languages.csv` behind those that name a row.
HEADS = "mean low high difference difference_low difference_high".split()


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


# The topics of a language, and for each variant measure -> its result on them.
ByLanguage = tuple[LanguageTopics, list[dict[str, Result]]]


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
        index
        for index, topic_language in enumerate(languages)
        if topic_language == language
    ]


def results_by_language(
    groups: Sequence[LanguageTopics],
    scores: Mapping[str, FloatArray],
    baseline: int | None,
    seed: int = SEED,
) -> list[ByLanguage]:
    """Compute the results of each variant on the topics of each language, without tests.

    Args:
        groups: The languages.
        scores: Measure -> (t, v) scores of topics and variants.
        baseline: The place of the baseline among the variants; None without a baseline.
        seed: The seed of the resamples.
    """
    by_language = []
    for group in groups:
        here = {measure: values[group.places] for measure, values in scores.items()}
        results = results_of(
            here,
            {measure: values.mean(axis=0).tolist() for measure, values in here.items()},
            baseline=baseline,
            seed=seed,
            has_intervals=group.has_intervals,
        )
        by_language.append((group, results))
    return by_language


def languages_sheet(by_language: Sequence[ByLanguage], names: Sequence[str]) -> Sheet:
    """Return a row per language, variant and measure; what does not apply is empty.

    Args:
        by_language: The languages and their results.
        names: The names of the variants.
    """
    lines = [
        (group, name, measure, result)
        for group, results in by_language
        for name, by_measure in zip(names, results, strict=True)
        for measure, result in by_measure.items()
    ]
    sheet = Sheet()
    groups, cleaners, measures, results = zip(*lines, strict=True)
    sheet.add("language", [group.language for group in groups])
    sheet.add("documents", [group.documents for group in groups])
    sheet.add("topics", [len(group.places) for group in groups])
    sheet.add("cleaner", cleaners)
    sheet.add("measure", measures)
    sheet.add_fields(Result, results, HEADS)
    return sheet
