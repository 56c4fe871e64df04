"""The lines of code: of line feeds, of `<br>`, and of elements that browsers show as lines."""

import re
from collections.abc import Sequence

from boilersweep.pages.block_tree import Element, Text
from boilersweep.pages.elements import Role, roles_of

_ROLES = roles_of("block")
_CELLS = frozenset({"td", "th"})


class CodeLines:
    """Parts the code in an element into lines.

    An element such as `div` is at least one line, however empty. A line feed between two of them,
    or at the end of one, adds none.

    Args:
        element: The element.
        kept: (b,) Whether each block of the page is kept.
        is_folded: White space in a line is a space, as outside `pre`.

    Attributes:
        lines: Each with whether it has a kept text.
    """

    def __init__(
        self, element: Element, kept: Sequence[bool], *, is_folded: bool
    ) -> None:
        self.lines: list[tuple[str, bool]] = [("", False)]
        self._kept = kept
        self._is_folded = is_folded
        self._ended = False  # the next text is on another line
        self._add(element)

    def _add(self, element: Element) -> None:
        for child in element.children:
            if isinstance(child, Text):
                self._add_text(child)
            elif child.name == "br":
                self._break()
            elif child.name in _CELLS or _ROLES[child.name] < Role.BORDER:
                self._add(child)
            else:
                self._add_line(child)

    def _add_text(self, text: Text) -> None:
        code = re.sub("\r\n?", "\n", text.text)
        if self._is_folded:
            code = re.sub(r"\s+", " ", code)
        kept = text.worded and self._kept[text.block]
        if self._ended:
            if self._is_folded or code.startswith("\n"):
                code = code[1:] if code[:1].isspace() else code
            if not code or (code.isspace() and "\n" not in code):
                return
            self._break()
        first, *others = code.split("\n")
        before, was_kept = self.lines[-1]
        self.lines[-1] = (before + first, was_kept or (kept and bool(first.strip())))
        self.lines += ((other, kept and bool(other.strip())) for other in others)

    def _add_line(self, element: Element) -> None:
        if self._ended or self.lines[-1][0].strip():
            self._break()
        lines = len(self.lines)
        self._add(element)
        # A line feed or br at its end has ended the last line already.
        self._ended |= not (len(self.lines) > lines and not self.lines[-1][0])

    def _break(self) -> None:
        self._ended = False
        self.lines.append(("", False))
