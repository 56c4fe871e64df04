"""A whole study, in one folder.

OUT/runs/words-011.trec     the run of each variant; of several formulas runs/bm25/words-011.trec
OUT/runs/NAME.trec          each run from elsewhere
OUT/compare.csv             one row per cleaner
OUT/topics.csv              one row per cleaner and topic
OUT/pairs.csv               one row per pair of cleaners and measure
OUT/study.json              everything, for the report and for programs
OUT/table.txt, .md, .tex    what the terminal shows
OUT/forest.svg, .png        differences to the baseline with their intervals
OUT/curve.svg, .png         scores against thresholds, where there is a sweep
OUT/mixture.svg, .png       the blocks as short and long text
OUT/languages.csv           one row per language of the topics, cleaner and measure, where these
OUT/languages.svg, .png     are of several: scores by language
OUT/indexes/words-001/...   the real indexes that runs were compared with
OUT/report.html             the same as a page, where `report` writes it
OUT/manifest.json           what was run on what, and every file's digest; written last
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Sweep, Variant, as_sweep
from boilersweep.eval.engines import EngineName, SearchOptions, VariantRun
from boilersweep.eval.experiment import RUNS, experiment
from boilersweep.eval.languages import judgements_left_out, relevant_documents, topic_languages
from boilersweep.eval.provenance import file_facts, identity, index_recipes, provenance
from boilersweep.eval.ranking_models import RankingModel
from boilersweep.eval.scored import write_scored_runs
from boilersweep.eval.scoring import Scores, parse_measures
from boilersweep.eval.statistics import SEED
from boilersweep.eval.study.about import about_cleaners
from boilersweep.eval.study.advice import advise
from boilersweep.eval.study.choice import Choice, best, choose
from boilersweep.eval.study.comparison import Group, compare_groups
from boilersweep.eval.study.differences import DEFAULT_TESTS, require_tests
from boilersweep.eval.study.files import write_study
from boilersweep.eval.study.formulas import (
    StudyFormula,
    check_formulas,
    formulas_identity,
    models_of,
)
from boilersweep.eval.study.mixture import suggest
from boilersweep.eval.study.outside import copy_and_score, look_at_runs, outside_row
from boilersweep.eval.study.pairs import compare_pairs, rows_to_pair
from boilersweep.eval.study.preparation import Prepared, index_sizes, prepare
from boilersweep.eval.study.results import (
    FormulaRows,
    IndexSize,
    Result,
    Statistics,
    Study,
    StudyRow,
    StudyTopic,
    points_of,
    run_path,
)
from boilersweep.eval.study.tuning import TunedEngine, Tuning, model_scores, tune
from boilersweep.eval.study.variants import StudyVariants, study_variants
from boilersweep.eval.verification import Verified, join_verified, spread, verify
from boilersweep.eval.workers import prepare_workers
from boilersweep.outputs.files import make_folder
from boilersweep.pages.columns import FloatArray
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic, describe, require_agreement, require_judged_documents

TESTED = ("P@10", "nDCG@10")
BESIDE = ("Judged@10", "Bpref")
"""Shown beside the scores: cleaned indexes bring up pages that no one judged."""


@dataclass(frozen=True, slots=True, eq=False)
class StudyResult:
    """study: what was found. table: for the terminal. files: what was written.

    verified: what was compared with real indexes; None where all runs come from real ones.
    placed: by name of the texts that stand for blocks, how much of them does.
    """

    study: Study
    table: str
    files: list[Path]
    verified: Verified | None
    placed: Mapping[str, AlignmentCounts]


Report = Callable[[StudyResult], Sequence[Path]]
"""Writes more files into the folder of a study, and says which."""


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Under a formula. found: of each variant. scores: measure -> (t, v) of topics and variants.

    tuning: what the variants chose, where its parameters are tuned.
    """

    formula: StudyFormula
    found: list[VariantRun]
    scores: dict[str, FloatArray]
    tuning: Tuning | None


