"""From the runs under a formula to the rows of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec.structs import asdict

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.rules import Weighted
from boilersweep.eval.experiment.folder import RUNS, run_name
from boilersweep.eval.experiment.scored import ScoredTopics
from boilersweep.eval.experiment.verification import Verified, join_verified, spread
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import VariantRun
from boilersweep.eval.stats.scoring import Scores
from boilersweep.eval.study.cross_validation import Choice, best, choose
from boilersweep.eval.study.differences import Group, Result
from boilersweep.eval.study.plan import StudyFormula, StudyPlan
from boilersweep.eval.study.preparation import Prepared
from boilersweep.eval.study.results import FormulaRow, IndexSize, Role, StudyRow
from boilersweep.eval.study.tuning import TunedEngine, Tuning, model_scores, tune
from boilersweep.outputs.atomic import make_folder
from boilersweep.pages.columns import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The variants under a formula.

    Attributes:
        formula: The formula.
        found: Each variant's counts, in their order.
        scores: Measure -> (t, v) scores of topics and variants.
        tuning: The variants' choices, if the formula's parameters are tuned.
    """

    formula: StudyFormula
    found: list[VariantRun]
    scores: dict[str, FloatArray]
    tuning: Tuning | None


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A future row of a study, in the order of the rows.

    Attributes:
        name: The name of the variant or of the external run.
        role: Its role.
        scores: Measure -> (t,) scores.
        place: The variant's place; None for an external run.
    """

    name: str
    role: Role
    scores: Mapping[str, FloatArray]
    place: int | None = None


def rank(plan: StudyPlan, formula: StudyFormula, prepared: Prepared) -> Ranked:
    """Run and score every variant under a formula, and write the runs."""
    request, variants = plan.request, plan.compared.variants
    tuning = None
    engine = prepared.engines[formula.models[0]]
    if formula.among:
        among = [prepared.engines[model] for model in formula.among]
        topics = list(request.grades)
        judged = ScoredTopics(topics, request.grades, request.measures[:1])
        threads, folder = request.search.threads, request.output / RUNS
        by_model = model_scores(among, variants, judged, threads, folder)
        tuning = tune(formula.among, by_model, seed=plan.options.seed)
        engine = TunedEngine(among, variants, topics, tuning)
    make_folder(request.output / RUNS / formula.name)
    runs = {
        variant: request.output / run_name(variant.name, formula.name)
        for variant in variants
    }
    scored = request.score(engine, runs)
    scores = {
        measure: np.array(
            [
                [one.scores.by_topic[topic][measure] for one in scored]
                for topic in request.grades
            ]
        )
        for measure in request.measure_names
    }
    return Ranked(formula, [one.found for one in scored], scores, tuning)


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
        or not isinstance(main.found[place].variant.cleaner, Weighted)
    ]
    candidates.sort(key=lambda place: (place > 0, -main.found[place].tokens))
    scores = main.scores[plan.tested[0]]
    training = main.tuning.training if main.tuning else None
    choice = choose(
        plan.tested[0], scores, candidates, seed=plan.options.seed, training=training
    )
    return choice, best(scores, candidates)


def verify_runs(
    plan: StudyPlan,
    ranked: Sequence[Ranked],
    prepared: Prepared,
    winner: int,
    indexes: Path,
) -> Verified | None:
    """Compare computed runs with those of real indexes.

    Args:
        plan: The study.
        ranked: The variants under each formula.
        prepared: The engines.
        winner: The best variant; it is verified besides the baseline unless the options give a
            number.
        indexes: The folder of real indexes.

    Returns:
        What was compared; None if no run is computed.
    """
    models = _models_to_verify(ranked, prepared, winner)
    if not models:
        return None
    variants, count = plan.compared.variants, plan.request.verification.variants
    chosen = (
        [variants[place] for place in dict.fromkeys([0, winner])]
        if count is None
        else spread(variants, count)
    )
    return join_verified(
        plan.request.verify(
            prepared.engines[model],
            chosen,
            indexes,
            model=model,
            complete=True,  # their sizes are in the table
            docvectors=plan.reads_vectors,
        )
        for model in models
    )


def _models_to_verify(
    ranked: Sequence[Ranked], prepared: Prepared, winner: int
) -> list[RankingModel]:
    """Return the models whose runs are computed; of tuned ones the model of the best variant."""
    models = []
    for one in ranked:
        model = one.formula.model
        if one.tuning:
            model = one.tuning.models[one.tuning.best[winner]]
        models.append(model)
    return [
        model
        for model in dict.fromkeys(models)
        if not prepared.engines[model].needs_java
    ]


def entries_of(
    plan: StudyPlan, ranked: Ranked, outside: Mapping[str, Scores]
) -> list[Entry]:
    """Return the variants in their order, and external runs before the gold text.

    Args:
        plan: The study.
        ranked: The variants under a formula.
        outside: Name of an external run -> its scores.
    """
    variants = [
        Entry(
            found.variant.name,
            role,
            {measure: values[:, place] for measure, values in ranked.scores.items()},
            place,
        )
        for place, (found, role) in enumerate(
            zip(ranked.found, plan.compared.roles, strict=True)
        )
    ]
    runs = [
        Entry(
            name,
            "run",
            {
                m: np.array([topic[m] for topic in one.by_topic.values()])
                for m in ranked.scores
            },
        )
        for name, one in outside.items()
    ]
    return sorted([*variants, *runs], key=lambda entry: entry.role == "gold")


def group_of(ranked: Ranked, entries: Sequence[Entry]) -> Group:
    """Return the group to compare under a formula, with a column per entry."""
    scores = {
        measure: np.column_stack([entry.scores[measure] for entry in entries])
        for measure in ranked.scores
    }
    gold = next((n for n, entry in enumerate(entries) if entry.role == "gold"), None)
    return Group(scores, gold, is_tested=ranked.formula.tested)


def formula_rows(
    ranked: Ranked, entries: Sequence[Entry], results: Sequence[dict[str, Result]]
) -> list[FormulaRow]:
    """Return the rows under a formula.

    Args:
        ranked: The variants under the formula.
        entries: The entries.
        results: Measure -> result of each entry.
    """
    return [
        FormulaRow(
            name=entry.name,
            results=result,
            scores={
                measure: values.tolist() for measure, values in entry.scores.items()
            },
            run=run_name(
                entry.name, "" if entry.place is None else ranked.formula.name
            ),
            tuned=ranked.tuning.of(entry.place)
            if ranked.tuning and entry.place is not None
            else None,
        )
        for entry, result in zip(entries, results, strict=True)
    ]


def study_rows(
    plan: StudyPlan,
    ranked: Ranked,
    entries: Sequence[Entry],
    results: Sequence[dict[str, Result]],
    prepared: Prepared,
    sizes: Mapping[Variant, IndexSize],
) -> list[StudyRow]:
    """Return the rows under the first formula, with what only they have.

    Args:
        plan: The study.
        ranked: The variants under the formula.
        entries: The entries.
        results: Measure -> result of each entry.
        prepared: The engines and the counter of losses.
        sizes: The sizes of the indexes.
    """
    kept, losses = ranked.found[0].tokens, prepared.losses
    rows = []
    for entry, row in zip(entries, formula_rows(ranked, entries, results), strict=True):
        place = entry.place
        found = None if place is None else ranked.found[place]
        feature, threshold = plan.points.get(entry.name, (None, None))
        rows.append(
            StudyRow(
                **asdict(row),
                cleaner=str(found.variant) if found else None,
                feature=feature,
                threshold=threshold,
                role=entry.role,
                documents=found.documents if found else None,
                empty=found.empty if found else None,
                tokens=found.tokens if found else None,
                tokens_kept=found.tokens / kept if found and kept else None,
                index=sizes[found.variant] if found else None,
                losses=losses.of(place) if losses and place is not None else None,
            )
        )
    return rows
