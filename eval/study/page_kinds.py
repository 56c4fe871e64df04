"""Kinds of pages in a sample of the collection, and how many of their words each cleaner keeps."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.selection import Cleaner, PageText, select
from boilersweep.pages.columns import BlockColumns, IntArray, documents_of
from boilersweep.pages.words import count_words
from boilersweep.store.store import BlockStore

# Pages of the sample, which takes seconds for collections of any size.
SAMPLE = 1000


class KindOfPages(Struct, frozen=True):
    """The sample's pages of one of `KINDS`.

    Attributes:
        kind: The kind.
        pages: The number of pages.
        words: The words of all their blocks.
        kept: Name of a variant -> the words that it keeps, each counted once.
    """

    kind: str
    pages: int
    words: int
    kept: dict[str, int]


def kinds_of_pages(
    store: BlockStore, variants: Sequence[Variant], seed: int
) -> list[KindOfPages]:
    """Classify a sample of pages with the shipped model.

    Args:
        store: The collection.
        variants: The cleaners.
        seed: The seed of the sample.

    Returns:
        The kinds, the most frequent one first.

    Raises:
        StoreError: The store is damaged.
    """
    model = Learned()
    pages, words = Counter[str](), Counter[str]()
    kept = {variant.name: Counter[str]() for variant in variants}
    cleaners = [variant.cleaner for variant in variants]
    for columns in _sample(store, [*cleaners, model], seed):
        kinds = model.likely_kinds(columns)
        pages.update(kinds)
        _add(words, kinds, _per_document(columns, columns.words))
        for variant, counts in zip(
            variants, _words_kept(columns, cleaners), strict=True
        ):
            _add(kept[variant.name], kinds, counts)
    return [
        KindOfPages(
            kind, count, words[kind], {name: n[kind] for name, n in kept.items()}
        )
        for kind, count in sorted(pages.items(), key=lambda one: (-one[1], one[0]))
    ]


def _sample(
    store: BlockStore, cleaners: Sequence[Cleaner], seed: int
) -> Iterator[BlockColumns]:
    """Yield equally many documents of each shard, drawn from the first ones read."""
    random = np.random.default_rng(seed)
    shards = [shard for _, shard in store.by_shard()]
    each = -(-SAMPLE // max(len(shards), 1))
    for number in random.permutation(len(shards))[:SAMPLE].tolist():
        left = each
        for columns in shards[number].columns_for(cleaners):
            drawn = np.zeros(len(columns), dtype=bool)
            drawn[random.permutation(len(columns))[:left]] = True
            yield documents_of(columns, drawn)
            left -= int(drawn.sum())
            if not left:
                break


def _words_kept(
    columns: BlockColumns, cleaners: Sequence[Cleaner]
) -> Iterator[IntArray]:
    """Yield for each cleaner the (n,) words that it keeps of every document."""
    rules = [cleaner for cleaner in cleaners if not isinstance(cleaner, PageText)]
    selection = select(columns, rules)
    for cleaner in cleaners:
        if isinstance(cleaner, PageText):
            yield np.array(
                [count_words(text) for text in columns.page_texts[cleaner.name]]
            )
        else:
            yield _per_document(
                columns, columns.words * selection.mask(rules.index(cleaner))
            )


def _per_document(columns: BlockColumns, words: IntArray) -> IntArray:
    """Sum (b,) words of blocks to (n,) words of documents."""
    sums = np.concatenate([[0], np.cumsum(words, dtype=np.int64)])
    per_document: IntArray = np.diff(sums[columns.starts])
    return per_document


def _add(counter: Counter[str], kinds: Sequence[str], counts: IntArray) -> None:
    """Add each document's count to its kind."""
    for kind, count in zip(kinds, counts.tolist(), strict=True):
        counter[kind] += count
