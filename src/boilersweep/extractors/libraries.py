"""Extractors of other libraries, through those, with their defaults.

Each function here imports its library and gives the extractor; it raises UsageError where the
library is missing. What a library raises on a page comes out of the extractor as it is.
"""

import importlib
import logging
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from lxml import html as lxml_html

from boilersweep.errors import UsageError
from boilersweep.extractors.markup import markup_of
from boilersweep.pages.structure import VOID

Extract = Callable[[str], str]

DEEPEST = 4000
"""Elements within one another. resiliparse takes time with their square, in C, where no alarm
reaches it: 1 s for 8,000 measured, and 100,000 did not end."""

_ELEMENT = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FLAT = VOID | frozenset("p li dt dd td th tr option".split())
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")


DISTRIBUTIONS = {
    "justext": "justext",
    "trafilatura": "trafilatura",
    "trafilatura-fast": "trafilatura",
    "resiliparse": "resiliparse",
    "readability": "readability-lxml",
    "boilerpy3-article": "boilerpy3",
    "boilerpy3-default": "boilerpy3",
}
"""Extractor -> the distribution that it comes with."""


def justext() -> Extract:
    """jusText with its English stop list: the paragraphs that are no boilerplate."""
    library = _imported("justext")
    stop_words = library.get_stoplist("English")

    def extract(page: str) -> str:
        paragraphs = library.justext(_undeclared(page), stop_words)
        return "\n".join(one.text for one in paragraphs if not one.is_boilerplate)

    return extract


def trafilatura() -> Extract:
    """trafilatura with its fallbacks."""
    library = _imported("trafilatura")
    return lambda page: library.extract(page) or ""


def trafilatura_fast() -> Extract:
    """trafilatura without its fallbacks."""
    library = _imported("trafilatura")
    return lambda page: library.extract(page, fast=True) or ""


def resiliparse() -> Extract:
    """Resiliparse's main content, without the marks it puts before the items of lists.

    Raises ValueError for a page nested deeper than `DEEPEST`, on which it would hang or crash.
    """
    library = _imported("resiliparse.extract.html2text")

    def extract(page: str) -> str:
        if page.count("<") > DEEPEST and _depth(page) > DEEPEST:
            raise ValueError(f"nested deeper than {DEEPEST:,} elements")
        return str(library.extract_plain_text(page, main_content=True, list_bullets=False))

    return extract


def readability() -> Extract:
    """readability-lxml: the text of its summary."""
    library = _imported("readability")

    def extract(page: str) -> str:
        markup = markup_of(library.Document(_undeclared(page)).summary(html_partial=True))
        return markup.text(np.ones(len(markup.codes), dtype=bool))

    return extract


def boilerpy3_article() -> Extract:
    """boilerpy3's ArticleExtractor, boilerpipe's for news."""
    return _boilerpy3("ArticleExtractor")


def boilerpy3_default() -> Extract:
    """boilerpy3's DefaultExtractor, boilerpipe's for pages of any kind."""
    return _boilerpy3("DefaultExtractor")


def _boilerpy3(name: str) -> Extract:
    extractor = getattr(_imported("boilerpy3.extractors"), name)()

    def extract(page: str) -> str:
        # boilerpy3 gives up on tags that do not match, so it gets the page as lxml repairs it.
        tree = lxml_html.document_fromstring(_undeclared(page))
        return str(extractor.get_content(lxml_html.tostring(tree, encoding="unicode")))

    return extract


def _depth(page: str) -> int:
    """How deeply tags nest; those whose end tags pages leave out are not counted."""
    depth = deepest = 0
    for closes, name in _ELEMENT.findall(page):
        if name.lower() not in _FLAT:
            depth = max(depth - 1, 0) if closes else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _undeclared(page: str) -> str:
    """The page without its XML declaration: it is decoded, and lxml refuses a str that has one."""
    return _DECLARATION.sub("", page, count=1)


def _imported(module: str) -> Any:
    library = module.partition(".")[0]
    try:
        imported = importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"the extractor needs the library {library}, which is not here ({error}): "
            "pip install 'boilersweep[extractors]'"
        ) from error
    # Their complaints of single pages would break up the progress shown; the caller counts pages.
    logging.getLogger(library).addHandler(logging.NullHandler())
    return imported