def run_study(
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    baseline: Cleaner | str,
    output: Path | str,
    *,
    cleaners: Sequence[Cleaner | str] = (),
    sweeps: Sequence[Sweep | str] = (),
    gold: str | None = None,
    options: SearchOptions | None = None,
    measures: Sequence[str] = TESTED,
    tests: Sequence[str] = DEFAULT_TESTS,
    engine: EngineName = "exact",
    verified_variants: int | None = None,
    formulas: Sequence[StudyFormula] = (),
    runs: Mapping[str, Path] = MappingProxyType({}),
    seed: int = SEED,
    title: str = "What cleaning does to retrieval",
    sources: Mapping[str, Path] = MappingProxyType({}),
    report: Report | None = None,
    nested: Sequence[str] = (),
    overwrite: bool = False,
) -> StudyResult:
    """Compare any number of cleaners and thresholds with a baseline, and choose one.

    baseline, cleaners, sweeps: as text, such as `words>=1` and `words=1:100`, or parsed.
    gold: name of the store's text that is the upper bound; None for `gold`, where it has that.
    measures: to compare by; the first is chosen by. Judged@10 and Bpref stand beside them.
    tests: of statistics.TESTS; the first one decides what is significant.
    engine: what gives the runs. verified_variants: how many runs of the exact engine to compare
    with real indexes; None for the baseline and the best. formulas: several, or tuned ones, in
    place of the model of the options; the first is chosen by. runs: made elsewhere, name -> file.
    seed: of the resamples, permutations and folds. sources: the files of topics and qrels, to be
    noted. report: writes more files before the study counts as finished. nested: folders in which
    it makes further studies.
    overwrite: replace another experiment in the folder.
    Raises QrelsError where no topic or document is judged, UsageError for unknown measures or
    tests, a name that two things have, or nothing to compare, RunError for a file that is no run of
    these topics, VerificationError, what `experiment` raises, and what indexing and searching
    raise.
    """
    options = options or SearchOptions()
    check_formulas(formulas)
    if formulas:
        options = replace(options, model=formulas[0].model)
    ways = formulas or (StudyFormula("", options.model),)
    output, baseline, swept = Path(output), as_cleaner(baseline), [*map(as_sweep, sweeps)]
    read = file_facts(sources)  # before the long work, in which they may change
    parsed = parse_measures(measures)
    tested = [str(measure) for measure in parsed]
    tests = require_tests(tests)
    beside = [measure for measure in BESIDE if measure not in tested]
    parsed += parse_measures(beside)
    compared = study_variants(
        baseline,
        list(map(as_cleaner, cleaners)),
        swept,
        store.page_texts,
        gold,
        others=len(runs),
    )
    store.require_for([variant.cleaner for variant in compared.variants])
    agreement = require_agreement(topics, qrels)
    judged = require_judged_documents(store.docids(), qrels)
    grades = {topic: qrels.grades[topic] for topic in agreement.evaluated}
    relevant = relevant_documents(grades)
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    docids = frozenset(store.docids()) if runs else frozenset()
    outside = look_at_runs(runs, compared.variants, grades, docids, output)
    asked = identity(
        "study",
        store,
        compared.variants,
        queries,
        qrels,
        options,
        [*tested, *beside],
        tests=list(tests),
        baseline=str(baseline),
        gold=None if compared.gold is None else str(compared.variants[compared.gold]),
        roles=list(compared.roles),
        engine=engine,
        verify=verified_variants,
        seed=seed,
        **({"formulas": formulas_identity(formulas)} if formulas else {}),
        **({"runs": {run.name: run.digest for run in outside}} if outside else {}),
    )
    if engine == "exact":
        prepare_workers(options.threads)
    models = models_of(ways)
    vectors = any(model.reads_vectors for model in models)
    recipes = index_recipes(store, compared.variants, options, docvectors=vectors)
    with experiment(output, store, asked, recipes, overwrite=overwrite, nested=nested) as folder:
        indexes = folder.index_folder
        prepared = prepare(
            store, compared.variants, queries, relevant, indexes, options, models, engine=engine
        )
        found = [
            _run(
                *(way, prepared, compared.variants, list(queries), grades, parsed, output),
                seed=seed,
                threads=options.threads,
            )
            for way in ways
        ]
        main = found[0]
        first, candidates = main.scores[tested[0]], _candidates(compared, main)
        training = main.tuning.training if main.tuning else None
        choice = choose(tested[0], first, 0, candidates, seed=seed, training=training)
        verified = None
        if prepared.exact:
            places = dict.fromkeys([0, best(first, candidates)])
            chosen = (
                [compared.variants[place] for place in places]
                if verified_variants is None
                else spread(compared.variants, verified_variants)
            )
            verified = join_verified(
                verify(
                    *(prepared.engines[model], store, chosen, queries, indexes),
                    replace(options, model=model),
                    docvectors=vectors,
                )
                for model in _to_verify(found, prepared, choice)
            )
        built = engine == "indexes" or vectors
        used = verified.variants if verified else ()
        folder.use_indexes([variant.name for variant in compared.variants] if built else used)
        others = {
            run.name: copy_and_score(run, grades, parsed, output / run_path(run.name, None))
            for run in outside
        }
        groups = [_group(runs, compared, others if n == 0 else {}) for n, runs in enumerate(found)]
        comparisons = compare_groups(groups, tested, seed, tests)
        tokens = {one.variant: one.tokens for one in main.found}
        sizes = index_sizes(tokens, indexes, vectors=options.model.reads_vectors)
        rows = [
            _rows(
                compared,
                runs,
                comparison.results,
                group.scores,
                prepared,
                sizes,
                list(others) if n == 0 else [],
            )
            for n, (runs, comparison, group) in enumerate(
                zip(found, comparisons, groups, strict=True)
            )
        ]
        winner = choice.chosen if choice else best(first, candidates)
        points = points_of(rows[0], swept)
        paired = rows_to_pair(
            [row.role for row in rows[0]],
            [points[row.variant][0] if row.variant in points else None for row in rows[0]],
            groups[0].scores[tested[0]].mean(axis=0),
            winner,
        )
        noted = [line for run in outside for line in run.notes(len(grades))]
        folder.manifest = {
            **provenance(
                store,
                options,
                agreement,
                judged,
                verified,
                engine=engine,
                placed=prepared.placed,
                sources=read,
                notes=judgements_left_out(store, grades),
            ),
            "variants": list(zip(map(str, compared.variants), compared.roles, strict=True)),
            "measures": [*tested, *beside],
            "tests": list(tests),
            "seed": seed,
            **({"formulas": {way.name: str(way) for way in formulas}} if formulas else {}),
            **({"runs": {run.name: run.facts for run in outside}} if outside else {}),
            "about": about_cleaners(
                variant.cleaner
                for variant, role in zip(compared.variants, compared.roles, strict=True)
                if role != "swept"
            ),
        }
        study = Study(
            title=title,
            tested=tested,
            beside=beside,
            topics=_topics(queries, grades, relevant, prepared, topic_languages(store, relevant)),
            rows=rows[0],
            statistics=Statistics(seed=seed, comparisons=comparisons[0].comparisons, tests=tests),
            choice=choice,
            suggestion=suggest(store),
            advice=None,
            notes=[*describe(agreement), *noted],
            run=folder.manifest,
            formulas=[
                FormulaRows(way.name, str(way), way.tested, [r for r in some if r.role != "run"])
                for way, some in zip(formulas, rows, strict=False)
            ],
            pairs=compare_pairs(groups[0].scores, paired, tested, tests, seed),
            sweeps=swept,
        )
        advice = advise(
            *(study, store.path, output, options.analyzer),
            docvectors=options.model.reads_vectors,
            languages=store.chosen_languages,
        )
        study = replace(study, advice=advice)
        table, files = write_study(study, output)
        result = StudyResult(study, table, files, verified, prepared.placed)
        if report:
            result = replace(result, files=[*report(result), *files])
        folder.files = result.files
    return result


