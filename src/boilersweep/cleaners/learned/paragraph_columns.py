"""The columns of a shard's paragraphs, which all groups of features are computed from."""

from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.vocabulary import (
    ENCLOSING,
    MARKS,
    TAGS,
    enclosing_bits,
    mark_bits,
    mark_kinds,
    tag_places,
)
from boilersweep.cleaners.published.boilerpipe import DensityRules, NumWordsRules
from boilersweep.features.characters import SENTENCE_END, count_characters
from boilersweep.pages.columns import (
    BlockColumns,
    BoolArray,
    FloatArray,
    IntArray,
    nearest,
    neighbours,
    structure_of,
)
from boilersweep.pages.elements import PARAGRAPH


@dataclass(frozen=True, slots=True, eq=False)
class Paragraphs:
    """p paragraphs of n documents with m blocks and e elements.

    Attributes:
        of_blocks: (m,) The paragraph of each block.
        blocks: (p + 1,) The blocks of paragraph i are blocks[i] to blocks[i + 1].
        starts: (n + 1,) The paragraphs of document i are starts[i] to starts[i + 1].
        owners: (p,) Documents.
        elements: (p,) The innermost element around each that is not inline.
        first: (e,) The first paragraph that an element touches.
        end: (e,) The number behind the last one.
    """

    of_blocks: IntArray
    blocks: IntArray
    starts: IntArray
    owners: IntArray
    elements: IntArray
    first: IntArray
    end: IntArray


def paragraphs_of(columns: BlockColumns, cleaner: object) -> Paragraphs:
    """Join blocks to paragraphs; raises UsageError if their structure is missing."""
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


PROSE_WORDS = 10
# A paragraph is prose with at least so many words and a link density below this.
PROSE_LINKS = 0.34

HashArray = NDArray[np.uint64]
_ODD = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xC2B2AE3D27D4EB4F),
    np.uint64(0x165667B19E3779F9),
)


