"""One pass over the block store: what is needed to score the topics' terms under every cleaner."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat as endlessly

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.selection import (
    AlignmentCounts,
    Bits,
    Cleaner,
    Selection,
    repeats_of,
    select,
    sum_alignments,
)
from boilersweep.cleaners.stored import columns_for
from boilersweep.eval.ranking.runs import PackedDocids
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.arithmetic import Codes, as_indexed, sum_by_document
from boilersweep.indexer.contents import Analysed, Numbers
from boilersweep.indexer.jvm import map_ahead
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

Encode = Callable[[NDArray[np.int64]], Codes]

# Documents, how often each has a term, and the codes of their lengths.
Postings = tuple[IntArray, IntArray, Codes]

# How often something counts; of truth values, once or not at all.
Weights = BoolArray | NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class TermRows:
    """Where one term occurs: one row per document and signature, documents ascending.

    Attributes:
        documents: (n,) the numbers of the documents.
        signatures: (n,) rows of `Rows.signatures`.
        tf: (n,) how often the term occurs in the document's blocks of that signature.
    """

    documents: NDArray[np.int32]
    signatures: NDArray[np.int32]
    tf: NDArray[np.int32]

    def under(self, weights: Weights) -> tuple[IntArray, IntArray]:
        """Return the documents with the term, ascending, and how often each has it.

        Args:
            weights: (s,) how often blocks of each signature count.
        """
        counted = weights[self.signatures]
        here = counted.astype(bool, copy=False)
        documents, tf = self.documents[here], self.tf[here]
        if counted.dtype != bool:
            tf = tf * counted[here]
        return sum_by_document(documents, tf)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A collection as the topics see it.

    Attributes:
        docids: (N,) the docids.
        terms: The rows of each term.
        signatures: (s, cleaners) how often a cleaner counts blocks of that signature; truth values
            if none counts blocks several times.
        codes: (cleaners, N) codes of the documents' lengths.
        documents: (cleaners,) documents with a token.
        tokens: (cleaners,) tokens with repeats.
        placed: By the name of texts that are matched to blocks, how many words were matched.
        lengths: The number of tokens per document and signature, as for a term; None if it was not
            requested.
        stacked: The tokens that do not count for a document's length, since they are at the
            position of the one before; None also if the analyzer stacks none.
        titles: (N,) the tokens of each document's title; empty without `lengths`, or titles.
    """

    docids: PackedDocids
    terms: dict[str, TermRows]
    signatures: Weights
    codes: Codes
    documents: IntArray
    tokens: IntArray
    placed: Mapping[str, AlignmentCounts] = field(default_factory=dict)
    lengths: TermRows | None = None
    stacked: TermRows | None = None
    titles: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def postings(self, term: str, cleaner: int) -> Postings:
        """Return the documents with a term under a cleaner, how often each has it, and their codes.

        The title of a document that the cleaner leaves empty does not count.
        """
        documents, tf = self.terms[term].under(self.signatures[:, cleaner])
        codes = self.codes[cleaner, documents]
        if not codes.all():
            filled = codes != 0
            return documents[filled], tf[filled], codes[filled]
        return documents, tf, codes

    @property
    def empty(self) -> BoolArray:
        """(cleaners, N) True where a cleaner leaves a document without a token."""
        # The code 0 stands for the length 0 alone, in the Lucene of today and of 2010.
        empty: BoolArray = self.codes == 0
        return empty


def collect_rows(
    store: BlockStore,
    cleaners: Sequence[Cleaner],
    terms: Iterable[str],
    analyzer: BlockAnalyzer,
    encode: Encode,
    *,
    lengths: bool = False,
    threads: int = 1,
) -> Rows:
    """Analyse every document once and keep the rows of some terms, and all lengths.

    Memory: 12 bytes per row, and one byte per document and cleaner.

    Args:
        store: The block store.
        cleaners: The cleaners.
        terms: The terms.
        analyzer: How texts become tokens.
        encode: Encodes lengths.
        lengths: Whether to keep the lengths of signatures, too.
        threads: The number of threads.
    """
    collector = _Collector(cleaners, terms, analyzer, encode, lengths=lengths)
    with steps("analyse", store.documents, "documents") as bar:
        read = columns_for(store, cleaners)
        for columns, (selected, analysed) in map_ahead(
            collector.analysed, read, threads if threads > 1 else 0
        ):
            collector.add(columns, selected, analysed)
            bar.update(len(columns))
    return collector.rows()


