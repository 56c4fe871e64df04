"""A whole study, in one folder.

OUT/runs/words-011.trec     the run of each variant; of several formulas runs/bm25/words-011.trec
OUT/runs/NAME.trec          each external run
OUT/compare.csv             one row per cleaner
OUT/topics.csv              one row per cleaner and topic
OUT/pairs.csv               one row per pair of cleaners and measure
OUT/study.json              everything, for the report and for programs
OUT/table.txt, .md, .tex    the tables of the terminal
OUT/forest.svg, .png        differences to the baseline with their intervals
OUT/curve.svg, .png         scores against thresholds, if there is a sweep
OUT/mixture.svg, .png       the blocks as short and long text
OUT/languages.csv           one row per language of the topics, cleaner and measure, if there are
OUT/languages.svg, .png     several languages: scores by language
OUT/indexes/words-001/...   the real indexes that runs were compared with
OUT/report.html             the same as a page, if `report` writes it
OUT/manifest.json           inputs, options, versions and every file's digest; written last
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec.structs import replace as replaced

from boilersweep.cleaners.page_model import why_no_model
from boilersweep.cleaners.syntax.grammar import Cleaners, as_cleaners
from boilersweep.cleaners.syntax.variants import collect_variants
from boilersweep.errors import InputError, OutputError
from boilersweep.eval.experiment.costs import (
    LossCounter,
    index_sizes,
    kinds_of_pages,
)
from boilersweep.eval.experiment.finished import FinishedExperiment
from boilersweep.eval.experiment.folder import INDEXES, RUNS, run_name
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    ExperimentRequest,
    OutputOptions,
)
from boilersweep.eval.experiment.run import Experiment, experiment
from boilersweep.eval.ranking.formulas import model_named
from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.stats.families import Conclusion, supported_measure
from boilersweep.eval.stats.frames import Result
from boilersweep.eval.stats.scoring import RunScores, parse_measures
from boilersweep.eval.study.advice import advise
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.differences import (
    SEQUENTIAL,
    Group,
    Pairs,
    compare_groups,
    compare_pairs,
    letters_of,
    rows_to_pair,
)
from boilersweep.eval.study.external_runs import copy_and_score
from boilersweep.eval.study.files import write_study
from boilersweep.eval.study.plan import (
    BESIDE,
    TESTED,
    StudyOptions,
    StudyPlan,
    judged_folder,
)
from boilersweep.eval.study.ranked import (
    Entry,
    Ranked,
    choose_cleaner,
    entries_of,
    group_of,
    loss_counter,
    models_to_verify,
    rank,
    study_rows,
)
from boilersweep.eval.study.results import (
    Formula,
    Measures,
    Statistics,
    Study,
    StudyResult,
    StudyTopic,
)
from boilersweep.eval.study.sheets import compare_sheet, pairs_sheet
from boilersweep.eval.study.suggestion import Suggestion, suggest
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import as_location, is_path
from boilersweep.outputs.manifest_file import faults
from boilersweep.outputs.parts import Part
from boilersweep.store.store import BlockStore
from boilersweep.topics import AnyQrels, AnyTopics, describe
from boilersweep.work.progress import begin


def run_study(
    store: BlockStore | Path | str,
    cleaners: Cleaners,
    topics: AnyTopics,
    qrels: AnyQrels,
    output: Path | str,
    *,
    study: StudyOptions | None = None,
    options: ExperimentOptions | None = None,
    output_options: OutputOptions | None = None,
) -> StudyResult:
    """Compare any number of cleaners and thresholds with a baseline, and choose one.

    Args:
        store: The block store, or its folder.
        cleaners: One cleaner or several to compare with the baseline, as text or parsed.
        topics: The topics to run: a file, `irds:ID`, a dictionary of topic id -> query, a frame, or
            a list, as `boilersweep.topics.read_topics` takes them.
        qrels: Their judgements: likewise, as `boilersweep.topics.read_qrels` takes them.
        output: The folder for all results.
        study: The baseline, sweeps, formulas, external runs and tests.
        options: How topics are run, scored and verified. The default engine is `exact`; the
            baseline and the best variant are verified unless a number is given. The study chooses
            by the first measure, and shows Judged@10 and Bpref as well.
        output_options: The title, the sources to record, and whether to replace another experiment.

    Returns:
        The study, and the files that were written.

    Raises:
        QrelsError: No topic or document is judged.
        UsageError: A measure is unknown, two things have the same name, or there is nothing to
            compare.
        RunError: An external run is none of these topics.
        VerificationError: A run differs from that of a real index.
        OutputError: The folder has another experiment, or cannot be written.
        IndexingError: An index has another recipe, is damaged, or cannot be built.
    """
    study = study or StudyOptions()
    options = (options or ExperimentOptions()).with_defaults(TESTED, "exact")
    if study.formulas:
        options = replace(
            options, search=replace(options.search, model=study.formulas[0].model)
        )
    tested = [str(measure) for measure in parse_measures(options.measures or TESTED)]
    beside = [name for name in (*BESIDE, *study.beside) if name not in tested]
    sources = (output_options or OutputOptions()).sources
    file = qrels if is_path(qrels) else sources.get("qrels")
    if file and not study.judged:
        judged = judged_folder(as_location(file))
        study = replace(study, judged=judged)
    if study.judged:
        measure = supported_measure(tested)
        left_out = tuple(name for name in (*tested, *beside) if name != measure)
        study = replace(study, judged=study.judged.without(left_out))
        tested, beside = [measure], []
    options = replace(options, measures=[*tested, *beside])
    request = ExperimentRequest.of(
        store, topics, qrels, output, options, output_options
    )
    plan = StudyPlan(request, cleaners, study, tested)
    with experiment(
        request,
        plan.variants,
        plan.identity(),
        nested=study.nested,
        shows_means=False,  # of judgements that support none
    ) as running:
        _require_unchanged(plan)
        running.engines_for(plan.models)
        losses = loss_counter(running)
        ranked = [rank(plan, formula, running) for formula in plan.formulas]
        choice, winner = choose_cleaner(plan, ranked[0])
        # The baseline and the best variant, under each formula
        verified = [plan.variants[place] for place in dict.fromkeys([0, winner])]
        # The sizes of the indexes are in the table.
        running.verify(verified, models_to_verify(ranked, winner), complete=True)
        running.record(plan.facts())
        return _show(plan, running, _RunResults(ranked, losses, choice, winner))


def compare_sweep(
    sweep: Path | str,
    output: Path | str,
    *,
    cleaners: Cleaners = (),
    study: StudyOptions | None = None,
    options: ExperimentOptions | None = None,
    output_options: OutputOptions | None = None,
) -> StudyResult:
    """Compare what a finished sweep ran with a baseline, by its runs, without searching again.

    Store, topics, qrels, formula and analyzer are the sweep's. One pass over the store counts what
    cleaning takes from relevant documents, and gives the runs of cleaners that the sweep lacks.

    Args:
        sweep: The folder of the sweep.
        output: The folder for all results.
        cleaners: Further cleaners to compare, as for `run_study`.
        study: The baseline, external runs and tests; sweeps are the sweep's.
        options: The measures, and how runs are verified; all else is the sweep's.
        output_options: The title, and whether to replace another experiment.

    Returns:
        The study, and the files that were written.

    Raises:
        OutputError: The folder has no finished sweep.
        InputError: Its runs, store, topics or qrels have changed or are gone, or other code than
            today's made it.
        BoilersweepError: As for `run_study`.
    """
    finished = FinishedExperiment(Path(sweep))
    manifest, files = finished.manifest, _inputs(finished)
    options = options or ExperimentOptions()
    search = replace(
        options.search,
        model=model_named(manifest.model),
        hits=manifest.hits,
        fields=manifest.fields,
        analyzer=manifest.analyzer,
    )
    return run_study(
        finished.store or finished.store_path,
        [*as_cleaners(manifest.cleaners), *as_cleaners(cleaners)],
        files["topics"],
        files["qrels"],
        output,
        study=replace(
            study or StudyOptions(), sweeps=manifest.sweeps, finished=finished
        ),
        options=replace(options, search=search, engine="exact"),
        output_options=output_options,
    )


def _inputs(finished: FinishedExperiment) -> dict[str, Path]:
    """Return the files of topics and qrels of a finished sweep that is as it was made."""
    folder, kind = finished.folder, finished.identity.kind
    if kind != "sweep":
        raise OutputError(f"{folder} has a {kind}, expected the folder of a `sweep`")
    runs = {n: entry for n, entry in finished.files.items() if n.startswith(f"{RUNS}/")}
    changes = faults(folder, runs)
    if finished.store is None:
        changes.append(f"the block store {finished.store_path} is not there")
    if changes:
        raise InputError(
            f"{folder} is not as it was made: {some_of(changes)}; run the sweep again"
        )
    return {name: finished.source(name) for name in ("topics", "qrels")}


# What the runs of a sweep depend on, in its identity.
_OF_RUNS = (
    "store languages variants models plugins topics ranking hits analyzer anserini code"
).split()


def _require_unchanged(plan: StudyPlan) -> None:
    """Raise InputError if runs of a finished sweep would not be today's."""
    if finished := plan.options.finished:
        manifest = finished.manifest
        variants = collect_variants(plan.sweeps, manifest.cleaners)
        now = plan.request.identity("sweep", variants, {})
        recipe = finished.listing.recipe
        others = [name for name in _OF_RUNS if now.get(name) != recipe.get(name)]
        if others:
            raise InputError(
                f"{finished.folder} was made with other {some_of(others)}; run the sweep again"
            )


