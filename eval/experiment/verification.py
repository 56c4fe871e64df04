"""Prove an exact sweep: build some variants as Lucene indexes and compare every hit.

Lucene's own analyzer reads the texts of a sample of the documents: nothing that the exact engine
knows of tokens is in what Lucene indexes of these. Of all others it is given terms that were
counted beforehand, from the same table of analysed words, but by other code than the exact engine's
rows. So the proof covers ranking, counts and lengths of all documents; a wrong table that spoils
documents outside the sample alone goes unseen, unless all variants are compared with an index of
blocks, whose texts Lucene's own analyzer reads all.
"""

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from heapq import nsmallest
from pathlib import Path

from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import VerificationError
from boilersweep.eval.experiment.engines import (
    IndexBuilder,
    block_engine,
    parallel_engine,
)
from boilersweep.eval.experiment.scored import batches
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import BM25, exact_formula
from boilersweep.eval.ranking.search import (
    Engine,
    SearchOptions,
    VariantRun,
)
from boilersweep.indexer.analyzer import (
    AnalyzerOptions,
    BlockAnalyzer,
    LuceneAnalysis,
    split_tokens,
)
from boilersweep.indexer.jvm import anserini_jar
from boilersweep.indexer.options import Proof
from boilersweep.indexer.parallel_indexes import counts_terms
from boilersweep.outputs.atomic import scratch_folder
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

# Documents that are drawn at least; of more than a hundred times as many, every hundredth.
SAMPLE = 100

SEED = 0


@dataclass(frozen=True, slots=True)
class Verified:
    """A comparison of runs that found no difference.

    Attributes:
        variants: The names of the compared variants.
        hits: How many hits were compared by docid, score and order.
        model: The formula that ranked them.
        documents: The number of documents in the collection.
        sampled: How many of them Lucene's own analyzer read, all or drawn by a seed.
        seed: The seed.
        complete: Whether the indexes had all terms of the other documents, and not only those of
            the queries.
        unverified: The formula whose scores are shown, where Lucene lacks it, so that `model` was
            compared in its place; "" otherwise.
        in_blocks: How many variants were compared, hit by hit, with an index of blocks, of which
            Lucene's own analyzer read all texts.
    """

    variants: tuple[str, ...]
    hits: int
    model: str
    documents: int
    sampled: int
    seed: int
    complete: bool
    unverified: str = ""
    in_blocks: int = 0

    @property
    def indexes(self) -> tuple[str, ...]:
        """Names of the real indexes that it leaves."""
        return self.variants if self.complete else ()

    @property
    def claim(self) -> str:
        """The sentence about what the hits equal."""
        if not self.in_blocks:
            return self._claim_of_indexes
        return (
            f"{self._claim_of_indexes}; counts and hits of {self.in_blocks:,} variants are those "
            "of an index of blocks, whose texts Lucene's own analyzer read all"
        )

    @property
    def _claim_of_indexes(self) -> str:
        if self.sampled == self.documents:
            return (
                "are those of real indexes, docid by docid and score by score; Lucene's own "
                f"analyzer read all {self.documents:,} documents"
            )
        indexes = (
            "real indexes" if self.complete else "Lucene indexes of the queries' terms"
        )
        return (
            f"are those of {indexes}, docid by docid and score by score; Lucene's own analyzer "
            f"read {self.sampled:,} of {self.documents:,} documents, drawn by seed {self.seed}, "
            "and the terms of the others were given"
        )

    def __str__(self) -> str:
        shown = (
            f"{self.unverified} is not verified, as Lucene has no such formula; in its place, "
            if self.unverified
            else ""
        )
        return (
            f"{shown}verified: {self.hits:,} hits of {len(self.variants)} runs "
            f"({', '.join(self.variants[:5])}{', ...' if len(self.variants) > 5 else ''}) "
            f"for {self.model} {self.claim}"
        )


def spread(variants: Sequence[Variant], count: int) -> list[Variant]:
    """Choose some variants, evenly spread, with the first and the last among them."""
    if count >= len(variants):
        return list(variants)
    if count == 1:
        return [variants[0]]
    step = (len(variants) - 1) / (count - 1)
    return [variants[round(index * step)] for index in range(count)]


