"""crawl4ai's pruning filter with its defaults: what lacks text for its markup goes, from the top.

Source: crawl4ai, `PruningContentFilter` (0.7 and later, read in 2026): threshold .48, fixed. A node
goes with all below it unless the sum of its share of text, its share of text outside links, the
weight of its name and the logarithm of its length is high enough. Its weights for classes and ids
have no effect there, as no negative one counts. The text is ours: the filter leaves HTML, which
crawl4ai turns to Markdown.
"""

import math
import re
from html import escape
from typing import Any

from lxml import etree, html

from boilersweep.extractors import BuiltIn
from boilersweep.extractors.markup import text_of
from boilersweep.pages.page import VOID

THRESHOLD = 0.48

_UNWANTED = "nav footer header aside script style form iframe noscript".split()
_WEIGHTS = {
    "p": 1.0,
    "article": 1.5,
    "section": 1.0,
    "span": 0.3,
    "h1": 1.2,
    "h2": 1.1,
    "h3": 1.0,
    "h4": 0.9,
    "h5": 0.8,
    "h6": 0.7,
}
_OTHER = 0.5

_NO_XML = re.compile(
    "[\\0-\\b\\v\\f\\x0e-\\x1f\ufffe\uffff]"
)  # lxml joins no text with these

# An element -> the characters of its text, and those of the HTML within it.
_Sizes = dict[Any, tuple[int, int]]


def pruned(page: str) -> str:
    """Extract the text of what the filter leaves."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    utf8 = b"<html>" + _NO_XML.sub(" ", page).encode("utf-8", "replace")
    root = html.document_fromstring(utf8, parser=parser)
    etree.strip_elements(root, *_UNWANTED, with_tail=False)
    body = root.find("body")
    if body is None:
        return ""
    sizes = _sizes_of(body)
    waiting: list[Any] = [body]
    while waiting:
        node = waiting.pop()
        if _score(node, sizes) < THRESHOLD:
            if node is body:
                return ""
            node.drop_tree()
        elif node.tag not in ("pre", "code"):
            waiting += node
    left = (etree.tostring(part, encoding="unicode", with_tail=False) for part in body)
    return "\n".join(filter(None, map(text_of, left)))


def _sizes_of(body: Any) -> _Sizes:
    """Return the sizes of all elements, those of children first."""
    sizes: _Sizes = {}
    for node in reversed(list(body.iter(etree.Element))):
        texts = [node.text or "", *(child.tail or "" for child in node)]
        text = sum(len(part.strip()) for part in texts)
        inner = sum(map(_written, texts))
        for child in node:
            child_text, child_inner = sizes[child]
            attributes = sum(len(k) + len(v) + 4 for k, v in child.items())
            tags = 3 if child.tag in VOID else len(child.tag) + 5
            text += child_text
            inner += child_inner + attributes + len(child.tag) + tags
        sizes[node] = (0 if node.tag == "template" else text, inner)
    return sizes


def _written(text: str) -> int:
    """Return the characters of a text in the HTML that Beautiful Soup writes."""
    return len(escape(text, quote=False)) if text.strip(" \t\n\f\r") else bool(text)


def _score(node: Any, sizes: _Sizes) -> float:
    text, inner = sizes[node]
    links = sum(len(_only_string(child)) for child in node if child.tag == "a")
    density = text / inner if inner else 0.0
    unlinked = 1 - (links / text if text else 0.0)
    weight = _WEIGHTS.get(node.tag, _OTHER)
    return 0.4 * density + 0.2 * unlinked + 0.2 * weight + 0.1 * math.log(text + 1)


def _only_string(node: Any) -> str:
    """Return the text of an element that holds one string alone, at any depth, else ""."""
    while not node.text and len(node) == 1 and not node[0].tail:
        node = node[0]
    return "" if len(node) else (node.text or "").strip()


EXTRACTORS = (BuiltIn("crawl4ai-pruning", lambda: pruned),)
