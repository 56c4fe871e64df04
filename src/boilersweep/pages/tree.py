"""Questions to the trees of a structure: who holds whom, and which ancestor comes first."""

import numpy as np

from boilersweep.pages.columns import BoolArray, IntArray, Structure


def subtree_ends(structure: Structure) -> IntArray:
    """(e,) the descendants of element i are i + 1 up to, without, ends[i].

    Elements are in document order and each holds a block: a later one is a descendant exactly
    if its first block comes before the end.
    """
    ends = np.searchsorted(structure.first, structure.end, side="left")
    return ends.astype(np.int64)


def nearest(marked: BoolArray, parents: IntArray) -> IntArray:
    """(e,) for every element the innermost marked one of itself and its ancestors, else the root.

    In as many steps as the binary logarithm of the tree's depth.
    """
    own = np.arange(len(parents))
    targets = np.where(marked, own, parents)
    while True:
        further = targets[targets]
        if np.array_equal(further, targets):
            return targets
        targets = further