def drawn(docids: Iterable[str], documents: int, seed: int) -> frozenset[str] | None:
    """Draw a sample of the documents: those with the smallest digests, whatever their order.

    Args:
        docids: All docids.
        documents: Their number.
        seed: The seed of the digests.

    Returns:
        The sample; None for all documents of a small collection.
    """
    count = max(SAMPLE, documents // 100)
    if count >= documents:
        return None

    def digest(docid: str) -> bytes:
        return hashlib.blake2b(f"{seed} {docid}".encode(), digest_size=8).digest()

    return frozenset(nsmallest(count, docids, key=digest))


@dataclass(frozen=True, slots=True, kw_only=True)
class RealIndexes:
    """The real indexes to compare runs with.

    Attributes:
        store: The block store.
        queries: Topic -> query.
        folder: The folder of the indexes, beside which they may be for a while.
        options: How the topics are run.
        build: Builds indexes that stay; None to build them in the folder.
        in_blocks: The variants to compare with an index of blocks, too, of which Lucene's own
            analyzer reads all texts; those that keep a text beside the blocks are left out.
        complete: Leave real indexes in the folder; otherwise they have the terms of the queries
            only, and are removed.
        docvectors: Give the indexes document vectors, for other formulas that read them.
    """

    store: BlockStore
    queries: Mapping[str, str]
    folder: Path
    options: SearchOptions
    build: IndexBuilder | None = None
    in_blocks: Sequence[Variant] = ()
    complete: bool = False
    docvectors: bool = False


def verify(exact: Engine, variants: Sequence[Variant], real: RealIndexes) -> Verified:
    """Compare the runs of an exact engine with those of real indexes.

    The formula of Lucene 2.9 has no counterpart in today's Lucene: there the
    terms' rows are compared under BM25.

    Args:
        exact: The exact engine.
        variants: The variants to compare.
        real: The real indexes.

    Returns:
        The counts of what was compared.

    Raises:
        VerificationError: A run differs.
        IndexingError: An index has another recipe, is damaged, or cannot be built.
    """
    store, queries, options = real.store, real.queries, real.options
    unverified = ""
    if not exact_formula(options.model).lucene:
        unverified = str(options.model)
        options = replace(options, model=BM25())
        every = list(dict.fromkeys([*variants, *real.in_blocks]))
        exact = ExactEngine(store, every, queries, options)
    sample = None
    analyzer = BlockAnalyzer(options.analyzer)
    if counts_terms(analyzer, docvectors=real.docvectors):
        sample = drawn(store.docids(), store.documents, SEED)
    proof = Proof(sample, SEED)
    indexes: Path | IndexBuilder = real.build or real.folder
    complete = real.complete or sample is None
    with ExitStack() as stack:
        if not complete:
            proof = replace(proof, terms=_terms_of(queries, options.analyzer))
            indexes = stack.enter_context(scratch_folder(real.folder)) / "indexes"
        engine = parallel_engine(
            store,
            variants,
            queries,
            indexes,
            options,
            docvectors=real.docvectors,
            proof=proof,
        )
        hits = _compare_all(exact, engine, variants, list(queries))
    in_blocks = _compare_in_blocks(exact, real, options)
    return Verified(
        variants=tuple(variant.name for variant in variants),
        hits=hits,
        model=str(options.model),
        documents=store.documents,
        sampled=store.documents if sample is None else len(sample),
        seed=SEED,
        complete=complete,
        unverified=unverified,
        in_blocks=in_blocks,
    )


def _compare_in_blocks(exact: Engine, real: RealIndexes, options: SearchOptions) -> int:
    """Compare variants with an index of blocks, which is then removed; return their number."""
    variants = [v for v in real.in_blocks if not isinstance(v.cleaner, PageText)]
    if variants:
        with (
            scratch_folder(real.folder) as folder,
            block_engine(
                real.store, variants, real.queries, folder / "index", options
            ) as engine,
        ):
            _compare_all(exact, engine, variants, list(real.queries))
    return len(variants)


def _terms_of(queries: Mapping[str, str], options: AnalyzerOptions) -> frozenset[str]:
    """Return the terms of all queries, analysed as Lucene's searcher does."""
    analysed = LuceneAnalysis(options).tokens(list(queries.values()))
    return frozenset(term for tokens in analysed for term in split_tokens(tokens))


def join_verified(comparisons: Iterable[Verified]) -> Verified:
    """Join the verifications of the same variants under several formulas, at least one."""
    parts = list(comparisons)
    models = ", ".join(dict.fromkeys(part.model for part in parts))
    unverified = next((part.unverified for part in parts if part.unverified), "")
    hits = sum(part.hits for part in parts)
    return replace(parts[0], hits=hits, model=models, unverified=unverified)


def _differ(message: str) -> VerificationError:
    return VerificationError(
        f"{message}; the exact engine computes what pyserini's own Anserini does: check that "
        f"{anserini_jar()} is its unchanged jar (ANSERINI_CLASSPATH leads to others), or use "
        "`engine` indexes"
    )


def _compare_all(
    exact: Engine, real: Engine, variants: Sequence[Variant], topics: Sequence[str]
) -> int:
    """Return how many hits of some variants are equal; raises VerificationError if one is not."""
    hits = 0
    with steps("verify", len(variants), "variants") as bar:
        for variant in variants:
            for batch in batches(topics):
                hits += _compare(exact.run(variant, batch), real.run(variant, batch))
            bar.update()
    return hits


def _compare(exact: VariantRun, real: VariantRun) -> int:
    where = exact.variant.name
    counts = ("documents", "empty", "tokens")
    for name in counts:
        if getattr(exact, name) != getattr(real, name):
            raise _differ(
                f"{where}: the exact engine counts {getattr(exact, name):,} {name}, Lucene's "
                f"index {getattr(real, name):,}"
            )
    hits = 0
    for topic, expected in real.run.items():
        computed = list(exact.run[topic])
        hits += len(expected)
        if computed != expected:
            pairs = zip(computed, expected)  # noqa: B905
            same = itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
            place = len(list(same))
            raise _differ(
                f"{where}, topic {topic}, rank {place + 1}: the exact engine has "
                f"{computed[place : place + 1]}, Lucene's index {expected[place : place + 1]}"
            )
    return hits