@dataclass(frozen=True, slots=True)
class _RunResults:
    """What the runs of a study give.

    Attributes:
        ranked: The variants under each formula.
        losses: Counts losses; None if they are not shown.
        choice: The cross-validated choice; None for one topic.
        winner: The place of the best variant on all topics.
    """

    ranked: list[Ranked]
    losses: LossCounter | None
    choice: Choice | None
    winner: int


def _show(plan: StudyPlan, running: Experiment, runs: _RunResults) -> StudyResult:
    """Test, advise, and write the views."""
    request = plan.request
    begin("intervals and tests")
    study = _study(plan, running, runs)
    advice = advise(
        study,
        request.store.path,
        request.output,
        request.search.analyzer,
        docvectors=request.search.model.reads_vectors,
        languages=request.store.chosen_languages,
    )
    study = replaced(study, advice=advice)
    begin("tables and figures")
    table, files = write_study(study, request.output)
    if plan.options.report:
        begin("report")
        files = [*plan.options.report(request), *files]
    running.files = files
    return StudyResult(
        study=study,
        rows=study.all_rows,
        sheet=compare_sheet(study),
        pair_sheet=pairs_sheet(study),
        table=table,
        files=files,
        verified=running.verified,
        placed=running.placed,
    )


def _study(plan: StudyPlan, running: Experiment, runs: _RunResults) -> Study:
    """Compute all results."""
    ranked, losses = runs.ranked, runs.losses
    request, options, tested = plan.request, plan.options, plan.tested
    external_runs = _score_external_runs(plan, running)
    # External runs are beside the variants under the first formula.
    entries = [entries_of(plan, ranked[0], external_runs)]
    entries += [entries_of(plan, one, {}) for one in ranked[1:]]
    groups = [group_of(*pair) for pair in zip(ranked, entries, strict=True)]
    results, comparisons = compare_groups(
        groups,
        tested,
        options.seed,
        options.tests,
        correction=options.correction,
        margin=options.margin,
    )
    sizes = index_sizes(
        {run.variant: run.tokens for run in ranked[0].scores.runs},
        request.output / INDEXES,
        running.indexes,
        vectors=request.search.model.reads_vectors,
    )
    answers, conclusions = _answers(plan)
    pairs = None
    if options.judged:
        results[0] = _supported(plan, entries[0], results[0], conclusions)
    else:
        pairs = _pairs(plan, entries[0], groups[0], runs.winner)
        _note_groups(results[0], pairs, tested)
    rows = [
        row
        for one in zip(ranked, entries, results, strict=True)
        for row in study_rows(plan, *one, losses, sizes)
    ]
    beside = [name for name in request.measure_names if name not in tested]
    noted = [
        line for file in plan.external_runs for line in file.notes(len(request.grades))
    ]
    begin("pairs and kinds of pages")
    return Study(
        title=request.output_options.title,
        measures=Measures(tested, beside),
        topics=_topics(request, losses),
        all_rows=rows,
        statistics=_statistics(options, comparisons, conclusions),
        choice=None if options.judged else runs.choice,
        suggestion=_suggestion(request.store, [row.cleaner for row in rows]),
        advice=None,
        notes=[*describe(request.agreement), *noted, *answers, *_without_kinds()],
        formulas=[
            Formula(formula.name, str(formula), formula.tested)
            for formula in options.formulas
        ],
        pairs=pairs,
        sweeps=[str(sweep) for sweep in plan.sweeps],
        kinds=kinds_of_pages(request.store, plan.compared.variants, options.seed),
        run=dict(running.facts),
    )


