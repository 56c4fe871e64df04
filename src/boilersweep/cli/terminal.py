"""Tables folded to the width of a terminal."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest

_RULE = re.compile(r"-+(  -+)+")  # tabulate draws it between head and rows of a table
_GAP = "  "
_NARROWEST = 12  # characters; narrower columns break no words


def fitted(text: str, columns: int) -> str:
    """Fold the cells of a text's wide tables until their lines fit into the columns.

    Tables have tabulate's format `simple` and end with the text or at an empty line. A table that
    cannot become so narrow is as narrow as possible.
    """
    lines = text.split("\n")
    found: list[str] = []
    place = 0
    while place < len(lines):
        if found and _RULE.fullmatch(lines[place]):
            end = next(
                (n for n in range(place, len(lines)) if not lines[n]), len(lines)
            )
            found += _folded(found.pop(), lines[place], lines[place + 1 : end], columns)
            place = end
        else:
            found.append(lines[place])
            place += 1
    return "\n".join(found)


def _folded(head: str, rule: str, lines: Sequence[str], columns: int) -> list[str]:
    spans = [match.span() for match in re.finditer("-+", rule)]
    rows = [[line[start:end] for start, end in spans] for line in (head, *lines)]
    whole = all(
        _GAP.join(row).rstrip() == line.rstrip()
        for row, line in zip(rows, (head, *lines), strict=True)
    )
    if not whole or max(map(len, (head, rule, *lines))) <= columns:
        return [head, rule, *lines]
    widths = _narrowed(
        list(zip(*rows, strict=True)), columns - len(_GAP) * (len(spans) - 1)
    )
    to_right = [
        all(cell[-1:].strip() for cell in column[1:] if cell.strip())
        and any(cell.startswith(" ") for cell in column)
        for column in zip(*rows, strict=True)
    ]
    drawn: list[list[str]] = []
    for row in rows:
        cells = [
            textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
            for cell, width in zip(row, widths, strict=True)
        ]
        drawn += (list(parts) for parts in zip_longest(*cells, fillvalue=""))
        if row is rows[0]:
            drawn.append(["-" * width for width in widths])
    return [
        _GAP.join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(parts, widths, to_right, strict=True)
        ).rstrip()
        for parts in drawn
    ]


def _narrowed(cells: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return widths of columns that fit into the room; the widest columns become narrower.

    Heads are folded before rows, and words longer than _NARROWEST are broken only if folding is not
    enough.

    Args:
        cells: The cells of each column, the head first.
        room: The sum of the widths, in characters.
    """
    widths = [max(len(cell.strip()) for cell in column) for column in cells]
    words = [
        _longest(word for cell in column for word in cell.split()) for column in cells
    ]
    lines = [_longest(cell.strip() for cell in column[1:]) for column in cells]
    for least in (
        list(map(max, words, lines)),
        words,
        [min(word, _NARROWEST) for word in words],
    ):
        while sum(widths) > room:
            wide = [n for n, width in enumerate(widths) if width > least[n]]
            if not wide:
                break
            widths[max(wide, key=lambda n: widths[n])] -= 1
    return widths


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=1)
