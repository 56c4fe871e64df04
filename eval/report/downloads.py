"""The data behind the figures, as CSV."""

from collections.abc import Iterable, Sequence
from typing import Any

from boilersweep.csvtext import csv_text
from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.results import Study, StudyRow

_VARIANT_HEADS = (
    "cleaner role feature threshold measure mean low high difference difference_low "
    "difference_high p_t_holm p_randomisation_holm wins ties losses gap_closed documents empty "
    "relevant_empty terms_lost tokens tokens_kept index_bytes index_measured"
).split()


def variants_csv(rows: Iterable[StudyRow], measures: Sequence[str]) -> str:
    """One row per variant and measure."""
    return csv_text(_VARIANT_HEADS, [_variant_line(row, m) for row in rows for m in measures])


def _variant_line(row: StudyRow, measure: str) -> list[Any]:
    result, losses = row.results[measure], row.losses
    line: list[Any] = [row.variant, row.role, row.feature, row.threshold, measure]
    line += [result.mean, *_bounds(result.interval)]
    difference = result.difference
    if difference:
        tests, outcomes = difference.tests, difference.outcomes
        line += [difference.mean, *_bounds(difference.interval)]
        line += [tests.t_holm, tests.randomisation_holm] if tests else [None, None]
        line += [outcomes.wins, outcomes.ties, outcomes.losses]
    else:
        line += [None] * 8
    line += [result.closed, row.documents, row.empty]
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
