"""Documents of a block store with what two cleaners keep of them, analysed."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import (
    Cleaner,
    ExtractorBlocks,
    PageText,
    select,
    texts_beside,
)
from boilersweep.cleaners.stored import columns_for
from boilersweep.indexer.analyzer import BlockAnalyzer, split_tokens
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray, documents_of
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedPage:
    """A document with b blocks; the texts of extractors are its last blocks.

    Attributes:
        docid: The document.
        title: Its title.
        texts: (b,) texts of the blocks.
        words: (b - extractors,) words of the blocks.
        indexed: (2, b) how often either cleaner's index counts the block.
        held: (2, b) whether the index counts it at all; an extractor holds the page's own blocks if
            its text has at least half of their words (`boilersweep.pages.alignment`).
        kept: (2, b) as `held`, but a weighted cleaner keeps only the blocks that count several
            times.
        extractors: Names of the extractors.
        lengths: (b,) tokens of the blocks.
        counts: (b,) term -> how often the block holds it, for the wanted terms.
        title_length: The tokens of the title; 0 if it is not indexed.
        title_counts: Term -> how often the title holds it, if it is indexed.
    """

    docid: str
    title: str
    texts: list[str]
    words: list[int]
    indexed: IntArray
    held: BoolArray
    kept: BoolArray
    extractors: list[str]
    lengths: IntArray
    counts: list[Counter[str]]
    title_length: int
    title_counts: Counter[str]

    @property
    def tokens(self) -> IntArray:
        """(2,) the tokens in either index; it has the title of a page of which it has more."""
        kept = self.indexed @ self.lengths
        tokens: IntArray = kept + self.title_length * (kept > 0)
        return tokens

    @property
    def own(self) -> int:
        """The number of the page's own blocks, before the texts of extractors."""
        return len(self.texts) - len(self.extractors)


def analysed_pages(
    store: BlockStore,
    docids: Collection[str],
    cleaners: Sequence[Cleaner],
    terms: Collection[str],
    analyzer: BlockAnalyzer,
) -> Iterator[AnalysedPage]:
    """Analyse some documents of a store, in its order, in one pass.

    Args:
        store: The block store.
        docids: The documents.
        cleaners: The two cleaners.
        terms: The terms to count.
        analyzer: The analyzer.

    Yields:
        The documents.

    Raises:
        UsageError: The store lacks a text.
        StoreError: The store is damaged.
    """
    wanted = frozenset(docids)
    with steps("read", store.documents, "documents") as bar:
        for columns in columns_for(store, cleaners):
            here = np.fromiter((docid in wanted for docid in columns.docids), np.bool_)
            if here.any():
                chosen = documents_of(columns, here)
                yield from _analysed(chosen, cleaners, frozenset(terms), analyzer)
            bar.update(len(columns))


def _analysed(
    columns: BlockColumns,
    cleaners: Sequence[Cleaner],
    terms: frozenset[str],
    analyzer: BlockAnalyzer,
) -> Iterator[AnalysedPage]:
    selection = select(columns, cleaners)
    extractors = texts_beside(cleaners)
    blocks_of_texts = {
        index: ExtractorBlocks(cleaner.name).mask(columns)
        for index, cleaner in enumerate(cleaners)
        if isinstance(cleaner, PageText)
    }
    weights = np.stack(
        [selection.weights(index) for index in range(len(cleaners))]
    ).astype(np.int64)

    def counted(tokens: list[str]) -> Counter[str]:
        return Counter(token for token in tokens if token in terms)

    for index, docid in enumerate(columns.docids):
        start, end = selection.starts[index], selection.starts[index + 1]
        texts = selection.texts[start:end]
        indexed = weights[:, start:end]
        title = columns.titles[index]
        tokens = [
            split_tokens(text)
            for text in analyzer.tokens([title * analyzer.has_titles, *texts])
        ]
        first, last = columns.starts[index], columns.starts[index + 1]
        held = indexed > 0
        for place, mask in blocks_of_texts.items():
            held[place, : last - first] = mask[first:last]
        yield AnalysedPage(
            docid=docid,
            title=title,
            texts=texts,
            words=columns.words[first:last].tolist(),
            indexed=indexed,
            held=held,
            kept=_kept(held, indexed, cleaners),
            extractors=extractors,
            lengths=np.array([len(block) for block in tokens[1:]], dtype=np.int64),
            counts=[counted(block) for block in tokens[1:]],
            title_length=len(tokens[0]),
            title_counts=counted(tokens[0]),
        )


def _kept(held: BoolArray, indexed: IntArray, cleaners: Sequence[Cleaner]) -> BoolArray:
    kept = held.copy()
    for mask, weights, cleaner in zip(kept, indexed, cleaners, strict=True):
        if isinstance(cleaner, Weighted) and cleaner.times > 1:
            mask[:] = weights > 1
    return kept
