"""The engines of an experiment: computed from rows, or real indexes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.eval.experiment.costs import LossCounter
from boilersweep.eval.experiment.request import ExperimentRequest
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine, IndexEngine


@dataclass(frozen=True, slots=True)
class Prepared:
    """The results of the long work.

    Attributes:
        engines: Ranking formula -> the engine that gives its runs.
        placed: Name of a text that is matched to blocks -> how much of it was matched.
        losses: Counts losses; None if they are not shown, or if the analyzer does not work block by
            block.
    """

    engines: Mapping[RankingModel, Engine]
    placed: Mapping[str, AlignmentCounts]
    losses: LossCounter | None = None


def engines_of(
    request: ExperimentRequest,
    variants: Sequence[Variant],
    models: Sequence[RankingModel],
    indexes: Path,
) -> Prepared:
    """Return the engine of each ranking formula, with one pass over the store for all.

    Args:
        request: The topics and the block store. Whatever its engine is, feedback takes the runs
            from real indexes.
        variants: The variants.
        models: The ranking formulas.
        indexes: The folder of real indexes.
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
        real = IndexEngine(
            store,
            variants,
            queries,
            indexes,
            options,
            docvectors=any(model.reads_vectors for model in searched),
            executor=request.options.executor,
        )
        engines |= {model: real.under(model) for model in searched}
        placed = real.placed
    return Prepared(engines, exact[0].placed if exact else placed)
