"""A copy of a collected page to look at, made anew from its text and some of its elements.

Nothing of the page's own markup is passed on: the copy has no script, style sheet, frame, form or
link, however a browser reads the page. The policy of the answer forbids the same once more.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from lxml import etree
from markupsafe import Markup
from starlette.responses import HTMLResponse

from boilersweep.collection.format import Record
from boilersweep.eval.assess.documents import ShownDocument
from boilersweep.eval.serve.serving import render
from boilersweep.pages.elements import CONTAINERS, PARAGRAPH, SKIPPED
from boilersweep.pages.encoding import to_utf8

_HEADERS = {
    "content-security-policy": (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-dns-prefetch-control": "off",
}
# Browsers without scripts show what is in noscript
_DROPPED = (SKIPPED | {"title"}) - {"noscript"}
_EMPTY = frozenset({"br", "hr", "img", "col", "wbr"})
_TAGS = (
    (CONTAINERS - {"form", "button"})
    | PARAGRAPH
    | _EMPTY
    | frozenset("table colgroup thead tbody tfoot tr ul ol dl".split())
)
_ATTRIBUTES = frozenset(
    "align alt bgcolor border cellpadding cellspacing color colspan dir height hidden lang "
    "rowspan size style title valign width".split()
)


def copy_of_page(record: Record, shown: ShownDocument) -> HTMLResponse:
    """Answer with a copy of a page that runs nothing, loads nothing and leads nowhere."""
    utf8 = to_utf8(record.body, record.charset).utf8
    if record.plain:
        body = f"<pre>{escape(utf8.decode('utf-8', 'replace'))}</pre>"
    else:
        target: Any = _Copy()  # lxml's types require comment()
        parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
        body = str(etree.HTML(utf8, parser))
    answer = render("copy", {"shown": shown, "body": Markup(body)})  # noqa: S704
    answer.headers.update(_HEADERS)
    return answer


def _is_inert(name: str, value: str) -> bool:
    """Return whether an attribute loads nothing; a style with a parenthesis may name a file."""
    if name == "src":
        return value.startswith("data:image/")
    return name in _ATTRIBUTES and not (name == "style" and "(" in value)


class _Copy:
    """Receives what libxml2 finds in a page, and writes what is harmless."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._dropped = 0  # elements whose content is left out, one within another

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Write a start tag."""
        self._dropped += tag in _DROPPED
        if tag in _TAGS and not self._dropped:
            kept = "".join(
                f' {name}="{escape(value)}"'
                for name, value in attributes.items()
                if _is_inert(name, value)
            )
            self._parts.append(f"<{tag}{kept}>")

    def end(self, tag: str) -> None:
        """Write an end tag."""
        if tag in _TAGS and tag not in _EMPTY and not self._dropped:
            self._parts.append(f"</{tag}>")
        self._dropped -= tag in _DROPPED

    def data(self, text: str) -> None:
        """Write text."""
        if not self._dropped:
            self._parts.append(escape(text))

    def close(self) -> str:
        """Return the copy."""
        return "".join(self._parts)
