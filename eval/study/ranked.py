"""From the engines of a study, through its runs under a formula, to its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.experiment.costs import IndexSize, LossCounter, tokens_once
from boilersweep.eval.experiment.folder import run_name
from boilersweep.eval.experiment.run import Experiment
from boilersweep.eval.experiment.scored import ScoredTopics, Scores
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine, SearchOptions
from boilersweep.eval.stats.frames import Result, Role, Row
from boilersweep.eval.stats.scoring import RunScores
from boilersweep.eval.study.choice import (
    Choice,
    TunedEngine,
    Tuning,
    best,
    choose,
    model_scores,
    tune,
)
from boilersweep.eval.study.differences import Group
from boilersweep.eval.study.plan import StudyFormula, StudyPlan
from boilersweep.indexer.analyzer import BlockAnalyzer

# Measured on one processor with 2,000 and 10,000 topics: for a topic's resamples and report; to
# compute, write and score a hit; to read a hit from a real index.
_SECONDS_A_TOPIC = 0.0045
_SECONDS_A_HIT = 4e-6
_SECONDS_A_HIT_OF_LUCENE = 2e-5


def loss_counter(running: Experiment) -> LossCounter | None:
    """Return what counts losses; None if the analyzer does not work block by block."""
    request, engines = running.request, running.engines.values()
    counted = next(
        (engine for engine in engines if isinstance(engine, ExactEngine)), None
    )
    if counted is None and BlockAnalyzer(request.search.analyzer).is_blockwise:
        # Losses need no scores, and feedback has no exact formula.
        options = SearchOptions(analyzer=request.search.analyzer)
        variants, queries = running.variants, request.queries
        counted = ExactEngine(request.store, variants, queries, options)
    return None if counted is None else LossCounter(counted, request.relevant)


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


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The variants under a formula.

    Attributes:
        formula: The formula.
        scores: The run of each variant, in their order.
        tuning: The variants' choices, if the formula's parameters are tuned.
    """

    formula: StudyFormula
    scores: Scores
    tuning: Tuning | None


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A future row of a study, in the order of the rows.

    Attributes:
        name: The name of the variant or of the external run.
        role: Its role.
        scores: Its scores.
        place: The variant's place; None for an external run.
    """

    name: str
    role: Role
    scores: RunScores
    place: int | None = None


def rank(plan: StudyPlan, formula: StudyFormula, running: Experiment) -> Ranked:
    """Run and score every variant under a formula, and write the runs."""
    request, variants = plan.request, plan.variants
    engine: Engine = running.engines[formula.models[0]]
    if formula.among:
        among = [running.engines[model] for model in formula.among]
        topics = list(request.grades)
        judged = ScoredTopics(topics, request.grades, request.measures[:1])
        threads, folder = request.search.threads, request.runs_folder
        by_model = model_scores(among, variants, judged, threads, folder)
        tuning = tune(formula.among, by_model, seed=plan.options.seed)
        engine = TunedEngine(among, variants, topics, tuning)
        # A tuned formula chooses by judgements, measures and seed.
        more = running.identity
        return Ranked(
            formula, running.scores(engine, variants, formula.name, more), tuning
        )
    sweep = plan.options.finished
    is_swept = sweep and sweep.manifest.model == str(formula.model)
    runs = sweep.written if sweep and is_swept else None
    scores = running.scores(engine, variants, formula.name, formula.identity, runs)
    return Ranked(formula, scores, None)


def choose_cleaner(plan: StudyPlan, main: Ranked) -> tuple[Choice | None, int]:
    """Choose a cleaner by cross-validation.

    Of equal variants the baseline wins, then the one that keeps most. Weighting text has the effect
    of other parameters of the formula, so a weighted cleaner is chosen only if the parameters are
    tuned for each cleaner.

    Args:
        plan: The study.
        main: The variants under the first formula.

    Returns:
        The choice, None for one topic; and the place of the best variant on all topics.
    """
    candidates = [
        place
        for place in plan.compared.candidates
        if place == 0
        or main.tuning
        or not isinstance(plan.variants[place].cleaner, Weighted)
    ]
    runs = main.scores.runs
    candidates.sort(key=lambda place: (place > 0, -runs[place].tokens))
    scores = main.scores.values(plan.tested[0])
    training = main.tuning.training if main.tuning else None
    choice = choose(
        plan.tested[0], scores, candidates, seed=plan.options.seed, training=training
    )
    return choice, best(scores, candidates)


def models_to_verify(ranked: Sequence[Ranked], winner: int) -> list[RankingModel]:
    """Return the model of each formula; of tuned ones the model of the best variant."""
    return [
        one.tuning.models[one.tuning.best[winner]] if one.tuning else one.formula.model
        for one in ranked
    ]


def entries_of(
    plan: StudyPlan, ranked: Ranked, external_runs: Mapping[str, RunScores]
) -> list[Entry]:
    """Return the variants in their order, and external runs before the gold text.

    Args:
        plan: The study.
        ranked: The variants under a formula.
        external_runs: Name of an external run -> its scores.
    """
    variants = [
        Entry(run.variant.name, role, run.scores, index)
        for index, (run, role) in enumerate(
            zip(ranked.scores.runs, plan.compared.roles, strict=True)
        )
    ]
    runs = [Entry(name, "run", scores) for name, scores in external_runs.items()]
    return sorted([*variants, *runs], key=lambda entry: entry.role == "gold")


def group_of(ranked: Ranked, entries: Sequence[Entry]) -> Group:
    """Return the group to compare under a formula, with a run per entry."""
    gold = next((n for n, entry in enumerate(entries) if entry.role == "gold"), None)
    scores = [entry.scores for entry in entries]
    return Group(scores, gold, is_tested=ranked.formula.tested)


def study_rows(
    plan: StudyPlan,
    ranked: Ranked,
    entries: Sequence[Entry],
    results: Sequence[dict[str, Result]],
    losses: LossCounter | None,
    sizes: Mapping[Variant, IndexSize],
) -> list[Row]:
    """Return the rows under a formula.

    Args:
        plan: The study.
        ranked: The variants under the formula.
        entries: The entries.
        results: Measure -> result of each entry.
        losses: Counts losses; None if they are not shown.
        sizes: The sizes of the indexes.
    """
    rows = []
    for entry, result in zip(entries, results, strict=True):
        place, facts = entry.place, dict[str, Any]()
        formula = "" if place is None else ranked.formula.name
        if place is not None:
            facts = _facts(ranked, place, sizes)
            if ranked.tuning:
                facts |= ranked.tuning.of(place)
            if losses:
                facts |= losses.of(place)
        feature, threshold = plan.points.get(entry.name, (None, None))
        rows.append(
            Row(
                formula=formula or None,
                name=entry.name,
                cleaner=facts.pop("cleaner", None),
                role=entry.role,
                feature=feature,
                threshold=threshold,
                results=result,
                scores=entry.scores.by_measure,
                run=run_name(entry.name, formula),
                **facts,
            )
        )
    return rows


def _facts(
    ranked: Ranked, place: int, sizes: Mapping[Variant, IndexSize]
) -> dict[str, Any]:
    """Return the counts and sizes of a variant as fields of `Row`."""
    runs = ranked.scores.runs
    once = tokens_once({run.variant: run.tokens for run in runs})
    run, kept = runs[place], once[runs[0].variant]
    size = sizes[run.variant]
    return {
        "cleaner": str(run.variant),
        "documents": run.documents,
        "empty": run.empty,
        "tokens": run.tokens,
        "tokens_kept": once[run.variant] / kept if kept else None,
        "index_bytes": size.bytes,
        "index_measured": size.measured,
    }
