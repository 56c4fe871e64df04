"""VIPS' view of a page: a tree of nodes with boxes.

Source: MSR-TR-2003-79, section 4.1, definitions. Text nodes are the store's blocks, other nodes its
elements, which all contain text: images and other things without a word are not seen, and A
elements, which the structure lacks, are part of the text around them. HR elements are known by
their boxes and the element around them.
"""

from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from boilersweep.pages.boxes import Boxes, Drawn
from boilersweep.pages.columns import BlockColumns, Structure
from boilersweep.pages.elements import PARAGRAPH
from boilersweep.pages.structure import ROOT

# An element by its number; a text by its number behind those of all elements.
Node = int

_OUTER = frozenset({ROOT, "html"})

# Left, top, right, bottom.
Rectangle = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One document of n elements and m texts, its blocks.

    Attributes:
        names: (n,) Of elements.
        children: (n,) The visible nodes in an element, in the order of the page.
        rectangles: (n + m,) Of nodes; of an element without a box its texts' rectangle.
        background: (n + m,) Of nodes, as size and weight, of the font, are.
        virtual: (n,) Whether the element is a virtual text node.
        with_rule: Numbers of the elements that contain an HR.
        rules: The boxes of the HRs, from top to bottom.
        first: (n,) The first text of an element; end is behind the last one.
        shown: (m,) Whether a text is visible.
    """

    names: list[str]
    children: list[list[Node]]
    rectangles: list[Rectangle]
    background: list[int]
    size: list[float]
    weight: list[int]
    virtual: list[bool]
    with_rule: frozenset[int]
    rules: list[Rectangle]
    first: list[int]
    end: list[int]
    shown: list[bool]

    def is_text(self, node: Node) -> bool:
        """Return whether a node is free text, without a tag."""
        return node >= len(self.names)

    def is_textual(self, node: Node) -> bool:
        """Return whether a node is a text, or a virtual one: inline, with nothing but texts."""
        return self.is_text(node) or self.virtual[node]

    def is_inline(self, node: Node) -> bool:
        """Return whether a node is inline: its tag changes how text looks and breaks no line."""
        return self.is_text(node) or self.names[node] in PARAGRAPH

    @property
    def root(self) -> Node:
        """The page's BODY, or the element around everything if there is none."""
        node = 0
        while self.names[node] in _OUTER and len(self.children[node]) == 1:
            (child,) = self.children[node]
            if self.is_text(child):
                break
            node = child
        return node

    def texts(self, node: Node) -> range:
        """Return the numbers of the texts within a node, invisible ones included."""
        if self.is_text(node):
            return range(node - len(self.names), node - len(self.names) + 1)
        return range(self.first[node], self.end[node])

    def visible(self, node: Node) -> list[Node]:
        """Return the visible texts within a node, as nodes."""
        return [len(self.names) + text for text in self.texts(node) if self.shown[text]]


def area(rectangle: Rectangle) -> int:
    """Return the square pixels of a rectangle."""
    left, top, right, bottom = rectangle
    return max(right - left, 0) * max(bottom - top, 0)


def tree_of(columns: BlockColumns, structure: Structure, boxes: Boxes, document: int) -> Tree:
    """Return the tree of one document."""
    e0, e1 = (int(structure.starts[document + step]) for step in (0, 1))
    b0, b1 = (int(columns.starts[document + step]) for step in (0, 1))
    r0, r1 = (int(boxes.rule_starts[document + step]) for step in (0, 1))
    elements, blocks = boxes.elements.some(slice(e0, e1)), boxes.blocks.some(slice(b0, b1))
    rules = boxes.rules.some(slice(r0, r1))
    count = e1 - e0
    names = [structure.name_list[code] for code in structure.names[e0:e1].tolist()]
    parents = (structure.parents[e0:e1] - e0).tolist()
    first = (structure.first[e0:e1] - b0).tolist()
    end = (structure.end[e0:e1] - b0).tolist()
    shown = (blocks.shown & blocks.matched).tolist()
    rectangles = [*_rectangles(elements), *_rectangles(blocks)]
    seen = np.concatenate([[0], np.cumsum(blocks.shown & blocks.matched)]).tolist()
    # Of every element its valid children: an element comes at its first text.
    placed: list[list[tuple[int, int, Node]]] = [[] for _ in range(count)]
    for number in range(1, count):
        if seen[end[number]] > seen[first[number]]:
            placed[parents[number]].append((first[number], 0, number))
    holders = (structure.elements[b0:b1] - e0).tolist()
    for text, holder in enumerate(holders):
        if shown[text]:
            placed[holder].append((text, 1, count + text))
    children = [[node for _, _, node in sorted(some)] for some in placed]
    virtual = [False] * count
    for number in range(count - 1, -1, -1):  # children before their parents
        if names[number] in PARAGRAPH:
            virtual[number] = all(c >= count or virtual[c] for c in children[number])
        if not area(rectangles[number]) and children[number]:
            rectangles[number] = around([rectangles[child] for child in children[number]])
    return Tree(
        names=names,
        children=children,
        rectangles=rectangles,
        background=[*elements.background.tolist(), *blocks.background.tolist()],
        size=[*elements.size.tolist(), *blocks.size.tolist()],
        weight=[*elements.weight.tolist(), *blocks.weight.tolist()],
        virtual=virtual,
        with_rule=frozenset((boxes.rule_elements[r0:r1][rules.shown] - e0).tolist()),
        rules=sorted(filter(area, _rectangles(rules.some(rules.shown))), key=itemgetter(1)),
        first=first,
        end=end,
        shown=shown,
    )


def around(rectangles: list[Rectangle]) -> Rectangle:
    """Return the smallest rectangle around some."""
    lefts, tops, rights, bottoms = zip(*rectangles, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _rectangles(drawn: Drawn) -> list[Rectangle]:
    columns = (drawn.left, drawn.top, drawn.right, drawn.bottom)
    return list(zip(*(column.tolist() for column in columns), strict=True))
