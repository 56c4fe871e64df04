"""A study as tables for the terminal, Markdown and LaTeX: one per measure tested, one of costs."""

from collections.abc import Sequence
from dataclasses import dataclass

from tabulate import tabulate

from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.results import (
    SIGNIFICANT,
    IndexSize,
    Result,
    StudyRow,
    ordered,
)

MARK = "*"
"""Of a difference that is statistically significant."""

_ROLES = {"baseline": " (baseline)", "gold": " (upper bound)", "run": " (run)"}


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people. heads: of the columns. lines: of cells."""

    title: str
    heads: list[str]
    lines: list[list[str]]


def study_tables(
    rows: Sequence[StudyRow], tested: Sequence[str], beside: Sequence[str]
) -> list[Table]:
    """A table for each tested measure, then what cleaning takes away.

    rows: those to show. beside: measures that stand in the last table.
    """
    lines = ordered(rows, tested[0])
    tables = [_measure_table(lines, measure) for measure in tested]
    return [*tables, _cost_table(lines, beside)]


def table_notes(topics: int, comparisons: int, left_out: int) -> list[str]:
    """What to know to read the tables."""
    notes = [
        f"Means over {topics:,} topics; 95 % bootstrap intervals (BCa). p: of the paired t-test "
        f"and the paired randomisation test, each corrected (Holm) over all {comparisons:,} "
        f"comparisons of this study; {MARK} the latter is below {SIGNIFICANT}.",
        "Terms lost: of the topics' terms in relevant documents. Index: without positions; "
        "`about` is estimated from the tokens.",
    ]
    if left_out:
        notes.append(f"{left_out:,} more thresholds are in compare.csv.")
    return notes


def as_text(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """For the terminal."""
    parts = [f"{table.title}\n{_drawn(table, 'simple')}" for table in tables]
    return "\n\n".join([*parts, "\n".join(notes)])


def as_markdown(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """With pipes, as GitHub and pandoc read it."""
    parts = []
    for table in tables:
        lines = [list(map(_markdown, line)) for line in table.lines]
        drawn = _drawn(Table(table.title, list(map(_markdown, table.heads)), lines), "pipe")
        parts.append(f"**{_markdown(table.title)}**\n\n{drawn}")
    return "\n\n".join([*parts, *map(_markdown, notes)]) + "\n"


def as_latex(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """A tabular for each table, with the rules of the package booktabs; notes as comments."""
    parts = [f"% {table.title}\n{_drawn(table, 'latex_booktabs')}" for table in tables]
    return "\n\n".join([*parts, "\n".join(f"% {note}" for note in notes)]) + "\n"


def _drawn(table: Table, style: str) -> str:
    align = ("left", *("right",) * (len(table.heads) - 1))
    drawn: str = tabulate(
        table.lines, table.heads, tablefmt=style, colalign=align, disable_numparse=True
    )
    return drawn


def _markdown(text: str) -> str:
    for sign in "\\|*_<`":
        text = text.replace(sign, f"\\{sign}")
    return text


def _measure_table(rows: Sequence[StudyRow], measure: str) -> Table:
    heads = [
        *("kept", measure, "95 % interval", "difference", "95 % interval"),
        *("p (t)", "p (rand.)", "wins/ties/losses"),
    ]
    gold = any(row.results[measure].closed is not None for row in rows)
    lines = []
    for row in rows:
        result = row.results[measure]
        line = [_name(row), f"{result.mean:.3f}", _interval(result.interval), *_difference(result)]
        lines.append([*line, _share(result.closed)] if gold else line)
    return Table(measure, [*heads, "gap closed"] if gold else heads, lines)


def _difference(result: Result) -> list[str]:
    difference = result.difference
    if difference is None:
        return [""] * 5
    tests = difference.tests
    mark = MARK if difference.is_significant else ""
    wins = difference.outcomes
    return [
        f"{difference.mean:+.3f}{mark}",
        _interval(difference.interval, "+"),
        p_text(tests.t_holm) if tests else "",
        p_text(tests.randomisation_holm) if tests else "",
        f"{wins.wins}/{wins.ties}/{wins.losses}",
    ]


def _cost_table(rows: Sequence[StudyRow], beside: Sequence[str]) -> Table:
    heads = [
        *("kept", *beside, "documents", "left empty", "relevant left empty"),
        *("terms lost", "tokens", "tokens kept", "index"),
    ]
    lines = [
        [
            _name(row),
            *(f"{row.results[measure].mean:.3f}" for measure in beside),
            _count(row.documents),
            _count(row.empty),
            f"{row.losses.relevant_empty:,}" if row.losses else "",
            _share(row.losses.terms_lost) if row.losses else "",
            _count(row.tokens),
            _share(row.tokens_kept),
            "" if row.index is None else size_text(row.index),
        ]
        for row in rows
    ]
    for row, line in zip(rows, lines, strict=True):
        if row.role == "run":  # of these nothing but scores is known
            line[1:] = [cell or "-" for cell in line[1:]]
    return Table("What cleaning takes away", heads, lines)


def _name(row: StudyRow) -> str:
    return f"{row.variant}{_ROLES.get(row.role, '')}"


def _interval(interval: Interval | None, sign: str = "") -> str:
    return "" if interval is None else f"[{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def p_text(p: float) -> str:
    """A p-value as people write it."""
    return "<.001" if p < 0.001 else f"{p:.3f}"


def size_text(index: IndexSize) -> str:
    """A size in megabytes, with `about` where it is estimated."""
    megabytes = index.size / 1e6
    return f"{'' if index.measured else 'about '}{megabytes:,.{1 if megabytes < 100 else 0}f} MB"
