"""The nodes of a drawn page, which of them are visual blocks, and which of these are one region.

Source: MSR-TR-2003-79. Section 4.1: a page is a tree of nodes, of which every element contains a
visible text: images and other things without a word are not seen. There are twelve rules, and on
every tag some of them are tried in their order. The first that applies divides a node into its
children or makes a block of it, with a degree of coherence (DoC) from 1 to 10. Rule 1 cuts nodes of
which nothing is seen: the page has none. Sections 4.2 and 4.3: blocks are merged, first over the
lightest separators, until only the heaviest are left; a merged block's DoC follows from the
heaviest separator in it; and a block less coherent than permitted (PDoC) goes through extraction
again. Here the same structure is built from the top down: a region is split at its heaviest
separators as long as it is less coherent than permitted, and its parts get their own separators, so
that columns below a head as wide as the page are found.

Left open and decided here: a node is small below `SMALL` of the area of the divided block, at first
the page; the DoC that rules set "based on the tag and size" is `_block`; TH is treated as TD; the
weights of separators (`_weight`); a region's DoC is 11 minus its heaviest weight; if blocks overlap
in both directions, so that nothing separates them, their region is as coherent as the least
coherent block.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

# The relative size below which a node is not divided.
SMALL = 0.1

# The DoC of text in one font, and in several (rule 4).
SAME, MIXED = 10, 9

# In the place of a DoC.
_DIVIDED = 0

# Pixels by which blocks overlap that only meet.
_ROUNDING = 1


class Node(msgspec.Struct, eq=False):
    """An element, or a text, as `measure.js` says it.

    Attributes:
        parent: The number of the element around it, -1 for none.
        name: Its tag.
        box: Its left, top, right and bottom, in pixels.
        area: Its square pixels.
        first: The size, in pixels, and the weight of the first text's font, as last is of the last
            one's.
        mixed: Whether texts in it have several fonts.
        background: The colour behind it, as the browser names it.
        inline: Whether it breaks no line.
        virtual: Whether it is a text or a virtual text node.
        ruled: Whether an HR is directly in it.
        text: A text, behind a line break if it begins a line; None for an element.
        linked: Whether a text is in a link.
        children: The nodes directly in it, in the order of the page.
    """

    parent: int
    name: str
    box: tuple[int, int, int, int]
    area: int
    first: tuple[float, int]
    last: tuple[float, int]
    mixed: bool
    background: str
    inline: bool
    virtual: bool
    ruled: bool
    text: str | None = None
    linked: bool = False
    children: list["Node"] = []


class Drawn(msgspec.Struct):
    """A page.

    Attributes:
        rows: Its nodes, BODY first.
        rules: The upper and lower edges of its HRs.
    """

    rows: list[Node]
    rules: list[tuple[int, int]]


def drawn_page(measured: Any) -> Drawn:
    """Return the page of which `measure.js` says this."""
    page = msgspec.convert(measured, Drawn)
    for node in page.rows[1:]:
        page.rows[node.parent].children.append(node)
    return page


def texts_in(nodes: Sequence[Node]) -> Iterator[tuple[str, bool]]:
    """Yield each text in some nodes, in the order of the page, and whether it is in a link."""
    stack = [*reversed(nodes)]
    while stack:
        node = stack.pop()
        stack += reversed(node.children)
        if node.text is not None:
            yield node.text, node.linked


class VisualBlock(NamedTuple):
    """A node that is not divided in this round, with its degree of coherence."""

    node: Node
    doc: int


class Separator(NamedTuple):
    """A band between blocks.

    Attributes:
        weight: From 1 to 9.
        start: In pixels from the left or the top; end likewise.
        before: How many blocks of the region come before it.
    """

    weight: float
    start: int
    end: int
    before: int


@dataclass(slots=True)
class _Round:
    """The division of one block.

    Attributes:
        root: The block.
        kept_whole: The DoC of nodes that rule 7 keeps whole.
        undivided: Nodes that were not divided.
        before: The sibling before a node.
    """

    root: Node
    kept_whole: dict[Node, int] = field(default_factory=dict)
    undivided: set[Node] = field(default_factory=set)
    before: dict[Node, Node] = field(default_factory=dict)


def visual_blocks(root: Node) -> list[VisualBlock]:
    """Return the visual blocks within a node, which is divided, in the order of the page."""
    state = _Round(root)
    found: list[VisualBlock] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if doc := _verdict(state, node):
            state.undivided.add(node)
            found.append(VisualBlock(node, doc))
        else:
            state.before.update(zip(node.children[1:], node.children, strict=False))
            stack += reversed(node.children)
    return found


def _verdict(state: _Round, node: Node) -> int:
    known = state.kept_whole.get(node) if node.text is None else SAME
    if known:
        return known
    numbers = _PARAGRAPH if node.inline else _OF_TAG.get(node.name, _OTHER)
    rules = (_RULES[number] for number in numbers)
    coherence = next(doc for applies, doc in rules if applies(state, node))
    return coherence(state, node) if coherence else _DIVIDED


def _share(state: _Round, node: Node) -> float:
    return node.area / max(state.root.area, 1)


def _block(state: _Round, node: Node) -> int:
    """Return a DoC from 5 to 8: lower for larger nodes, one less for parts of tables."""
    share = _share(state, node)
    doc = 8 - (share >= SMALL / 2) - (share >= 2 * SMALL) - (share >= 5 * SMALL)
    return max(5, doc - (node.name in ("table", "tr", "tbody")))


def _divide_once(state: _Round, node: Node) -> int:
    others = [c for c in node.children if c.background != node.background]
    state.kept_whole |= {child: max(6, _block(state, child)) for child in others}
    return _DIVIDED


# Number -> when a rule applies, and the DoC that it gives; None if it divides.
_RULES: dict[
    int, tuple[Callable[[_Round, Node], bool], Callable[[_Round, Node], int] | None]
] = {
    # Divide a node whose only child is no text.
    2: (lambda _, node: [c.text for c in node.children] == [None], None),
    # Divide the root of the current block.
    3: (lambda state, node: node is state.root, None),
    # Keep a node of nothing but texts and virtual ones whole.
    4: (
        lambda _, node: all(c.virtual for c in node.children),
        lambda _, node: MIXED if node.mixed else SAME,
    ),
    # Divide a node with a child that breaks the line.
    5: (lambda _, node: not all(c.inline for c in node.children), None),
    # Divide a node that contains an HR.
    6: (lambda _, node: node.ruled, None),
    # Divide a node with a child of another background, which stays whole this round.
    7: (
        lambda _, node: any(c.background != node.background for c in node.children),
        _divide_once,
    ),
    # Keep a small node with a text or a virtual one as child whole.
    8: (
        lambda state, node: (
            _share(state, node) < SMALL and any(c.virtual for c in node.children)
        ),
        _block,
    ),
    # Keep a node whose largest child is small whole.
    9: (
        lambda state, node: max(_share(state, c) for c in node.children) < SMALL,
        _block,
    ),
    # Keep a node whole if the sibling before it was not divided.
    10: (lambda state, node: state.before.get(node) in state.undivided, _block),
    # Divide.
    11: (lambda *_: True, None),
    # Do not divide.
    12: (lambda *_: True, _block),
}
_PARAGRAPH = (2, 3, 4, 5, 6, 8, 9, 11)
_OTHER = (2, 3, 4, 6, 7, 8, 9, 11)
_TABLE = (2, 3, 7, 9, 12)
_CELL = (2, 3, 4, 8, 9, 10, 12)
_OF_TAG = {
    "table": _TABLE,
    "tr": _TABLE,
    "td": _CELL,
    "th": _CELL,
    "p": _PARAGRAPH,
}


def visual_regions(page: Drawn, pdoc: int) -> list[list[Node]]:
    """Return the page's visual blocks, none less coherent than permitted if it can be divided.

    Each is some nodes that no separator parts, or none heavy enough.
    """
    regions: list[list[Node]] = []
    waiting = [visual_blocks(root) for root in page.rows[:1]]
    while waiting:
        blocks = waiting.pop()
        whole = all(_is_whole(block, pdoc) for block in blocks)
        heaviest, parts = _split(page, blocks)
        if len(parts) > 1 and (11 - heaviest < pdoc or not whole):
            waiting += reversed(parts)
        elif whole:
            regions.append([block.node for block in blocks])
        elif len(blocks) == 1:
            waiting.append(visual_blocks(blocks[0].node))
        else:
            waiting += [[block] for block in reversed(blocks)]
    return regions


def _is_whole(block: VisualBlock, pdoc: int) -> bool:
    """Return whether a block is coherent enough, or cannot be divided."""
    if block.doc >= pdoc or block.node.text is not None:
        return True
    return [part.node for part in visual_blocks(block.node)] == [block.node]


def _split(
    page: Drawn, blocks: Sequence[VisualBlock]
) -> tuple[float, list[list[VisualBlock]]]:
    """Return a region's heaviest weight, and its parts between separators of that weight.

    They are all of one direction, horizontal if both have some.
    """
    ordered = {v: sorted(blocks, key=lambda b: extent(b, v)) for v in (False, True)}
    bands = {v: separators(page, ordered[v], vertical=v) for v in ordered}
    heaviest = max((band.weight for v in bands for band in bands[v]), default=0.0)
    vertical = all(band.weight < heaviest for band in bands[False])
    cuts = [band.before for band in bands[vertical] if band.weight == heaviest]
    borders = pairwise([0, *cuts, len(blocks)])
    return heaviest, [ordered[vertical][start:end] for start, end in borders]


def extent(block: VisualBlock, vertical: bool) -> tuple[int, ...]:
    """Return left and right of a block, what vertical separators part, or top and bottom."""
    return block.node.box[0::2] if vertical else block.node.box[1::2]


def separators(
    page: Drawn, blocks: Sequence[VisualBlock], *, vertical: bool
) -> list[Separator]:
    """Return the separators of blocks that are sorted by `extent`, in one direction."""
    bands = []
    last, reach = blocks[0], extent(blocks[0], vertical)[1]
    for number, block in enumerate(blocks[1:], start=1):
        start, end = extent(block, vertical)
        if start >= reach - _ROUNDING:
            rules = [] if vertical else page.rules
            edges = reach - _ROUNDING, start + _ROUNDING
            ruled = any(edges[0] <= top and low <= edges[1] for top, low in rules)
            weight = _weight(last, block, start - reach, vertical) + 3 * ruled
            bands.append(
                Separator(min(max(weight, 1), 9), min(reach, start), start, number)
            )
        if end > reach:
            last, reach = block, end
    return bands


def _weight(one: VisualBlock, other: VisualBlock, pixels: int, vertical: bool) -> float:
    """Return the weight of a separator: 1, and 1 for each width of a letter m, up to 4.

    It is 2 more if backgrounds differ. Of a horizontal one it is 1 more if fonts differ, and 1 more
    if the upper one is smaller; 1 less between blocks of text in one font; HRs add 3.
    """
    upper, lower = one.node.last, other.node.first
    weight = 1 + min(max(pixels, 0) / max((upper[0] + lower[0]) / 2, 1), 4)
    weight += 2 * (one.node.background != other.node.background)
    if not vertical and upper != lower:
        weight += 1 + (upper[0] < lower[0])
    elif not vertical and min(one.doc, other.doc) >= MIXED:
        weight -= 1
    return weight
