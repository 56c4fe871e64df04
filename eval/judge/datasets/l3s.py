"""L3S-GN1, the GoogleNews pages of the 2010 paper: `original/*.html` and `annotated/*.html`.

Source: http://www.l3s.de/~kohlschuetter/boilerplate/ (research use only).

Each block of an annotated page has the class that people gave it. The annotators' spans of class
x-nc-sel0 to x-nc-sel5 are no part of the page: they are removed before it is cut, or each would be
a border. To find the class of each word, the page is cut a second time with a private-use
character, one for each class, before every text of the tree.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree, html

from boilersweep.eval.judge.datasets.judged_page import (
    CLASSES,
    CONTENT,
    PAGE_SUFFIXES,
    AnnotatedPage,
    DatasetFormat,
    JudgedPage,
    Pages,
    UnusableError,
    named_files,
    page_bytes,
    paired,
    readable_bytes,
)
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.metadata_values import host_of
from boilersweep.pages.segmenter import Segmenter
from boilersweep.pages.words import is_word

_ANNOTATION = re.compile(r"\bx-nc-sel([0-5])\b")
_FIRST_MARK = 0x10FFF0  # the last private-use plane
_PARSER_OPTIONS: dict[str, Any] = {
    "encoding": "utf-8",
    "huge_tree": True,
    "default_doctype": False,  # a page without a document type stays one
}
_WRAPPER = "annotation"
_MARKS = {_FIRST_MARK + number: None for number in range(len(CLASSES))}


@dataclass(frozen=True, slots=True)
class SpannedPage(JudgedPage):
    """A page of L3S-GN1, whose annotated copy has spans around what people marked."""

    def marked(self, segmenter: Segmenter) -> AnnotatedPage | None:
        """Return the blocks of the annotated copy; raises InputError."""
        if self.annotated is None:
            return None
        return annotated_blocks(to_utf8(page_bytes(self.annotated)).utf8, segmenter)


def annotated_blocks(utf8: bytes, segmenter: Segmenter) -> AnnotatedPage:
    """Return the blocks and classes of an annotated page.

    Args:
        utf8: The page as UTF-8.
        segmenter: Decides what a block is and whether its page has a structure.

    Raises:
        ValueError: The page cannot be parsed.
    """
    plain, marked, is_annotated = _unwrapped(utf8)
    page = segmenter.html(plain)
    texts = segmenter.html(marked).texts
    if [_unmarked(text) for text in texts] != [_unmarked(text) for text in page.texts]:
        raise ValueError("the page is cut differently when its texts are marked")
    words = [list(_classed_words(text)) for text in texts]
    return AnnotatedPage(
        plain=plain,
        page=page,
        classes=[_majority([number for _, number in block]) for block in words],
        gold=[
            " ".join(word for word, number in block if number in CONTENT)
            for block in words
        ],
        is_annotated=is_annotated,
    )


def _unwrapped(utf8: bytes) -> tuple[bytes, bytes, bool]:
    """Return the page without annotations, the same with marked texts, and if it had any."""
    parser = html.HTMLParser(**_PARSER_OPTIONS)
    try:
        root = html.document_fromstring(utf8, parser)
    except etree.ParserError as error:
        raise ValueError(str(error)) from error
    is_annotated = False
    for span in root.iter("span"):
        if annotation := _ANNOTATION.search(span.get("class", "")):
            span.tag = _WRAPPER
            span.set("number", annotation[1])
            is_annotated = True
    marked = deepcopy(root)
    _mark(marked)
    return _without_wrappers(root), _without_wrappers(marked), is_annotated


def _without_wrappers(root: html.HtmlElement) -> bytes:
    etree.strip_tags(root, _WRAPPER)
    page: bytes = html.tostring(root.getroottree(), encoding="utf-8", method="html")
    return page


def _mark(root: html.HtmlElement) -> None:
    """Put the mark of its class before every text that is not white space."""
    classes = [0]
    for event, element in etree.iterwalk(
        root, events=("start", "end", "comment", "pi")
    ):
        if event == "start":
            number = (
                int(element.get("number")) if element.tag == _WRAPPER else classes[-1]
            )
            classes.append(number)
            element.text = _marked(element.text, number)
        else:
            if event == "end":
                classes.pop()
            element.tail = _marked(element.tail, classes[-1])


def _marked(text: str | None, number: int) -> str | None:
    return chr(_FIRST_MARK + number) + text if text and not text.isspace() else text


def _unmarked(text: str) -> str:
    return " ".join(text.translate(_MARKS).split())


def _classed_words(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a marked text, each with its class."""
    number = 0
    for token in text.split():
        at_start = number
        seen = False
        for character in token:
            if ord(character) in _MARKS:
                number = ord(character) - _FIRST_MARK
                if not seen:
                    at_start = number
            elif character.isalnum():
                seen = True
        word = token.translate(_MARKS)
        if is_word(word):
            yield word, at_start


def _majority(numbers: list[int]) -> int:
    return max(numbers, key=numbers.count)


_MAPPED = re.compile(r"<urn:uuid:([^>]+)>\s+(\S+)")


def _read(home: Path) -> Pages:
    """Read the pages; a gold text is headline, full text, supplemental text and comments.

    Without `url-mapping.txt` every page is a site of its own.
    """
    urls = _urls(home / "url-mapping.txt")
    segmenter = make_segmenter()

    def page(name: str, path: Path, annotated: Path) -> JudgedPage:
        utf8 = to_utf8(readable_bytes(annotated)).utf8
        try:
            marked = annotated_blocks(utf8, segmenter)
        except ValueError as error:
            raise UnusableError("the annotated page cannot be parsed") from error
        if not marked.is_annotated:
            raise UnusableError("the annotated page has no annotation")
        url = urls.get(name, "")
        site = host_of(url) or name
        gold = "\n".join(filter(None, marked.gold))
        return SpannedPage(name, path, None, gold, site, url, annotated=annotated)

    originals = named_files(home / "original", PAGE_SUFFIXES)
    annotated = named_files(home / "annotated", PAGE_SUFFIXES)
    missing = ("no original page", "no annotated page")
    return paired(originals, annotated, page, missing=missing)


def _urls(path: Path) -> dict[str, str]:
    """Return name -> address."""
    if not path.exists():
        return {}
    return dict(_MAPPED.findall(path.read_text(encoding="utf-8", errors="replace")))


L3S_GN1 = DatasetFormat(
    name="l3s-gn1",
    title="L3S-GN1",
    layout="original/, annotated/",
    folders=("original", "annotated"),
    inside="l3s",
    licence="L3S-GN1, Christian Kohlschütter, 2010: research use only",
    read=_read,
)
