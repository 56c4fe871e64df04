"""Old markup: pages from before HTML5, which name no navigation, header, footer or article.

Pages of 2006 and of today differ most in what their markup says. A page in old markup is seen
without classes and ids, with its few modern elements as plain containers, and gets the estimator
that was trained on modern pages reduced to the same.
"""

from dataclasses import replace

import numpy as np

from boilersweep.pages.columns import BlockColumns, BoolArray, Structure

MODERN = frozenset(
    "article aside details dialog figcaption figure footer header hgroup main nav picture search "
    "section summary time".split()
)
"""Elements that came with HTML5 or later."""

_TELLING = frozenset("article aside footer header main nav section".split())
"""Elements that tell a page of the age of HTML5 whatever its document type."""


def in_old_markup(structure: Structure) -> BoolArray:
    """(n,) documents without HTML5's document type and without its sectioning elements."""
    html5 = np.array([doctype == "html5" for doctype in structure.doctypes], dtype=bool)
    telling = _named(structure, _TELLING)[structure.names]
    counts = np.concatenate([[0], np.cumsum(telling)])
    old: BoolArray = ~html5 & (np.diff(counts[structure.starts]) == 0)
    return old


def reduced(columns: BlockColumns, structure: Structure, old: BoolArray) -> BlockColumns:
    """The columns with some documents in old markup: no marks, MODERN elements are div.

    old: (n,) True for those documents.
    """
    if not old.any():
        return columns
    name_list, div = with_string(structure.name_list, "div")
    mark_list, no_mark = with_string(structure.mark_list, "")
    of_elements = np.repeat(old, np.diff(structure.starts))
    modern = _named(structure, MODERN)[structure.names]
    names = np.where(of_elements & modern, div, structure.names)
    marks = np.where(of_elements, no_mark, structure.marks)
    return replace(
        columns,
        structure=replace(
            structure, names=names, name_list=name_list, marks=marks, mark_list=mark_list
        ),
    )


def with_string(strings: list[str], wanted: str) -> tuple[list[str], int]:
    """The list with a string in it, and its place: equal strings must have one place."""
    if wanted in strings:
        return strings, strings.index(wanted)
    return [*strings, wanted], len(strings)


def _named(structure: Structure, names: frozenset[str]) -> BoolArray:
    return np.array([name in names for name in structure.name_list], dtype=bool)
