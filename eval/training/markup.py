"""Pages of today in the markup of 2006, because a model must read both.

Every page loses the elements that old pages do not have. At random, it also loses elements that
only some of them use: paragraphs become text with line breaks, headings and lists become plain
elements, div becomes td. Only the tree changes: the blocks and their texts stay.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from boilersweep.pages.columns import BlockColumns, BoolArray, structure_of

# Elements that came with HTML5 or later.
MODERN = frozenset(
    "article aside details dialog figcaption figure footer header hgroup main nav picture search "
    "section summary time".split()
)

# The share of pages whose div elements become td.
TABLES = 0.5

# The share of pages that lose their p elements; so for headings and for lists, drawn separately.
WITHOUT = 0.3

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LISTS = frozenset("li ul ol".split())


def old_fashioned(columns: BlockColumns, random: Generator) -> BlockColumns:
    """Return the columns with all pages in old markup.

    Raises:
        UsageError: The columns have no structure.
    """
    structure = structure_of(columns, "training")
    mark_list, no_mark = _with_string(structure.mark_list, "")
    name_list, div = _with_string(structure.name_list, "div")
    name_list, td = _with_string(name_list, "td")
    name_list, font = _with_string(name_list, "font")
    of_elements = np.repeat(np.arange(len(columns)), np.diff(structure.starts))

    def named(names: frozenset[str]) -> BoolArray:
        codes = np.array([name in names for name in name_list], dtype=bool)
        return codes[structure.names]

    def drawn(share: float) -> BoolArray:
        return (random.random(len(columns)) < share)[of_elements]

    names = np.where(named(MODERN), div, structure.names)
    names[drawn(TABLES) & (names == div)] = td
    dissolved = drawn(WITHOUT) & named(frozenset({"p"}))
    names[dissolved] = font
    names[drawn(WITHOUT) & named(_LISTS)] = td
    names[drawn(WITHOUT) & named(_HEADINGS)] = font
    elements = structure.elements
    elements = np.where(dissolved[elements], structure.parents[elements], elements)
    marks = np.full_like(structure.marks, no_mark)
    none = np.zeros_like(structure.classes)
    old = replace(
        structure,
        names=names,
        name_list=name_list,
        marks=marks,
        mark_list=mark_list,
        classes=none,
        ids=none,
        elements=elements,
    )
    return replace(columns, structure=old)


def _with_string(strings: list[str], wanted: str) -> tuple[list[str], int]:
    """Return the list with a string in it, appended unless it is there, and the string's place."""
    if wanted in strings:
        return strings, strings.index(wanted)
    return [*strings, wanted], len(strings)
