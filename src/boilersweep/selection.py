"""What cleaners leave of documents: some of their blocks, or a text that an extractor took.

An extractor's text stands behind the document's blocks as one more block, which no rule keeps and
which is all that the extraction keeps. So whatever reads texts and masks reads both kinds alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boilersweep.columns import BlockColumns, BoolArray, IntArray
from boilersweep.rules import NOTHING, Need, Rule, Trained, parts


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text that an extractor took from each page while it was segmented."""

    name: str

    def __str__(self) -> str:
        return self.name


Cleaner = Rule | Extraction


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What some cleaners keep of n documents that have b blocks, with the extractors' texts.

    starts: (n + 1,) the blocks of document i are starts[i] to starts[i + 1]. texts: (b,).
    masks: (cleaners, b) True where a cleaner keeps a block.
    """

    starts: IntArray
    texts: list[str]
    masks: BoolArray


def identity_of(cleaner: Cleaner) -> dict[str, Any]:
    """What the cleaner's choice depends on beside blocks, texts and code, as nested JSON.

    text: as it is written. models: path of each model file -> its SHA-256.
    """
    trained = () if isinstance(cleaner, Extraction) else parts(cleaner)
    models = {part.path: part.model_digest() for part in trained if isinstance(part, Trained)}
    return {
        "text": str(cleaner),
        "models": {path or "shipped": one for path, one in models.items()},
    }


def needs_of(cleaners: Sequence[Cleaner]) -> frozenset[Need]:
    """What the cleaners read beside the numbers."""
    rules = (cleaner for cleaner in cleaners if not isinstance(cleaner, Extraction))
    return NOTHING.union(*(rule.needs for rule in rules))


def extractors_of(cleaners: Sequence[Cleaner]) -> list[str]:
    """The extractors whose texts the cleaners are, each once."""
    return list(dict.fromkeys(c.name for c in cleaners if isinstance(c, Extraction)))


def select(columns: BlockColumns, cleaners: Sequence[Cleaner]) -> Selection:
    """What each of the cleaners keeps; the columns must hold what they need."""
    names = extractors_of(cleaners)
    places = np.arange(len(columns.words)) + len(names) * columns.owners
    starts = columns.starts + len(names) * np.arange(len(columns) + 1)
    masks = np.zeros((len(cleaners), starts[-1]), dtype=bool)
    for mask, cleaner in zip(masks, cleaners, strict=True):
        if isinstance(cleaner, Extraction):
            mask[starts[1:] - len(names) + names.index(cleaner.name)] = True
        else:
            mask[places] = cleaner.mask(columns)
    return Selection(starts, _texts(columns, names), masks)


def _texts(columns: BlockColumns, names: Sequence[str]) -> list[str]:
    if not names:
        return columns.texts
    texts: list[str] = []
    for number in range(len(columns)):
        texts += columns.texts[columns.starts[number] : columns.starts[number + 1]]
        texts += (columns.extractions[name][number] for name in names)
    return texts
