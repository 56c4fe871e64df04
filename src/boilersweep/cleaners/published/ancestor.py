"""The ancestor filter: of what a cleaner keeps, the paragraphs under one element of the tree.

Source: Viveros-Jiménez et al., Improving the Boilerpipe Algorithm for Boilerplate Removal in News
Articles Using HTML Tree Structure, Computación y Sistemas 22(2), 2018, section 4.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.published.largest_content import heaviest
from boilersweep.cleaners.rules import CLEANER, STRUCTURE, Filter, Parameter
from boilersweep.errors import UsageError
from boilersweep.pages.columns import (
    BlockColumns,
    BoolArray,
    IntArray,
    Structure,
    nearest,
    structure_of,
    subtree_ends,
)

# Elements that may be a paragraph.
PARAGRAPHS = frozenset(
    "div table ul ol p section article h1 h2 h3 h4 h5 h6 header body".split()
)

# The depths of the paper's Table 2; 2, grandparents, is its choice.
DEPTHS = range(1, 6)


@dataclass(frozen=True, slots=True)
class Ancestor(Filter):
    """Keeps the group of paragraphs with the most words that the cleaner kept.

    A paragraph is an element of `PARAGRAPHS` that contains no other of them; a group is all
    paragraphs with the same depth-th parent, which is the document itself if there are fewer
    parents. Of groups with equally many words the first stays. The paper leaves open what happens
    to text outside every paragraph; here the largest element around it without a paragraph counts
    as a paragraph, or the bare text, whose first parent is its own element.

    Attributes:
        depth: A whole number from 1 to 5; another number raises UsageError.
    """

    name = "ancestor"
    parameters = (CLEANER, Parameter("DEPTH", "a number", optional=True))
    summary = "of what a cleaner keeps the paragraphs under one element"
    source = "Viveros-Jiménez et al. 2018, section 4"
    own_needs = STRUCTURE

    depth: float = 2

    def __post_init__(self) -> None:
        if self.depth not in DEPTHS:
            raise UsageError(
                f"{self.name}: expected a depth of 1, 2, 3, 4 or 5, got {self.depth:g}"
            )

    def mask(self, columns: BlockColumns) -> BoolArray:
        structure = structure_of(columns, self)
        kept = np.flatnonzero(self.cleaner.mask(columns))
        groups = _ancestors(structure, int(self.depth))[structure.elements[kept]]
        weights = np.bincount(groups, columns.words[kept]).astype(np.int64)[groups]
        mask = np.zeros(len(columns.words), dtype=bool)
        mask[kept[groups == heaviest(groups, weights, columns.owners[kept])]] = True
        return mask


def _ancestors(structure: Structure, depth: int) -> IntArray:
    """Return (e,) the group of a block whose innermost element is this one."""
    is_named = np.array(
        [name in PARAGRAPHS for name in structure.name_list], dtype=bool
    )
    named = is_named[structure.names]
    counts = np.concatenate([[0], np.cumsum(named)])
    own = np.arange(len(named))
    below = counts[subtree_ends(structure)] - counts[own + 1] > 0
    holder = nearest(named | below, structure.parents)
    ancestors = np.where(
        below[holder] | ~named[holder], holder, structure.parents[holder]
    )
    for _ in range(depth - 1):
        ancestors = structure.parents[ancestors]
    return ancestors
