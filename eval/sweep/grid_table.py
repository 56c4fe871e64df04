"""A grid for people: its CSV, and the table on the terminal, which has the best of every row."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from boilersweep.cleaners.language.variants import Grid, GridCell, Pair
from boilersweep.cleaners.rules import number_text
from boilersweep.eval.figures.drawing import label
from boilersweep.eval.figures.heat_map import Edge, HeatMap
from boilersweep.eval.stats.statistics import Interval
from boilersweep.eval.sweep.table import BEST, SweepRow, best_of, thinned
from boilersweep.outputs.csvtext import csv_text

Rows = Mapping[GridCell, SweepRow]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best pair of a grid by a measure.

    Attributes:
        measure: The measure.
        pair: The pair.
        row: Its row.
        interval: The interval of its mean; nan for one topic.
    """

    measure: str
    pair: Pair
    row: SweepRow
    interval: Interval

    def __str__(self) -> str:
        score = f"{self.row.scores[self.measure]:.3f}"
        low, high = self.interval
        return score if math.isnan(low) else f"{score} [{low:.3f}, {high:.3f}]"


def grid_csv(grid: Grid, rows: Rows) -> str:
    """Write the CSV of a grid, one row per variant.

    The columns are `cleaner`, a column for each sweep with its value, `documents,empty,tokens`, and
    one per measure. A value is empty if its sweep does not apply.
    """
    measures = _measures(rows)
    heads = ["cleaner", grid.first.label, grid.second.label, "documents", "empty", "tokens"]
    return csv_text(
        [*heads, *measures],
        (
            [
                row.variant,
                *("" if value is None else number_text(value) for value in grid.values(place)),
                row.documents,
                row.empty,
                row.tokens,
                *(f"{row.scores[measure]:.4f}" for measure in measures),
            ]
            for place, row in rows.items()
        ),
    )


def grid_table(grid: Grid, rows: Rows, best: Sequence[Optimum], topics: int) -> str:
    """Write the table for the terminal: the best pair of every value of the first sweep.

    Args:
        grid: The grid.
        rows: The rows of its places.
        best: The best pairs by the drawn measures; the first measure chooses the pairs.
        topics: The number of topics.
    """
    measures, first = _measures(rows), best[0].measure
    lines = []
    for i in thinned(grid.first.values, [optimum.pair[0] for optimum in best]):
        row, j = _best_in_row(grid, rows, i, first)
        line = [number_text(grid.first.values[i]), f"{rows[i, None].scores[first]:.3f}"]
        line.append(number_text(grid.second.values[j]))
        for measure in measures:
            marked = any(optimum.measure == measure and optimum.row is row for optimum in best)
            line.append(f"{row.scores[measure]:.3f}{BEST if marked else ' '}")
        lines.append([*line, f"{row.documents:,}", f"{row.tokens:,}"])
    heads = [grid.first.head, f"{first} alone", f"best {grid.second.head}", *measures]
    heads += ["documents", "tokens"]
    align = ("right",) * len(heads)
    table = tabulate(lines, heads, tablefmt="simple", colalign=align, disable_numparse=True)
    notes = [_sentence(grid, rows, optimum) for optimum in best]
    notes.append(
        f"Means over {topics:,} topics with 95 % bootstrap intervals. {BEST} best of all pairs on "
        "these topics: a choice made on the topics it is judged by looks better than it is."
    )
    left_out = grid.shape[0] - len(lines)
    if left_out:
        notes.append(f"{left_out:,} more lines and all pairs are in scores.csv.")
    return "\n".join([table, "", *notes])


def heat_map(grid: Grid, rows: Rows, best: Optimum) -> HeatMap:
    """Return the map of a grid by an optimum's measure, to be drawn."""
    measure = best.measure
    edges = [
        Edge(
            sweep=sweep.label,
            thresholds=sweep.values,
            scores=[rows[place].scores[measure] for place in places],
        )
        for sweep, places in zip((grid.first, grid.second), grid.edges, strict=True)
    ]
    across, up = grid.shape
    return HeatMap(
        measure=measure,
        first=edges[0],
        second=edges[1],
        scores=[[rows[i, j].scores[measure] for i in range(across)] for j in range(up)],
        best=best.pair,
        everything=rows[grid.baseline].scores[measure],
        head=f"{measure}: {best}\n{label(str(best.row.variant))}",
    )


def _measures(rows: Rows) -> list[str]:
    return list(next(iter(rows.values())).scores)


def _best_in_row(grid: Grid, rows: Rows, i: int, measure: str) -> tuple[SweepRow, int]:
    in_row = [rows[i, j] for j in range(grid.shape[1])]
    best = best_of(in_row, measure)
    return best, next(j for j, row in enumerate(in_row) if row is best)


def _sentence(grid: Grid, rows: Rows, best: Optimum) -> str:
    measure = best.measure
    edges = [best_of([rows[place] for place in edge], measure) for edge in grid.edges]
    alone = " and ".join(f"{row.variant} {row.scores[measure]:.3f}" for row in edges)
    pairs = math.prod(grid.shape)
    return (
        f"{measure}: {best} at {best.row.variant}, the best of {pairs:,} pairs; alone {alone}; "
        f"everything {rows[grid.baseline].scores[measure]:.3f}."
    )
