"""Extractors of other libraries, through those, with their defaults.

Each function here imports its library and gives the extractor; it raises UsageError where the
library is missing. What a library raises on a page comes out of the extractor as it is.
"""

import importlib
import logging
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import compress
from typing import Any

from lxml import html as lxml_html

from boilersweep.errors import UsageError
from boilersweep.extractors import BuiltIn
from boilersweep.extractors.markup import text_of
from boilersweep.extras import install_command
from boilersweep.pages.language import (
    UNKNOWN,
    declared_language,
    detector,
    language_of,
)
from boilersweep.pages.page import VOID
from boilersweep.pages.words import mean_columns

# Language, as in `boilersweep.pages.language` -> the name of the stop list of jusText.
STOP_LISTS = dict(
    pair.split(":", 1)
    for pair in (
        "af:Afrikaans an:Aragonese ar:Arabic ast:Asturian az:Azerbaijani be:Belarusian "
        "bg:Bulgarian bn:Bengali bpy:Bishnupriya_Manipuri br:Breton bs:Bosnian ca:Catalan "
        "ceb:Cebuano cs:Czech cv:Chuvash cy:Welsh da:Danish de:German el:Greek en:English "
        "eo:Esperanto es:Spanish et:Estonian eu:Basque fa:Persian fi:Finnish fr:French "
        "fy:West_Frisian ga:Irish gl:Galician gu:Gujarati he:Hebrew hi:Hindi hr:Croatian "
        "ht:Haitian hu:Hungarian hy:Armenian id:Indonesian ig:Igbo io:Ido is:Icelandic it:Italian "
        "jv:Javanese ka:Georgian kk:Kazakh kn:Kannada ko:Korean ku:Kurdish ky:Kyrgyz la:Latin "
        "lb:Luxembourgish lmo:Lombard lt:Lithuanian lv:Latvian mk:Macedonian ml:Malayalam "
        "mr:Marathi ms:Malay mt:Maltese nap:Neapolitan nds:Low_Saxon ne:Nepali new:Newar nl:Dutch "
        "nn:Norwegian_Nynorsk no:Norwegian_Bokmal oc:Occitan pl:Polish pms:Piedmontese "
        "pnb:Western_Panjabi pt:Portuguese qu:Quechua ro:Romanian ru:Russian scn:Sicilian "
        "sh:Serbo_Croatian sk:Slovak sl:Slovenian sq:Albanian sr:Serbian su:Sundanese sv:Swedish "
        "sw:Swahili ta:Tamil te:Telugu tk:Turkmen tl:Tagalog tr:Turkish uk:Ukrainian ur:Urdu "
        "uz:Uzbek vi:Vietnamese vo:Volapuk wa:Walloon war:Waray_Waray yo:Yoruba"
    ).split()
)


Extract = Callable[[str], str]

# Elements within one another. resiliparse takes time with their square, in C, where no alarm
# reaches it: 1 s for 8,000 measured, and 100,000 did not end.
DEEPEST = 4000

_ELEMENT = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FLAT = VOID | frozenset("p li dt dd td th tr option".split())
_DECLARED_WITHIN = 4096  # characters
# Languages with a stop list whose characters hold more than a letter, and how much.
_WIDE = {"ko": 2.0}
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")


