"""From a page to where its blocks and elements were drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from boilersweep.pages.boxes import COLUMNS, TYPES, Drawn, nothing
from boilersweep.rendering.browser import Browser, UndrawnError
from boilersweep.rendering.marking import MarkedPage

_MATCHED = "matched"
# What the script says of a thing behind its number.
_MEASURED = tuple(name for name in COLUMNS if name != _MATCHED)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPage:
    """How one page was drawn; see `boilersweep.pages.boxes.Boxes`.

    Attributes:
        outcome: why it was not, "" where it was; then everything is unmatched and 0.
    """

    blocks: Drawn
    elements: Drawn
    rules: Drawn = field(default_factory=lambda: nothing(0))
    rule_elements: Sequence[int] = ()
    width: int = 0
    height: int = 0
    outcome: str = ""

    @property
    def unmatched_blocks(self) -> int:
        """Blocks that the browser has not, of a page that was drawn."""
        return 0 if self.outcome else int((~self.blocks.matched).sum())

    @property
    def unmatched_elements(self) -> int:
        """Elements that it has not; the document itself is always there."""
        return 0 if self.outcome else int((~self.elements.matched).sum())


def draw(page: MarkedPage, browser: Browser) -> DrawnPage:
    """Have a page drawn; what the browser ends on is tried once more, in a new one."""
    blocks, elements = len(page), _elements(page)
    try:
        try:
            answer = browser.measure(page.html, collecting())
        except UndrawnError:
            answer = browser.measure(page.html, collecting())
    except UndrawnError as error:
        return undrawn(blocks, elements, error.reason)
    width, height = answer["width"], answer["height"]
    drawn = _numbered(answer["elements"], elements)
    if elements:
        _set_document(drawn, width, height)
    return DrawnPage(
        blocks=_numbered(answer["blocks"], blocks),
        elements=drawn,
        rules=_things(answer["rules"]),
        rule_elements=[row[0] for row in answer["rules"]],
        width=width,
        height=height,
    )


def undrawn(blocks: int, elements: int, outcome: str) -> DrawnPage:
    """Return a page that was not drawn."""
    return DrawnPage(nothing(blocks), nothing(elements), outcome=outcome)


@cache
def collecting() -> str:
    """Return the script that measures a page."""
    return (files(__package__) / "collect.js").read_text(encoding="utf-8")


def _elements(page: MarkedPage) -> int:
    if page.structure is None:
        return min(len(page), 1)  # of a plain text the document alone
    return len(page.structure.names)


def _numbered(rows: Sequence[Sequence[Any]], count: int) -> Drawn:
    """Things by their numbers; of two with one number the first of the page."""
    found = nothing(count)
    first = {row[0]: row for row in reversed(rows) if 0 <= row[0] < count}
    places = np.array(list(first), dtype=np.int64)
    some = _things(list(first.values()))
    for name in COLUMNS:
        getattr(found, name)[places] = getattr(some, name)
    return found


def _things(rows: Sequence[Sequence[Any]]) -> Drawn:
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(COLUMNS))
    table[:, 0] = 1  # in the place of the number, what is matched
    numbers = dict(zip((_MATCHED, *_MEASURED), table.T, strict=True))
    return Drawn(**{name: numbers[name].astype(TYPES[name]) for name in COLUMNS})


def _set_document(elements: Drawn, width: int, height: int) -> None:
    """Return the drawing of the document, which has no tag: as large as the page, white, shown."""
    elements.right[0], elements.bottom[0] = width, height
    elements.size[0], elements.weight[0] = 16, 400
    elements.background[0] = 0xFFFFFF
    elements.shown[0] = elements.matched[0] = True