def _run(
    formula: StudyFormula,
    prepared: Prepared,
    variants: Sequence[Variant],
    topics: Sequence[str],
    grades: Mapping[str, Mapping[str, int]],
    measures: Sequence[Any],
    output: Path,
    *,
    seed: int,
    threads: int,
) -> _Runs:
    """Run and score every variant under a formula, and write the runs."""
    tuning = None
    engine = prepared.engines[formula.models[0]]
    if formula.among:
        among = [prepared.engines[model] for model in formula.among]
        by_model = model_scores(among, variants, grades, measures[0], threads, output / RUNS)
        tuning = tune(formula.among, by_model, seed=seed)
        engine = TunedEngine(among, variants, list(grades), tuning)
    found = []
    scores = {str(m): np.empty((len(grades), len(variants))) for m in measures}
    make_folder(output / RUNS / formula.name)
    paths = {variant: output / run_path(variant.name, formula.name or None) for variant in variants}
    scored = write_scored_runs(engine, paths, topics, grades, measures, threads)
    for place, one in enumerate(scored):
        for measure, values in scores.items():
            values[:, place] = [one.scores.by_topic[topic][measure] for topic in grades]
        found.append(one.found)
    return _Runs(formula, found, scores, tuning)


def _to_verify(
    found: Sequence[_Runs], prepared: Prepared, choice: Choice | None
) -> list[RankingModel]:
    """The models whose computed runs are compared with real indexes: of tuned ones the chosen."""
    models = []
    for runs in found:
        model = runs.formula.model
        if runs.tuning:
            model = runs.tuning.models[runs.tuning.best[choice.chosen if choice else 0]]
        models.append(model)
    return [model for model in dict.fromkeys(models) if model in prepared.exact]


