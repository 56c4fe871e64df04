"""Pages of today in the markup of 2006, to train what must read both.

Each page loses what old pages lack, and, at random, what not all of them use: paragraphs become
text with line breaks, headings and lists become plain elements, div becomes td. Only the tree
changes: the blocks and their texts stay.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from boilersweep.cleaners.learned.old_markup import reduced, with_string
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray

TABLES = 0.5
"""Share of pages whose div elements become td."""

WITHOUT = 0.3
"""Share of pages that lose their p; headings; list elements: each drawn apart."""

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LISTS = frozenset("li ul ol".split())


def old_fashioned(columns: BlockColumns, random: Generator) -> BlockColumns:
    """The columns with all pages in old markup. Raises UsageError for columns without structure."""
    if columns.structure is None:
        raise UsageError("old markup is made from the pages' structure; ask for it")
    plain = reduced(columns, columns.structure, np.ones(len(columns), dtype=bool)).structure
    if plain is None:
        raise AssertionError("reduced columns have a structure")
    structure = plain
    name_list, td = with_string(structure.name_list, "td")
    name_list, font = with_string(name_list, "font")
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
