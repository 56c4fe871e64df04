"""Prove an exact sweep: build some variants as real indexes and compare every hit.

Lucene makes these of the texts alone, by its own analyzer: nothing that the exact engine knows of
tokens is in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.cleaners.variants import Variant
from boilersweep.errors import VerificationError
from boilersweep.eval.engines import Engine, ExactEngine, IndexEngine, SearchOptions, VariantRun
from boilersweep.eval.ranking_models import BM25, Dense, Hybrid, Lucene29
from boilersweep.eval.scored import batches
from boilersweep.indexer.jvm import anserini_jar
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps


@dataclass(frozen=True, slots=True)
class Verified:
    """hits: compared, docid, score and order, without a difference. model: what ranked them."""

    variants: tuple[str, ...]
    hits: int
    model: str

    def __str__(self) -> str:
        return (
            f"verified: {self.hits:,} hits of {len(self.variants)} runs "
            f"({', '.join(self.variants[:5])}{', ...' if len(self.variants) > 5 else ''}) "
            f"are those of real indexes, docid by docid and score by score, for {self.model}"
        )


def spread(variants: Sequence[Variant], count: int) -> list[Variant]:
    """So many of the variants, evenly spread, the first and the last among them."""
    if count >= len(variants):
        return list(variants)
    if count == 1:
        return [variants[0]]
    step = (len(variants) - 1) / (count - 1)
    return [variants[round(number * step)] for number in range(count)]


def verify(
    exact: Engine,
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    indexes: Path,
    options: SearchOptions,
    build: IndexBuilder = build_parallel_indexes,
    *,
    docvectors: bool = False,
) -> Verified:
    """Compare the runs of an exact engine with those of real indexes, which `build` makes.

    docvectors: have them in the indexes, for other formulas that read them.

    The formula of Lucene 2.9 and those of vectors have no counterpart in today's Lucene: there the
    terms' rows are compared under BM25. Raises VerificationError at the first difference.
    """
    if isinstance(options.model, Lucene29 | Dense | Hybrid):
        options = replace(options, model=BM25())
        exact = ExactEngine(store, variants, queries, options)
    real = IndexEngine(
        *(store, variants, queries, indexes, options, build),
        docvectors=docvectors,
        by_lucene=True,
    )
    hits = 0
    with steps("verify", len(variants), "variants") as bar:
        for variant in variants:
            for topics in batches(list(queries)):
                hits += _compare(exact.run(variant, topics), real.run(variant, topics))
            bar.update()
    names = tuple(variant.name for variant in variants)
    return Verified(names, hits, str(options.model))


def join_verified(found: Iterable[Verified]) -> Verified:
    """What was verified of the same variants under several formulas, at least one."""
    parts = list(found)
    models = ", ".join(dict.fromkeys(part.model for part in parts))
    return Verified(parts[0].variants, sum(part.hits for part in parts), models)


def _differ(message: str) -> VerificationError:
    return VerificationError(
        f"{message}; the exact engine computes what pyserini's own Anserini does: check that "
        f"{anserini_jar()} is its unchanged jar (ANSERINI_CLASSPATH leads to others), or use "
        "--engine indexes"
    )


def _compare(exact: VariantRun, real: VariantRun) -> int:
    where = exact.variant.name
    counts = ("documents", "empty", "tokens")
    for name in counts:
        if getattr(exact, name) != getattr(real, name):
            raise _differ(
                f"{where}: the exact engine counts {getattr(exact, name):,} {name}, the real "
                f"index {getattr(real, name):,}"
            )
    hits = 0
    for topic, expected in real.run.items():
        found = exact.run[topic]
        hits += len(expected)
        if found != expected:
            place = next(
                (
                    n
                    for n, pair in enumerate(zip(found, expected, strict=False))
                    if pair[0] != pair[1]
                ),
                min(len(found), len(expected)),
            )
            raise _differ(
                f"{where}, topic {topic}, rank {place + 1}: the exact engine has "
                f"{found[place : place + 1]}, the real index {expected[place : place + 1]}"
            )
    return hits
