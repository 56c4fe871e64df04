"""What a cleaner's text is compared with: a page's gold text, its labels, and the page's blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise

import numpy as np

from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.judge.datasets.dataset_formats import plain_gold, without_address
from boilersweep.eval.judge.scores import (
    LABEL,
    UNKNOWN,
    PageScore,
    bag_of_words,
    character_score,
    order_score,
    rouge_5,
    string_score,
    word_score,
)
from boilersweep.pages.alignment import align
from boilersweep.pages.columns import BlockColumns, BoolArray, structure_of

PARAGRAPH = "<p>"

# Elements -> the label of CleanEval that all within them have.
_LABELS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "<h>"),
    **dict.fromkeys(("li", "dt", "dd"), "<l>"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A page of m blocks beside its gold text.

    Attributes:
        page: The page.
        texts: (m,) The blocks.
        worded: (m,) Whether a block has a word.
        held: (m,) Whether the gold text has at least half of a block's words.
        labels: (m,) The blocks' labels as CleanEval has them; empty if the gold text has none.
    """

    page: JudgedPage
    texts: list[str]
    worded: BoolArray
    held: BoolArray
    labels: list[str]

    def score(self, text: str, keep: BoolArray | None = None) -> PageScore:
        """Score the text that a cleaner left of the page.

        Args:
            text: The text; may have labels if the gold text has.
            keep: (m,) The kept blocks, if the cleaner is a mask.
        """
        page = self.page
        labelled = UNKNOWN
        if page.labelled is not None:
            labelled = order_score(self._with_labels(text, keep), page.labelled)
            text, _ = plain_gold(text)
        empty = not any(map(str.isalnum, text))
        if page.wanted or page.unwanted:
            strings = string_score(text, page.wanted, page.unwanted)
            return PageScore(UNKNOWN, UNKNOWN, empty, strings)
        bag = rouge_5 if page.markdown else bag_of_words
        return PageScore(
            bag(text, page.gold),
            word_score(text, page.gold),
            empty,
            characters=character_score(text, page.gold),
            block_accuracy=self._accuracy(text, keep),
            text_only=order_score(text, page.gold),
            text_and_markup=labelled,
        )

    def _with_labels(self, text: str, keep: BoolArray | None) -> str:
        """Return a text with its labels; without any, each of its lines is a paragraph."""
        if keep is not None:
            labelled = zip(self.labels, self.texts, strict=True)
            return "\n".join(map("".join, compress(labelled, keep)))
        body, _ = without_address(text)
        if LABEL.search(body):
            return body
        return "\n".join(PARAGRAPH + line for line in body.splitlines() if line.strip())

    def _accuracy(self, text: str, keep: BoolArray | None) -> float:
        """Return the share of blocks with words that the text and the gold text both have or lack.

        A page without such blocks scores as if it were one.
        """
        if not self.worded.any():
            return float(bool(text.strip()) == bool(self.page.gold.strip()))
        kept = align(self.texts, text).held if keep is None else keep
        return float(np.mean((kept == self.held)[self.worded]))


def references(
    pages: Sequence[JudgedPage], columns: BlockColumns
) -> Iterator[Reference]:
    """Yield each page beside its gold text.

    Args:
        pages: The n pages.
        columns: Their blocks, with the structure if a gold text has labels.
    """
    labels = (
        labels_of(columns) if any(page.labelled is not None for page in pages) else []
    )
    for page, (start, end) in zip(
        pages, pairwise(columns.starts.tolist()), strict=True
    ):
        texts = columns.texts[start:end]
        worded = columns.words[start:end] > 0
        held = align(texts, page.gold).held
        yield Reference(page, texts, worded, held, labels[start:end])


def labels_of(columns: BlockColumns) -> list[str]:
    """Return (m,) the label of every block: that of the innermost heading or item around it."""
    structure = structure_of(columns, "CleanEval's labels")
    own = [_LABELS.get(name, "") for name in structure.name_list]
    labels: list[str] = []
    places = zip(structure.names.tolist(), structure.parents.tolist(), strict=True)
    for element, (name, parent) in enumerate(places):
        around = PARAGRAPH if parent == element else labels[parent]
        labels.append(own[name] or around)
    return [labels[element] for element in structure.elements.tolist()]
