"""Paragraphs: runs of blocks with only inline tags between them, as people see them.

A sentence with a word in bold is three blocks and one paragraph. It is judged as a whole, which
gives what inline tags without borders would give, on a store with the borders of the 2010 paper.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.pages.columns import BlockColumns, FloatArray, IntArray, structure_of
from boilersweep.pages.elements import PARAGRAPH
from boilersweep.pages.tree import nearest


@dataclass(frozen=True, slots=True, eq=False)
class Paragraphs:
    """p paragraphs of n documents with m blocks and e elements.

    of_blocks: (m,) the paragraph of each block. blocks: (p + 1,) the blocks of paragraph i are
    blocks[i] to blocks[i + 1]. starts: (n + 1,) the paragraphs of document i are starts[i] to
    starts[i + 1]. owners: (p,) documents. elements: (p,) the innermost element around each that
    is no inline one. first, end: (e,) the paragraphs that an element touches are first to end.
    """

    of_blocks: IntArray
    blocks: IntArray
    starts: IntArray
    owners: IntArray
    elements: IntArray
    first: IntArray
    end: IntArray

    def __len__(self) -> int:
        return len(self.owners)

    def sums(self, values: IntArray) -> IntArray:
        """(p,) sums of (m,) values of the blocks."""
        if not len(self):
            return values[:0]
        sums: IntArray = np.add.reduceat(values, self.blocks[:-1])
        return sums

    def document_sums(self, values: FloatArray) -> FloatArray:
        """(n,) sums of (p,) values."""
        sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        return np.diff(sums[self.starts])


def paragraphs_of(columns: BlockColumns, cleaner: object) -> Paragraphs:
    """The paragraphs of some documents; raises UsageError where their structure is missing."""
    structure = structure_of(columns, cleaner)
    count = len(columns.words)
    begins = ~structure.joined
    begins[columns.starts[:-1][np.diff(columns.starts) > 0]] = True
    firsts = np.flatnonzero(begins)
    blocks = np.append(firsts, count)
    of_blocks = np.cumsum(begins) - 1
    starts = np.searchsorted(firsts, columns.starts)
    inline = np.array([name in PARAGRAPH for name in structure.name_list], dtype=bool)
    outer = nearest(~inline[structure.names], structure.parents)
    return Paragraphs(
        of_blocks=of_blocks,
        blocks=blocks,
        starts=starts,
        owners=np.repeat(np.arange(len(columns)), np.diff(starts)),
        elements=outer[structure.elements[firsts]],
        first=of_blocks[structure.first],
        end=of_blocks[structure.end - 1] + 1,
    )
