"""Scores for people: the rows of a sweep, their CSV and the table on the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from tabulate import tabulate

from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.variants import Variant
from boilersweep.csvtext import csv_text

MAX_ROWS = 24
"""Rows of one sweep that the terminal table shows; the CSV has them all."""

BEST = "*"
_ROUND_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One variant. documents: indexed. empty: left without a token. tokens: indexed.

    scores: measure -> mean over the evaluated topics.
    """

    variant: Variant
    documents: int
    empty: int
    tokens: int
    scores: dict[str, float]

    @property
    def is_baseline(self) -> bool:
        """Whether every block is kept: each has at least one word, and a density of 1."""
        return self.variant.point is not None and self.variant.point.value == 1


def baseline_of(rows: Sequence[SweepRow]) -> SweepRow | None:
    """The row that keeps everything, of whichever sweep has it."""
    return next((row for row in rows if row.is_baseline), None)


def best_of(rows: Sequence[SweepRow], measure: str) -> SweepRow:
    """The row with the highest mean; of equal ones that with the lowest threshold."""
    return max(rows, key=lambda row: row.scores[measure])


def sweeps_of(rows: Sequence[SweepRow]) -> dict[str, list[tuple[float, SweepRow]]]:
    """The rows of thresholds by feature, with their values, each in ascending order of them."""
    sweeps: dict[str, list[tuple[float, SweepRow]]] = {}
    for row in rows:
        if point := row.variant.point:
            sweeps.setdefault(point.feature, []).append((point.value, row))
    for sweep in sweeps.values():
        sweep.sort(key=lambda pair: pair[0])
    return sweeps


def cleaners_of(rows: Sequence[SweepRow]) -> list[SweepRow]:
    """The rows of cleaners that are no thresholds."""
    return [row for row in rows if not row.variant.point]


def _cells(variant: Variant) -> list[str]:
    """The columns `sweep` and `threshold`; a cleaner stands in the first, without a threshold."""
    point = variant.point
    return [point.feature, number_text(point.value)] if point else [str(variant), ""]


def scores_csv(rows: Sequence[SweepRow]) -> str:
    """`sweep,threshold,documents,empty,tokens`, one column per measure; one row per variant."""
    measures = list(rows[0].scores)
    return csv_text(
        ["sweep", "threshold", "documents", "empty", "tokens", *measures],
        (
            [
                *(*_cells(row.variant), row.documents, row.empty, row.tokens),
                *(f"{row.scores[measure]:.4f}" for measure in measures),
            ]
            for row in rows
        ),
    )


def topic_scores_csv(by_variant: dict[Variant, dict[str, dict[str, float]]]) -> str:
    """`sweep,threshold,topic`, one column per measure; one row per variant and topic."""
    first = next(iter(by_variant.values()))
    measures = list(next(iter(first.values())))
    return csv_text(
        ["sweep", "threshold", "topic", *measures],
        (
            [*_cells(variant), topic, *(f"{scores[measure]:.4f}" for measure in measures)]
            for variant, topics in by_variant.items()
            for topic, scores in topics.items()
        ),
    )


def sweep_table(rows: Sequence[SweepRow], topics: int) -> str:
    """The table for the terminal, the best threshold of each sweep and measure marked."""
    measures = list(rows[0].scores)
    lines: list[list[str]] = []
    left_out = 0
    for sweep in sweeps_of(rows).values():
        best = {measure: best_of([row for _, row in sweep], measure) for measure in measures}
        shown = _shown(sweep, list(best.values()))
        left_out += len(sweep) - len(shown)
        lines += [_line(row, best) for row in shown]
    lines += [_line(row, {}) for row in cleaners_of(rows)]
    heads = ["kept", "documents", "left empty", "tokens", *measures]
    align = ("left", *("right",) * (len(heads) - 1))
    table = tabulate(lines, heads, tablefmt="simple", colalign=align, disable_numparse=True)
    notes = [
        f"Means over {topics:,} topics. {BEST} best of its sweep on these topics: "
        "a choice made on the topics it is judged by looks better than it is."
    ]
    if left_out:
        notes.append(f"{left_out:,} more thresholds are in scores.csv.")
    return "\n".join([table, "", *notes])


def _line(row: SweepRow, best: dict[str, SweepRow]) -> list[str]:
    kept = " >= ".join(filter(None, _cells(row.variant)))
    cells = [
        kept + (" (baseline)" if row.is_baseline else ""),
        f"{row.documents:,}",
        f"{row.empty:,}",
        f"{row.tokens:,}",
    ]
    for measure, value in row.scores.items():
        mark = BEST if best.get(measure) is row and measure != "Judged@10" else " "
        cells.append(f"{value:.3f}{mark}")
    return cells


def _shown(sweep: list[tuple[float, SweepRow]], always: list[SweepRow]) -> list[SweepRow]:
    """The rows to show: first, last, the best ones, and round thresholds between."""
    rows = [row for _, row in sweep]
    chosen = rows
    for step in _ROUND_STEPS:
        if len(chosen) <= MAX_ROWS:
            break
        must = [rows[0], *always, rows[-1]]
        chosen = [row for value, row in sweep if row in must or value % step == 0]
    return chosen
