"""What a cleaner keeps, with the headings, terms and captions that introduce it.

A minimum of words drops the short blocks that say what the long ones are about. A manual's side
bar and table of contents repeat its headings and the last parts of its dotted names.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boilersweep.cleaners.rules import Filter
from boilersweep.features.table import named
from boilersweep.pages.columns import (
    STRUCTURE,
    TEXTS,
    BlockColumns,
    BoolArray,
    IntArray,
    Structure,
    nearest,
    structure_of,
)
from boilersweep.pages.elements import PARAGRAPH
from boilersweep.pages.words import letter_runs

_LEVELS = {f"h{level}": level for level in range(1, 7)}
_TERM, _LABEL = 7, 8
_LABELS = ("th", "caption", "figcaption", "summary", "legend")
_ROLES = {**_LEVELS, "dt": _TERM, **dict.fromkeys(_LABELS, _LABEL)}

# Elements that leave a text what the element around them makes of it.
_NEUTRAL = PARAGRAPH | {"p", "div", "center", "address", "form", "label", "button"}


_LISTS = ("ul", "ol", "dl", "table")

# (k,) introducing blocks, and of each where what it introduces begins and ends.
_Ranges = tuple[IntArray, IntArray, IntArray]


@dataclass(frozen=True, slots=True)
class Headed(Filter):
    """Keeps what a cleaner keeps, and the blocks that introduce it.

    - A heading introduces its section: all up to the next heading of its level or a higher one.
    - A term introduces its description: all up to the next term of its list.
    - A header cell, a caption, a summary or a legend introduces the innermost element around it
      that has other text: the row, or the table of a row of headers; the figure, or what is around
      a picture.

    An introducing block is kept if the cleaner keeps a block of what it introduces that introduces
    nothing itself. So are the entries of the page's own table of contents for it: links in lists or
    tables whose words it has in a row.
    """

    name = "headed"
    summary = "what a cleaner keeps with the headings, terms and captions above it"
    source = "boilersweep"
    own_needs = TEXTS | STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        mask = self.cleaner.mask(columns)
        if Headed not in columns.memo:
            columns.memo[Headed] = _introductions(columns, structure_of(columns, self))
        introductions: _Introductions = columns.memo[Headed]
        return introductions.with_them(mask)


@dataclass(frozen=True, slots=True, eq=False)
class _Introductions:
    """What the k introducing blocks of m blocks introduce.

    Attributes:
        blocks: (k,) Their numbers.
        first, end: (k,) Each introduces the blocks from `first` up to, without, `end`.
        introduces: (m,) True for these blocks.
        entries, names: (p,) Entries of tables of contents, and introducing blocks that they name.
    """

    blocks: IntArray
    first: IntArray
    end: IntArray
    introduces: BoolArray
    entries: IntArray
    names: IntArray

    def with_them(self, mask: BoolArray) -> BoolArray:
        """Return (m,) True for the blocks of a mask and those that introduce them."""
        deciding = mask & ~self.introduces
        deciding[self.entries] = False
        before = np.concatenate([[0], np.cumsum(deciding)])
        with_headings = mask.copy()
        with_headings[self.blocks] |= before[self.end] > before[self.first]
        with_headings[self.entries[with_headings[self.names]]] = True
        return with_headings


def _introductions(columns: BlockColumns, structure: Structure) -> _Introductions:
    deciding = ~named(structure, _NEUTRAL)
    holders = nearest(deciding, structure.parents)[structure.elements]
    role_of = np.array([_ROLES.get(n, 0) for n in structure.name_list], dtype=np.int64)
    roles = role_of[structure.names[holders]]
    parts = [
        _sections(columns.starts, np.where(roles <= len(_LEVELS), roles, 0), holders),
        _descriptions(np.flatnonzero(roles == _TERM), holders, structure),
        _labelled(roles, holders, structure),
    ]
    blocks, first, end = (np.concatenate(one) for one in zip(*parts, strict=True))
    return _Introductions(
        blocks, first, end, roles > 0, *_contents(columns, structure, roles > 0)
    )


def _contents(
    columns: BlockColumns, structure: Structure, introduces: BoolArray
) -> tuple[IntArray, IntArray]:
    """Return the pairs of an entry of a page's table of contents and a block that it names.

    Args:
        columns: The blocks.
        structure: Their structure.
        introduces: (m,) True for blocks that an entry may name if they are none themselves.
    """
    lists = named(structure, _LISTS)
    in_list = lists[nearest(lists, structure.parents)][structure.elements]
    linked = in_list & (columns.link_words * 2 > columns.words)
    pairs = []
    for start, end in pairwise(columns.starts.tolist()):
        links = start + np.flatnonzero(linked[start:end])
        titles = start + np.flatnonzero((introduces & ~linked)[start:end])
        if len(links) and len(titles):
            texts = {title: _words(columns.texts[title]) for title in titles.tolist()}
            whole = "".join(texts.values())
            for link in links.tolist():
                words = _words(columns.texts[link])
                if words.strip() and words in whole:
                    pairs += [(link, at) for at, text in texts.items() if words in text]
    entries, names = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return entries, names


def _words(text: str) -> str:
    """Return the words of a text in lower case, parts of names apart, a space around each."""
    return f" {' '.join(letter_runs(text.lower()))} "


def _sections(starts: IntArray, levels: IntArray, holders: IntArray) -> _Ranges:
    """Return the headings, and the range of each one's section.

    Args:
        starts: As `BlockColumns.starts`.
        levels: (m,) The level of each heading, 0 for other blocks.
        holders: (m,) The element of each block.
    """
    blocks = np.flatnonzero(levels)
    # A heading may have several blocks.
    is_first = np.diff(holders, prepend=-1) != 0
    end = np.zeros_like(blocks)
    for level in _LEVELS.values():
        own = levels[blocks] == level
        higher = np.flatnonzero(is_first & (levels > 0) & (levels <= level))
        bounds = np.union1d(starts, higher)
        end[own] = bounds[np.searchsorted(bounds, blocks[own], side="right")]
    return blocks, blocks + 1, end


def _descriptions(blocks: IntArray, holders: IntArray, structure: Structure) -> _Ranges:
    """Return terms, and what follows each in its list before the next ones."""
    lists = structure.parents[holders[blocks]]
    order = np.lexsort((blocks, lists))
    blocks, lists = blocks[order], lists[order]
    # Terms without anything between them have one description.
    begins = (np.diff(lists, prepend=-1) != 0) | (np.diff(blocks, prepend=-1) != 1)
    first = np.flatnonzero(begins)
    end = structure.end[lists[first]]
    has_next = lists[first[1:]] == lists[first[:-1]]
    end[:-1][has_next] = blocks[first[1:]][has_next]
    return blocks, blocks + 1, end[np.cumsum(begins) - 1]


def _labelled(roles: IntArray, holders: IntArray, structure: Structure) -> _Ranges:
    """Return labels, and the innermost element around each that has other text."""
    blocks = np.flatnonzero(roles == _LABEL)
    before = np.concatenate([[0], np.cumsum(roles == 0)])
    has_other = before[structure.end] > before[structure.first]
    around = structure.parents[holders[blocks]]
    elements = nearest(has_other, structure.parents)[around]
    return blocks, structure.first[elements], structure.end[elements]
