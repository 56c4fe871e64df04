"""Pages whose boxes are given by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from boilersweep.cleaners.published.vips.nodes import Node, Rectangle, Tree, around, tree_of
from boilersweep.pages.boxes import Boxes, Drawn, joined, nothing
from boilersweep.pages.columns import BlockColumns, columns_of, structure_of
from boilersweep.pages.segmenter import Segmenter

WHITE, BLUE = 0xFFFFFF, 0x0000FF


@dataclass(frozen=True)
class Hand:
    """A page drawn by hand.

    Attributes:
        texts: A block's text -> its box; other texts are invisible.
        elements: An element's id, or "" for BODY and the elements around it -> its box; others have
            the smallest box around their texts.
        backgrounds: By id, for the element and everything in it.
        fonts: A block's text -> size and weight.
        rules: The id of the element around an HR, or "" for the document, and its box.
    """

    html: str
    texts: Mapping[str, Rectangle]
    elements: Mapping[str, Rectangle] = field(default_factory=dict)
    backgrounds: Mapping[str, int] = field(default_factory=dict)
    fonts: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    rules: tuple[tuple[str, Rectangle], ...] = ()

    @property
    def columns(self) -> BlockColumns:
        columns = columns_of(["d"], [Segmenter(structure=True).html(self.html.encode())])
        structure = structure_of(columns, self)
        marks = [structure.mark_list[code] for code in structure.marks]
        boxes = [self.texts.get(text, (0, 0, 0, 0)) for text in columns.texts]
        fonts = [self.fonts.get(text, (16.0, 400)) for text in columns.texts]
        backgrounds: list[int] = []
        rectangles: list[Rectangle] = []
        for number, mark in enumerate(marks):
            outer = backgrounds[structure.parents[number]] if number else WHITE
            backgrounds.append(self.backgrounds.get(mark, outer))
            inside = boxes[structure.first[number] : structure.end[number]]
            seen = [box for box in inside if box != (0, 0, 0, 0)]
            name = structure.name_list[structure.names[number]]
            key = "" if name in ("#document", "html", "body") else mark or name
            rectangles.append(self.elements.get(key) or around(seen or [(0, 0, 0, 0)]))
        holders = [backgrounds[element] for element in structure.elements.tolist()]
        rules = [box for _, box in self.rules]
        return replace(
            columns,
            boxes=Boxes(
                blocks=things(boxes, holders, fonts),
                elements=things(rectangles, backgrounds, [(16.0, 400)] * len(marks)),
                rules=things(rules, [WHITE] * len(rules), [(16.0, 400)] * len(rules)),
                rule_starts=np.array([0, len(rules)]),
                rule_elements=np.array([marks.index(id_) for id_, _ in self.rules], dtype=np.int64),
                widths=np.array([1000]),
                heights=np.array([1000]),
            ),
        )

    @property
    def tree(self) -> Tree:
        columns = self.columns
        assert columns.boxes
        return tree_of(columns, structure_of(columns, self), columns.boxes, 0)

    def named(self, node: Node) -> str:
        """Return the id or the name of an element, the text of a text."""
        columns = self.columns
        structure = structure_of(columns, self)
        if node >= len(structure.names):
            return columns.texts[node - len(structure.names)]
        mark = structure.mark_list[structure.marks[node]]
        return str(mark or structure.name_list[structure.names[node]])


def things(boxes: list[Rectangle], backgrounds: list[int], fonts: list[tuple[float, int]]) -> Drawn:
    if not boxes:
        return nothing(0)
    left, top, right, bottom = np.array(boxes, dtype=np.int64).T
    count = len(boxes)
    return Drawn(
        left,
        top,
        right,
        bottom,
        size=np.array([size for size, _ in fonts]),
        weight=np.array([weight for _, weight in fonts]),
        colour=np.zeros(count, dtype=np.int64),
        background=np.array(backgrounds),
        shown=(right > left) & (bottom > top),
        matched=np.ones(count, dtype=bool),
    )


def together(hands: list[Hand]) -> BlockColumns:
    """Return the columns of many pages, with their boxes."""
    segmenter = Segmenter(structure=True)
    pages = [segmenter.html(hand.html.encode()) for hand in hands]
    columns = columns_of([str(number) for number in range(len(hands))], pages)
    boxes = [drawn for hand in hands if (drawn := hand.columns.boxes)]
    elements = structure_of(columns, "test").starts[:-1]
    holders = [one.rule_elements + start for one, start in zip(boxes, elements, strict=True)]
    return replace(
        columns,
        boxes=Boxes(
            blocks=joined([one.blocks for one in boxes]),
            elements=joined([one.elements for one in boxes]),
            rules=joined([one.rules for one in boxes]),
            rule_starts=np.cumsum([0, *(len(one.rules) for one in boxes)]),
            rule_elements=np.concatenate(holders),
            widths=np.concatenate([one.widths for one in boxes]),
            heights=np.concatenate([one.heights for one in boxes]),
        ),
    )
