"""Blocks in elements that CSS selectors name, and blocks that their page excludes from search.

`!inside('header, footer, nav, .sidebar, #menu')` drops what such a list of excluded tags drops.
A selector sees the elements that hold blocks: block elements, and with the paper's borders all but
A. Text runs on across the others, such as span, so they hold no block.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Any

import numpy as np
from cssselect import parser as css

from boilersweep.cleaners.rules import NamedRule, Parameter
from boilersweep.errors import UsageError, excerpt
from boilersweep.features.table import holding
from boilersweep.pages.columns import (
    STRUCTURE,
    BlockColumns,
    BoolArray,
    IntArray,
    Structure,
    nearest,
    structure_of,
)
from boilersweep.pages.page import KEPT, ROOT

# Marks of authors: an attribute or a class, and whose it is.
#
# Sources: Google Search Central, "Robots meta tag specifications"; Pagefind, "Configuring what
# content is indexed"; Elastic, "Open Web Crawler: extraction rules"; Material for MkDocs, "Search
# exclusion"; Swiftype, "Content inclusion and exclusion"; Yahoo, "robots-nocontent" (2007).
MARKED = (
    "[data-nosnippet], [data-pagefind-ignore], [data-elastic-exclude], [data-search-exclude], "
    "[data-swiftype-index=false], .robots-nocontent"
)
_ATTRIBUTES = ("class", "id", "role", *KEPT)
_ROLE = "role="
_ATTRIBUTE = re.compile('([^ =]+)="([^"]*)"')

_TESTS: dict[str, Callable[[str, str], bool]] = {
    "exists": lambda _found, _wanted: True,
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: wanted != "" and value.startswith(wanted),
    "$=": lambda value, wanted: wanted != "" and value.endswith(wanted),
    "*=": lambda value, wanted: wanted != "" and wanted in value,
}


@dataclass(frozen=True, slots=True)
class Inside(NamedRule):
    """Keeps the blocks in an element that a selector names, at any depth.

    Attributes:
        selector: CSS selectors of elements, classes, ids and attributes, with descendant and child
            combinators; anything else raises UsageError. White space is folded in it, as in the
            class, id and role of elements; a role is in lower case.
    """

    name = "inside"
    parameters = (Parameter("SELECTOR", "a text in quotes"),)
    summary = "blocks in elements that CSS selectors name"
    source = "W3C, Selectors Level 3"
    needs = STRUCTURE

    selector: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "selector", " ".join(self.selector.split()))
        if "'" in self.selector and '"' in self.selector:
            raise UsageError("expected a selector with one kind of quotes, got both")
        _parsed(self.selector)

    def __str__(self) -> str:
        quote = '"' if "'" in self.selector else "'"
        return f"{self.name}({quote}{self.selector}{quote})"

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block in such an element."""
        chosen = matching(self.selector, columns, self)
        return holding(structure_of(columns, self), chosen, len(columns.words))


