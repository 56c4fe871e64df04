"""Which blocks of a page are in elements that a selector names, by lxml and cssselect alone."""

from collections.abc import Mapping
from typing import Any

from lxml import etree
from lxml.cssselect import CSSSelector

from boilersweep.pages.elements import Borders, Role, Roles, roles_of
from boilersweep.pages.page import KEPT
from boilersweep.pages.segmenter import Segmenter

_FOLDED = ("class", "id", "role")


class _Tree:
    """Builds an lxml tree of the elements that may hold blocks, as the segmenter hears of them."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        self.pages: list[tuple[Any, list[list[Any]]]] = []
        self._begin_page()

    def _begin_page(self) -> None:
        self._open: list[Any] = []  # None for an element that is not in the tree
        self._blocks: list[list[Any]] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._roles[name] < Role.HIDDEN:
            self._open.append(None)
            return
        kept = {one: attributes[one] for one in KEPT if one in attributes}
        for one in _FOLDED:
            if value := " ".join(attributes.get(one, "").split()):
                kept[one] = value.lower() if one == "role" else value
        around = [one for one in self._open if one is not None]
        tag = "other" if name.startswith("#") else name
        element = etree.Element(tag, kept)
        if around:
            around[-1].append(element)
        self._open.append(element)

    def end(self, _name: str) -> None:
        self._open.pop()

    def data(self, _text: str) -> None:
        pass

    def switch(self, _is_off: bool) -> None:
        pass

    def block(self, kept: bool) -> None:
        if kept:
            self._blocks.append([one for one in self._open if one is not None])

    def doctype(self, *_: str | None) -> None:
        pass

    def finish(self, page: Any) -> None:
        self.pages.append((page, self._blocks))
        self._begin_page()


class Reference:
    """A page, and which of its blocks selectors hold."""

    def __init__(self, utf8: bytes, borders: Borders = "block") -> None:
        tree = _Tree(roles_of(borders))
        page = Segmenter(borders=borders, observers=[tree]).html(utf8)
        [self._blocks] = [blocks for one, blocks in tree.pages if one is page]

    def inside(self, selector: str) -> list[bool]:
        """Whether the selector names an element around each block."""
        find: Any = CSSSelector(selector, translator="html")
        roots = {around[0] for around in self._blocks if around}
        chosen = {element for root in roots for element in find(root)}
        return [not chosen.isdisjoint(around) for around in self._blocks]
