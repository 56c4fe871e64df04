"""The table of a sweep on the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.syntax.variants import Sweep
from boilersweep.eval.stats.frames import Row, best_of, sweeps_of
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import text_table

# How many rows of one sweep the terminal shows; the CSV has them all.
MAX_ROWS = 24

BEST = "*"
_ROUND_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def write_tables(output: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write tables into a folder, given by their names, and return their files."""
    for name, text in texts.items():
        write_text(output / name, text)
    return [output / name for name in texts]


def sweep_table(rows: Sequence[Row], topics: int, sweeps: Sequence[Sweep] = ()) -> str:
    """Write the table for the terminal, with the best threshold of each sweep marked.

    Args:
        rows: The rows.
        topics: The number of topics.
        sweeps: The requested sweeps.
    """
    measures = list(rows[0].results)
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
    lines += [_line(row, {}) for row in rows if row.threshold is None]
    heads = ["kept", "documents", "left empty", "tokens", *measures]
    notes = [
        f"Means over {topics:,} topics. {BEST} best of its sweep on these topics: "
        "a choice made on the topics it is judged by looks better than it is."
    ]
    if left_out:
        notes.append(f"{left_out:,} more thresholds are in scores.csv.")
    return "\n".join([text_table(lines, heads), "", *notes])


def _line(row: Row, best: dict[str, Row]) -> list[str]:
    point = row.variant.point
    kept = f"{point.feature} >= {number_text(point.value)}" if point else row.label
    counts = (row.documents, row.empty, row.tokens)
    cells = [kept + (" (baseline)" if row.keeps_all else "")]
    cells += [figure(count, ",") for count in counts]
    for measure, result in row.results.items():
        mark = BEST if best.get(measure) is row and measure != "Judged@10" else " "
        cells.append(f"{figure(result.mean)}{mark}")
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
            index
            for index, value in enumerate(values)
            if index in kept or (value if whole else index) % step == 0
        ]
    return chosen
