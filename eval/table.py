"""Scores for people: the rows of a sweep, their CSV and the table on the terminal."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from tabulate import tabulate

from boilersweep.rules import number_text
from boilersweep.sweeps import Threshold

MAX_ROWS = 24
"""Rows of one sweep that the terminal table shows; the CSV has them all."""

BEST = "*"
_ROUND_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One threshold. documents: indexed. empty: left without a token. tokens: indexed.

    scores: measure -> mean over the evaluated topics.
    """

    threshold: Threshold
    documents: int
    empty: int
    tokens: int
    scores: dict[str, float]

    @property
    def is_baseline(self) -> bool:
        """Whether every block is kept: each has at least one word, and a density of 1."""
        return self.threshold.value == 1


def baseline_of(rows: Sequence[SweepRow]) -> SweepRow | None:
    """The row that keeps everything, of whichever sweep has it."""
    return next((row for row in rows if row.is_baseline), None)


def best_of(rows: Sequence[SweepRow], measure: str) -> SweepRow:
    """The row with the highest mean; of equal ones that with the lowest threshold."""
    return max(rows, key=lambda row: row.scores[measure])


def sweeps_of(rows: Sequence[SweepRow]) -> dict[str, list[SweepRow]]:
    """The rows by feature, each in ascending order of threshold."""
    sweeps: dict[str, list[SweepRow]] = {}
    for row in sorted(rows, key=lambda row: row.threshold.value):
        sweeps.setdefault(row.threshold.feature, []).append(row)
    return sweeps


def scores_csv(rows: Sequence[SweepRow]) -> str:
    """`sweep,threshold,documents,empty,tokens` and a column a measure, a row a threshold."""
    measures = list(rows[0].scores)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["sweep", "threshold", "documents", "empty", "tokens", *measures])
    for row in rows:
        threshold = row.threshold
        writer.writerow(
            [threshold.feature, number_text(threshold.value)]
            + [row.documents, row.empty, row.tokens]
            + [f"{row.scores[measure]:.4f}" for measure in measures]
        )
    return text.getvalue()


def topic_scores_csv(by_threshold: dict[Threshold, dict[str, dict[str, float]]]) -> str:
    """`sweep,threshold,topic` and a column a measure, a row a topic of a threshold."""
    first = next(iter(by_threshold.values()))
    measures = list(next(iter(first.values())))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["sweep", "threshold", "topic", *measures])
    for threshold, topics in by_threshold.items():
        for topic, scores in topics.items():
            writer.writerow(
                [threshold.feature, number_text(threshold.value), topic]
                + [f"{scores[measure]:.4f}" for measure in measures]
            )
    return text.getvalue()


def sweep_table(rows: Sequence[SweepRow], topics: int) -> str:
    """The table for the terminal, the best threshold of each sweep and measure marked."""
    measures = list(rows[0].scores)
    lines: list[list[str]] = []
    left_out = 0
    for sweep in sweeps_of(rows).values():
        best = {measure: best_of(sweep, measure) for measure in measures}
        shown = _shown(sweep, list(best.values()))
        left_out += len(sweep) - len(shown)
        lines += [_line(row, best) for row in shown]
    heads = ["kept blocks", "documents", "left empty", "tokens", *measures]
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
    rule = f"{row.threshold.feature} >= {number_text(row.threshold.value)}"
    cells = [
        rule + (" (baseline)" if row.is_baseline else ""),
        f"{row.documents:,}",
        f"{row.empty:,}",
        f"{row.tokens:,}",
    ]
    for measure, value in row.scores.items():
        mark = BEST if best[measure] is row and measure != "Judged@10" else " "
        cells.append(f"{value:.3f}{mark}")
    return cells


def _shown(sweep: list[SweepRow], always: list[SweepRow]) -> list[SweepRow]:
    """The rows to show: first, last, the best ones, and round thresholds between."""
    chosen = sweep
    for step in _ROUND_STEPS:
        if len(chosen) <= MAX_ROWS:
            break
        must = [sweep[0], *always, sweep[-1]]
        chosen = [row for row in sweep if row in must or row.threshold.value % step == 0]
    return chosen
