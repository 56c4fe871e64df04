"""Scores for people: the rows of a sweep, their CSV and the table on the terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.variants import Sweep, Variant, curves_of
from boilersweep.outputs.csvtext import csv_text

MAX_ROWS = 24
"""Rows of one sweep that the terminal table shows; the CSV has them all."""

EQUAL_DIGITS = 9
"""Of means that count: those of equal scores differ by rounding."""

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
    return max(rows, key=lambda row: round(row.scores[measure], EQUAL_DIGITS))


def sweeps_of(
    rows: Sequence[SweepRow], sweeps: Sequence[Sweep] = ()
) -> dict[str, list[tuple[float, SweepRow]]]:
    """The rows of each sweep, by its label, with their values, as `curves_of` has them."""
    curves = curves_of([row.variant for row in rows], sweeps)
    return {
        label: [(value, rows[place]) for value, place in curve] for label, curve in curves.items()
    }


def cleaners_of(rows: Sequence[SweepRow], sweeps: Sequence[Sweep] = ()) -> list[SweepRow]:
    """The rows of cleaners that are on no curve."""
    cells = _cells([row.variant for row in rows], sweeps)
    return [row for row in rows if not cells[row.variant][1]]


def _cells(variants: Sequence[Variant], sweeps: Sequence[Sweep]) -> dict[Variant, tuple[str, str]]:
    """The columns `sweep` and `threshold`; a cleaner is in the first, without a threshold."""
    cells: dict[Variant, tuple[str, str]] = {}
    for label, curve in curves_of(variants, sweeps).items():
        for value, place in curve:
            cells.setdefault(variants[place], (label, number_text(value)))
    return {variant: cells.get(variant, (str(variant), "")) for variant in variants}


def scores_csv(rows: Sequence[SweepRow], sweeps: Sequence[Sweep] = ()) -> str:
    """`sweep,threshold,documents,empty,tokens`, one column per measure; one row per variant."""
    measures = list(rows[0].scores)
    cells = _cells([row.variant for row in rows], sweeps)
    return csv_text(
        ["sweep", "threshold", "documents", "empty", "tokens", *measures],
        (
            [
                *(*cells[row.variant], row.documents, row.empty, row.tokens),
                *(f"{row.scores[measure]:.4f}" for measure in measures),
            ]
            for row in rows
        ),
    )


def topic_scores_csv(
    by_variant: dict[Variant, dict[str, dict[str, float]]], sweeps: Sequence[Sweep] = ()
) -> str:
    """`sweep,threshold,topic`, one column per measure; one row per variant and topic."""
    first = next(iter(by_variant.values()))
    measures = list(next(iter(first.values())))
    cells = _cells(list(by_variant), sweeps)
    return csv_text(
        ["sweep", "threshold", "topic", *measures],
        (
            [*cells[variant], topic, *(f"{scores[measure]:.4f}" for measure in measures)]
            for variant, topics in by_variant.items()
            for topic, scores in topics.items()
        ),
    )


def sweep_table(rows: Sequence[SweepRow], topics: int, sweeps: Sequence[Sweep] = ()) -> str:
    """The table for the terminal, the best threshold of each sweep and measure marked.

    topics: how many. sweeps: those asked for.
    """
    measures = list(rows[0].scores)
    lines: list[list[str]] = []
    left_out = 0
    for sweep in sweeps_of(rows, sweeps).values():
        best = {measure: best_of([row for _, row in sweep], measure) for measure in measures}
        shown = _shown(sweep, list(best.values()))
        left_out += len(sweep) - len(shown)
        lines += [_line(row, best) for row in shown]
    lines += [_line(row, {}) for row in cleaners_of(rows, sweeps)]
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
    point = row.variant.point
    kept = f"{point.feature} >= {number_text(point.value)}" if point else str(row.variant)
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
    places = thinned([value for value, _ in sweep], map(rows.index, always))
    return [rows[place] for place in places]


def thinned(values: Sequence[float], must: Iterable[int]) -> list[int]:
    """Places of the values to show: all or the first, the last, those of `must` and round ones.

    Of values that are not whole every second, fifth and so on counts as round.
    """
    kept = {0, *must, len(values) - 1}
    whole = all(value == int(value) for value in values)
    chosen = list(range(len(values)))
    for step in _ROUND_STEPS:
        if len(chosen) <= MAX_ROWS:
            break
        chosen = [
            place
            for place, value in enumerate(values)
            if place in kept or (value if whole else place) % step == 0
        ]
    return chosen
