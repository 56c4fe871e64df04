"""Pages whose boxes are given by hand, as `vips.js` would say them."""

from dataclasses import dataclass, field
from typing import Any

from boilersweep.extractors.vips import Drawn, Node, drawn_page, texts_in

Box = tuple[int, int, int, int]
Font = tuple[float, int]

WHITE, BLUE = "rgb(255, 255, 255)", "rgb(0, 0, 255)"
INLINE = frozenset({"a", "b", "span"})
WHOLE = (0, 0, 1000, 1000)


@dataclass
class Text:
    """A text on a line of its own."""

    text: str
    box: Box
    font: Font = (16.0, 400)
    linked: bool = False


@dataclass
class Element:
    """An element; digits behind its tag, as in p1, are for the reader."""

    tag: str
    inside: list["Element | Text"]
    box: Box | None = None
    background: str = WHITE
    rules: list[tuple[int, int]] = field(default_factory=list)


def p(name: str, text: str, box: Box, **more: Any) -> Element:
    """Return an element with one text in its box."""
    return Element(name, [Text(text, box, **more)], box)


def body(*inside: Element | Text, rules: list[tuple[int, int]] | None = None) -> Drawn:
    """Return a page; an element without a box has the one around what it holds."""
    rows: list[dict[str, Any]] = []
    edges: list[tuple[int, int]] = []

    def add(one: Element | Text, parent: int, background: str) -> dict[str, Any]:
        row: dict[str, Any] = {"parent": parent, "background": background}
        number = len(rows)
        rows.append(row)
        if isinstance(one, Text):
            row |= {"name": "#text", "box": one.box, "inline": True, "virtual": True}
            row |= {"first": one.font, "last": one.font, "mixed": False, "ruled": False}
            row |= {"text": "\n" + one.text, "linked": one.linked}
        else:
            name = one.tag.rstrip("0123456789")
            own = background if one.background == WHITE else one.background
            children = [add(child, number, own) for child in one.inside]
            edges.extend(one.rules)
            lefts, tops, rights, bottoms = zip(
                *(c["box"] for c in children), strict=True
            )
            around = (min(lefts), min(tops), max(rights), max(bottoms))
            fonts = {font for c in children for font in (c["first"], c["last"])}
            row |= {"name": name, "background": own, "box": one.box or around}
            row |= {"first": children[0]["first"], "last": children[-1]["last"]}
            row |= {"mixed": len(fonts) > 1 or any(c["mixed"] for c in children)}
            row |= {"inline": name in INLINE, "ruled": bool(one.rules)}
            row |= {"virtual": name in INLINE and all(c["virtual"] for c in children)}
        left, top, right, bottom = row["box"]
        row["area"] = (right - left) * (bottom - top)
        return row

    if inside:
        add(Element("body", list(inside), WHOLE, rules=rules or []), -1, WHITE)
    return drawn_page({"rows": rows, "rules": edges})


def node(page: Drawn, name: str) -> Node:
    """Return the first node of a name."""
    return next(one for one in page.rows if one.name == name)


def named(one: Node) -> str:
    """Return the texts of a node, as its name."""
    return " ".join(text.strip() for text, _ in texts_in([one]))