class _Collector:
    def __init__(
        self,
        cleaners: Sequence[Cleaner],
        terms: Iterable[str],
        analyzer: BlockAnalyzer,
        encode: Encode,
        *,
        lengths: bool,
    ) -> None:
        self._keeps_lengths = lengths
        self._lengths: list[tuple[NDArray[np.int32], ...]] = []
        self._stacked: list[tuple[NDArray[np.int32], ...]] = []
        self._titles: list[IntArray] = [np.empty(0, dtype=np.int64)]
        self._cleaners = cleaners
        self._repeated, self._repeats = repeats_of(cleaners)
        self._placed: dict[str, AlignmentCounts] = {}
        self._numbers = {term: index for index, term in enumerate(dict.fromkeys(terms))}
        self._wanted = _WantedTerms(self._numbers)
        self._analyzer = analyzer
        self._encode = encode
        self._docids: list[str] = []
        self._signatures: dict[bytes, int] = {}
        self._parts: list[tuple[NDArray[np.int32], ...]] = []
        self._codes: list[Codes] = [np.empty((len(cleaners), 0), dtype=np.uint8)]
        self._documents = np.zeros(len(cleaners), dtype=np.int64)
        self._tokens = np.zeros(len(cleaners), dtype=np.int64)

    def analysed(self, columns: BlockColumns) -> tuple[Selection, Analysed]:
        """Select what the cleaners keep of some documents, and analyse all their blocks."""
        selected = select(columns, self._cleaners, titles=self._analyzer.has_titles)
        return selected, self._analyzer.analysed(selected.texts)

    def add(
        self, columns: BlockColumns, selected: Selection, analysed: Analysed
    ) -> None:
        """Add some documents with the results of `analysed`."""
        starts = selected.starts
        terms, places = self._wanted.find(analysed)
        blocks = np.searchsorted(analysed.starts, places, side="right") - 1
        tokens, stacked = analysed.lengths, analysed.stacked_lengths
        titles = tokens[starts[:-1]] if selected.has_titles else None
        if titles is not None:
            self._titles.append(titles)
        document_tokens, lengths = as_indexed(
            self._by_document(selected, tokens),
            titles,
            None if stacked is None else self._by_document(selected, stacked),
        )
        self._documents += (lengths > 0).sum(axis=1)
        self._tokens += document_tokens.sum(axis=1)
        self._codes.append(self._encode(lengths))
        if len(terms):
            owners = (
                np.searchsorted(starts, blocks, side="right") - 1 + len(self._docids)
            )
            signatures = self._signatures_of(selected.bits, blocks)
            self._parts.append(_summed(np.ones_like(terms), terms, owners, signatures))
        if self._keeps_lengths:
            self._lengths.append(self._by_signature(selected, tokens))
            if stacked is not None:
                self._stacked.append(self._by_signature(selected, stacked))
        self._docids += columns.docids
        self._placed = sum_alignments(self._placed, selected.placed)

    def _by_document(self, selected: Selection, counts: IntArray) -> IntArray:
        """Return (cleaners, n) each document's sum of its blocks' counts that a cleaner keeps."""
        starts = selected.starts[:-1]
        # For a document without blocks, reduceat would return the next block's count.
        filled = selected.starts[1:] > starts
        sums = np.zeros((len(self._cleaners), len(starts)), dtype=np.int64)
        if filled.any():
            for index, of_documents in enumerate(sums):
                counted = selected.weights(index) * counts
                of_documents[filled] = np.add.reduceat(counted, starts[filled])
        return sums

    def _by_signature(
        self, selected: Selection, counts: IntArray
    ) -> tuple[NDArray[np.int32], ...]:
        """Return documents, signatures, and the sum of the counts over their blocks."""
        filled = np.flatnonzero(counts)
        owners = (
            np.searchsorted(selected.starts, filled, side="right")
            - 1
            + len(self._docids)
        )
        return _summed(
            counts[filled], owners, self._signatures_of(selected.bits, filled)
        )

    def _signatures_of(self, bits: Bits, blocks: IntArray) -> IntArray:
        """Return (n,) the number of each block's signature."""
        distinct, inverse = np.unique(blocks, return_inverse=True)
        packed = np.ascontiguousarray(bits[:, distinct].T)
        numbers = [
            self._signatures.setdefault(signature.tobytes(), len(self._signatures))
            for signature in packed
        ]
        return np.array(numbers, dtype=np.int64)[inverse]

    def rows(self) -> Rows:
        """Return the rows of everything that was added."""
        return Rows(
            docids=PackedDocids(self._docids),
            terms=self._terms(),
            signatures=self._weights(),
            codes=np.concatenate(self._codes, axis=1),
            documents=self._documents,
            tokens=self._tokens,
            placed=self._placed,
            lengths=_joined(self._lengths) if self._keeps_lengths else None,
            stacked=_joined(self._stacked) if self._stacked else None,
            titles=np.concatenate(
                self._titles if self._keeps_lengths else self._titles[:1]
            ),
        )

    def _weights(self) -> Weights:
        """Return (s, cleaners) how often a cleaner counts blocks of each signature."""
        cleaners = len(self._cleaners)
        masks = cleaners + len(self._repeated)
        joined = np.frombuffer(b"".join(self._signatures), dtype=np.uint8)
        packed = joined.reshape(len(self._signatures), -(-masks // 8))
        bits = np.unpackbits(packed, axis=1, count=masks)
        # Every row of every term looks its weight up in a column.
        if not self._repeats:
            return np.asfortranarray(bits, dtype=bool)
        weights = np.asfortranarray(bits[:, :cleaners])
        for cleaner, repeat in self._repeats.items():
            weights[:, cleaner] += (repeat.times - 1) * bits[:, repeat.row]
        return weights

    def _terms(self) -> dict[str, TermRows]:
        if not self._parts:
            return {}
        term, document, signature, tf = (
            np.concatenate(column) for column in zip(*self._parts, strict=True)
        )
        self._parts.clear()
        order = np.argsort(term, kind="stable")
        bounds = np.searchsorted(term[order], np.arange(len(self._numbers) + 1))
        rows = {}
        for name, number in self._numbers.items():
            here = order[bounds[number] : bounds[number + 1]]
            if len(here):
                rows[name] = TermRows(document[here], signature[here], tf[here])
        return rows


class _WantedTerms:
    """Finds the wanted terms in the analysed pieces of texts, and looks at each piece once."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        """Look for the terms of `numbers`, term -> number."""
        self._number_of = numbers.get
        self._begin([])

    def _begin(self, terms: list[str]) -> None:
        self._terms = terms
        self._wanted = np.empty(0, dtype=np.int64)
        # The wanted terms of piece i are those from starts[i] to starts[i + 1].
        self._starts = np.zeros(1, dtype=np.int64)

    def find(self, analysed: Analysed) -> tuple[IntArray, IntArray]:
        """Return (k,) the numbers of the wanted terms, and (k,) the piece that each is in."""
        if analysed.terms is not self._terms:
            self._begin(analysed.terms)
        self._look_at_new(analysed.counts)
        counts = np.diff(self._starts)[analysed.pieces]
        places = np.flatnonzero(counts)
        counts = counts[places]
        before = np.cumsum(counts) - counts
        first = self._starts[analysed.pieces[places]]
        return (
            self._wanted[np.repeat(first - before, counts) + np.arange(counts.sum())],
            np.repeat(places, counts),
        )

    def _look_at_new(self, lengths: Numbers) -> None:
        """Look at the pieces that are new since the last call, whose numbers of terms are given."""
        known = len(self._starts) - 1
        # Another thread may have found more since
        new = self._terms[known : len(lengths)]
        if not new:
            return
        # Most pieces are one term, and few are a wanted one.
        numbers = np.fromiter(
            map(self._number_of, new, endlessly(-1)), np.int64, len(new)
        )
        pieces = np.flatnonzero(numbers >= 0)
        wanted = numbers[pieces]
        of_several = [
            (piece, number)
            for piece in np.flatnonzero(lengths[known:] > 1).tolist()
            for term in new[piece].split(" ")
            if (number := self._number_of(term)) is not None
        ]
        if of_several:
            more, their_wanted = np.array(of_several, dtype=np.int64).T
            pieces, wanted = np.r_[pieces, more], np.r_[wanted, their_wanted]
            order = np.argsort(pieces, kind="stable")
            pieces, wanted = pieces[order], wanted[order]
        counts = np.bincount(pieces, minlength=len(new))
        self._starts = np.r_[self._starts, self._starts[-1] + np.cumsum(counts)]
        self._wanted = np.r_[self._wanted, wanted]


def _joined(parts: Sequence[tuple[NDArray[np.int32], ...]]) -> TermRows:
    none = (np.empty(0, dtype=np.int32),) * 3
    return TermRows(*map(np.concatenate, zip(none, *parts, strict=True)))


def _summed(counts: IntArray, *keys: IntArray) -> tuple[NDArray[np.int32], ...]:
    """Return the distinct combinations of the keys, sorted, and the sums of their counts."""
    if not len(counts):
        return (np.empty(0, dtype=np.int32),) * (len(keys) + 1)
    order = np.lexsort(keys[::-1])
    columns = np.stack([key[order] for key in keys])
    new = np.r_[True, (columns[:, 1:] != columns[:, :-1]).any(axis=0)]
    first = np.flatnonzero(new)
    sums = np.add.reduceat(counts[order], first)
    return (*columns[:, first].astype(np.int32), sums.astype(np.int32))
