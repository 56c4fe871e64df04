"""The kept blocks of a page as HTML, in the elements in which the page has them.

Made anew as the copy of a page that people judge: the result has no script, style sheet, frame,
form or handler, and loads nothing. Links keep addresses that Markdown would write.
"""

from collections.abc import Sequence
from html import escape

from boilersweep.cleaning.markdown_line import address_of
from boilersweep.pages.block_tree import Element, Text, TreeSegmenter
from boilersweep.pages.elements import Role
from boilersweep.pages.inert import EMPTY, ROLES, end_tag, start_tag
from boilersweep.pages.limits import NO_DEADLINE, Deadline

# The policy forbids once more what the copy has not.
_HEAD = """<!DOCTYPE html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">
<title>%s</title>
"""


def kept_html(
    utf8: bytes, kept: Sequence[bool], *, deadline: Deadline = NO_DEADLINE
) -> str:
    """Write the kept blocks of a page as a page of HTML; "" if no block is kept.

    Args:
        utf8: The page as UTF-8.
        kept: (b,) True for each of the page's blocks that is written.
        deadline: When the work must have ended.

    Raises:
        PageError: The deadline has passed.
    """
    if not any(kept):
        return ""
    page = TreeSegmenter(deadline).html(utf8)
    writer = _Writer(kept, deadline)
    body = "".join(writer.parts(page.root)).strip()
    return f"{_HEAD % escape(page.title)}{body}"


class _Writer:
    """Writes elements with their kept texts.

    Args:
        kept: (b,) True for each block that is written.
        deadline: When the work must have ended.
    """

    def __init__(self, kept: Sequence[bool], deadline: Deadline) -> None:
        self._kept = kept
        self._deadline = deadline
        self._block = -1  # of the last text
        self._has_border = True  # written since

    def parts(self, element: Element) -> list[str]:
        """Write the kept content of an element; nothing if it has none."""
        parts: list[str] = []
        for child in element.children:
            self._deadline.check()
            if isinstance(child, Text):
                parts += self._text(child)
            elif child.name in EMPTY:
                parts += self._empty(child)
            else:
                parts += self._element(child)
        return parts

    def _text(self, text: Text) -> list[str]:
        if text.text.isspace():
            return [text.text]
        if not (text.worded and self._kept[text.block]):
            return []
        # What parted two blocks may be left out
        parted = ["<br>"] * (text.block != self._block and not self._has_border)
        self._block, self._has_border = text.block, False
        return [*parted, escape(text.text)]

    def _empty(self, element: Element) -> list[str]:
        first = element.before if element.in_block else max(element.before - 1, 0)
        if not all(self._kept[first : element.before + 1]):
            return []
        self._has_border |= ROLES[element.name] >= Role.BORDER
        return [start_tag(element.name, element.attributes)]

    def _element(self, element: Element) -> list[str]:
        is_border = ROLES[element.name] >= Role.BORDER
        before = self._block, self._has_border
        self._has_border |= is_border
        parts = self.parts(element)
        if not "".join(parts).strip():
            self._block, self._has_border = before
            return [" "] if ROLES[element.name] == Role.SPACE else parts
        self._has_border |= is_border
        if element.name in ("html", "head", "body"):
            return parts
        address = address_of(element.attributes.get("href", ""), None)
        start = start_tag(element.name, element.attributes, address)
        return [start, *parts, end_tag(element.name)]