class ParagraphColumns:
    """p paragraphs of n documents, with at least one paragraph in all; e elements.

    All attributes below are (p,), of paragraphs; others are of elements, (e,), or documents, (n,).

    Attributes:
        words: Words, as link_words, links and tags are counts.
        density: The mean text density of its blocks' words.
        algorithm1: The share of words that Algorithm 1 keeps; algorithm2 likewise.
        full_stop: Whether it ends with a sentence end.
        first: The first paragraph of its document; end is behind the last one.
        places: Its own number; offsets is its place in the document.
        kinds: Bits of ENCLOSING around it.
        own_marks: Bits of MARKS of its element; all_marks are of all elements around it.
        alike: Three hashes, equal for paragraphs of one document whose elements, with their outer
            ones, look alike.
    """

    def __init__(self, columns: BlockColumns, cleaner: object) -> None:
        structure = structure_of(columns, cleaner)
        paragraphs = paragraphs_of(columns, cleaner)
        self.structure = structure
        self.paragraphs = paragraphs
        self.starts = paragraphs.starts
        self.documents = len(columns)
        self.owners = paragraphs.owners
        self.filled = np.diff(self.starts) > 0
        self._block_starts = paragraphs.blocks[:-1]
        self.places = np.arange(len(self.owners))
        self.first = self.starts[:-1][self.owners]
        self.end = self.starts[1:][self.owners]
        self.offsets = self.places - self.first
        self.blocks = np.diff(paragraphs.blocks)

        self._count(count_characters(columns.texts))
        self.words = self.of_blocks(columns.words)
        self.link_words = self.of_blocks(columns.link_words)
        self.links = self.of_blocks(structure.links)
        self.at_least_one = np.maximum(self.words, 1)
        self.density = self.of_blocks(columns.density * columns.words) / self.at_least_one
        self.algorithm1 = (
            self.of_blocks(DensityRules().mask(columns) * columns.words) / self.at_least_one
        )
        self.algorithm2_words = self.of_blocks(NumWordsRules().mask(columns) * columns.words)
        self.algorithm2 = self.algorithm2_words / self.at_least_one
        self.tags_before = structure.tags_before[self._block_starts].astype(np.float64)
        self.tags_between = self.of_blocks(structure.tags_before)
        self.tags = self.tags_between + self.of_blocks(structure.tags_within)
        self.tags_after = neighbours(self.tags_before, self.owners, 1)
        self.link_density = self.link_words / self.at_least_one
        self.prose = (self.words >= PROSE_WORDS) & (self.link_density < PROSE_LINKS)
        self.prose_words = self.words * self.prose
        self.document_words = self.total(self.words) + 1e-6
        self.document_prose = self.total(self.prose_words) + 1e-6
        self._tree()
        self.framing = np.zeros(len(self.words), dtype=bool)
        for kind in ("nav", "header", "footer", "aside"):
            self.framing |= self.inside_kind(kind)
        self._look_alikes()
        self.text_hashes = self._texts(columns.texts)

    def _count(self, of_blocks: dict[str, IntArray]) -> None:
        """Set `counts`, name -> (p,), and the classes of a paragraph's two ends."""
        self.first_class = of_blocks.pop("first")[self._block_starts]
        self.last_class = of_blocks.pop("last")[self.paragraphs.blocks[1:] - 1]
        self.counts = {name: self.of_blocks(counts) for name, counts in of_blocks.items()}
        self.full_stop = (self.last_class & SENTENCE_END) > 0

    def _tree(self) -> None:
        structure, own = self.structure, self.paragraphs
        parents = structure.parents
        places = np.arange(len(parents))
        self.is_root = parents == places
        self.element_tags = tag_places(structure.name_list)[structure.names]
        codes, mark_list = _present(structure.marks, structure.mark_list)
        words, kinds = mark_bits(mark_list)
        marks = words[codes]
        all_kinds, depths = _inherited(
            enclosing_bits(structure.name_list)[structure.names] | kinds[codes], parents
        )
        alike = mark_kinds(mark_list)[codes]
        self._looks = (structure.names * (len(mark_list) + 1) + alike).astype(np.uint64)
        all_marks, _ = _inherited(marks, parents)
        self.element_depths = depths.astype(np.float64)
        widest = (own.first != own.first[parents]) | (own.end != own.end[parents]) | self.is_root
        self.tops = nearest(widest, parents)
        self.elements = own.elements
        self.parents = parents[self.elements]
        self.grandparents = parents[self.parents]
        self.depths = self.element_depths[self.elements]
        self.kinds = all_kinds[self.elements]
        self.own_marks = marks[self.elements]
        self.near_marks = self.own_marks | marks[self.parents] | marks[self.grandparents]
        self.all_marks = all_marks[self.elements]
        self.element_owners = np.repeat(np.arange(self.documents), np.diff(structure.starts))

    def _look_alikes(self) -> None:
        own, outer, outermost = (
            self._looks[self.elements],
            self._looks[self.parents],
            self._looks[self.grandparents],
        )
        document = self.owners.astype(np.uint64) * _ODD[2]
        two = _mixed(own, outer)
        self.alike: tuple[HashArray, HashArray, HashArray] = (
            two ^ document,
            _mixed(two, outermost) ^ document,
            (_mixed(outer, outermost) + _ODD[2]) ^ document,
        )

    def _texts(self, texts: list[str]) -> HashArray:
        """Return (p,) hashes of the paragraphs' texts, unequal in different documents."""
        hashes = np.fromiter(map(hash, texts), np.int64, len(texts)).astype(np.uint64)
        place = np.arange(len(texts)) - self._block_starts[self.paragraphs.of_blocks] + 1
        weighted = hashes * (place.astype(np.uint64) * np.uint64(2) + np.uint64(1))
        summed = np.add.reduceat(weighted, self._block_starts)
        found: HashArray = summed ^ (self.owners.astype(np.uint64) * _ODD[2])
        return found

    def of_blocks(self, values: IntArray | FloatArray) -> FloatArray:
        """Return (p,) sums of (m,) values of blocks, added in their order."""
        sums = np.bincount(self.paragraphs.of_blocks, values, len(self.owners))
        return sums.astype(np.float64, copy=False)

    def document_sums(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return (n,) sums of (p,) values."""
        return np.diff(running_sums(values)[self.starts])

    def total(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return (p,) for every paragraph the sum over its document."""
        return self.document_sums(values)[self.owners]

    def inside_kind(self, kind: str) -> BoolArray:
        """Return (p,) whether an element of a kind of ENCLOSING is around it."""
        found: BoolArray = (self.kinds >> list(ENCLOSING).index(kind)) & 1 > 0
        return found

    def inside_mark(self, group: str) -> BoolArray:
        """Return (p,) whether an element with a mark of a group of MARKS is around it."""
        found: BoolArray = (self.all_marks >> list(MARKS).index(group)) & 1 > 0
        return found

    def is_in(self, tag: str) -> BoolArray:
        """Return (p,) whether its element has that name."""
        found: BoolArray = self.element_tags[self.elements] == TAGS.index(tag)
        return found

    def elements_named(self, tag: str) -> FloatArray:
        """Return (n,) elements of that name in a document that contain text."""
        owners = self.element_owners[self.element_tags == TAGS.index(tag)]
        return np.bincount(owners, minlength=self.documents).astype(np.float64)


def running_sums(values: FloatArray | BoolArray) -> FloatArray:
    """Return (p + 1,) running sums from 0."""
    return np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])


def _inherited(bits: IntArray, parents: IntArray) -> tuple[IntArray, IntArray]:
    """Return (e,) the bits of an element and of all around it, and its depth, 0 for a document.

    It takes as many steps as the binary logarithm of the tree's depth.
    """
    jumps = parents
    depths = (parents != np.arange(len(parents))).astype(np.int64)
    while True:
        bits = bits | bits[jumps]
        further = jumps[jumps]
        if np.array_equal(further, jumps):
            return bits, depths
        depths = depths + depths[jumps]
        jumps = further


def _present(codes: IntArray, strings: list[str]) -> tuple[IntArray, list[str]]:
    """Return the codes in a list of the strings that they point at, and that list."""
    present = np.zeros(len(strings), dtype=bool)
    present[codes] = True
    return (np.cumsum(present) - 1)[codes], list(compress(strings, present))


def _mixed(one: HashArray, other: HashArray) -> HashArray:
    mixed: HashArray = (one * _ODD[0]) ^ ((other + np.uint64(7)) * _ODD[1] + (one >> np.uint64(29)))
    return mixed
