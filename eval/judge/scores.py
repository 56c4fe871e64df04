"""How near an extracted text is to the gold text: precision, recall and F1 of bags of words."""

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
    """The score of an extracted text by white-space-separated tokens, case-sensitive.

    Each occurrence counts; of a token with a script without spaces its words do. Source:
    Kohlschütter et al. 2010, section 4.3. Where the gold text is empty, an empty text scores 1 and
    any other 0.
    """
    return _score(tokens(found), tokens(gold))


def word_score(found: str, gold: str) -> Score:
    """The score of WCXB, whose `word_f1` is the f1: words are runs of \\w in lower case.

    In scripts without spaces they are those of the dictionary. Source: the evaluation of the Web
    Content Extraction Benchmark. Empty texts: as in `bag_of_words`.
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
