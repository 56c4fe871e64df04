"""The engines that give the runs of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.eval.experiment.request import ExperimentRequest
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine, IndexEngine, SearchOptions
from boilersweep.eval.study.costs import LossCounter
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.jvm import start_jvm

# Measured on one processor with 2,000 and 10,000 topics: for a topic's resamples and report; to
# compute, write and score a hit; to read a hit from a real index.
_SECONDS_A_TOPIC = 0.0045
_SECONDS_A_HIT = 4e-6
_SECONDS_A_HIT_OF_LUCENE = 2e-5


@dataclass(frozen=True, slots=True)
class Prepared:
    """The results of the long work.

    Attributes:
        engines: Ranking formula -> the engine that gives its runs.
        placed: Name of a text that is matched to blocks -> how much of it was matched.
        losses: Counts losses; None if the analyzer does not work block by block.
    """

    engines: Mapping[RankingModel, Engine]
    placed: Mapping[str, AlignmentCounts]
    losses: LossCounter | None


def prepare(
    request: ExperimentRequest,
    variants: Sequence[Variant],
    models: Sequence[RankingModel],
    indexes: Path,
) -> Prepared:
    """Do the long work, once for all ranking formulas.

    Args:
        request: The topics and the block store. Whatever its engine is, feedback takes the runs
            from real indexes.
        variants: The variants, the baseline first.
        models: The ranking formulas.
        indexes: The folder of real indexes.

    Returns:
        The engines.
    """
    store, queries, options = request.store, request.queries, request.search
    engines: dict[RankingModel, Engine] = {}
    placed: Mapping[str, AlignmentCounts] = {}
    computed: Sequence[RankingModel] = ()
    if request.engine == "exact":
        # If it can compute none of the models, the exact engine itself raises the error.
        computed = [model for model in models if not model.reads_vectors] or models
    exact: list[ExactEngine] = []
    for model in computed:
        shared = next((under for other in exact if (under := other.under(model))), None)
        if shared is None:
            shared = ExactEngine(
                store, variants, queries, replace(options, model=model)
            )
            exact.append(shared)
        engines[model] = shared
    searched = [model for model in models if model not in engines]
    if searched:
        vectors = any(model.reads_vectors for model in searched)
        real = IndexEngine(
            store, variants, queries, indexes, options, docvectors=vectors
        )
        engines |= {model: real.under(model) for model in searched}
        placed = real.placed
    start_jvm()
    if exact:
        counted, placed = exact[0], exact[0].placed
    elif BlockAnalyzer(options.analyzer).is_blockwise:
        # Losses need no scores, and feedback has no exact formula.
        counted = ExactEngine(
            store, variants, queries, SearchOptions(analyzer=options.analyzer)
        )
    else:
        return Prepared(engines, placed, None)
    return Prepared(engines, placed, LossCounter(counted, request.relevant))


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
