"""The runs of a study, with what is needed to see what cleaning took from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.variants import Variant
from boilersweep.cleaners.weighted import Weighted
from boilersweep.eval.engines import Engine, EngineName, ExactEngine, IndexEngine, SearchOptions
from boilersweep.eval.exact.engine import ExactSweep
from boilersweep.eval.ranking_models import BM25, RankingModel
from boilersweep.eval.study.losses import LossCounter
from boilersweep.eval.study.results import IndexSize
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import file_sizes
from boilersweep.indexer.manifest import MANIFEST, read_manifest
from boilersweep.indexer.parallel import BYTES_PER_TOKEN
from boilersweep.store.store import BlockStore

_VECTORS = (".tvd", ".tvm", ".tvx")
"""Files of an index that hold document vectors."""

_SECONDS_A_TOPIC = 0.0045
_SECONDS_A_HIT = 4e-6
_SECONDS_A_HIT_OF_LUCENE = 2e-5
"""Measured on one processor with 2,000 and 10,000 topics: resamples and report; a hit computed,
written and scored; a hit read from a real index.
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """engines: give the runs, by ranking formula. exact: the formulas whose runs are computed.

    placed: by name of the texts that are matched to blocks, how much of them was matched.
    losses, terms: None where the analyzer does not work on blocks one by one.
    terms: topic -> analysed terms of its query, with repeats.
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
    """Do the long work of some variants, the baseline first, once for all ranking formulas.

    relevant: topic -> docids, for the topics whose losses to count. Of feedback real indexes give
    the runs although the engine is the exact one.
    """
    engines: dict[RankingModel, Engine] = {}
    placed: Mapping[str, AlignmentCounts] = {}
    sweep: ExactSweep | None = None
    computed: list[RankingModel] = []
    if engine == "exact":  # which says so itself where there is nothing that it can compute
        computed = [model for model in models if not model.reads_vectors] or list(models)
    exact: list[ExactEngine] = []
    for model in computed:
        found = next((one for other in exact if (one := other.under(model))), None)
        if found is None:
            found = ExactEngine(store, variants, queries, replace(options, model=model))
            exact.append(found)
        engines[model] = found
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
            BM25().formula,  # losses are counted, not scored, and feedback has no exact formula
            analyzer=options.analyzer,
        )
    if sweep is None:
        return Prepared(engines, frozenset(), placed, None, None)
    losses = LossCounter(sweep.rows, sweep.queries, relevant, 0)
    return Prepared(engines, frozenset(computed), placed, losses, sweep.queries)


def estimate_seconds(topics: int, variants: int, real: int, hits: int) -> float:
    """About what a study takes beside its pass over the store. real: variants searched in indexes.

    hits: of a topic, or documents where these are fewer.
    """
    by_hit = variants * _SECONDS_A_HIT + real * _SECONDS_A_HIT_OF_LUCENE
    return topics * (_SECONDS_A_TOPIC + hits * by_hit)


def index_sizes(
    variants: Mapping[Variant, int], indexes: Path, *, vectors: bool = True
) -> dict[Variant, IndexSize]:
    """The size of each variant's index: of the real one if it is there, else from its tokens.

    variants: with their tokens. The bytes a token takes are those of the real indexes there. What
    counts some blocks several times keeps all, and takes as much as what keeps most.
    vectors: count their document vectors, where they have any.
    """
    standing = [v for v in variants if read_manifest(indexes / v.name)]
    real = {v: _size(indexes / v.name, vectors=vectors) for v in standing}
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
    sizes = file_sizes(folder).items()
    return sum(
        size
        for name, size in sizes
        if name != MANIFEST and (vectors or not name.endswith(_VECTORS))
    )
