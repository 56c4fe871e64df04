"""Columns of results, each declared once: how people and files see the values of a field.

A class of rows declares a column in the annotation of its field:

    effect: Annotated[float | None, Column("effect", "+.2f", "in standard deviations")] = None

CSV files, data frames and tables of all kinds are views of the declared columns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure, rounded
from boilersweep.outputs.tables import Cell, Head

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Column:
    """How people and files see the values of a field.

    Attributes:
        head: The head in tables; "" for a column of files alone.
        style: The format of its figures in tables.
        meaning: What the figures mean.
        file: The format of its figures in files, or what writes them.
        detail: Whether pages show the column on demand.
        cell: Returns the cell of a row, where more than its value decides.
        only_with: The field without any value of which tables lack the column; "" for none.
    """

    head: str = ""
    style: str = ".3f"
    meaning: str = ""
    file: str | Callable[[float], str] = ".4f"
    detail: bool = False
    cell: Callable[[Any], Cell] | None = None
    only_with: str = ""

    def in_file(self, value: Any) -> Any:
        """Return a value as files have it: figures are rounded, truth values are 1 or 0."""
        if isinstance(value, bool):
            return int(value)
        if not isinstance(value, float):
            return value
        return self.file(value) if callable(self.file) else figure(value, self.file)

    def in_table(self, value: Any) -> Cell:
        """Return the cell of a value; None is empty."""
        return Cell(figure(value, self.style), value)


@cache
def columns_of(kind: type) -> Mapping[str, Column]:
    """Return the declared columns of a class of rows by field, in the order of declaration."""
    return {
        name: column
        for name, hint in get_type_hints(kind, include_extras=True).items()
        for column in getattr(hint, "__metadata__", ())
        if isinstance(column, Column)
    }


def table_columns(
    kind: type, rows: Sequence[Any]
) -> dict[str, tuple[Head, list[Cell]]]:
    """Return field -> head and cells of rows, for the columns that tables have."""
    return {
        name: (
            Head(column.head, column.meaning, detail=column.detail),
            [
                column.cell(row) if column.cell else column.in_table(getattr(row, name))
                for row in rows
            ],
        )
        for name, column in columns_of(kind).items()
        if column.head
        and (
            not column.only_with
            or any(getattr(row, column.only_with) is not None for row in rows)
        )
    }


class Sheet:
    """Named columns of values, as files and data frames have them."""

    def __init__(self) -> None:
        """Begin without a column."""
        self._columns: dict[str, tuple[Column, list[Any]]] = {}

    def add(self, head: str, values: Iterable[Any], column: Column = Column()) -> None:
        """Add a column."""
        self._columns[head] = (column, list(values))

    def add_fields(
        self, kind: type, rows: Sequence[Any], fields: Iterable[str]
    ) -> None:
        """Add fields of rows under their names."""
        for name in fields:
            values = [getattr(row, name) for row in rows]
            self.add(name, values, columns_of(kind).get(name, Column()))

    def repeated(self, times: int) -> "Sheet":
        """Return the columns with each row some times in a row."""
        sheet = Sheet()
        for head, (column, values) in self._columns.items():
            sheet.add(head, [one for one in values for _ in range(times)], column)
        return sheet

    @property
    def csv(self) -> str:
        """The columns as CSV; what does not apply is empty."""
        cells = [
            list(map(column.in_file, values))
            for column, values in self._columns.values()
        ]
        return csv_text(list(self._columns), zip(*cells, strict=True))

    def to_pandas(self) -> "pd.DataFrame":
        """Return the columns as a data frame, with all digits that a figure has."""
        import pandas as pd

        return pd.DataFrame(
            {
                head: [
                    rounded(one) if isinstance(one, float) else one for one in values
                ]
                for head, (_, values) in self._columns.items()
            }
        )
