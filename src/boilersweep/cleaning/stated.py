"""What a page states of itself in its tags: its address and its language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from lxml import etree

_LANGUAGE = ("lang", "{http://www.w3.org/XML/1998/namespace}lang", "xml:lang")


@dataclass(slots=True)
class Stated:
    """url: of the link to the canonical page, else of og:url. language: of html, as it spells it.

    None where the page does not say.
    """

    url: str | None = None
    language: str | None = None


def stated(utf8: bytes) -> Stated:
    """What a page states, given as UTF-8; nothing of a page that cannot be parsed."""
    target = _Target()
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=cast(Any, target))
    try:
        return cast(Stated, etree.fromstring(utf8, parser))
    except etree.ParseError:
        return Stated()


class _Target:
    """The parser's target; the first of each that is stated counts."""

    def __init__(self) -> None:
        self._canonical = self._shared = self._language = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "html":
            found = (attributes.get(key, "").strip() for key in _LANGUAGE)
            self._language = self._language or next(filter(None, found), "")
        elif name == "link":
            if "canonical" in attributes.get("rel", "").lower().split():
                self._canonical = self._canonical or attributes.get("href", "").strip()
        elif name == "meta" and attributes.get("property", "").lower() == "og:url":
            self._shared = self._shared or attributes.get("content", "").strip()

    def close(self) -> Stated:
        return Stated(self._canonical or self._shared or None, self._language or None)
