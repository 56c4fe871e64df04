"""CSV that a spreadsheet opens without taking what is in a cell for a formula.

Topics, docids, pages and cleaners are named by whoever made them: a cell that begins with `=` is
calculated where the table is opened, and may run a command there. As OWASP advises ("CSV
Injection"), an apostrophe is put before such text; numbers stay as they are. Whoever reads a table
with a program takes one apostrophe away where a sign follows the apostrophes.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any

_SIGNS = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def csv_text(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV with a line of heads; None is an empty cell."""
    lines = _Lines()
    writer = csv.writer(lines)
    writer.writerow(map(harmless, heads))
    writer.writerows(map(harmless, row) for row in rows)
    return "".join(lines.lines)


class _Lines:
    r"""Takes lines that end with \\r\\n, without which a \\r in a cell is not quoted."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line.removesuffix("\r\n") + "\n")


def harmless(cell: Any) -> Any:
    """Return the content of a cell; a text that would be a formula gets an apostrophe before it."""
    if cell is None or isinstance(cell, Number):
        return cell
    text = str(cell)
    is_formula = text.lstrip("'").startswith(_SIGNS) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text
