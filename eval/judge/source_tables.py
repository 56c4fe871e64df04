"""Scores of cleaners by source and language for people: one table each, with the worst in view."""

import math
from collections.abc import Sequence

from tabulate import tabulate

from boilersweep.eval.judge.comparison import NAMES
from boilersweep.eval.judge.sources import GroupScore
from boilersweep.eval.judge.tables import shortened

Ranked = dict[str, list[GroupScore]]


def ranked(rows: Sequence[GroupScore]) -> Ranked:
    """Cleaner -> its groups in their order; first the cleaner whose worst one is the best."""
    cleaners: Ranked = {}
    for row in rows:
        cleaners.setdefault(row.cleaner, []).append(row)
    return dict(sorted(cleaners.items(), key=lambda item: -worst_of(item[1]).mean))


def worst_of(rows: Sequence[GroupScore]) -> GroupScore:
    """Where a cleaner is worst."""
    return next(row for row in rows if row.worst)


def source_table(rows: Sequence[GroupScore], what: str) -> str:
    """Two lines per cleaner, means and below them their intervals. what: `source` or `language`."""
    lines = []
    cleaners = ranked(rows)
    for cleaner, groups in cleaners.items():
        worst = worst_of(groups)
        marked = [f"{row.mean:.3f}{'*' if row.worst else ' '}" for row in groups]
        lines.append([shortened(cleaner), f"{worst.mean:.3f}", worst.group, *marked])
        lines.append(["", "", "", *(_bounds(row) for row in groups)])
    some = next(iter(cleaners.values()))
    heads = ["cleaner", "worst", f"worst {what}", *map(_head, some)]
    table = tabulate(
        lines,
        heads,
        tablefmt="simple",
        colalign=("left", "right", "left", *("right",) * len(some)),
        disable_numparse=True,
    )
    return (
        f"{table}\n\nMeans by {what}, with 95 % intervals below them; * where the cleaner is "
        "worst. First comes the cleaner\nwhose worst mean is the highest."
    )


def _head(row: GroupScore) -> str:
    measure = NAMES.get(row.measure, "")
    return "\n".join(filter(None, (row.group, f"({row.pages:,})", measure)))


def _bounds(row: GroupScore) -> str:
    return "" if math.isnan(row.low) else f"{_short(row.low)}-{_short(row.high)} "


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
