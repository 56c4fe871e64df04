"""Document slope curves: where the count of tags grows slowly with the count of tokens.

Sources: Pinto et al., QuASM: A System for Question Answering Using Semi-structured Data, JCDL
2002, who look through a window for sections of the curve with less than half the slope of the
whole page; Gottron, Evaluating Content Extraction on HTML Documents, ITA 2007, for the advanced
form. We had neither paper, and papers that compare with them say no more.

These choices are ours: the window has 25 tokens, is centred on one, and ends at the page's
borders; the page's slope is that of all before its last word; of the tags of A in a block the
half, rounded up, comes before its words; a block stays if more than half of its words lie in
windows of low slope; and what `AdvancedSlopeCurve` adds.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.rules import STRUCTURE, NamedRule
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray, structure_of

# Tokens, words and tags, that a window spans: a token and 12 to each side.
WINDOW = 25

# A slope is low below this share of the page's.
LOW = 0.5

# A section with a larger share of linked words is a list of links.
LINKS = 0.5


@dataclass(frozen=True, slots=True)
class DocumentSlopeCurve(NamedRule):
    """DSC: the sections of low slope stay."""

    name = "dsc"
    summary = "where tags are few on a window"
    source = "Pinto et al. 2002"
    needs = STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        return _mostly_low(_Tokens(columns, self))


@dataclass(frozen=True, slots=True)
class AdvancedSlopeCurve(NamedRule):
    """ADSC: sections of low slope less than a window apart are joined; lists of links go.

    Sections are runs of the blocks that DSC keeps; the distance is of tokens. A section goes if
    more than `LINKS` of its words are linked, or if it has fewer words than half a window.
    """

    name = "adsc"
    summary = "the same, joined, without lists of links"
    source = "Gottron 2007"
    needs = STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        tokens = _Tokens(columns, self)
        kept = np.flatnonzero(_mostly_low(tokens))
        mask = np.zeros(len(columns.words), dtype=bool)
        if not len(kept):
            return mask
        gaps = tokens.block_starts[kept[1:]] - tokens.block_ends[kept[:-1]]
        owners = columns.owners[kept]
        heads = np.flatnonzero(np.concatenate([[True], (np.diff(owners) > 0) | (gaps >= WINDOW)]))
        first, last = kept[heads], kept[np.append(heads[1:], len(kept)) - 1]
        words = np.concatenate([[0], np.cumsum(columns.words)])
        links = np.concatenate([[0], np.cumsum(columns.link_words)])
        words_in = words[last + 1] - words[first]
        stays = (links[last + 1] - links[first] <= LINKS * words_in) & (words_in >= WINDOW // 2)
        for begin, end in zip(first[stays].tolist(), last[stays].tolist(), strict=True):
            mask[begin : end + 1] = True
        return mask


class _Tokens:
    """The tokens of a shard, tags and words in the order of the pages.

    Attributes:
        is_tag: (t,) Whether a token is a tag.
        block_starts: (m,) Where a block's own tokens begin.
        block_ends: (m,) Where they end.
        page_starts: (m,) Where the tokens of each block's page begin.
        page_ends: (m,) Where they end.
        words: (m,) Words of a block.
        sizes: (m,) Tokens of a block.
    """

    def __init__(self, columns: BlockColumns, cleaner: object) -> None:
        structure = structure_of(columns, cleaner)
        within = structure.tags_within
        opening = (within + 1) // 2
        counts = np.stack(
            [structure.tags_before, opening, columns.words, within - opening], axis=1
        ).ravel()
        kinds = np.tile([True, True, False, True], len(within))
        ends = np.cumsum(counts).reshape(-1, 4)
        self.is_tag: BoolArray = np.repeat(kinds, counts)
        self.block_starts: IntArray = ends[:, 0]
        self.block_ends: IntArray = ends[:, 3]
        borders = np.concatenate([[0], ends[:, 3]])[columns.starts]
        self.page_starts: IntArray = borders[columns.owners]
        self.page_ends: IntArray = borders[columns.owners + 1]
        self.words: IntArray = columns.words
        self.sizes: IntArray = counts.reshape(-1, 4).sum(axis=1)


def _mostly_low(tokens: _Tokens) -> BoolArray:
    """Return (m,) True for every block with more than half of its words in low-slope windows."""
    tags = np.concatenate([[0], np.cumsum(tokens.is_tag)])
    places = np.arange(len(tokens.is_tag))
    page_starts = np.repeat(tokens.page_starts, tokens.sizes)
    page_ends = np.repeat(tokens.page_ends, tokens.sizes)
    starts = np.maximum(places - WINDOW // 2, page_starts)
    ends = np.minimum(places + WINDOW // 2 + 1, page_ends)
    slopes = (tags[ends] - tags[starts]) / (ends - starts)
    page_slopes = (tags[page_ends] - tags[page_starts]) / (page_ends - page_starts)
    low = ~tokens.is_tag & ((slopes < LOW * page_slopes) | (page_slopes == 0))
    counts = np.concatenate([[0], np.cumsum(low)])
    low_words = counts[tokens.block_ends] - counts[tokens.block_starts]
    mostly: BoolArray = 2 * low_words > tokens.words
    return mostly
