"""Content structure construction: regions of a page, each as coherent as permitted.

Source: MSR-TR-2003-79, section 4.3. There blocks are merged, first over the lightest separators,
until only the heaviest are left; a merged block's degree of coherence (DoC) follows from the
heaviest separator in it; and a block less coherent than permitted (PDoC) goes through extraction
again. Here the same structure is built from the top down: a region is split at its heaviest
separators as long as it is less coherent than permitted, and its parts get their own separators, so
that columns below a head as wide as the page are found.

Left open and decided here: a region's DoC is 11 minus its heaviest weight, never below that of the
region around it; if blocks overlap in both directions, so that nothing separates them, their region
is as coherent as the least coherent block.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from boilersweep.cleaners.published.vips.extraction import MIXED, VisualBlock, visual_blocks
from boilersweep.cleaners.published.vips.nodes import Node, Rectangle, Tree

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
    """A band between visual blocks.

    Attributes:
        vertical: Whether it runs from top to bottom.
        start: In pixels from the top, or from the left if vertical; end likewise.
        weight: From 1 to 9.
        before: How many of the region's blocks, sorted as by `extents`, come before it.
    """

    vertical: bool
    start: int
    end: int
    weight: float
    before: int


def separators(tree: Tree, blocks: Sequence[VisualBlock], *, vertical: bool) -> list[Separator]:
    """Return a region's separators in one direction, from top to bottom or left to right."""
    ordered = extents(tree, blocks, vertical=vertical)
    bands = []
    reach, last = _extent(tree, ordered[0], vertical)[1], ordered[0]
    for number, block in enumerate(ordered[1:], start=1):
        start, end = _extent(tree, block, vertical)
        if start >= reach - _OVERLAP:
            weight = _weight(tree, last, block, reach, start, vertical=vertical)
            bands.append(Separator(vertical, min(reach, start), start, weight, number))
        if end > reach:
            reach, last = end, block
    return bands


def extents(tree: Tree, blocks: Sequence[VisualBlock], *, vertical: bool) -> list[VisualBlock]:
    """Sort blocks by their beginning, from top to bottom or from left to right."""
    return sorted(blocks, key=lambda block: _extent(tree, block, vertical))


def _extent(tree: Tree, block: VisualBlock, vertical: bool) -> tuple[int, int]:
    left, top, right, bottom = tree.rectangles[block.node]
    return (left, right) if vertical else (top, bottom)


def _weight(
    tree: Tree, one: VisualBlock, other: VisualBlock, start: int, end: int, *, vertical: bool
) -> float:
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
    """Return whether an HR is between two heights; `rules` are sorted from top to bottom."""
    for number in range(bisect_left(rules, start, key=itemgetter(1)), len(rules)):
        _, top, _, bottom = rules[number]
        if top > end:
            return False
        if bottom <= end:
            return True
    return False


# Nodes that are one visual block.
Region = list[Node]


def visual_regions(tree: Tree, pdoc: int) -> list[Region]:
    """Return the page's visual blocks, none less coherent than permitted if it can be divided."""
    if not tree.children or not tree.children[0]:
        return []
    regions: list[Region] = []
    waiting = [visual_blocks(tree, tree.root)]
    while waiting:
        blocks = waiting.pop()
        if len(blocks) == 1:
            if _is_whole(tree, blocks[0], pdoc):
                regions.append([blocks[0].node])
            else:
                waiting.append(visual_blocks(tree, blocks[0].node))
            continue
        heaviest = _heaviest(tree, blocks)
        if heaviest and 11 - heaviest[0].weight < pdoc:
            waiting += reversed(_split(tree, blocks, heaviest))
        elif all(_is_whole(tree, block, pdoc) for block in blocks):
            regions.append([block.node for block in blocks])
        elif heaviest:
            waiting += reversed(_split(tree, blocks, heaviest))
        else:
            waiting += [[block] for block in reversed(blocks)]
    return regions


def _is_whole(tree: Tree, block: VisualBlock, pdoc: int) -> bool:
    """Return whether a block is coherent enough, or cannot be divided."""
    if block.doc >= pdoc or tree.is_text(block.node):
        return True
    within = visual_blocks(tree, block.node)
    return not within or [part.node for part in within] == [block.node]


def _heaviest(tree: Tree, blocks: Sequence[VisualBlock]) -> list[Separator]:
    """Return a region's heaviest separators, all in one direction; horizontal ones of equals."""
    bands = [band for v in (False, True) for band in separators(tree, blocks, vertical=v)]
    if not bands:
        return []
    first = max(bands, key=lambda band: band.weight)
    return [b for b in bands if (b.weight, b.vertical) == (first.weight, first.vertical)]


def _split(
    tree: Tree, blocks: Sequence[VisualBlock], where: Sequence[Separator]
) -> list[list[VisualBlock]]:
    ordered = extents(tree, blocks, vertical=where[0].vertical)
    borders = [0, *(band.before for band in where), len(ordered)]
    return [ordered[a:b] for a, b in pairwise(borders)]
