"""The engines that give the runs of a study, and the counter of losses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.eval.ranking.engines import (
    Engine,
    EngineName,
    ExactEngine,
    IndexEngine,
    SearchOptions,
)
from boilersweep.eval.ranking.exact.engine import ExactSweep
from boilersweep.eval.ranking.formula import RankingModel
from boilersweep.eval.ranking.models import BM25
from boilersweep.eval.study.losses import LossCounter
from boilersweep.eval.study.results import IndexSize
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import file_sizes
from boilersweep.indexer.manifest import MANIFEST, read_manifest
from boilersweep.indexer.parallel import BYTES_PER_TOKEN
from boilersweep.store.store import BlockStore

# Endings of an index's files with document vectors.
_VECTORS = (".tvd", ".tvm", ".tvx")

_SECONDS_A_TOPIC = 0.0045
_SECONDS_A_HIT = 4e-6
# Seconds measured on one processor with 2,000 and 10,000 topics.
#
# For a topic's resamples and report; to compute, write and score a hit; to read a hit from a real
# index.
_SECONDS_A_HIT_OF_LUCENE = 2e-5


@dataclass(frozen=True, slots=True)
class Prepared:
    """The results of the long work.

    Attributes:
        engines: Ranking formula -> the engine that gives its runs.
        exact: The formulas whose runs are computed.
        placed: Name of a text that is matched to blocks -> how much of it was matched.
        losses: Counts losses; None if the analyzer does not work block by block.
        terms: Topic -> analysed terms of its query, with repeats; None as `losses`.
    """

    engines: Mapping[RankingModel, Engine]
    exact: frozenset[RankingModel]
    placed: Mapping[str, AlignmentCounts]
    losses: LossCounter | None
    terms: Mapping[str, Sequence[str]] | None


def prepare(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    relevant: Mapping[str, frozenset[str]],
    indexes: Path,
    options: SearchOptions,
    models: Sequence[RankingModel],
    *,
    engine: EngineName,
) -> Prepared:
    """Do the long work, once for all ranking formulas.

    Args:
        store: The block store.
        variants: The variants, the baseline first.
        queries: Topic -> query.
        relevant: Topic -> docids, for the topics whose losses to count.
        indexes: The folder of real indexes.
        options: How the topics are run.
        models: The ranking formulas.
        engine: What gives the runs; for feedback these are real indexes, whatever it is.

    Returns:
        The engines.
    """
    engines: dict[RankingModel, Engine] = {}
    placed: Mapping[str, AlignmentCounts] = {}
    sweep: ExactSweep | None = None
    computed: list[RankingModel] = []
    if engine == "exact":  # the engine itself raises if it can compute none of the models
        computed = [model for model in models if not model.reads_vectors] or list(models)
    exact: list[ExactEngine] = []
    for model in computed:
        shared = next((under for other in exact if (under := other.under(model))), None)
        if shared is None:
            shared = ExactEngine(store, variants, queries, replace(options, model=model))
            exact.append(shared)
        engines[model] = shared
    searched = [model for model in models if model not in engines]
    if searched:
        vectors = any(model.reads_vectors for model in searched)
        real = IndexEngine(store, variants, queries, indexes, options, docvectors=vectors)
        engines |= {model: real.under(model) for model in searched}
        placed = real.placed
    start_jvm()
    if exact:
        sweep, placed = exact[0].sweep, exact[0].placed
    elif BlockAnalyzer(options.analyzer).is_blockwise:
        sweep = ExactSweep(
            store,
            [variant.cleaner for variant in variants],
            queries,
            BM25(),  # losses need no scores, and feedback has no exact formula
            analyzer=options.analyzer,
        )
    if sweep is None:
        return Prepared(engines, frozenset(), placed, None, None)
    losses = LossCounter(sweep.rows, sweep.queries, relevant, 0)
    return Prepared(engines, frozenset(computed), placed, losses, sweep.queries)


def estimate_seconds(topics: int, variants: int, real: int, hits: int) -> float:
    """Estimate the seconds of a study besides its pass over the store.

    Args:
        topics: The number of topics.
        variants: The number of variants.
        real: The number of variants searched in real indexes.
        hits: The hits of a topic, or the documents if these are fewer.

    Returns:
        The seconds.
    """
    by_hit = variants * _SECONDS_A_HIT + real * _SECONDS_A_HIT_OF_LUCENE
    return topics * (_SECONDS_A_TOPIC + hits * by_hit)


def index_sizes(
    variants: Mapping[Variant, int], indexes: Path, *, vectors: bool = True
) -> dict[Variant, IndexSize]:
    """Return the size of each variant's index: the real one's, or an estimate from its tokens.

    The real indexes give the bytes per token. A weighted cleaner keeps all blocks, and takes as
    much as the variant that keeps most.

    Args:
        variants: Variant -> tokens.
        indexes: The folder of real indexes.
        vectors: Whether document vectors count.
    """
    built = [v for v in variants if read_manifest(indexes / v.name)]
    real = {v: _size(indexes / v.name, vectors=vectors) for v in built}
    once = {v: n for v, n in variants.items() if not isinstance(v.cleaner, Weighted)}
    tokens = sum(count for variant, count in once.items() if variant in real)
    rate = sum(real[v] for v in once if v in real) / tokens if tokens else BYTES_PER_TOKEN
    most = max(once.values(), default=0)
    variants = {v: min(n, once.get(v, most)) for v, n in variants.items()}
    return {
        variant: IndexSize(real[variant], True)
        if variant in real
        else IndexSize(round(count * rate), False)
        for variant, count in variants.items()
    }


def _size(folder: Path, *, vectors: bool) -> int:
    """Return the bytes of an index."""
    sizes = file_sizes(folder).items()
    return sum(
        size
        for name, size in sizes
        if name != MANIFEST and (vectors or not name.endswith(_VECTORS))
    )
