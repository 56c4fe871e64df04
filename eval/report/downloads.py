"""The data behind the figures, as CSV."""

from collections.abc import Iterable, Sequence
from typing import Any

from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.outputs.csvtext import csv_text


def variants_csv(
    study: Study, rows: Iterable[StudyRow], measures: Sequence[str], tests: Sequence[str]
) -> str:
    """One row per variant and measure; `feature` is the label of the sweep it is on.

    tests: those whose p-values are given.
    """
    points = study.points
    heads = "cleaner role feature threshold measure mean low high difference difference_low".split()
    heads += ["difference_high", *(f"p_{test}_holm" for test in tests)]
    heads += (
        "effect wins ties losses gap_closed gap_low gap_high documents empty relevant_empty "
        "terms_lost tokens tokens_kept index_bytes index_measured"
    ).split()
    lines = [
        [
            row.variant,
            row.role,
            *points.get(row.variant, (None, None)),
            *_result_cells(row, m, tests),
        ]
        for row in rows
        for m in measures
    ]
    return csv_text(heads, lines)


def _result_cells(row: StudyRow, measure: str, tests: Sequence[str]) -> list[Any]:
    result, losses = row.results[measure], row.losses
    line: list[Any] = [measure]
    line += [result.mean, *_bounds(result.interval)]
    difference = result.difference
    if difference:
        ps, outcomes = difference.tests, difference.outcomes
        line += [difference.mean, *_bounds(difference.interval)]
        line += [ps.holm[test] if ps else None for test in tests]
        line += [difference.effect, outcomes.wins, outcomes.ties, outcomes.losses]
    else:
        line += [None] * (7 + len(tests))
    line += [result.closed, *_bounds(result.closed_interval), row.documents, row.empty]
    line += [losses.relevant_empty, losses.terms_lost] if losses else [None, None]
    size = [row.index.size, row.index.measured] if row.index else [None, None]
    return [*line, row.tokens, row.tokens_kept, *size]


def _bounds(interval: Interval | None) -> Sequence[float | None]:
    return interval or (None, None)


def topics_csv(study: Study, rows: Iterable[StudyRow], topics: Sequence[int]) -> str:
    """One row per topic, variant and tested measure. topics: their places."""
    ids = [study.topics[place].id for place in topics]
    lines = [
        [topic, row.variant, measure, score, kept, round(score - kept, 6)]
        for row in rows
        for measure in study.tested
        for topic, score, kept in zip(
            ids,
            row.topic_scores[measure][topics].tolist(),
            study.baseline.topic_scores[measure][topics].tolist(),
            strict=True,
        )
    ]
    return csv_text("topic cleaner measure score baseline difference".split(), lines)


def mixture_csv(suggestion: Suggestion) -> str:
    """One row per number of words: the share of the blocks that has it, and as the mixture says."""
    shares = zip(suggestion.observed, suggestion.short, suggestion.long, strict=True)
    lines = [[words, *row] for words, row in enumerate(shares, start=1)]
    return csv_text("words observed short long".split(), lines)


def runs_csv(paper: PaperComparison) -> str:
    """One row per run, the best first."""
    lines = [
        [rank, run.name, "ours" if run.ours else "TREC 2006", run.p10]
        for rank, run in enumerate(paper.ranked(), start=1)
    ]
    return csv_text("rank run source P@10".split(), lines)
