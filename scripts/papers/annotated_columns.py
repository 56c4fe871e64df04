"""The blocks of annotated pages as columns, with the class of each and the group of its page."""

from dataclasses import dataclass

import numpy as np

from boilersweep.errors import InputError, UsageError
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.datasets.judged_page import CONTENT, page_bytes
from boilersweep.eval.judge.datasets.l3s import annotated_blocks
from boilersweep.eval.judge.leaks import groups
from boilersweep.pages.columns import BlockColumns, IntArray, columns_of
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.encoding import to_utf8
from boilersweep.work.progress import steps

TWO_CLASSES = ("boilerplate", "content")
FOUR_CLASSES = ("boilerplate", "headline", "full text and comments", "supplemental")

_TWO = np.array([int(number in CONTENT) for number in range(6)])
_FOUR = np.array([0, 1, 2, 3, 0, 2])
_DOCTYPE_WITHIN = 4096  # bytes


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedBlocks:
    """m blocks with texts and structure.

    Attributes:
        classes: (m,) numbers of `boilersweep.eval.judge.datasets.l3s.CLASSES`.
        groups: (m,) equal where two blocks must stand on one side of a split: pages of a site, and
            near-duplicates.
    """

    columns: BlockColumns
    classes: IntArray
    groups: IntArray

    @property
    def two_classes(self) -> IntArray:
        """(m,) places in TWO_CLASSES; related content is boilerplate, comments are content."""
        return _TWO[self.classes]

    @property
    def four_classes(self) -> IntArray:
        """(m,) places in FOUR_CLASSES (section 4.3.1)."""
        return _FOUR[self.classes]


def read_blocks(dataset: Dataset) -> AnnotatedBlocks:
    """Cut the annotated pages of L3S-GN1.

    The annotated copies lost their doctypes, so these are read from the original pages.

    Raises:
        UsageError: a dataset without annotated pages, InputError where a page cannot be read.
    """
    segmenter = make_segmenter(borders="paper", structure=True)
    pages = []
    classes: list[int] = []
    with steps("Cutting annotated pages", len(dataset.pages), "pages") as bar:
        for judged in dataset.pages:
            if judged.annotated is None:
                raise UsageError(
                    f"{dataset.name} has no classes of blocks (page {judged.name}); "
                    "the 2010 paper's tables need l3s-gn1"
                )
            try:
                body = to_utf8(page_bytes(judged.annotated), judged.charset).utf8
                found = annotated_blocks(body, segmenter)
                original = segmenter.html(judged.utf8[:_DOCTYPE_WITHIN])
            except ValueError as error:
                raise InputError(f"cannot parse {judged.annotated}: {error}") from error
            if found.page.structure is not None and original.structure is not None:
                found.page.structure.doctype = original.structure.doctype
            pages.append(found.page)
            classes += found.classes
            bar.update()
    columns = columns_of([page.name for page in dataset.pages], pages)
    group_of = np.array(groups(dataset.pages), dtype=np.int64)
    return AnnotatedBlocks(
        columns, np.array(classes, dtype=np.int64), group_of[columns.owners]
    )
