"""Pages that would flatter a model: of a site or nearly the same as a page that it was trained on.

`groups` and `folds` put them on the same side of a split; `training_notes` names judged pages that
a model has seen.

Source of the measure: Broder, On the resemblance and containment of documents, SEQUENCES 1997:
texts as sets of shingles, resemblance as their Jaccard coefficient.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any
from zlib import crc32

import numpy as np

from boilersweep.cleaners.learned.model import ModelProvenance
from boilersweep.cleaners.rules import parts
from boilersweep.errors import UsageError
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.datasets.judged_page import JudgedPage
from boilersweep.eval.judge.judge import Judged, Judgements, is_rule
from boilersweep.pages.columns import IntArray
from boilersweep.pages.metadata_values import domain_of

# Words of a shingle.
SHINGLE = 5

# Pages are near-duplicates if they share at least so much of all their shingles.
RESEMBLANCE = 0.5

# Two pages are compared if they share one of the shingles with their so many lowest hashes.
_SAMPLED = 16

# A shingle of more pages is a phrase of the web, and no reason to compare them.
_COMMON = 40
_TOKEN = re.compile(r"\w+")


def groups(pages: Sequence[JudgedPage]) -> list[int]:
    """Return (n,) the group of every page, numbered from 0 in the order of their first pages.

    Pages of one registered domain are in one group, and so are pages whose gold texts resemble each
    other. Groups with a common page are one group.
    """
    leaders = list(range(len(pages)))

    def leader(page: int) -> int:
        while leaders[page] != page:
            leaders[page] = leaders[leaders[page]]
            page = leaders[page]
        return page

    def join(pairs: Iterable[tuple[int, int]]) -> None:
        for one, other in pairs:
            low, high = sorted((leader(one), leader(other)))
            leaders[high] = low

    by_domain: dict[str, int] = {}
    join((by_domain.setdefault(domain_of(p.site), n), n) for n, p in enumerate(pages))
    join(near_duplicates([page.gold for page in pages]))
    numbers: dict[int, int] = {}
    return [
        numbers.setdefault(leader(page), len(numbers)) for page in range(len(pages))
    ]


def folds(groups: IntArray, weights: IntArray, count: int) -> IntArray:
    """Return (m,) the fold of every row, from 0; rows of one group are in one fold.

    The heaviest group that is left goes to the lightest fold, so that folds weigh much the same.

    Args:
        groups: (m,) the groups of the rows.
        weights: (m,) the weights of the rows.
        count: The number of folds.

    Raises:
        UsageError: There are fewer groups than folds.
    """
    names, places = np.unique(groups, return_inverse=True)
    if len(names) < count:
        raise UsageError(
            f"expected at least {count} groups for {count} folds, got {len(names)}"
        )
    sizes = np.bincount(places, weights=weights)
    fold_of = np.zeros(len(names), dtype=np.int64)
    filled = np.zeros(count)
    for group in np.argsort(-sizes, kind="stable"):
        fold = int(np.argmin(filled))
        fold_of[group] = fold
        filled[fold] += sizes[group]
    return fold_of[places]


def near_duplicates(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of texts whose resemblance is at least RESEMBLANCE.

    A text without words resembles none.
    """
    shingles = [_shingles(text) for text in texts]
    owners: dict[int, list[int]] = defaultdict(list)
    for index, one in enumerate(shingles):
        for shingle in sorted(one)[:_SAMPLED]:
            owners[shingle].append(index)
    candidates = {
        pair
        for numbers in owners.values()
        if len(numbers) <= _COMMON
        for pair in combinations(numbers, 2)
    }
    return sorted(
        (a, b)
        for a, b in candidates
        if len(shingles[a] & shingles[b])
        >= RESEMBLANCE * len(shingles[a] | shingles[b])
    )


def _shingles(text: str) -> set[int]:
    """Return hashes of all runs of SHINGLE words, or of the whole text if it is shorter."""
    words = _TOKEN.findall(text.lower())
    if not words:
        return set()
    last = max(len(words) - SHINGLE, 0)
    return {crc32(" ".join(words[i : i + SHINGLE]).encode()) for i in range(last + 1)}


def training_notes(
    cleaners: Sequence[Judged], dataset: Dataset, judgements: Judgements
) -> list[str]:
    """Return a note for each model that has seen some of the pages."""
    rules = (
        rule
        for cleaner in cleaners
        if is_rule(cleaner)
        for rule in parts(cleaner)
        if hasattr(rule, "training_pages")
    )
    models = {str(rule): rule for rule in rules}  # each once, also within other rules
    notes = (_note(rule, dataset, judgements.pages) for rule in models.values())
    return list(filter(None, notes))


def _note(rule: Any, dataset: Dataset, pages: Sequence[bytes]) -> str:
    """Return the note on one model, or "".

    Args:
        rule: A rule with `provenance` and `training_pages`.
        dataset: The judged dataset.
        pages: The digests of its pages.
    """
    trained: frozenset[bytes] = rule.training_pages
    seen = sum(page in trained for page in pages)
    if not seen:
        return ""
    note = f"{seen:,} of {len(pages):,} pages of {dataset.label} were in the training of {rule}"
    provenance: ModelProvenance = rule.provenance
    scores = provenance.cross_validation
    elsewhere = ""
    if {"bag_f1", "word_f1"} <= scores.keys():
        elsewhere = (
            f" On sites it had not seen it reached a mean F1 of {scores['bag_f1']:.3f} and a mean "
            f"word F1 of {scores['word_f1']:.3f}."
        )
    return f"{note}: its row flatters.{elsewhere}"
