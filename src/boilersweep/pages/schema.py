"""The columns of a page: every column is declared once, as a field of `Page` or `PageStructure`.

How a page is packed, joined with others, selected and stored follows from the declarations.
"""

from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

import numpy as np

Thing = Literal["block", "element"]

_DTYPES: dict[type, type] = {int: np.int32, float: np.float64, bool: np.bool_}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a page, with a value for every block or element.

    Attributes:
        name: The field's name.
        kind: The type of a value: int, float, bool or str.
        of: What has a value.
        to: What the values are numbers of, counted from 0 on each page; "" for other values.
    """

    name: str
    kind: type
    of: Thing
    to: Thing | Literal[""]

    @property
    def dtype(self) -> type:
        """The type of the packed values of a column without strings."""
        return _DTYPES[self.kind]


def column(of: Thing, to: Thing | Literal[""] = "") -> Any:
    """Declare a field of a dataclass as a column, which is empty by default; see `Column`."""
    return field(default_factory=list, metadata={"of": of, "to": to})


def columns_in(table: type) -> tuple[Column, ...]:
    """Return the columns that a dataclass declares, in their order."""
    return tuple(
        Column(declared.name, get_args(declared.type)[0], **declared.metadata)
        for declared in fields(table)
        if declared.metadata
    )
