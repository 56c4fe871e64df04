"""Scores of cleaners by source and language for people: one table each, the worst marked."""

import math
from collections.abc import Sequence

from boilersweep.eval.judge.comparison import NAMES
from boilersweep.eval.judge.sources import GroupScore
from boilersweep.eval.judge.tables import right_aligned, shortened

Ranked = dict[str, list[GroupScore]]


def ranked(rows: Sequence[GroupScore]) -> Ranked:
    """Return cleaner -> its groups in their order, first the cleaner with the best worst group."""
    cleaners: Ranked = {}
    for row in rows:
        cleaners.setdefault(row.cleaner, []).append(row)
    return dict(sorted(cleaners.items(), key=lambda item: -worst_of(item[1]).mean))


def worst_of(rows: Sequence[GroupScore]) -> GroupScore:
    """Return a cleaner's worst group."""
    return next(row for row in rows if row.worst)


def source_table(rows: Sequence[GroupScore], group: str) -> str:
    """Write two lines per cleaner, means and below them their intervals.

    Args:
        rows: Every cleaner's scores.
        group: `source` or `language`.
    """
    lines = []
    cleaners = ranked(rows)
    for cleaner, groups in cleaners.items():
        worst = worst_of(groups)
        marked = [f"{row.mean:.3f}{'*' if row.worst else ' '}" for row in groups]
        lines.append([shortened(cleaner), f"{worst.mean:.3f}", worst.group, *marked])
        lines.append(["", "", "", *map(_bounds, groups)])
    heads = ["cleaner", "worst", f"worst {group}", *map(_head, next(iter(cleaners.values())))]
    table = right_aligned(lines, heads, left=(0, 2))
    return (
        f"{table}\n\nMeans by {group}, with 95 % intervals below them; * where the cleaner is "
        "worst. First comes the cleaner\nwhose worst mean is the highest."
    )


def _head(row: GroupScore) -> str:
    measure = NAMES.get(row.measure, "")
    return "\n".join(filter(None, (row.group, f"({row.pages:,})", measure)))


def _bounds(row: GroupScore) -> str:
    if math.isnan(row.low):
        return ""
    low, high = (f"{bound:.3f}".removeprefix("0") for bound in (row.low, row.high))
    return f"{low}-{high} "