def justext() -> Extract:
    """Load jusText with the stop list of the page's language.

    Where the language is not known, or its list leaves nothing, the list is that of the language
    declared, then the English one. Of a language without a list jusText goes by lengths alone. Its
    lengths, in characters, are those of alphabets: in other scripts they are as many characters as
    hold as much text.
    """
    library = _imported("justext")
    core = _imported("justext.core")
    lists = cache(library.get_stoplist)

    def kept(paragraphs: Any, texts: Sequence[str], language: str) -> list[str]:
        name = STOP_LISTS.get(language)
        wide = _WIDE.get(language, 1.0) if name else mean_columns(" ".join(texts))
        density = {} if name else {"stopwords_low": 0, "stopwords_high": 0}
        core.classify_paragraphs(
            paragraphs,
            lists(name) if name else (),
            length_low=core.LENGTH_LOW_DEFAULT / wide,
            length_high=core.LENGTH_HIGH_DEFAULT / wide,
            **density,
        )
        core.revise_paragraph_classification(paragraphs)
        good = [not paragraph.is_boilerplate for paragraph in paragraphs]
        return list(compress(texts, good))

    def extract(page: str) -> str:
        page = _undeclared(page)
        root = core.html_to_dom(
            page, core.DEFAULT_ENCODING, None, core.DEFAULT_ENC_ERRORS
        )
        paragraphs = core.ParagraphMaker.make_paragraphs(core.preprocessor(root))
        texts = [paragraph.text for paragraph in paragraphs]
        declared = declared_language(page[:_DECLARED_WITHIN].encode("utf-8", "replace"))
        detected = language_of(texts, declared).language
        languages = dict.fromkeys(
            one for one in (detected, declared, "en") if one not in ("", UNKNOWN)
        )
        good = (kept(paragraphs, texts, language) for language in languages)
        return "\n".join(next(filter(None, good), ()))

    return extract


def _trafilatura(**options: bool) -> Extract:
    library = _imported("trafilatura")
    return lambda page: library.extract(page, **options) or ""


def resiliparse() -> Extract:
    """Load Resiliparse's main content, without the marks before the items of lists.

    Raises:
        ValueError: The page is nested deeper than `DEEPEST`; it would hang or crash.
    """
    library = _imported("resiliparse.extract.html2text")

    def extract(page: str) -> str:
        if page.count("<") > DEEPEST and _depth(page) > DEEPEST:
            raise ValueError(f"nested deeper than {DEEPEST:,} elements")
        return str(
            library.extract_plain_text(page, main_content=True, list_bullets=False)
        )

    return extract


def readability() -> Extract:
    """Load readability-lxml: the text of its summary."""
    library = _imported("readability")

    def extract(page: str) -> str:
        return text_of(library.Document(_undeclared(page)).summary(html_partial=True))

    return extract


def turbohtml() -> Extract:
    """Load turbohtml's main text: the element that Readability's scores choose."""
    library = _imported("turbohtml")
    return lambda page: str(library.parse(page).main_text())


def _boilerpy3(name: str) -> Extract:
    extractor = getattr(_imported("boilerpy3.extractors"), name)()

    def extract(page: str) -> str:
        # boilerpy3 gives up on tags that do not match, so it gets the page as lxml repairs it.
        tree = lxml_html.document_fromstring(_undeclared(page))
        return str(extractor.get_content(lxml_html.tostring(tree, encoding="unicode")))

    return extract


def _depth(page: str) -> int:
    """Return how deeply tags nest; those whose end tags pages leave out are not counted."""
    depth = deepest = 0
    for closes, name in _ELEMENT.findall(page):
        if name.lower() not in _FLAT:
            depth = max(depth - 1, 0) if closes else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _undeclared(page: str) -> str:
    """Remove the XML declaration: the page is decoded, and lxml rejects a str with one."""
    return _DECLARATION.sub("", page, count=1)


def _imported(module: str) -> Any:
    library = module.partition(".")[0]
    try:
        imported = importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"the extractor needs the library {library}, which is not installed ({error}): "
            f"{install_command('extractors')}"
        ) from error
    # Their complaints of single pages would break up the progress shown; the caller counts pages.
    logging.getLogger(library).addHandler(logging.NullHandler())
    return imported


# trafilatura with its fallbacks and without; of boilerpy3 the extractors for news and any page.
EXTRACTORS = (
    BuiltIn("justext", justext, "justext", detector),
    BuiltIn("trafilatura", _trafilatura, "trafilatura"),
    BuiltIn("trafilatura-fast", partial(_trafilatura, fast=True), "trafilatura"),
    BuiltIn("resiliparse", resiliparse, "resiliparse"),
    BuiltIn("readability", readability, "readability-lxml"),
    BuiltIn("turbohtml", turbohtml, "turbohtml"),
    BuiltIn("boilerpy3-article", partial(_boilerpy3, "ArticleExtractor"), "boilerpy3"),
    BuiltIn("boilerpy3-default", partial(_boilerpy3, "DefaultExtractor"), "boilerpy3"),
)
