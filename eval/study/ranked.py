"""From the runs under a formula to the rows of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boilersweep.cleaners.variants import Variant
from boilersweep.cleaners.weighted import Weighted
from boilersweep.eval.engines import VariantRun
from boilersweep.eval.experiment import RUNS
from boilersweep.eval.ranking_models import RankingModel
from boilersweep.eval.scoring import Scores
from boilersweep.eval.study.choice import Choice, best, choose
from boilersweep.eval.study.comparison import Group
from boilersweep.eval.study.formulas import StudyFormula
from boilersweep.eval.study.outside import outside_row
from boilersweep.eval.study.plan import StudyPlan
from boilersweep.eval.study.preparation import Prepared
from boilersweep.eval.study.results import IndexSize, Result, Role, StudyRow
from boilersweep.eval.study.tuning import TunedEngine, Tuning, model_scores, tune
from boilersweep.eval.verification import Verified, join_verified, spread
from boilersweep.outputs.files import make_folder
from boilersweep.pages.columns import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The variants under a formula. found: of each variant, in their order.

    scores: measure -> (t, v) of topics and variants. tuning: what the variants chose, if the
    formula's parameters are tuned.
    """

    formula: StudyFormula
    found: list[VariantRun]
    scores: dict[str, FloatArray]
    tuning: Tuning | None


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What becomes a row of a study; the order of entries is that of the rows.

    name: of the variant or of the run. scores: measure -> (t,). place: among the variants; None
    for a run from elsewhere.
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
        threads, folder = request.options.threads, request.output / RUNS
        by_model = model_scores(
            *(among, variants, request.grades, request.measures[0], threads, folder)
        )
        tuning = tune(formula.among, by_model, seed=plan.seed)
        engine = TunedEngine(among, variants, list(request.grades), tuning)
    make_folder(request.output / RUNS / formula.name)
    runs = {variant: plan.run_file(variant.name, formula) for variant in variants}
    scored = request.score(engine, runs)
    scores = {
        measure: np.array(
            [[one.scores.by_topic[topic][measure] for one in scored] for topic in request.grades]
        )
        for measure in request.measure_names
    }
    return Ranked(formula, [one.found for one in scored], scores, tuning)


def choose_cleaner(plan: StudyPlan, main: Ranked) -> tuple[Choice | None, int]:
    """The choice by cross-validation, None for one topic; and the place of the best on all topics.

    main: under the first formula. Of equal variants the baseline wins, then what keeps most.
    Text that counts several times does to a formula what other parameters do, so a weighted cleaner
    is chosen only where the parameters are tuned for each cleaner.
    """
    candidates = [
        place
        for place in plan.compared.candidates
        if place == 0 or main.tuning or not isinstance(main.found[place].variant.cleaner, Weighted)
    ]
    candidates.sort(key=lambda place: (place > 0, -main.found[place].tokens))
    scores = main.scores[plan.tested[0]]
    training = main.tuning.training if main.tuning else None
    choice = choose(plan.tested[0], scores, 0, candidates, seed=plan.seed, training=training)
    return choice, best(scores, candidates)


def verify_runs(
    plan: StudyPlan,
    ranked: Sequence[Ranked],
    prepared: Prepared,
    choice: Choice | None,
    winner: int,
    indexes: Path,
) -> Verified | None:
    """Compare computed runs with those of real indexes; None if no run is computed.

    winner: the variant that is verified beside the baseline, unless the request says how many are.
    """
    if not prepared.exact:
        return None
    variants, count = plan.compared.variants, plan.request.verified_variants
    chosen = (
        [variants[place] for place in dict.fromkeys([0, winner])]
        if count is None
        else spread(variants, count)
    )
    return join_verified(
        plan.request.verify(
            *(prepared.engines[model], chosen, indexes),
            model=model,
            complete=True,  # their sizes are in the table
            docvectors=plan.reads_vectors,
        )
        for model in _models_to_verify(ranked, prepared, choice)
    )


def _models_to_verify(
    ranked: Sequence[Ranked], prepared: Prepared, choice: Choice | None
) -> list[RankingModel]:
    """The models whose runs are computed; of tuned ones the model that the winner chose."""
    models = []
    for one in ranked:
        model = one.formula.model
        if one.tuning:
            model = one.tuning.models[one.tuning.best[choice.chosen if choice else 0]]
        models.append(model)
    return [model for model in dict.fromkeys(models) if model in prepared.exact]


def entries_of(plan: StudyPlan, ranked: Ranked, outside: Mapping[str, Scores]) -> list[Entry]:
    """The variants in their order, and runs from elsewhere before the gold text.

    outside: the scores of these runs, by name.
    """
    variants = [
        Entry(
            found.variant.name,
            role,
            {measure: values[:, place] for measure, values in ranked.scores.items()},
            place,
        )
        for place, (found, role) in enumerate(zip(ranked.found, plan.compared.roles, strict=True))
    ]
    runs = [
        Entry(
            name,
            "run",
            {m: np.array([topic[m] for topic in one.by_topic.values()]) for m in ranked.scores},
        )
        for name, one in outside.items()
    ]
    return sorted([*variants, *runs], key=lambda entry: entry.role == "gold")


def group_of(ranked: Ranked, entries: Sequence[Entry]) -> Group:
    """What is compared under a formula, a column for each entry."""
    scores = {
        measure: np.column_stack([entry.scores[measure] for entry in entries])
        for measure in ranked.scores
    }
    gold = next((n for n, entry in enumerate(entries) if entry.role == "gold"), None)
    return Group(scores, 0, gold, is_tested=ranked.formula.tested)


def rows_of(
    ranked: Ranked,
    entries: Sequence[Entry],
    results: Sequence[dict[str, Result]],
    prepared: Prepared,
    sizes: Mapping[Variant, IndexSize],
) -> list[StudyRow]:
    """A row for each entry. results: of each entry."""
    rows = []
    kept = ranked.found[0].tokens
    for entry, result in zip(entries, results, strict=True):
        row = outside_row(entry.name, result, dict(entry.scores))
        if entry.place is not None:
            found = ranked.found[entry.place]
            row = replace(
                row,
                variant=found.variant,
                role=entry.role,
                documents=found.documents,
                empty=found.empty,
                tokens=found.tokens,
                tokens_kept=found.tokens / kept if kept else None,
                index=sizes[found.variant],
                losses=prepared.losses.of(entry.place) if prepared.losses else None,
                formula=ranked.formula.name or None,
                tuned=ranked.tuning.of(entry.place) if ranked.tuning else None,
            )
        rows.append(row)
    return rows
