"""A page as a tree of elements whose texts know their blocks.

The blocks are those of any segmenter; the tree keeps the markup that they leave out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from boilersweep.pages.elements import FOREIGN, SKIPPED, Role, roles_of
from boilersweep.pages.limits import NO_DEADLINE, Deadline
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter

# Elements further in are children of one at this depth, so that readers may recurse.
_DEEPEST = 100

_ROLES = roles_of("block")


@dataclass(slots=True)
class Text:
    """Some characters as the page has them.

    Attributes:
        block: The number of their block, or of the next one where they belong to none.
        worded: They belong to a block; a mark without a word does not.
    """

    text: str
    block: int = 0
    worded: bool = False


@dataclass(slots=True)
class Element:
    """An element.

    Attributes:
        runs_on: It and all within run on in a line.
        before: Blocks before it.
        in_block: Text of the next block comes before it.
    """

    name: str
    attributes: Mapping[str, str]
    runs_on: bool = True
    before: int = 0
    children: list["Element | Text"] = field(default_factory=list)
    in_block: bool = False

    def texts(self) -> Iterator[Text]:
        """Yield all texts within, in order."""
        for child in self.children:
            if isinstance(child, Text):
                yield child
            else:
                yield from child.texts()

    def find(self, *names: str) -> Iterator["Element"]:
        """Yield all elements within that have one of the names, in order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name in names:
                    yield child
                yield from child.find(*names)


@dataclass(slots=True)
class TreePage(Page):
    """A page.

    Attributes:
        root: The element around all.
    """

    root: Element = field(default_factory=lambda: Element("#document", {}, False))


class TreeSegmenter(Segmenter):
    """A Segmenter in pure Python, with the same blocks, whose pages are `TreePage`."""

    def __init__(self, deadline: Deadline = NO_DEADLINE) -> None:
        """Make a segmenter.

        Args:
            deadline: When the pages must be cut; `html` raises PageError after it.
        """
        super().__init__(observers=[_TreeBuilder(deadline)], page_type=TreePage)

    def html(self, utf8: bytes) -> TreePage:
        """Cut a page; see `Segmenter.html`."""
        return cast(TreePage, super().html(utf8))


class _TreeBuilder:
    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._begin_page()

    def _begin_page(self) -> None:
        self._root = Element("#document", {}, False)
        self._open = [self._root]
        self._too_deep = 0  # elements open below the deepest one
        # Elements open within the outermost skipped one, itself included
        self._skipping = 0
        self._skips: list[int] = []  # `_skipping` around each FOREIGN that is open
        self._waiting: list[Text] = []  # texts whose block has not ended
        self._has_text = False  # one of them is more than white space
        self._blocks = 0

    def block(self, kept: bool) -> None:
        for text in self._waiting:
            text.block = self._blocks
            text.worded = kept and not text.text.isspace()
        self._waiting.clear()
        self._has_text = False
        self._blocks += kept

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._deadline.check()
        if name == FOREIGN:
            self._skips.append(self._skipping)
            self._skipping = 0
        if self._skipping or name in SKIPPED or name == "title":
            if not self._skipping and _ROLES[name] == Role.REPLACED:
                self.data(" ")  # a box in the line, which parts words
            self._skipping += 1
            return
        runs_on = name == "br" or _ROLES[name] < Role.BORDER
        element = Element(
            name, dict(attributes), runs_on, self._blocks, in_block=self._has_text
        )
        if not runs_on:
            for outer in reversed(self._open):
                if not outer.runs_on:
                    break
                outer.runs_on = False
        self._open[-1].children.append(element)
        if len(self._open) > _DEEPEST:
            self._too_deep += 1
        else:
            self._open.append(element)

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif self._too_deep:
            self._too_deep -= 1
        else:
            self._open.pop()
        if name == FOREIGN:
            self._skipping = self._skips.pop()

    def data(self, text: str) -> None:
        if not self._skipping:
            leaf = Text(text, self._blocks)
            self._open[-1].children.append(leaf)
            self._waiting.append(leaf)
            self._has_text = self._has_text or not text.isspace()

    def switch(self, _is_off: bool) -> None:
        """Do nothing."""

    def doctype(self, *_: str | None) -> None:
        """Leave out the document type."""

    def finish(self, page: TreePage) -> None:
        page.root = self._root
        self._begin_page()
