"""A page as a tree of elements whose texts know their blocks.

The blocks are those of any segmenter; the tree keeps the markup that they leave out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from boilersweep.pages.elements import SKIPPED, Role, Roles, roles_of
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import BlockTarget, Segmenter

_DEEPEST = 100
"""Elements further in are children of one at this depth, so that readers may recurse."""

_ROLES = roles_of("block")


@dataclass(slots=True)
class Text:
    """Some characters as the page has them.

    block: the number of their block, or of the next one where they belong to none. worded: they
    belong to a block; a mark without a word does not.
    """

    text: str
    block: int = 0
    worded: bool = False


@dataclass(slots=True)
class Element:
    """An element.

    runs_on: it and all within run on in a line. before: blocks before it. in_block: text of the
    next block comes before it.
    """

    name: str
    attributes: Mapping[str, str]
    runs_on: bool = True
    before: int = 0
    children: list["Element | Text"] = field(default_factory=list)
    in_block: bool = False

    def texts(self) -> Iterator[Text]:
        """All texts within, in order."""
        for child in self.children:
            if isinstance(child, Text):
                yield child
            else:
                yield from child.texts()

    def find(self, *names: str) -> Iterator["Element"]:
        """All elements within that have one of the names, in order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name in names:
                    yield child
                yield from child.find(*names)


@dataclass(slots=True)
class TreePage(Page):
    """A page. root: the element around all."""

    root: Element = field(default_factory=lambda: Element("#document", {}, False))


class TreeSegmenter(Segmenter):
    """A Segmenter in pure Python, with the same blocks, whose pages are `TreePage`."""

    def html(self, utf8: bytes) -> TreePage:
        return cast(TreePage, super().html(utf8))

    def _new_target(self, roles: Roles) -> "_TreeTarget":
        return _TreeTarget(roles, self._most)


class _TreeTarget:
    """Tells the target of blocks every tag, and builds the tree beside it."""

    def __init__(self, roles: Roles, most: int) -> None:
        made = TreePage()
        open_elements = [made.root]
        too_deep = 0  # elements open below the deepest one
        skipping = 0  # elements open within the outermost skipped one, itself included
        waiting: list[Text] = []  # texts whose block has not ended
        blocks = 0

        def block(has_word: bool) -> None:
            nonlocal blocks
            for text in waiting:
                text.block = blocks
                text.worded = has_word and not text.text.isspace()
            waiting.clear()
            blocks += has_word

        target = BlockTarget(roles, most, block)

        def start(name: str, attributes: Mapping[str, str]) -> None:
            nonlocal skipping, too_deep
            target.start(name, attributes)
            if skipping or name in SKIPPED or name == "title":
                skipping += 1
                return
            runs_on = name == "br" or _ROLES[name] < Role.BORDER
            in_block = any(not text.text.isspace() for text in waiting)
            element = Element(name, dict(attributes), runs_on, blocks, in_block=in_block)
            if not element.runs_on:
                for outer in reversed(open_elements):
                    if not outer.runs_on:
                        break
                    outer.runs_on = False
            open_elements[-1].children.append(element)
            if len(open_elements) > _DEEPEST:
                too_deep += 1
            else:
                open_elements.append(element)

        def end(name: str) -> None:
            nonlocal skipping, too_deep
            target.end(name)
            if skipping:
                skipping -= 1
            elif too_deep:
                too_deep -= 1
            else:
                open_elements.pop()

        def data(text: str) -> None:
            target.data(text)
            if not skipping:
                leaf = Text(text, blocks)
                open_elements[-1].children.append(leaf)
                waiting.append(leaf)

        def close() -> None:
            nonlocal made, skipping, too_deep, blocks
            try:
                target.close()
            finally:
                page = target.page
                self.page = TreePage(
                    *(page.title, page.texts, page.words, page.density, page.link_words, page.tags),
                    root=made.root,
                )
                made = TreePage()
                open_elements[:] = [made.root]
                waiting.clear()
                skipping = too_deep = blocks = 0

        self.page = TreePage()
        self.start = start
        self.end = end
        self.data = data
        self.close = close
