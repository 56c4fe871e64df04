"""The documents by language, and the scores of every cleaner by language of the topics."""

from collections.abc import Mapping
from dataclasses import dataclass

from boilersweep.eval.languages import UNDECIDED, LanguageScore, LanguageTopics
from boilersweep.eval.report.wording import (
    UNKNOWN,
    bracketed,
    count,
    interval,
    language_name,
    score,
    share,
    signed,
)
from boilersweep.eval.study.languages import language_notes
from boilersweep.eval.study.results import Study

_ROLES = {"baseline": "baseline", "gold": "upper bound", "run": "run from elsewhere"}
_QUANTITY = 0.01
"""The share of the documents from which on a language is worth a table: a detector errs, too."""

_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Documents:
    """A language of the store: how many documents and topics are in it, as they are shown."""

    language: str
    documents: str
    share: str
    topics: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cleaner on the topics of a language. change: to the baseline, with its interval."""

    mean: str
    interval: str
    change: str


@dataclass(frozen=True, slots=True)
class Line:
    """A cleaner."""

    cleaner: str
    remark: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The scores by a measure. heads: a language and its number of topics, for each cell."""

    measure: str
    heads: list[tuple[str, str]]
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Languages:
    """The section. Either table may be empty."""

    documents: list[Documents]
    matrices: list[Matrix]
    notes: list[str]


def language_section(study: Study) -> Languages | None:
    """The section; None where store and topics are of one language each."""
    groups = study.by_language
    documents = _documents(study.run.get("languages", {}), groups)
    if not documents and not groups:
        return None
    return Languages(documents, _matrices(study, groups), language_notes(study))


def _documents(counts: Mapping[str, int], groups: list[LanguageTopics]) -> list[Documents]:
    total = sum(counts.values())
    if sum(number >= _QUANTITY * total for number in counts.values()) < 2:
        return []
    topics = {group.language: len(group.places) for group in groups}
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    first, more = ranked[:_MOST_NAMED], ranked[_MOST_NAMED:]
    found = [
        Documents(
            language_name(name),
            f"{number:,}",
            share(number / total),
            f"{topics.get(name, 0):,}" if groups else UNKNOWN,
        )
        for name, number in first
    ]
    if more:
        number = sum(number for _, number in more)
        of_topics = sum(topics.get(name, 0) for name, _ in more)
        found.append(
            Documents(
                f"{len(more):,} more",
                f"{number:,}",
                share(number / total),
                f"{of_topics:,}" if groups else UNKNOWN,
            )
        )
    return found


def _matrices(study: Study, groups: list[LanguageTopics]) -> list[Matrix]:
    if not groups:
        return []
    rows = study.ordered(study.shown)
    heads = [
        (
            group.language if group.language == UNDECIDED else language_name(group.language),
            count(len(group.places), "topic"),
        )
        for group in groups
    ]
    matrices = []
    for measure in study.tested:
        scores = study.language_scores(rows, measure)
        lines = [
            Line(
                str(row.variant),
                _ROLES.get(row.role, ""),
                [_cell(of_language[place]) for of_language in scores],
            )
            for place, row in enumerate(rows)
        ]
        matrices.append(Matrix(measure, heads, lines))
    return matrices


def _cell(found: LanguageScore) -> Cell:
    change = "" if found.difference is None else signed(found.difference)
    if found.difference_interval:
        change += f" {bracketed(found.difference_interval)}"
    return Cell(score(found.mean), interval(found.interval).replace(" to ", "\u2013"), change)
