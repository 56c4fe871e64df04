"""Tags that run, load and hide nothing, for copies of pages made by other people."""

from collections.abc import Mapping
from html import escape

from boilersweep.pages.elements import CONTAINERS, PARAGRAPH, Role, roles_of

EMPTY = frozenset({"br", "hr", "img", "col", "wbr"})
ROLES = roles_of("block")

_TAGS = (
    (CONTAINERS - {"form", "button"})
    | PARAGRAPH
    | EMPTY
    | frozenset("table colgroup thead tbody tfoot tr ul ol dl".split())
)
_ATTRIBUTES = frozenset(
    "align alt border cellpadding cellspacing colspan dir height lang rowspan title valign "
    "width".split()
)


def start_tag(name: str, attributes: Mapping[str, str], address: str = "") -> str:
    """Return a start tag; a div for blocks that have no harmless tag, or a space.

    Args:
        name: The segmenter's name of the element.
        attributes: All attributes, of which the harmless ones are written.
        address: Where a link leads; "" for nowhere.
    """
    kept = "".join(
        f' {attribute}="{escape(value)}"'
        for attribute, value in attributes.items()
        if _is_inert(attribute, value)
    )
    if address and name == "a":
        kept += f' href="{escape(address)}"'
    return _written(name, f"{kept}{' open' * (name == 'details')}")


def end_tag(name: str) -> str:
    """Return the end tag that belongs to `start_tag`; "" for an empty element."""
    return "" if name in EMPTY else _written(name).replace("<", "</")


def _is_inert(name: str, value: str) -> bool:
    """Return whether an attribute loads and hides nothing."""
    return value.startswith("data:image/") if name == "src" else name in _ATTRIBUTES


def _written(name: str, attributes: str = "") -> str:
    if name in _TAGS:
        return f"<{name}{attributes}>"
    role = ROLES[name]
    return "<div>" if role >= Role.BORDER else " " * (role == Role.SPACE)
