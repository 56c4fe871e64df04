"""A copy of a collected page to look at, made anew from the text of its blocks and some elements.

Nothing of the page's own markup is passed on: the copy has no script, style sheet, frame, form or
link, however a browser reads the page. The policy of the answer forbids the same once more.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse

from boilersweep.collection.format import Record
from boilersweep.eval.people.documents import ShownDocument
from boilersweep.eval.people.serving import render
from boilersweep.pages.elements import FOREIGN, Role
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.inert import ROLES, end_tag, start_tag
from boilersweep.pages.segmenter import Segmenter

_HEADERS = {
    "content-security-policy": (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-dns-prefetch-control": "off",
}


def copy_of_page(
    record: Record, shown: ShownDocument, *, numbered: bool = False
) -> HTMLResponse:
    """Answer with a copy of a page that runs nothing, loads nothing and leads nowhere.

    Args:
        record: The page.
        shown: The document.
        numbered: Whether spans say of each text the number of its block.
    """
    utf8 = to_utf8(record.body, record.charset).utf8
    if record.plain:
        body = f"<pre>{escape(utf8.decode('utf-8', 'replace'))}</pre>"
    else:
        copy = _Copy(numbered=numbered)
        read = Segmenter(observers=[copy]).html(utf8)
        body = next(html for page, html in copy.pages if page is read)
    answer = render(__package__, "copy", {"shown": shown, "body": Markup(body)})  # noqa: S704
    answer.headers.update(_HEADERS)
    return answer


class _Copy:
    """Observes a segmenter, and writes what it takes for text within harmless elements.

    Args:
        numbered: Whether each text is in a span with the number of its block.

    Attributes:
        pages: Each reading of a page, which may be read twice, and its copy.
    """

    def __init__(self, *, numbered: bool) -> None:
        self._numbered = numbered
        self.pages: list[tuple[Any, str]] = []
        self._begin_page()

    def _begin_page(self) -> None:
        self._parts: list[str] = []
        self._dropped = 0  # elements open within the outermost one that is left out
        self._around: list[int] = []  # `_dropped` around each FOREIGN that is open
        self._texts: list[int] = []  # places of the texts since the last block
        self._blocks = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Write a start tag."""
        if name == FOREIGN:
            self._around.append(self._dropped)
            self._dropped = 0
        if self._dropped:
            self._dropped += 1
        # Browsers without scripts show what is in noscript
        elif Role.HIDDEN <= ROLES[name] <= Role.TITLE and name != "noscript":
            self._dropped = 1
            self._parts.append(" ")
        else:
            self._parts.append(start_tag(name, attributes))

    def end(self, name: str) -> None:
        """Write an end tag."""
        if self._dropped:
            self._dropped -= 1
            return
        self._parts.append(end_tag(name))
        if name == FOREIGN:
            self._dropped = self._around.pop()

    def data(self, text: str) -> None:
        """Write text."""
        if not self._dropped:
            if self._numbered and not text.isspace():
                self._texts.append(len(self._parts))
            self._parts.append(escape(text))

    def block(self, kept: bool) -> None:
        """Put the number of a block on its texts."""
        for place in self._texts if kept else ():
            self._parts[place] = (
                f'<span data-block="{self._blocks}">{self._parts[place]}</span>'
            )
        self._blocks += kept
        self._texts.clear()

    def switch(self, is_off: bool) -> None:
        """Write nothing where search engines are switched off or on."""

    def doctype(
        self, name: str | None, public_id: str | None, system: str | None
    ) -> None:
        """Write no document type."""

    def finish(self, page: Any) -> None:
        """Keep the copy of a page."""
        self.pages.append((page, "".join(self._parts)))
        self._begin_page()
