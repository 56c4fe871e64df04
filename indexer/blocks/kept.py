"""An index of blocks as any rule leaves it: what the rule keeps, and how documents then rank."""

from collections import Counter
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from boilersweep.cleaners.rules import RatingComparison, Rule, Weighted
from boilersweep.cleaners.selection import Cleaner, identity_of, needs_of
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.grammar import as_cleaner
from boilersweep.command_lines import command_line
from boilersweep.errors import IndexingError, UsageError
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.indexer.arithmetic import (
    Documents,
    Floats,
    best,
    separate_ties,
    sum_of_terms,
)
from boilersweep.indexer.blocks.table import BlockTable, KeptDocuments, Recent
from boilersweep.indexer.compiled import java_class
from boilersweep.indexer.lucene import lucene_errors
from boilersweep.indexer.manifest import IndexManifest
from boilersweep.indexer.options import rule_of
from boilersweep.pages.columns import NOTHING, BlockColumns, BoolArray, IntArray
from boilersweep.store.store import BlockStore

_WEIGHTS_BYTES = 2**27  # of all rules that are remembered


@dataclass(frozen=True, slots=True)
class StoredMask:
    """Keeps the blocks whose mask of a rule an index has."""

    needs = NOTHING

    text: str

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block that the rule keeps."""
        stored: BoolArray = columns.memo[StoredMask, self.text]
        return stored

    def __str__(self) -> str:
        return self.text


class BlockIndex:
    """What any rule leaves of an open index of blocks.

    Attributes:
        table: The index's blocks.
        manifest: The manifest of the index.
    """

    def __init__(
        self,
        path: Path,
        reader: Any,
        manifest: IndexManifest,
        store: BlockStore | None = None,
        analyzer: AnalyzerOptions | None = None,
    ) -> None:
        """Read where blocks begin.

        Args:
            path: The folder of the index.
            reader: Java's reader of the index.
            manifest: Its manifest.
            store: The block store of the index, for rules that read more than the index has.
            analyzer: How queries become tokens; None for the index's analyzer.

        Raises:
            IndexingError: The store is another one, or the index has no blocks or damaged ones.
        """
        self.manifest = manifest
        identity = manifest.identity
        if not identity.layout.blocks:
            raise IndexingError(
                f"{path} does not know where its documents' blocks begin, as searching under a "
                f"rule requires; build one that does with `{command_line('index', blocks=True)}`"
            )
        if store and store.fingerprint != identity.store:
            again = command_line("index", blocks=True, update=True)
            raise IndexingError(
                f"{path} was built from another state of the block store than {store.path}; "
                f"bring it to the present one with `{again}`"
            )
        self._path, self._store = path, store
        self._stored = {
            str(known["text"]): dict(known)
            for known in identity.cleaner.get("stored", ())
        }
        self.table = BlockTable(
            path, reader, titles=identity.analyzer.title, masks=len(self._stored)
        )
        self._analyzer = BlockAnalyzer(analyzer or identity.analyzer)
        self._stacks = identity.analyzer.stacks
        self._kept: Recent[Cleaner | str, KeptDocuments] = Recent(
            _WEIGHTS_BYTES, lambda kept: kept.weights.nbytes + kept.codes.nbytes
        )

    def kept(self, cleaner: Cleaner | str) -> KeptDocuments:
        """Return the collection as a cleaner leaves it; the last few are remembered.

        Raises:
            UsageError: The cleaner keeps a text beside the blocks, or reads more than the index
                has, and there is no store.
            StoreError: The store cannot be read.
        """
        return self._kept.value(cleaner, lambda: self._under(as_cleaner(cleaner)))

    def reads_store(self, cleaner: Cleaner) -> bool:
        """Whether a cleaner reads more than the index has; raise UsageError as `kept`."""
        return bool(needs_of([self._known_rule(rule_of(cleaner))]))

    def _under(self, cleaner: Cleaner) -> KeptDocuments:
        rule = rule_of(cleaner)
        times = cleaner.times if isinstance(cleaner, Weighted) else 1
        if not self.reads_store(cleaner):
            mask = self._mask(self._known_rule(rule))
        elif self._store is None:
            raise UsageError(
                f"{cleaner}: the index has what rules over words, density, links and classes of "
                f"blocks read, and the masks of {', '.join(self._stored)}; name the block store "
                "as `store`, or build the index with it in `cleaners`"
            )
        else:
            mask = self._mask_of_store(rule, self._store)
        return self.table.under(self.table.weights(mask, times))

    def _known_rule(self, rule: Rule) -> Rule:
        """Return the rule with every part replaced whose mask the index has."""
        if str(rule) in self._stored and self._is_stored(rule):
            return StoredMask(str(rule))
        # A number that a rule gives a block is no mask.
        if isinstance(rule, RatingComparison) or not is_dataclass(rule):
            return rule
        parts = {
            field.name: self._known_rule(cast("Rule", part))
            for field in fields(rule)
            if hasattr(part := getattr(rule, field.name), "mask")
        }
        return cast("Rule", replace(rule, **parts)) if parts else rule

    def _is_stored(self, rule: Rule) -> bool:
        """Whether the index has the mask of this rule, with the same model and code."""
        return self._stored[str(rule)] == identity_of(rule)

    def _mask(self, rule: Rule) -> BoolArray:
        """Return the blocks that a rule keeps which reads no more than the index has."""
        masks = (rule.mask(self._columns(batch)) for batch in self.table.batches)
        return np.concatenate([np.zeros(0, dtype=bool), *masks])

    def _columns(self, documents: slice) -> BlockColumns:
        """Return the blocks of some documents."""
        features = self.table.features
        starts = features.starts[documents.start : documents.stop + 1]
        here = slice(starts[0], starts[-1])
        density = features.words[here].astype(np.float64)
        wrapped = slice(*np.searchsorted(features.wrapped, [here.start, here.stop]))
        density[features.wrapped[wrapped] - here.start] = features.density[wrapped]
        columns = BlockColumns(
            docids=self.table.docids[documents],
            starts=starts - starts[0],
            words=features.words[here].astype(np.int64),
            density=density,
            link_words=features.link_words[here].astype(np.int64),
            texts=[],
        )
        for index, text in enumerate(self._stored):
            columns.memo[StoredMask, text] = features.mask(index, here)
        return columns

    def _mask_of_store(self, rule: Rule, store: BlockStore) -> BoolArray:
        """Return the blocks that a rule keeps which reads the store."""
        starts = self.table.features.starts
        numbers = {docid: n for n, docid in enumerate(self.table.docids)}
        mask = np.zeros(starts[-1], dtype=bool)
        for columns in columns_for(store, [rule]):
            of_store = rule.mask(columns)
            begins = columns.starts.tolist()
            for index, docid in enumerate(columns.docids):
                if (number := numbers.get(docid)) is not None:
                    kept = of_store[begins[index] : begins[index + 1]]
                    if len(kept) != starts[number + 1] - starts[number]:
                        raise IndexingError(
                            f"{docid} has other blocks in {store.path} than in {self._path}; "
                            "build the index again"
                        )
                    mask[starts[number] : starts[number + 1]] = kept
        return mask

    def terms(self, query: str) -> list[str]:
        """Return the terms of a query, with repeats."""
        terms = split_tokens(self._analyzer.tokens([query])[0])
        # As they are in the index; see `BlockAnalyzer.tokens`
        return [term.replace("\u00a0", " ") if self._stacks else term for term in terms]

    def search(
        self, query: str, cleaner: Cleaner | str, similarity: Any, hits: int
    ) -> tuple[Documents, Floats]:
        """Return the best documents under a cleaner, and their scores as Anserini gives them.

        Args:
            query: The query.
            cleaner: The cleaner.
            similarity: Lucene's similarity.
            hits: The greatest number of documents.
        """
        kept = self.kept(cleaner)
        documents, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        for term, count in Counter(self.terms(query)).items():
            with_term, tf = self.table.postings(term, kept)
            if len(with_term):
                documents.append(with_term)
                scores.append(
                    self._scores(term, count, with_term, tf, kept, similarity)
                )
        matched, total = sum_of_terms(documents, scores)
        ranked, highest = best(
            matched, total.astype(np.float32), self.table.ranks, hits
        )
        return ranked, separate_ties(highest)

    def _scores(
        self,
        term: str,
        count: int,
        documents: Documents,
        tf: IntArray,
        kept: KeptDocuments,
        similarity: Any,
    ) -> Floats:
        """Return the scores that Lucene gives the documents with a term."""
        with lucene_errors(self._path):
            raw = java_class("BlockSearch").scores(
                similarity,
                float(count),
                kept.documents,
                kept.tokens,
                term.encode(),
                int(tf.sum()),
                tf.astype("<i4").tobytes(),
                kept.codes[documents].tobytes(),
            )
        return np.frombuffer(raw.tostring(), "<f4")