def _without_kinds() -> list[str]:
    """Return a line that says why the report has no kinds of pages, if it has none."""
    why = why_no_model()
    return [f"Pages were not sorted by kind: {why}"] if why else []


def _statistics(
    options: StudyOptions, comparisons: int, conclusions: Sequence[Conclusion]
) -> Statistics:
    """Return how intervals and p-values were computed.

    Args:
        options: The seed, tests, correction and margin.
        comparisons: The p-values that were corrected, for each test.
        conclusions: What the judgements of `assess` support, if the study has such judgements.
    """
    if options.judged:
        return Statistics(
            seed=options.seed, comparisons=len(conclusions), tests=(SEQUENTIAL,)
        )
    return Statistics(
        seed=options.seed,
        comparisons=comparisons,
        tests=tuple(options.tests),
        method=options.correction,
        margin=options.margin,
    )


def _score_external_runs(plan: StudyPlan, running: Experiment) -> dict[str, RunScores]:
    """Copy the external runs beside those of the study; return the scores of each by its name."""
    request, writer = plan.request, running.writer
    scores = {}
    for file in plan.external_runs:
        name = run_name(file.name)
        writer.want([Part(name, [file.digest, dict(plan.options.topic_prefixes)])])
        scores[file.name] = copy_and_score(
            file, request.grades, request.measures, request.output / name
        )
        writer.add(name)
    return scores


