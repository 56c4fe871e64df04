"""The blocks of many documents as columns: what rules read and indexers cut from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class BlockColumns:
    """n documents with m blocks in all.

    docids: (n,) document ids.
    starts: (n + 1,) the blocks of document i are starts[i] to starts[i + 1] of every column.
    words: (m,) words of a block. density: (m,) text density. link_words: (m,) words within A.
    texts: (m,) the blocks' texts, or empty where they were not asked for.
    """

    docids: list[str]
    starts: IntArray
    words: IntArray
    density: FloatArray
    link_words: IntArray
    texts: list[str]

    @property
    def link_density(self) -> FloatArray:
        """(m,) link density: the share of a block's words that stand within an A element."""
        return self.link_words / np.maximum(self.words, 1)

    def __len__(self) -> int:
        return len(self.docids)