def _candidates(compared: StudyVariants, runs: _Runs) -> list[int]:
    """Places of what can be deployed: the baseline, then what keeps most."""
    return sorted(compared.candidates, key=lambda place: (place > 0, -runs.found[place].tokens))


def _group(runs: _Runs, compared: StudyVariants, others: Mapping[str, Scores]) -> Group:
    """What is compared under a formula: the variants, and runs from elsewhere after the others."""
    gold = compared.gold
    scores = dict(runs.scores)
    if others:
        end = len(compared.variants) if gold is None else gold
        for measure, values in runs.scores.items():
            added = [[o[measure] for o in one.by_topic.values()] for one in others.values()]
            scores[measure] = np.insert(values, [end] * len(others), np.array(added).T, axis=1)
    gold = None if gold is None else gold + len(others)
    return Group(scores, 0, gold, is_tested=runs.formula.tested)


def _rows(
    compared: StudyVariants,
    runs: _Runs,
    results: Sequence[dict[str, Result]],
    scores: Mapping[str, FloatArray],
    prepared: Prepared,
    sizes: Mapping[Variant, IndexSize],
    others: Sequence[str],
) -> list[StudyRow]:
    """One row per variant, and per run from elsewhere before the gold text."""
    kept = runs.found[0].tokens
    end = len(compared.variants) if compared.gold is None else compared.gold
    places = [*range(end), *[-1] * len(others), *range(end, len(compared.variants))]
    names = iter(others)
    rows = []
    for column, place in enumerate(places):
        topic_scores = {measure: values[:, column] for measure, values in scores.items()}
        if place < 0:
            rows.append(outside_row(next(names), results[column], topic_scores))
            continue
        found = runs.found[place]
        rows.append(
            StudyRow(
                variant=found.variant,
                role=compared.roles[place],
                documents=found.documents,
                empty=found.empty,
                tokens=found.tokens,
                tokens_kept=found.tokens / kept if kept else None,
                index=sizes[found.variant],
                losses=prepared.losses.of(place) if prepared.losses else None,
                results=results[column],
                topic_scores=topic_scores,
                formula=runs.formula.name or None,
                tuned=runs.tuning.of(place) if runs.tuning else None,
            )
        )
    return rows


def _topics(
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    relevant: Mapping[str, frozenset[str]],
    prepared: Prepared,
    languages: Mapping[str, str | None],
) -> list[StudyTopic]:
    losses, terms = prepared.losses, prepared.terms
    return [
        StudyTopic(
            id=topic,
            query=queries[topic],
            terms=None if terms is None else list(terms[topic]),
            judged=len(grades[topic]),
            relevant=len(relevant[topic]),
            relevant_here=None if losses is None else int(losses.relevant[place]),
            pairs=None if losses is None else int(losses.terms[place]),
            language=languages[topic],
        )
        for place, topic in enumerate(grades)
    ]
