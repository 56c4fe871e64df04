"""What turns a page into blocks or text: ours, lxml's bare parser, and peers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["bytes", "str"]
Run = Callable[[Any], Any]

_TOGETHER = 100


class NotThereError(Exception):
    """A system that cannot be run here; says why."""


@dataclass(frozen=True, slots=True)
class System:
    """One system.

    Attributes:
        form: what it wants a page as.
        slow: to be timed on a sample of the pages.
        prepare: gives what is called with each page; raises ImportError or NotThereError.
        together: that is called once, with all pages, instead.
    """

    name: str
    form: Form
    slow: bool
    prepare: Callable[[], Run]
    together: bool = False


def _lxml() -> Run:
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    return lambda page: etree.fromstring(page, parser)


def _pure() -> Run:
    from boilersweep.pages.segmenter import Segmenter

    return Segmenter().html


def _compiled() -> Run:
    from boilersweep.pages.segmenter import Segmenter

    try:
        from boilersweep.pages import compiled
    except ImportError as error:
        raise NotThereError("not built") from error
    if not compiled.built:
        raise NotThereError("not built")
    segmenter = compiled.make_segmenter()
    if type(segmenter) is Segmenter:
        raise NotThereError(
            "built, but not for this libxml2, or BOILERSWEEP_PURE is set"
        )
    return segmenter.html


def _structured() -> Run:
    from boilersweep.pages.compiled import make_segmenter

    return make_segmenter(structure=True).html


def _cleaned(cleaner: str) -> Run:
    """Segmentation and a cleaner, the pages taken together by the hundred as in a shard."""
    from boilersweep.cleaners.syntax.grammar import parse_rule
    from boilersweep.pages.columns import packed_columns
    from boilersweep.pages.compiled import make_segmenter

    rule = parse_rule(cleaner)
    segmenter = make_segmenter(structure=True)
    waiting: list[Any] = []

    def run(page: bytes) -> None:
        waiting.append(segmenter.packed_html(page))
        if len(waiting) == _TOGETHER:
            rule.mask(packed_columns([""] * _TOGETHER, waiting))
            waiting.clear()

    return run


def _clean(cleaner: str) -> Run:
    from boilersweep import clean

    return lambda page: clean(page, cleaner)


def _clean_many(cleaner: str) -> Run:
    from boilersweep import PageError, clean_many

    def run(pages: list[bytes]) -> None:
        for text in clean_many(pages, cleaner=cleaner):
            if isinstance(text, PageError):
                raise text

    return run


def default_segmenter() -> str:
    """Which of our segmenters `boilersweep segment` takes here."""
    try:
        _compiled()
    except NotThereError as reason:
        return f"pure Python (compiled: {reason})"
    return "compiled"


def _resiliparse(*, main_content: bool) -> Run:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda page: extract_plain_text(page, main_content=main_content)


def _selectolax() -> Run:
    from selectolax.lexbor import LexborHTMLParser

    return lambda page: LexborHTMLParser(page).text()


def _trafilatura(*, fast: bool) -> Run:
    from trafilatura import extract

    return lambda page: extract(page, fast=fast)


def _justext() -> Run:
    from justext import get_stoplist, justext

    stoplist = get_stoplist("English")
    return lambda page: justext(page, stoplist)


def _boilerpy3() -> Run:
    from boilerpy3.extractors import ArticleExtractor

    return lambda page: ArticleExtractor().get_content(page)


def _readability() -> Run:
    from readability import Document

    return lambda page: Document(page).summary()


# All times are given as ratios to this one's.
BARE = System("lxml, parsing alone", "bytes", False, _lxml)

_RESILIPARSE = System(
    "resiliparse, main content", "str", False, lambda: _resiliparse(main_content=True)
)
_TRAFILATURA = (
    System("trafilatura, fast", "str", True, lambda: _trafilatura(fast=True)),
    System("trafilatura", "str", True, lambda: _trafilatura(fast=False)),
)

# What cuts pages into blocks, and peers.
SEGMENTATION = (
    System("boilersweep, pure Python", "bytes", False, _pure),
    System("boilersweep, compiled", "bytes", False, _compiled),
    System("boilersweep, with the structure", "bytes", False, _structured),
    System(
        "boilersweep, numwords-rules",
        "bytes",
        False,
        lambda: _cleaned("numwords-rules"),
    ),
    System("boilersweep, learned", "bytes", False, lambda: _cleaned("learned")),
    System("selectolax, text", "bytes", False, _selectolax),
    System("resiliparse, text", "str", False, lambda: _resiliparse(main_content=False)),
    _RESILIPARSE,
    System("boilerpy3, ArticleExtractor", "str", True, _boilerpy3),
    System("jusText", "str", True, _justext),
    System("readability-lxml", "str", True, _readability),
    *_TRAFILATURA,
)

# What gives the main text of pages: ours one at a time and many together, and peers.
CLEANING = (
    System("clean, words>=11", "bytes", False, lambda: _clean("words>=11")),
    System(
        "clean_many, words>=11", "bytes", False, lambda: _clean_many("words>=11"), True
    ),
    System("clean, numwords-rules", "bytes", False, lambda: _clean("numwords-rules")),
    System(
        "clean_many, numwords-rules",
        "bytes",
        False,
        lambda: _clean_many("numwords-rules"),
        True,
    ),
    System("clean, learned", "bytes", False, lambda: _clean("learned")),
    System("clean_many, learned", "bytes", False, lambda: _clean_many("learned"), True),
    _RESILIPARSE,
    *_TRAFILATURA,
)

# Part of the benchmark -> its systems, beside lxml.
SYSTEMS: dict[str, tuple[System, ...]] = {
    "segmentation": SEGMENTATION,
    "cleaning": CLEANING,
    "parsing": (),
}