def _pairs(plan: StudyPlan, entries: Sequence[Entry], group: Group, best: int) -> Pairs:
    """Compare rows with each other."""
    options, tested = plan.options, plan.tested
    means = group.values(tested[0]).mean(axis=0)
    features = [plan.points.get(entry.name, (None, None))[0] for entry in entries]
    paired = rows_to_pair([entry.role for entry in entries], features, means, best)
    return compare_pairs(
        group,
        paired,
        tested,
        options.tests,
        options.seed,
        correction=options.correction,
    )


def _note_groups(
    results: Sequence[dict[str, Result]], pairs: Pairs, tested: Sequence[str]
) -> None:
    """Add the letters of their groups to the results of paired rows."""
    for measure in tested:
        means = {place: results[place][measure].mean for place in pairs.rows}
        for place, letters in letters_of(pairs, measure, means).items():
            result = results[place][measure]
            results[place][measure] = replaced(result, groups=letters)


def _suggestion(store: BlockStore, cleaners: Sequence[str | None]) -> Suggestion | None:
    """Suggest a threshold without judgements, and find it among the study's cleaners."""
    suggestion = suggest(store)
    if suggestion and suggestion.cleaner in cleaners and suggestion.cleaner:
        return replaced(suggestion, place=cleaners.index(suggestion.cleaner))
    return suggestion


def _answers(plan: StudyPlan) -> tuple[list[str], list[Conclusion]]:
    """Tell what the judgements of `assess` make certain about baseline and named cleaners."""
    judged = plan.options.judged
    if judged is None:
        return [], []
    runs = {}
    for variant, role in zip(plan.compared.variants, plan.compared.roles, strict=True):
        if role in ("baseline", "cleaner"):
            name = run_name(variant.name, plan.formulas[0].name)
            run = read_run(plan.request.output / name)
            runs[str(variant)] = {
                topic: [docid for docid, _ in hits] for topic, hits in run.items()
            }
    return (
        judged.answers(runs, plan.tested[0], plan.request.store)
        if len(runs) > 1
        else ([], [])
    )


def _supported(
    plan: StudyPlan,
    entries: Sequence[Entry],
    results: Sequence[dict[str, Result]],
    conclusions: Sequence[Conclusion],
) -> list[dict[str, Result]]:
    """Return of the results what judgements of `assess` support: differences, their intervals."""
    variants, supported = plan.compared.variants, []
    known = {
        conclusion.b: conclusion
        for conclusion in conclusions
        if conclusion.a == str(variants[0])
    }
    for entry, by_measure in zip(entries, results, strict=True):
        certain = None if entry.place is None else known.get(str(variants[entry.place]))
        [(measure, result)] = by_measure.items()
        shown = Result(mean=result.mean)
        if certain and result.difference is not None:
            p = 1 - certain.confidence
            shown = Result(
                mean=result.mean,
                difference=certain.estimate,
                difference_low=certain.low,
                difference_high=certain.high,
                tests={SEQUENTIAL: p, f"{SEQUENTIAL}_holm": p},
                wins=result.wins,
                ties=result.ties,
                losses=result.losses,
            )
        supported.append({measure: shown})
    return supported


def _topics(request: ExperimentRequest, losses: LossCounter | None) -> list[StudyTopic]:
    """Describe the evaluated topics."""
    languages = request.topic_languages()
    return [
        StudyTopic(
            id=topic,
            query=request.queries[topic],
            terms=None if losses is None else list(losses.queries[topic]),
            judged=len(grades),
            relevant=len(request.relevant[topic]),
            relevant_here=None if losses is None else int(losses.relevant[index]),
            pairs=None if losses is None else int(losses.pairs[index]),
            language=languages[topic],
        )
        for index, (topic, grades) in enumerate(request.grades.items())
    ]
