"""Studies side by side as tables for the terminal, and as one HTML page without scripts."""

from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from boilersweep.eval.report.inline_data import content_policy
from boilersweep.eval.report.side_by_side import Cell, Side, SideTable, aspects, side_tables
from boilersweep.eval.report.templates import environment, style

TESTS = (
    "Each study is tested against its own baseline, and corrected for its own comparisons; nothing "
    "here tests one study against another."
)


def side_by_side_text(sides: Sequence[Side]) -> str:
    """For the terminal: what differs, then a table for each measure."""
    different, same = aspects(sides)
    names = [side.name for side in sides]
    parts = [
        _drawn("What differs", ["", *names], [[one.term, *one.texts] for one in different])
        if different
        else "Nothing differs: these studies were made of the same.",
        f"The same in all: {', '.join(same)}." if same else "",
    ]
    for table in side_tables(sides):
        lines = [
            [line.cleaner, *(cell.text if cell else "-" for cell in line.cells)]
            for line in table.lines
        ]
        parts.append(_drawn(table.measure, ["kept", *names], lines))
    level = f"{sides[0].study.statistics.level:.0%}"
    parts.append(
        f"Means with {level} intervals, and differences to the baseline; * is statistically "
        f"significant. {TESTS}"
    )
    return "\n\n".join(filter(None, parts))


def _drawn(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    align = ("left",) * len(heads)
    table = tabulate(lines, heads, tablefmt="simple", colalign=align, disable_numparse=True)
    return f"{title}\n{table}"


def render_side_by_side(sides: Sequence[Side], title: str | None = None) -> str:
    """The page; the same for the same arguments."""
    different, same = aspects(sides)
    values = {
        "title": title or " beside ".join(side.name for side in sides),
        "sides": sides,
        "different": different,
        "same": same,
        "tables": side_tables(sides),
        "place": _place,
        "tests": TESTS,
        "statistics": sides[0].study.statistics,
        "version": sides[0].study.version,
        "policy": content_policy(()),
        "style": style(),
    }
    page: str = environment().get_template("side_by_side.html.jinja").render(values)
    return page


def _place(table: SideTable, cell: Cell) -> dict[str, Any]:
    """Where mean and interval are on the table's scale, in percent."""
    room = (table.high - table.low) or 1.0
    low, high = cell.interval or (cell.mean, cell.mean)

    def percent(value: float) -> float:
        return round(100 * (value - table.low) / room, 2)

    return {
        "mean": percent(cell.mean),
        "low": percent(low),
        "width": percent(table.low + high - low),
    }
