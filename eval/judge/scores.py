"""Scores of a text against a gold text or against strings, and of a mask against classes of blocks.

Sources. Of Markdown: see `rouge_5`. Of strings: the evaluation of trafilatura (Barbaresi,
Trafilatura: a web scraping library and command-line tool for text discovery and extraction, ACL
2021), which pools the strings of all pages. In order: see `order_score`. Of blocks: Kohlschütter et
al. 2010, section 4.2 and Table 2: every block counts with its number of words, and precision,
recall, F1 and false positive rate are means over the two classes, weighted by the words of each, as
Weka computes them.
"""

import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from statistics import fmean
from typing import Any

import numpy as np

from boilersweep.extras import require
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray
from boilersweep.pages.stray_characters import as_shown
from boilersweep.pages.words import letter_runs, tokens

# The labels of CleanEval's gold texts: paragraphs, headings and list items.
LABEL = re.compile(r"(<[phl]>)", re.IGNORECASE)
_END_LABEL = re.compile(r"</[phl]>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


# The scores of a page without gold text.
UNKNOWN = Score(math.nan, math.nan, math.nan)


def bag_of_words(text: str, gold: str) -> Score:
    """Score an extracted text by white-space-separated tokens, case-sensitive.

    Each occurrence counts; in a script without spaces words count. If the gold text is empty, an
    empty text scores 1 and any other 0. Source: Kohlschütter et al. 2010, section 4.3.
    """
    return _score(tokens(as_shown(text)), tokens(as_shown(gold)))


def word_score(text: str, gold: str) -> Score:
    """Score an extracted text as WCXB does: words are runs of letters and digits in lower case.

    WCXB's `word_f1` is the f1. In scripts without spaces the words are the dictionary's. Empty
    texts: as in `bag_of_words`. Source: the evaluation of the Web Content Extraction Benchmark.
    """
    return _score(
        letter_runs(as_shown(text).lower()), letter_runs(as_shown(gold).lower())
    )


def rouge_5(text: str, gold: str) -> Score:
    """Score an extracted Markdown by runs of five tokens of jieba, white space among them.

    Two blank texts score 1; texts of fewer than five tokens 0. Source: `calc_rouge_n_score` of
    MinerU-HTML's evaluation, by which the board of WebMainBench is computed.

    Raises:
        UsageError: jieba is not installed.
    """
    if not (text.strip() or gold.strip()):
        return Score(1.0, 1.0, 1.0)
    found_runs, gold_runs = _runs_of_five(text), _runs_of_five(gold)
    return _score(found_runs, gold_runs) if gold_runs else Score(0.0, 0.0, 0.0)


def _runs_of_five(text: str) -> list[tuple[str, ...]]:
    words = _jieba()(text)
    return list(zip(*(words[start:] for start in range(5)), strict=False))


@cache
def _jieba() -> Callable[[str], list[str]]:
    require("jieba")
    with warnings.catch_warnings(action="ignore"):
        tokenizer = import_module("jieba").Tokenizer()
    # Its own way keeps the dictionary in a file that any user of the machine could have put there
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return partial(tokenizer.lcut)


def character_score(text: str, gold: str) -> Score:
    """Score an extracted text by its characters without white space, in the order of the gold text.

    What both have in common is their longest common subsequence. Empty texts: as in `bag_of_words`.
    Source of the unit: Viveros-Jiménez et al. 2018, section 5.
    """
    return _order_score(squeezed(text), squeezed(gold))


def order_score(text: str, gold: str) -> Score:
    """Score an extracted text by its words in the order of the gold text, as CleanEval does.

    f1 is 1 less the edit distance over the number of words in both texts, where inserting or
    deleting a word costs 1 and replacing one costs 2. A label <p>, <h> or <l> counts as a word;
    closing ones do not. Empty texts: as in `bag_of_words`. Source of the weights: CleanEval's
    scorer of 2008 (Evert), which counts a replacement as a deletion and an insertion; the
    alignment here is always the best.
    """
    return _order_score(_labels_and_words(text), _labels_and_words(gold))


def _labels_and_words(text: str) -> list[str]:
    parts = LABEL.split(_END_LABEL.sub(" ", as_shown(text)))
    # Every second part is a label
    return [
        word
        for index, part in enumerate(parts)
        for word in ([part.lower()] if index % 2 else tokens(part))
    ]


def _order_score(kept: Sequence[Hashable], gold: Sequence[Hashable]) -> Score:
    from rapidfuzz.distance import LCSseq

    return _of_common(LCSseq.similarity(kept, gold), len(kept), len(gold))


def _score(kept: Sequence[Hashable], gold: Sequence[Hashable]) -> Score:
    common = (Counter(kept) & Counter(gold)).total()
    return _of_common(common, len(kept), len(gold))


def _of_common(common: int, kept: int, gold: int) -> Score:
    """Return the score of a text by how many units it has, the gold text has, and both have."""
    if not gold:
        value = 0.0 if kept else 1.0
        return Score(value, value, value)
    if not common:
        return Score(0.0, 0.0, 0.0)
    return Score(common / kept, common / gold, 2 * common / (kept + gold))


@dataclass(frozen=True, slots=True)
class StringScore:
    """Counts of one page's strings: `kept` of the wanted ones, `dropped` of the unwanted ones."""

    wanted: int
    kept: int
    unwanted: int
    dropped: int

    @property
    def balanced(self) -> float:
        """The mean of the shares of wanted strings kept and of unwanted strings dropped.

        If the page has only one kind, the share of that kind; a page has at least one string.
        """
        pairs = ((self.kept, self.wanted), (self.dropped, self.unwanted))
        return fmean(count / total for count, total in pairs if total)


def string_score(
    text: str, wanted: Sequence[str], unwanted: Sequence[str]
) -> StringScore:
    """Score an extracted text.

    Strings are compared with their case, and without white space, as a line may break anywhere.
    """
    found = squeezed(text)
    return StringScore(
        wanted=len(wanted),
        kept=sum(squeezed(string) in found for string in wanted),
        unwanted=len(unwanted),
        dropped=sum(squeezed(string) not in found for string in unwanted),
    )


def squeezed(text: str) -> str:
    """Return a text without its white space and invisible characters."""
    return "".join(as_shown(text).split())


@dataclass(frozen=True, slots=True)
class PageScore:
    """The scores of a cleaner on one page; of a page with strings only `empty` and `strings` count.

    Attributes:
        bag: By bags of words.
        word: By WCXB's words.
        empty: Whether the kept text has no word.
        strings: For a page with strings in place of a gold text.
        characters: By characters in order.
        block_accuracy: The share of blocks that cleaner and gold text both keep or both drop.
        text_only: CleanEval's measure of words in order.
        text_and_markup: The same with labels; UNKNOWN if the gold text has none.
    """

    bag: Score
    word: Score
    empty: bool
    strings: StringScore | None = None
    characters: Score = UNKNOWN
    block_accuracy: float = math.nan
    text_only: Score = UNKNOWN
    text_and_markup: Score = UNKNOWN

    @property
    def balanced(self) -> float:
        """The score of its strings; NaN for a page with a gold text."""
        return self.strings.balanced if self.strings else math.nan


@dataclass(frozen=True, slots=True)
class StringShares:
    """Shares of all strings of some pages; a share of nothing is 1.

    Attributes:
        kept: The share of wanted strings that stayed.
        dropped: The share of unwanted strings that are gone.
        balanced: The mean over pages.
        f1: As in trafilatura's evaluation: precision is the share of wanted strings among those
            that stayed, recall is `kept`.
    """

    kept: float
    dropped: float
    balanced: float
    f1: float


def string_shares(scores: Iterable[StringScore]) -> StringShares:
    """Return the shares over at least one page."""
    scores = list(scores)
    wanted, kept, unwanted, dropped = (
        sum(getattr(score, name) for score in scores) for name in StringScore.__slots__
    )
    total = wanted + kept + unwanted - dropped
    return StringShares(
        kept=kept / wanted if wanted else 1.0,
        dropped=dropped / unwanted if unwanted else 1.0,
        balanced=fmean(score.balanced for score in scores),
        f1=2 * kept / total if total else 1.0,
    )


@dataclass(frozen=True, slots=True)
class BlockScores:
    """Scores over content and boilerplate together, and over content alone; all from 0 to 1.

    `auc` is the area under the curve of recall over false positive rate, of the mask alone: the
    mean of its recall and of the share of boilerplate that it drops.
    """

    precision: float
    recall: float
    f1: float
    false_positive_rate: float
    auc: float
    content_precision: float
    content_recall: float
    content_f1: float
    content_false_positive_rate: float


def block_scores(content: BoolArray, keep: BoolArray, words: IntArray) -> BlockScores:
    """Score a mask; a quotient whose denominator is 0 is 0.

    Args:
        content: (m,) Whether a block is content.
        keep: (m,) Whether it is kept.
        words: (m,) The weights.
    """
    whole = _class_scores(content, keep, words)
    rest = _class_scores(~content, ~keep, words)
    share = _quotient(words[content].sum(), words.sum())
    mean = share * whole + (1 - share) * rest
    precision, recall, f1, false_positive_rate = map(float, mean)
    return BlockScores(
        precision,
        recall,
        f1,
        false_positive_rate,
        weighted_auc(content, keep.astype(np.float64), words),
        *map(float, whole),
    )


def weighted_auc(content: BoolArray, scores: FloatArray, words: IntArray) -> float:
    """Return the area under the curve of recall over false positive rate, weighted by words.

    It is 0.5 if one class has no words.

    Args:
        content: (m,) Whether a block is content.
        scores: (m,) Higher for likelier content; blocks of equal score count half.
        words: (m,) The weights.
    """
    wanted, unwanted = words * content, words * ~content
    if not wanted.sum() or not unwanted.sum():
        return 0.5
    values, places = np.unique(scores, return_inverse=True)
    above = np.bincount(places, wanted, minlength=len(values))
    beside = np.bincount(places, unwanted, minlength=len(values))
    below = np.cumsum(beside) - beside / 2
    return float((above * below).sum() / (wanted.sum() * unwanted.sum()))


def _class_scores(wanted: BoolArray, chosen: BoolArray, words: IntArray) -> FloatArray:
    """Return (4,) precision, recall, F1 and false positive rate of one class."""
    right = words[wanted & chosen].sum()
    kept, sought = words[chosen].sum(), words[wanted].sum()
    return np.array(
        [
            _quotient(right, kept),
            _quotient(right, sought),
            _quotient(2 * right, kept + sought),
            _quotient(kept - right, words.sum() - sought),
        ]
    )


def _quotient(above: float | np.integer[Any], below: float | np.integer[Any]) -> float:
    return float(above / below) if below else 0.0
