"""Separators: bands across a region of the page in which no visual block stands, and their weights.

Source: MSR-TR-2003-79, section 4.2. Its detection begins with one separator as large as the region
and lets every block split, shorten or remove separators; those at the region's borders go. What is
left are the gaps between the blocks' extents, which are found at once here. A line at which blocks
meet, or overlap by one pixel as rounded boxes do, is a separator without a width.

The weight grows with the width, where an HR lies in the separator, where backgrounds differ, and,
of a horizontal one, where fonts differ, again where the font above is the smaller; it shrinks where
text in one font is on both sides. The report has no numbers: `_GAP` to `_ALIKE` are ours.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from boilersweep.cleaners.vips.extraction import MIXED, VisualBlock
from boilersweep.cleaners.vips.nodes import Rectangle, Tree

_GAP = 1.0  # for each width of a letter m, up to `_MOST_GAP`
_MOST_GAP = 4.0
_RULE = 3.0
_BACKGROUND = 2.0
_FONT = 1.0
_ALIKE = -1.0
_OVERLAP = 1  # pixels
_LEAST, _MOST = 1.0, 9.0


@dataclass(frozen=True, slots=True)
class Separator:
    """A band between visual blocks. start, end: in pixels from top, or left if vertical.

    weight: from 1 to 9. before: how many of the region's blocks, sorted as `extents` sorts them,
    stand before it.
    """

    vertical: bool
    start: int
    end: int
    weight: float
    before: int


def separators(tree: Tree, blocks: Sequence[VisualBlock], *, vertical: bool) -> list[Separator]:
    """The separators of a region in one direction, from top to bottom or from left to right."""
    ordered = extents(tree, blocks, vertical=vertical)
    found = []
    reach, last = _extent(tree, ordered[0], vertical)[1], ordered[0]
    for number, block in enumerate(ordered[1:], start=1):
        start, end = _extent(tree, block, vertical)
        if start >= reach - _OVERLAP:
            weight = _weight(tree, last, block, reach, start, vertical=vertical)
            found.append(Separator(vertical, min(reach, start), start, weight, number))
        if end > reach:
            reach, last = end, block
    return found


def extents(tree: Tree, blocks: Sequence[VisualBlock], *, vertical: bool) -> list[VisualBlock]:
    """Blocks by where they begin, from top to bottom or from left to right."""
    by_start: Callable[[VisualBlock], tuple[int, int]]
    by_start = lambda block: _extent(tree, block, vertical)  # noqa: E731
    return sorted(blocks, key=by_start)


def _extent(tree: Tree, block: VisualBlock, vertical: bool) -> tuple[int, int]:
    left, top, right, bottom = tree.rectangles[block.node]
    return (left, right) if vertical else (top, bottom)


def _weight(
    tree: Tree, one: VisualBlock, other: VisualBlock, start: int, end: int, *, vertical: bool
) -> float:
    """one, other: the blocks on its sides."""
    above, below = tree.visible(one.node)[-1], tree.visible(other.node)[0]
    letter = max((tree.size[above] + tree.size[below]) / 2, 1.0)
    weight = 1 + min(_GAP * max(end - start, 0) / letter, _MOST_GAP)
    if tree.background[one.node] != tree.background[other.node]:
        weight += _BACKGROUND
    if not vertical:
        if _has_rule(tree.rules, start - _OVERLAP, end + _OVERLAP):
            weight += _RULE
        fonts = [(tree.size[text], tree.weight[text]) for text in (above, below)]
        if fonts[0] != fonts[1]:
            weight += _FONT
        elif one.doc >= MIXED and other.doc >= MIXED:
            weight += _ALIKE
        if tree.size[above] < tree.size[below]:
            weight += _FONT
    return min(max(weight, _LEAST), _MOST)


def _has_rule(rules: Sequence[Rectangle], start: int, end: int) -> bool:
    """Whether an HR lies between two heights. rules: from top to bottom."""
    for number in range(bisect_left(rules, start, key=itemgetter(1)), len(rules)):
        _, top, _, bottom = rules[number]
        if top > end:
            return False
        if bottom <= end:
            return True
    return False
