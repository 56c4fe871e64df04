"""Scores for people: the rows of a sweep, their CSV and the table on the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from boilersweep.cleaners.language.variants import Sweep, Variant, curves_of
from boilersweep.cleaners.rules import number_text
from boilersweep.eval.experiment.scored import ScoreRow, Scores
from boilersweep.eval.stats.statistics import place_of_best
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import text_table

# How many rows of one sweep the terminal shows; the CSV has them all.
MAX_ROWS = 24

BEST = "*"
_ROUND_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def baseline_of(rows: Sequence[ScoreRow]) -> ScoreRow | None:
    """Return the first row that keeps everything, None if no row does."""
    return next((row for row in rows if row.is_baseline), None)


def best_of(rows: Sequence[ScoreRow], measure: str) -> ScoreRow:
    """Return the row with the highest mean, the first of equal ones."""
    return rows[place_of_best([row.scores[measure] for row in rows])]


def sweeps_of(
    rows: Sequence[ScoreRow], sweeps: Sequence[Sweep] = ()
) -> dict[str, list[tuple[float, ScoreRow]]]:
    """Return the rows of each sweep with their values, by its label, as `curves_of` does."""
    curves = curves_of([row.variant for row in rows], sweeps)
    return {
        label: [(value, rows[place]) for value, place in curve]
        for label, curve in curves.items()
    }


def sweep_cells(
    variants: Sequence[Variant], sweeps: Sequence[Sweep] = ()
) -> dict[Variant, tuple[str, str]]:
    """Return the cells of the columns `sweep` and `threshold`; a cleaner has no threshold."""
    cells: dict[Variant, tuple[str, str]] = {}
    for label, curve in curves_of(variants, sweeps).items():
        for value, place in curve:
            cells.setdefault(variants[place], (label, number_text(value)))
    return {variant: cells.get(variant, (str(variant), "")) for variant in variants}


def scores_csv(rows: Sequence[ScoreRow], sweeps: Sequence[Sweep] = ()) -> str:
    """Write `sweep,threshold,documents,empty,tokens` and the measures, a row per variant."""
    measures = list(rows[0].scores)
    cells = sweep_cells([row.variant for row in rows], sweeps)
    return csv_text(
        ["sweep", "threshold", "documents", "empty", "tokens", *measures],
        (
            [
                *cells[row.variant],
                row.documents,
                row.empty,
                row.tokens,
                *(figure(row.scores[measure], ".4f") for measure in measures),
            ]
            for row in rows
        ),
    )


def topic_scores_csv(
    scores: Scores, heads: Sequence[str], cells: Mapping[Variant, Sequence[object]]
) -> str:
    """Write the scores of every topic and variant.

    Args:
        scores: The scores.
        heads: The heads of the columns that name a variant.
        cells: Variant -> its cells in these columns.
    """
    return csv_text(
        [*heads, "topic", *scores.measures],
        (
            [
                *cells[row.variant],
                topic,
                *(figure(by_measure[measure], ".4f") for measure in scores.measures),
            ]
            for row in scores.rows
            for topic, by_measure in row.by_topic.items()
        ),
    )


def write_tables(output: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write tables into a folder, given by their names, and return their files."""
    for name, text in texts.items():
        write_text(output / name, text)
    return [output / name for name in texts]


def sweep_table(
    rows: Sequence[ScoreRow], topics: int, sweeps: Sequence[Sweep] = ()
) -> str:
    """Write the table for the terminal, with the best threshold of each sweep marked.

    Args:
        rows: The rows.
        topics: The number of topics.
        sweeps: The requested sweeps.
    """
    measures = list(rows[0].scores)
    lines: list[list[str]] = []
    left_out = 0
    for sweep in sweeps_of(rows, sweeps).values():
        best = {
            measure: best_of([row for _, row in sweep], measure) for measure in measures
        }
        in_sweep = [row for _, row in sweep]
        shown = thinned(
            [value for value, _ in sweep], map(in_sweep.index, best.values())
        )
        left_out += len(sweep) - len(shown)
        lines += [_line(in_sweep[place], best) for place in shown]
    cells = sweep_cells([row.variant for row in rows], sweeps)
    lines += [_line(row, {}) for row in rows if not cells[row.variant][1]]
    heads = ["kept", "documents", "left empty", "tokens", *measures]
    notes = [
        f"Means over {topics:,} topics. {BEST} best of its sweep on these topics: "
        "a choice made on the topics it is judged by looks better than it is."
    ]
    if left_out:
        notes.append(f"{left_out:,} more thresholds are in scores.csv.")
    return "\n".join([text_table(lines, heads), "", *notes])


def _line(row: ScoreRow, best: dict[str, ScoreRow]) -> list[str]:
    point = row.variant.point
    kept = (
        f"{point.feature} >= {number_text(point.value)}" if point else str(row.variant)
    )
    cells = [
        kept + (" (baseline)" if row.is_baseline else ""),
        f"{row.documents:,}",
        f"{row.empty:,}",
        f"{row.tokens:,}",
    ]
    for measure, value in row.scores.items():
        mark = BEST if best.get(measure) is row and measure != "Judged@10" else " "
        cells.append(f"{figure(value)}{mark}")
    return cells


def thinned(values: Sequence[float], must: Iterable[int]) -> list[int]:
    """Choose the places of the values to show: all of them, or the first, the last and round ones.

    If values are not whole numbers, every second, fifth and so on counts as round.

    Args:
        values: The values.
        must: Places that must be shown, too.
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
