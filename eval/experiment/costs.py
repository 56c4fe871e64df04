"""What a cleaner costs: matches that relevant documents lose, the size of the index, and the words.

The words are those that it keeps of each kind of pages, in a sample of the collection.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from boilersweep.cleaners.page_model import shipped_model, why_no_model
from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import Cleaner, PageText, select
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.exact.rows import Rows
from boilersweep.indexer.lucene import file_sizes
from boilersweep.indexer.manifest import MANIFEST
from boilersweep.indexer.parallel_indexes import BYTES_PER_TOKEN
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray, documents_of
from boilersweep.pages.words import count_words
from boilersweep.store.store import BlockStore

# Endings of an index's files with document vectors.
_VECTORS = (".tvd", ".tvm", ".tvx")


class IndexSize(Struct, frozen=True):
    """The size of an index without positions.

    Attributes:
        bytes: The size.
        measured: Whether it is the size of a real index, or an estimate.
    """

    bytes: int
    measured: bool


class LossCounter:
    """Counts the losses under each cleaner of an exact sweep.

    Attributes:
        queries: Topic -> analysed terms of its query, with repeats.
        pairs: (t,) pairs of a query term and a relevant document that has it under the baseline.
        relevant: (t,) relevant documents in the collection.
    """

    def __init__(
        self, engine: ExactEngine, relevant: Mapping[str, frozenset[str]]
    ) -> None:
        """Count the terms of the baseline, the first cleaner, and which ones each cleaner loses.

        Args:
            engine: The exact sweep of the cleaners.
            relevant: Topic -> docids; missing documents do not count.
        """
        rows, self.queries = engine.rows, engine.queries
        numbers = {docid: index for index, docid in enumerate(rows.docids)}
        self._relevant = [
            np.array(sorted(numbers[d] for d in docids if d in numbers), dtype=np.int64)
            for docids in relevant.values()
        ]
        self._all = np.unique(np.concatenate([np.empty(0, np.int64), *self._relevant]))
        self._empty = rows.empty
        present: list[int] = []
        lost: list[IntArray] = []
        for topic, documents in zip(relevant, self._relevant, strict=True):
            kept = _terms_kept(rows, dict.fromkeys(self.queries[topic]), documents)
            present.append(len(kept))
            lost.append((~kept).sum(axis=0))
        self.pairs = np.array(present, dtype=np.int64)
        self.relevant = np.array(
            [len(documents) for documents in self._relevant], dtype=np.int64
        )
        self._lost = np.stack(lost)

    def of(self, cleaner: int) -> dict[str, Any]:
        """Return the losses under a cleaner, by its number, as fields of `Row`."""
        empty = self._empty[cleaner]
        lost = self._lost[:, cleaner]
        total = int(self.pairs.sum())
        return {
            "relevant_empty": int(empty[self._all].sum()),
            "terms_lost": int(lost.sum()) / total if total else None,
            "relevant_empty_by_topic": [
                int(empty[documents].sum()) for documents in self._relevant
            ],
            "terms_lost_by_topic": lost.tolist(),
        }


def _terms_kept(
    rows: Rows, terms: Mapping[str, None], documents: IntArray
) -> BoolArray:
    """Find the pairs of a term and a document that has it under the baseline.

    Returns:
        (pairs, cleaners) whether a cleaner keeps the pair.
    """
    kept = [np.empty((0, rows.signatures.shape[1]), dtype=bool)]
    for term in terms:
        postings = rows.terms.get(term)
        if postings is None:
            continue
        # Both ascend: search for each of the few documents instead of reading every row.
        first_rows = np.searchsorted(postings.documents, documents)
        after = np.searchsorted(postings.documents, documents, side="right")
        here = np.concatenate(
            [np.empty(0, np.int64), *map(np.arange, first_rows, after)]
        )
        if len(here):
            owners = postings.documents[here]
            first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
            keeping = rows.signatures[postings.signatures[here]]
            whole: BoolArray = np.logical_or.reduceat(keeping, first, axis=0)
            kept.append(whole[whole[:, 0]])
    return np.concatenate(kept)


def tokens_once(variants: Mapping[Variant, int]) -> dict[Variant, int]:
    """Map each variant to its tokens, each counted once.

    A weighted cleaner keeps all blocks, so it has at most as many as the variant that keeps most.

    Args:
        variants: Variant -> tokens, as often as they count.
    """
    once = [n for v, n in variants.items() if not isinstance(v.cleaner, Weighted)]
    most = max(once, default=0)
    return {
        variant: min(tokens, most) if isinstance(variant.cleaner, Weighted) else tokens
        for variant, tokens in variants.items()
    }


def index_sizes(
    variants: Mapping[Variant, int],
    indexes: Path,
    used: Collection[str],
    *,
    vectors: bool = True,
) -> dict[Variant, IndexSize]:
    """Return the size of each variant's index: the real one's, or an estimate from its tokens.

    The real indexes give the bytes per token, see `tokens_once`.

    Args:
        variants: Variant -> tokens.
        indexes: The folder of real indexes.
        used: The names of the indexes that the experiment has used.
        vectors: Whether document vectors count.
    """
    built = [variant for variant in variants if variant.name in used]
    real = {v: _size(indexes / v.name, vectors=vectors) for v in built}
    once = {v: n for v, n in variants.items() if not isinstance(v.cleaner, Weighted)}
    tokens = sum(count for variant, count in once.items() if variant in real)
    rate = (
        sum(real[v] for v in once if v in real) / tokens if tokens else BYTES_PER_TOKEN
    )
    return {
        variant: IndexSize(real[variant], True)
        if variant in real
        else IndexSize(round(count * rate), False)
        for variant, count in tokens_once(variants).items()
    }


def _size(folder: Path, *, vectors: bool) -> int:
    """Return the bytes of an index, without the manifest."""
    return sum(
        size
        for name, size in file_sizes(folder).items()
        if name != MANIFEST and (vectors or not name.endswith(_VECTORS))
    )


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
        The kinds, the most frequent one first; none where the model cannot be used.

    Raises:
        StoreError: The store is damaged.
    """
    if why_no_model():
        return []
    model = shipped_model()
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
        for columns in columns_for(shards[number], cleaners):
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
