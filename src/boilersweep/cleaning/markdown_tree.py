"""What Markdown asks of the elements of a page: items of lists, lines of code, TeX and posts."""

import re
from collections.abc import Iterator

from boilersweep.pages.block_tree import Element, Text
from boilersweep.pages.repairs import LINE_NUMBER

LISTS = frozenset({"ul", "ol", "menu", "dir"})

# Posts of forums, answers and comments, as schema.org marks them.
_POST = re.compile(
    r"(?:^|[/ ])(?:comment|question|answer|discussionforumposting)$", re.IGNORECASE
)


def is_lines_of_code(element: Element) -> bool:
    """Return whether an element is code in a div per line, or a table of numbered lines."""
    if element.name == "code":
        return all(one.runs_on or one.name == "div" for one in _elements(element))
    return element.name == "table" and any(
        LINE_NUMBER in cell.attributes for cell in element.find("td")
    )


def _elements(element: Element) -> Iterator[Element]:
    for child in element.children:
        if isinstance(child, Element):
            yield child
            yield from _elements(child)


def leaves_of(element: Element) -> Iterator[Element | Text]:
    """Yield the texts and line breaks within an element."""
    for child in element.children:
        if isinstance(child, Text) or child.name == "br":
            yield child
        else:
            yield from leaves_of(child)


def items_of(element: Element) -> Iterator[Element]:
    """Yield a list's items, also those in a div of it, and its other content."""
    for child in element.children:
        if isinstance(child, Text):
            yield Element("", {}, children=[child])
        elif child.name not in (*LISTS, "li") and any(
            isinstance(inner, Element) and inner.name == "li"
            for inner in child.children
        ):
            yield from items_of(child)
        else:
            yield child


def tex_of(math: Element) -> str:
    """Return the TeX that a MathML formula states as `alttext`, or ""."""
    tex = " ".join(math.attributes.get("alttext", "").split())
    styled = re.fullmatch(r"\{\\displaystyle (.*)\}", tex)
    return styled[1].strip() if styled else tex


def is_post(element: Element) -> bool:
    """Return whether an element is a post of a forum, an answer or a comment."""
    kind = element.attributes.get("itemtype", "").strip()
    return bool(_POST.search(kind))


def properties_of(element: Element) -> Iterator[Element]:
    """Yield the elements of a post with a property, or a time, without those of posts within."""
    for child in element.children:
        if isinstance(child, Element) and not is_post(child):
            if child.name == "time" or "itemprop" in child.attributes:
                yield child
            yield from properties_of(child)
