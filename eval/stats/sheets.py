"""The frames as sheets of named columns, which CSV files and data frames have."""

from collections.abc import Callable, Sequence
from typing import Any

from boilersweep.eval.stats.frames import Result, Row
from boilersweep.outputs.columns import Column, Sheet, columns_of

P_VALUE = Column(file=".4g")

# The columns of results that files have last.
_LAST = ("effect", "detectable", "detectable_corrected", "groups")


def sweep_sheet(rows: Sequence[Row]) -> Sheet:
    """Return the columns `sweep` and `threshold`; a cleaner has no threshold."""
    sheet = Sheet()
    sheet.add("sweep", [row.feature or row.label for row in rows])
    sheet.add_fields(Row, rows, ["threshold"])
    return sheet


def scores_sheet(rows: Sequence[Row], named: Sheet) -> Sheet:
    """Add a row's counts and means to the columns that name it."""
    named.add_fields(Row, rows, ("documents", "empty", "tokens"))
    for measure in rows[0].results:
        named.add(measure, [row.results[measure].mean for row in rows])
    return named


def topics_sheet(rows: Sequence[Row], named: Sheet, topics: Sequence[str]) -> Sheet:
    """Return the scores of every row and topic, behind the columns that name the row."""
    sheet = named.repeated(len(topics))
    sheet.add("topic", list(topics) * len(rows))
    for measure in rows[0].scores:
        sheet.add(measure, [score for row in rows for score in row.scores[measure]])
    return sheet


def named_sheet(rows: Sequence[Row], fields: Sequence[str] = ()) -> Sheet:
    """Return the columns that name rows: of several formulas, and tuned ones, these as well.

    Args:
        rows: The rows.
        fields: More fields.
    """
    sheet = Sheet()
    if any(row.formula for row in rows):
        sheet.add_fields(Row, rows, ["formula"])
    if any(row.tuned for row in rows):
        sheet.add_fields(Row, rows, ["tuned"])
    sheet.add("cleaner", [row.label for row in rows])
    sheet.add_fields(Row, rows, fields)
    return sheet


def add_results(
    sheet: Sheet,
    kind: type,
    results: Sequence[Result],
    ps: Sequence[str],
    head: Callable[[str], str] = str,
    left_out: Sequence[str] = (),
) -> None:
    """Add the columns of results, with p-values behind the differences.

    Args:
        sheet: The sheet.
        kind: The class of the results.
        results: The results.
        ps: The names of the p-values, such as `t_holm`.
        head: From a field's name to that of its column.
        left_out: The fields to leave out.
    """
    columns = columns_of(kind)
    order = [name for name in columns if name not in (*_LAST, *left_out)]
    for name in [*order, *(name for name in _LAST if name in columns)]:
        if name not in left_out:
            values: list[Any] = [getattr(result, name) for result in results]
            sheet.add(head(name), values, columns[name])
        if name == "difference_high":
            for p in ps:
                sheet.add(head(p), [result.tests.get(p) for result in results], P_VALUE)


# What cleaning takes away.
COSTS = (
    "documents empty relevant_empty terms_lost tokens tokens_kept index_bytes index_measured"
).split()


def frame_sheet(rows: Sequence[Row], measures: Sequence[str]) -> Sheet:
    """Return a row per variant, formula and measure, measure by measure within each variant."""
    lines = [(row, measure) for row in rows for measure in measures]
    own = [row for row, _ in lines]
    results = [row.results[measure] for row, measure in lines]
    ps = [
        p
        for p in max((result.tests for result in results), key=len)
        if p.endswith(("_holm", "_bh"))
    ]
    sheet = named_sheet(own, ("role", "feature", "threshold"))
    sheet.add("measure", [measure for _, measure in lines])
    add_results(
        sheet, Result, results, ps, lambda name: f"p_{name}" if name in ps else name
    )
    sheet.add_fields(Row, own, COSTS)
    return sheet