class Marked(NamedRule):
    """Keeps what its page excludes from search or snippets: MARKED, and switches in comments."""

    name = "marked"
    summary = "text that its page excludes from search or snippets"
    source = "Google, Yandex, Elastic, Pagefind and others"
    needs = STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block that its author excludes."""
        switched = structure_of(columns, self).unindexed
        mask: BoolArray = switched | Inside(MARKED).mask(columns)
        return mask


def matching(selector: str, columns: BlockColumns, reader: object) -> BoolArray:
    """(e,) whether a selector names an element.

    Args:
        selector: The selector.
        columns: Blocks with their structure.
        reader: Who asks, for the error where the structure is missing.
    """
    structure = structure_of(columns, reader)
    if Inside not in columns.memo:
        columns.memo[Inside] = _elements_of(structure, slice(None))
    elements: _Elements = columns.memo[Inside]
    return elements.named_by(selector)


def matching_among(
    selector: str, structure: Structure, elements: BoolArray
) -> BoolArray:
    """Return which of some elements a selector without combinators names; others are not read.

    Args:
        selector: The selector.
        structure: The structure.
        elements: (e,) True for the elements to read.
    """
    chosen = np.zeros(len(elements), dtype=bool)
    if elements.any():
        chosen[elements] = _elements_of(structure, elements).named_by(selector)
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class _Elements:
    """The e elements of some pages; those that selectors cannot tell apart are of one kind.

    Attributes:
        kinds: (e,) places in `attributes`.
        attributes: (k,) of every kind its attributes by name.
        places: An element's name, `.class` or `#id` -> the kinds that have it.
        parents: (e,) As `Structure.parents`.
    """

    kinds: IntArray
    attributes: list[dict[str, str]]
    places: dict[str, list[int]]
    parents: IntArray

    def named_by(self, selector: str) -> BoolArray:
        """(e,) whether a selector names an element."""
        chosen = np.zeros(len(self.kinds), dtype=bool)
        for tree in _parsed(selector):
            chosen |= self.matching(tree)
        return chosen

    def matching(self, tree: Any) -> BoolArray:
        """(e,) whether a parsed selector names an element."""
        match tree:
            case css.Element():
                return self._having((tree.element or "*").lower())
            case css.Class():
                return self.matching(tree.selector) & self._having(
                    f".{tree.class_name}"
                )
            case css.Hash():
                return self.matching(tree.selector) & self._having(f"#{tree.id}")
            case css.Attrib():
                return self.matching(tree.selector) & self._with_attribute(tree)
        around = self.matching(tree.selector)
        if tree.combinator == " ":
            around = around[nearest(around, self.parents)]
        has_parent = self.parents != np.arange(len(self.parents))
        chosen: BoolArray = (
            self.matching(tree.subselector) & around[self.parents] & has_parent
        )
        return chosen

    def _having(self, key: str) -> BoolArray:
        chosen = np.zeros(len(self.attributes), dtype=bool)
        chosen[self.places.get(key, [])] = True
        elements: BoolArray = chosen[self.kinds]
        return elements

    def _with_attribute(self, tree: Any) -> BoolArray:
        test, name = _TESTS[tree.operator], tree.attrib.lower()
        wanted = tree.value.value if tree.value else ""
        values = (attributes.get(name) for attributes in self.attributes)
        chosen = [value is not None and test(value, wanted) for value in values]
        elements: BoolArray = np.array(chosen, dtype=bool)[self.kinds]
        return elements


def _elements_of(structure: Structure, elements: BoolArray | slice) -> _Elements:
    """Sort some elements by what selectors can ask."""
    columns = (
        structure.names[elements],
        structure.marks[elements],
        structure.classes[elements],
        structure.ids[elements],
        structure.attributes[elements],
    )
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, key = np.unique(
            key * (column.max(initial=0) + 1) + column, return_inverse=True
        )
    _, firsts, kinds = np.unique(key, return_index=True, return_inverse=True)
    all_attributes: list[dict[str, str]] = []
    places: dict[str, list[int]] = defaultdict(list)
    for kind, values in enumerate(
        zip(*(column[firsts].tolist() for column in columns), strict=True)
    ):
        name, marks, classes, ids, kept = values
        tokens = structure.mark_list[marks].split(" ")
        attributes = _attributes(tokens, classes, ids)
        attributes |= _kept(structure.attribute_list[kept])
        all_attributes.append(attributes)
        if structure.name_list[name] != ROOT:
            places["*"].append(kind)
        places[structure.name_list[name]].append(kind)
        for token in set(tokens[:classes]):
            places[f".{token}"].append(kind)
        if ids:
            places[f"#{attributes['id']}"].append(kind)
    return _Elements(kinds, all_attributes, places, structure.parents)


def _attributes(tokens: list[str], classes: int, ids: int) -> dict[str, str]:
    """Return what marks are of, by the attribute's name; see `marks_of`."""
    behind = tokens[classes + ids :]
    roles = [token.removeprefix(_ROLE) for token in behind if token.startswith(_ROLE)]
    values = (tokens[:classes], tokens[classes : classes + ids], roles)
    return {
        name: " ".join(value)
        for name, value in zip(_ATTRIBUTES, values, strict=False)
        if value
    }


@lru_cache(maxsize=4096)
def _kept(html: str) -> dict[str, str]:
    """Return the attributes that `kept_attributes` wrote."""
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(html)}


@lru_cache(maxsize=256)
def _parsed(selector: str) -> tuple[Any, ...]:
    """Parse selectors; raises UsageError for what is not supported."""
    try:
        parsed = css.parse(selector)
    except css.SelectorSyntaxError as error:
        raise _error(selector, str(error)) from error
    for one in parsed:
        if one.pseudo_element:
            raise _error(selector, f"the pseudo-element {one.pseudo_element}")
        _check(selector, one.parsed_tree)
    return tuple(one.parsed_tree for one in parsed)


def _check(selector: str, tree: Any) -> None:
    """Raise UsageError for a part of a parsed selector that is not supported."""
    match tree:
        case css.Element():
            if tree.namespace:
                raise _error(selector, f"the namespace {tree.namespace}")
            return
        case css.CombinedSelector() if tree.combinator in (" ", ">"):
            _check(selector, tree.subselector)
        case css.Attrib() if tree.namespace or tree.attrib.lower() not in _ATTRIBUTES:
            raise _error(selector, f"the attribute {tree.attrib}")
        case css.Attrib() if tree.operator not in _TESTS:
            raise _error(selector, f"the operator {tree.operator}")
        case css.Class() | css.Hash() | css.Attrib():
            pass
        case _:
            raise _error(selector, tree.canonical())
    _check(selector, tree.selector)


def _error(selector: str, text: str) -> UsageError:
    return UsageError(
        f"{excerpt(selector)!r}: expected selectors such as 'nav', '.sidebar', '#menu', "
        "'main > article' or '[role=main] p': elements, classes, ids, the attributes "
        f"{', '.join(_ATTRIBUTES)}, descendants and children; got {excerpt(text)}"
    )
