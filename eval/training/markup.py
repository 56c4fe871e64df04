"""Pages of today in the markup of 2006, to train what must read both.

Each page loses what old pages lack, and, at random, what not all of them use: paragraphs become
text with line breaks, headings and lists become plain elements, div becomes td. Only the tree
changes: the blocks and their texts stay.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, Structure

# Elements that came with HTML5 or later.
MODERN = frozenset(
    "article aside details dialog figcaption figure footer header hgroup main nav picture search "
    "section summary time".split()
)

# Share of pages whose div elements become td.
TABLES = 0.5

# Share of pages that lose their p; headings; list elements: each drawn apart.
WITHOUT = 0.3

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LISTS = frozenset("li ul ol".split())


def old_fashioned(columns: BlockColumns, random: Generator) -> BlockColumns:
    """Return the columns with all pages in old markup.

    Raises:
        UsageError: columns without structure.
    """
    if columns.structure is None:
        raise UsageError("old markup is made from the pages' structure; ask for it")
    structure = _reduced(columns.structure)
    name_list, td = _with_string(structure.name_list, "td")
    name_list, font = _with_string(name_list, "font")
    of_elements = np.repeat(np.arange(len(columns)), np.diff(structure.starts))

    def named(names: frozenset[str]) -> BoolArray:
        codes = np.array([name in names for name in structure.name_list], dtype=bool)
        return codes[structure.names]

    def drawn(share: float) -> BoolArray:
        return (random.random(len(columns)) < share)[of_elements]

    names = structure.names.copy()
    names[drawn(TABLES) & named(frozenset({"div"}))] = td
    dissolved = drawn(WITHOUT) & named(frozenset({"p"}))
    names[dissolved] = font
    names[drawn(WITHOUT) & named(_LISTS)] = td
    names[drawn(WITHOUT) & named(_HEADINGS)] = font
    elements = structure.elements
    elements = np.where(dissolved[elements], structure.parents[elements], elements)
    return replace(
        columns,
        structure=replace(structure, names=names, name_list=name_list, elements=elements),
    )


def _reduced(structure: Structure) -> Structure:
    """Without marks, and with div for MODERN elements."""
    name_list, div = _with_string(structure.name_list, "div")
    mark_list, no_mark = _with_string(structure.mark_list, "")
    modern = np.array([name in MODERN for name in structure.name_list], dtype=bool)
    names = np.where(modern[structure.names], div, structure.names)
    marks = np.full_like(structure.marks, no_mark)
    return replace(structure, names=names, name_list=name_list, marks=marks, mark_list=mark_list)


def _with_string(strings: list[str], wanted: str) -> tuple[list[str], int]:
    """Return the list with a string in it, and its place: equal strings must have one place."""
    if wanted in strings:
        return strings, strings.index(wanted)
    return [*strings, wanted], len(strings)
