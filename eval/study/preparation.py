"""The runs of a study, with what is needed to see what cleaning took from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boilersweep.cleaners.variants import Variant
from boilersweep.eval.engines import Engine, EngineName, ExactEngine, IndexEngine, SearchOptions
from boilersweep.eval.exact.engine import ExactSweep
from boilersweep.eval.ranking_models import BM25
from boilersweep.eval.study.losses import LossCounter
from boilersweep.eval.study.results import IndexSize
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.manifest import MANIFEST, read_manifest
from boilersweep.store.store import BlockStore

BYTES_PER_TOKEN = 0.8
"""Of an index without positions, measured on 2,183 English pages."""


_SECONDS_A_TOPIC = 0.003
_SECONDS_A_HIT = 4e-6
_SECONDS_A_HIT_OF_LUCENE = 2e-5
"""Measured on one processor with 2,000 and 10,000 topics: resamples and report; a hit computed,
written and scored; a hit read from a real index.
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """engine: gives the runs. losses, terms: None where the analyzer does not work on blocks one
    by one. terms: topic -> analysed terms of its query, with repeats.
    """

    engine: Engine
    losses: LossCounter | None
    terms: Mapping[str, Sequence[str]] | None


def prepare(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    relevant: Mapping[str, frozenset[str]],
    indexes: Path,
    options: SearchOptions,
    *,
    engine: EngineName,
) -> Prepared:
    """Do the long work of some variants, the baseline first.

    relevant: topic -> docids, for the topics whose losses to count.
    """
    searcher: Engine
    if engine == "exact":
        searcher = ExactEngine(store, variants, queries, options)
        sweep = searcher.sweep
    else:
        searcher = IndexEngine(store, variants, queries, indexes, options)
        start_jvm()
        if not BlockAnalyzer(options.analyzer).is_exact:
            return Prepared(searcher, None, None)
        sweep = ExactSweep(
            store,
            [variant.cleaner for variant in variants],
            queries,
            BM25().formula,  # losses are counted, not scored, and feedback has no exact formula
            analyzer=options.analyzer,
        )
    return Prepared(searcher, LossCounter(sweep.rows, sweep.queries, relevant, 0), sweep.queries)


def estimate_seconds(topics: int, variants: int, real: int, hits: int) -> float:
    """About what a study takes beside its pass over the store. real: variants searched in indexes.

    hits: of a topic, or documents where these are fewer.
    """
    by_hit = variants * _SECONDS_A_HIT + real * _SECONDS_A_HIT_OF_LUCENE
    return topics * (_SECONDS_A_TOPIC + hits * by_hit)


def index_sizes(variants: Mapping[Variant, int], indexes: Path) -> dict[Variant, IndexSize]:
    """The size of each variant's index: of the real one where it stands, else from its tokens.

    variants: with their tokens. The bytes a token takes are those of the real indexes there.
    """
    real = {v: _size(indexes / v.name) for v in variants if read_manifest(indexes / v.name)}
    tokens = sum(variants[variant] for variant in real)
    rate = sum(real.values()) / tokens if tokens else BYTES_PER_TOKEN
    return {
        variant: IndexSize(real[variant], True)
        if variant in real
        else IndexSize(round(count * rate), False)
        for variant, count in variants.items()
    }


def _size(folder: Path) -> int:
    files = (path for path in folder.iterdir() if path.name != MANIFEST)
    return sum(path.stat().st_size for path in files)
