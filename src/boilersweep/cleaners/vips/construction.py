"""Content structure construction: regions of a page, each as coherent as is wanted.

Source: MSR-TR-2003-79, section 4.3. There blocks are merged over the separators of the least
weight first, until those of the most are met; a merged block's degree of coherence (DoC) follows
from the heaviest separator in it; and a block less coherent than is permitted (PDoC) goes through
extraction again. The same structure is built here from above: a region is split at its heaviest
separators as long as it is less coherent than is permitted, and its parts get separators of their
own, so that columns below a head as wide as the page are found.

Left open and decided here: the DoC of a region is 11 less its heaviest weight, never below that of
the region it is part of; a region in which blocks overlap in both directions, so that nothing
separates them, is as coherent as the least coherent of its blocks.
"""

from collections.abc import Sequence
from itertools import pairwise

from boilersweep.cleaners.vips.extraction import VisualBlock, visual_blocks
from boilersweep.cleaners.vips.nodes import Node, Tree
from boilersweep.cleaners.vips.separators import Separator, extents, separators

Region = list[Node]
"""Nodes that are one visual block."""


def visual_regions(tree: Tree, pdoc: int) -> list[Region]:
    """The page's visual blocks, none less coherent than is permitted if it can be divided."""
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
    """Whether a block is coherent enough, or cannot be divided."""
    if block.doc >= pdoc or tree.is_text(block.node):
        return True
    within = visual_blocks(tree, block.node)
    return [one.node for one in within] == [block.node] or not within


def _heaviest(tree: Tree, blocks: Sequence[VisualBlock]) -> list[Separator]:
    """The heaviest separators of a region, all in one direction; horizontal ones of equals."""
    found = []
    for vertical in (False, True):
        some = separators(tree, blocks, vertical=vertical)
        most = max((one.weight for one in some), default=0.0)
        found.append([one for one in some if one.weight == most])
    horizontal, vertical_ones = found
    if not horizontal or (vertical_ones and vertical_ones[0].weight > horizontal[0].weight):
        return vertical_ones
    return horizontal


def _split(
    tree: Tree, blocks: Sequence[VisualBlock], where: Sequence[Separator]
) -> list[list[VisualBlock]]:
    ordered = extents(tree, blocks, vertical=where[0].vertical)
    borders = [0, *(one.before for one in where), len(ordered)]
    return [ordered[a:b] for a, b in pairwise(borders)]
