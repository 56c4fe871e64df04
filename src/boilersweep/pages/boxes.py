"""Where blocks and elements are on their pages as a browser draws them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """k things on pages, in CSS pixels from the page's upper left corner.

    Attributes:
        left, top, right, bottom: (k,) The edges of the smallest rectangle around all that is drawn
            of a thing; 0 if nothing is.
        size: (k,) The size of its font, in pixels.
        weight: (k,) The weight of its font; 400 is normal.
        colour, background: (k,) 0xRRGGBB; the background is that of the innermost element around it
            that has one.
        shown: (k,) False for what nobody sees: without a box, transparent, cut off or beyond the
            page's edges.
        matched: (k,) False for what the browser has not or the page was not drawn.
    """

    left: NDArray[np.int64]
    top: NDArray[np.int64]
    right: NDArray[np.int64]
    bottom: NDArray[np.int64]
    size: NDArray[np.float64]
    weight: NDArray[np.int64]
    colour: NDArray[np.int64]
    background: NDArray[np.int64]
    shown: NDArray[np.bool_]
    matched: NDArray[np.bool_]

    def some(self, keep: Any) -> "Drawn":
        """Select things, as NumPy indexes them."""
        return Drawn(*(getattr(self, name)[keep] for name in COLUMNS))

    def __len__(self) -> int:
        return len(self.left)


COLUMNS = tuple(field.name for field in fields(Drawn))

# Of the columns.
TYPES: dict[str, type] = {
    **dict.fromkeys(COLUMNS, np.int64),
    "size": np.float64,
    "shown": np.bool_,
    "matched": np.bool_,
}


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """How n documents with m blocks, e elements and r rules, HR elements, were drawn.

    Attributes:
        blocks: The m blocks.
        elements: The e elements, as the structure numbers them.
        rules: The r rules.
        rule_starts: (n + 1,) the rules of document i are rule_starts[i] to rule_starts[i + 1].
        rule_elements: (r,) the number of the innermost element of the structure around a rule.
        widths, heights: (n,) The sizes of the pages; 0 if a page was not drawn.
    """

    blocks: Drawn
    elements: Drawn
    rules: Drawn
    rule_starts: NDArray[np.int64]
    rule_elements: NDArray[np.int64]
    widths: NDArray[np.int64]
    heights: NDArray[np.int64]


def joined(parts: Sequence[Drawn]) -> Drawn:
    """Things of several pages as one."""
    if not parts:
        return nothing(0)
    return Drawn(*(np.concatenate([getattr(one, name) for one in parts]) for name in COLUMNS))


def nothing(count: int) -> Drawn:
    """Things of which nothing is drawn."""
    return Drawn(*(np.zeros(count, dtype=TYPES[name]) for name in COLUMNS))
