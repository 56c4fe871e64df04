"""Classes of blocks, told by the elements around a block and their attributes.

Each is a rule: `words>=11 | code` keeps code however short, `learned & !hidden` drops what a page
does not show. A block may be of several classes, or of none; exports name them.
"""

import re
from typing import ClassVar

import numpy as np

from boilersweep.cleaners.consent import Consent
from boilersweep.cleaners.rules import NamedRule
from boilersweep.features.table import holding, mark_words, named
from boilersweep.pages.columns import (
    STRUCTURE,
    BlockColumns,
    BoolArray,
    Structure,
    nearest,
    structure_of,
)
from boilersweep.pages.page import ROOT

_HEADERS = ("th", "thead", "caption")
# Elements that say of a page what it has, and not of themselves what they are.
_WHOLE_PAGE = (ROOT, "html", "body", "main")


class BlockClass(NamedRule):
    """Keeps the blocks in an element of a class, at any depth.

    A subclass has its own name in lower case, and what it passes to `__init_subclass__`.

    Attributes:
        elements: Names of elements of the class.
        marks: Matches the class, id or role, in lower case, of an element of any name that is of
            the class.
    """

    __slots__ = ()

    source = "boilersweep"
    needs = STRUCTURE
    elements: ClassVar[tuple[str, ...]]
    marks: ClassVar[re.Pattern[str]]

    def __init_subclass__(cls, *, summary: str, marks: str, elements: str = "") -> None:
        super().__init_subclass__()
        cls.name, cls.summary = cls.__name__.lower(), summary
        cls.elements, cls.marks = tuple(elements.split()), re.compile(marks)

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block of the class."""
        structure = structure_of(columns, self)
        words = mark_words(columns, structure)
        chosen = words.marked(structure, filter(self.marks.fullmatch, words.distinct))
        chosen &= ~named(structure, _WHOLE_PAGE)
        chosen |= self._elements(structure)
        return holding(structure, chosen, len(columns.words))

    def _elements(self, structure: Structure) -> BoolArray:
        """Return (e,) True for the elements that are of the class by their names."""
        return named(structure, self.elements)


class Heading(
    BlockClass,
    summary="headings: h1 to h6",
    elements="h1 h2 h3 h4 h5 h6",
    marks="role=heading",
):
    """Keeps headings of all levels."""


class Term(
    BlockClass,
    summary="terms of definition lists: dt",
    elements="dt",
    marks="role=term",
):
    """Keeps the terms of definition lists."""


class Code(
    BlockClass,
    summary="code and other preformatted text: pre",
    elements="pre listing xmp plaintext",
    marks="codehilite|source-?code|code-?block|blob-code|hljs|prettyprint|syntaxhighlighter",
):
    """Keeps preformatted text, and what highlighters of code mark."""


class Table(
    BlockClass,
    summary="tables that have a header cell or a caption",
    marks="role=(table|grid|treegrid)",
):
    """Keeps tables of data, which have a header cell or a caption; others lay out a page."""

    def _elements(self, structure: Structure) -> BoolArray:
        tables = named(structure, ("table",))
        around = nearest(tables, structure.parents)
        with_headers = np.zeros_like(tables)
        with_headers[around[named(structure, _HEADERS)]] = True
        return with_headers & tables


class List(
    BlockClass,
    summary="items of lists: ul, ol, dl, menu",
    elements="ul ol dl dir menu li",
    marks="role=list(item)?",
):
    """Keeps the items of all kinds of lists, menus among them."""


class Caption(
    BlockClass,
    summary="captions of tables and figures",
    elements="caption figcaption",
    marks="(wp-|code-block-)?caption(-text)?|role=caption",
):
    """Keeps captions of tables, figures and code."""


class Comment(
    BlockClass,
    summary="readers' comments, as classes and ids name them",
    marks="(.*[-_])?(comments?(list|area|section|body|text|content)?|disqus)([-_].*)?|role=comment",
):
    """Keeps what classes and ids call comments; `learned(comments=yes)` reads their texts."""


class Hidden(
    BlockClass,
    summary="text that the page hides by attributes or style",
    marks="hidden",
):
    """Keeps what is not shown: `hidden`, `aria-hidden` and a style that hides."""


CLASSES: tuple[type[NamedRule], ...] = (
    Heading,
    Term,
    Code,
    Table,
    List,
    Caption,
    Comment,
    Hidden,
    Consent,
)


def classes_of(columns: BlockColumns) -> list[list[str]]:
    """Return (m,) the names of the classes of every block, in the order of CLASSES."""
    masks = np.array([rule().mask(columns) for rule in CLASSES])
    names = np.array([rule.name for rule in CLASSES])
    return [names[mask].tolist() for mask in masks.T]
