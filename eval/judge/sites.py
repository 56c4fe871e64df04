"""Pages that must be on the same side of a split: pages of one site, and near-duplicates.

Source of the measure: Broder, On the resemblance and containment of documents, SEQUENCES 1997:
texts as sets of shingles, resemblance as their Jaccard coefficient.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from zlib import crc32

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.eval.judge.datasets.page import JudgedPage
from boilersweep.pages.columns import IntArray
from boilersweep.pages.hosts import domain_of

# Words of a shingle.
SHINGLE = 5

# Share of common shingles, of all of both pages, from which on pages are near-duplicates.
RESEMBLANCE = 0.5

# Shingles of a page, those of the lowest hashes, that find the candidates
_SAMPLED = 16
_COMMON = 40  # pages; a shingle of more is a phrase of the web and finds nothing
_TOKEN = re.compile(r"\w+")


def groups(pages: Sequence[JudgedPage]) -> list[int]:
    """(n,) the group of every page, counted from 0 in the order of their first pages.

    Pages of one registered domain, and pages whose gold texts resemble each other, are in one
    group; so do the pages that are linked to each other through such pages.
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
    """(m,) the fold of every row, from 0; rows of one group are in one fold.

    The heaviest group that is left goes to the lightest fold, so that folds weigh much the same.
    Raises UsageError where there are fewer groups than folds.
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
    """Pairs of texts whose resemblance is at least RESEMBLANCE; texts without words have none."""
    shingles = [_shingles(text) for text in texts]
    owners: dict[int, list[int]] = defaultdict(list)
    for number, one in enumerate(shingles):
        for shingle in sorted(one)[:_SAMPLED]:
            owners[shingle].append(number)
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
    """Hashes of a text's runs of SHINGLE words; of the whole text where it is shorter."""
    words = _TOKEN.findall(text.lower())
    if not words:
        return set()
    last = max(len(words) - SHINGLE, 0)
    return {crc32(" ".join(words[i : i + SHINGLE]).encode()) for i in range(last + 1)}
