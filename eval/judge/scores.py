"""Precision, recall and F1 of an extracted text against the gold text, by bags of words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from boilersweep.pages.words import letter_runs, tokens


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


def bag_of_words(found: str, gold: str) -> Score:
    """Score an extracted text by white-space-separated tokens, case-sensitive.

    Each occurrence counts; in a script without spaces words count. If the gold text is empty, an
    empty text scores 1 and any other 0. Source: Kohlschütter et al. 2010, section 4.3.
    """
    return _score(tokens(found), tokens(gold))


def word_score(found: str, gold: str) -> Score:
    """Score an extracted text as WCXB does: words are runs of letters and digits in lower case.

    WCXB's `word_f1` is the f1. In scripts without spaces the words are the dictionary's. Empty
    texts: as in `bag_of_words`. Source: the evaluation of the Web Content Extraction Benchmark.
    """
    return _score(letter_runs(found.lower()), letter_runs(gold.lower()))


def _score(found: Sequence[str], gold: Sequence[str]) -> Score:
    if not gold:
        value = 0.0 if found else 1.0
        return Score(value, value, value)
    common = (Counter(found) & Counter(gold)).total()
    if not common:
        return Score(0.0, 0.0, 0.0)
    return Score(common / len(found), common / len(gold), 2 * common / (len(found) + len(gold)))
