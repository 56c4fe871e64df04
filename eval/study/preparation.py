"""The engines that give the runs of a study, and the counter of losses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.eval.experiment.request import ExperimentRequest
from boilersweep.eval.ranking.engines import Engine, IndexEngine, SearchOptions
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.exact.rows import Rows
from boilersweep.eval.ranking.formula_base import RankingModel
from boilersweep.eval.study.results import IndexSize, Losses
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import file_sizes
from boilersweep.indexer.manifest import MANIFEST, read_manifest
from boilersweep.indexer.parallel_indexes import BYTES_PER_TOKEN
from boilersweep.pages.columns import BoolArray, IntArray


class LossCounter:
    """Counts the losses under each cleaner of an exact sweep.

    Attributes:
        terms: (t,) pairs of a query term and a relevant document that has it under the baseline.
        relevant: (t,) relevant documents in the collection.
    """

    def __init__(
        self,
        rows: Rows,
        queries: Mapping[str, Sequence[str]],
        relevant: Mapping[str, frozenset[str]],
    ) -> None:
        """Count the terms of the baseline, the first cleaner, and which ones each cleaner loses.

        Args:
            rows: The rows of the exact sweep.
            queries: Topic -> analysed terms.
            relevant: Topic -> docids; missing documents do not count.
        """
        numbers = {docid: number for number, docid in enumerate(rows.docids)}
        self._relevant = [
            np.array(sorted(numbers[d] for d in docids if d in numbers), dtype=np.int64)
            for docids in relevant.values()
        ]
        self._all = np.unique(np.concatenate([np.empty(0, np.int64), *self._relevant]))
        self._empty = rows.empty
        present: list[int] = []
        lost: list[IntArray] = []
        for topic, documents in zip(relevant, self._relevant, strict=True):
            kept = _terms_kept(rows, dict.fromkeys(queries[topic]), documents)
            present.append(len(kept))
            lost.append((~kept).sum(axis=0))
        self.terms = np.array(present, dtype=np.int64)
        self.relevant = np.array(
            [len(documents) for documents in self._relevant], dtype=np.int64
        )
        self._lost = np.stack(lost)

    def of(self, cleaner: int) -> Losses:
        """Return the losses under a cleaner, by its number."""
        empty = self._empty[cleaner]
        lost = self._lost[:, cleaner]
        total = int(self.terms.sum())
        return Losses(
            relevant_empty=int(empty[self._all].sum()),
            terms_lost=int(lost.sum()) / total if total else None,
            relevant_empty_by_topic=[
                int(empty[documents].sum()) for documents in self._relevant
            ],
            terms_lost_by_topic=lost.tolist(),
        )


def _terms_kept(
    rows: Rows, terms: Mapping[str, None], documents: IntArray
) -> BoolArray:
    """Find the pairs of a term and a document that has it under the baseline.

    Returns:
        (pairs, cleaners) whether a cleaner keeps the pair.
    """
    kept = [np.empty((0, rows.signatures.shape[1]), dtype=bool)]
    for term in terms:
        postings = rows.terms.get(term)
        if postings is None:
            continue
        # Both ascend: search for each of the few documents instead of reading every row.
        first_rows = np.searchsorted(postings.documents, documents)
        after = np.searchsorted(postings.documents, documents, side="right")
        here = np.concatenate(
            [np.empty(0, np.int64), *map(np.arange, first_rows, after)]
        )
        if len(here):
            owners = postings.documents[here]
            first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
            keeping = rows.signatures[postings.signatures[here]]
            whole: BoolArray = np.logical_or.reduceat(keeping, first, axis=0)
            kept.append(whole[whole[:, 0]])
    return np.concatenate(kept)


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
    computed: list[RankingModel] = []
    # The engine itself raises if it can compute none of the models
    if request.engine == "exact":
        computed = [model for model in models if not model.reads_vectors] or list(
            models
        )
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
        return Prepared(engines, frozenset(), placed, None, None)
    losses = LossCounter(counted.rows, counted.queries, request.relevant)
    return Prepared(engines, frozenset(computed), placed, losses, counted.queries)


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
    rate = (
        sum(real[v] for v in once if v in real) / tokens if tokens else BYTES_PER_TOKEN
    )
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
    return sum(
        size
        for name, size in file_sizes(folder).items()
        if name != MANIFEST and (vectors or not name.endswith(_VECTORS))
    )
