"""What `learned` takes a page's blocks for: a start, if a person asks for it."""

import numpy as np

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.collection.format import Record
from boilersweep.eval.judge.datasets.judged_page import CLASSES, Label
from boilersweep.pages.columns import columns_of
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.encoding import to_utf8

# What `Learned.class_probabilities` calls the classes.
_NAMES: dict[str, Label] = {
    "main text": "full text",
    "headline": "headline",
    "comment": "comments",
}


def proposal(record: Record) -> list[int]:
    """Return the number of the class that `learned` proposes for each block of a page.

    Args:
        record: The page.
    """
    utf8 = to_utf8(record.body, record.charset).utf8
    page = make_segmenter(structure=True).html(utf8)
    columns = columns_of([record.docid], [page])
    rule = Learned(comments=True)
    known = rule.class_probabilities(columns)
    likeliest = np.argmax([known[name] for name in _NAMES], axis=0)
    classes = [CLASSES.index(label) for label in _NAMES.values()]
    return [
        classes[number] if keep else 0
        for number, keep in zip(likeliest.tolist(), rule.mask(columns), strict=True)
    ]
