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

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Sweep, as_sweep
from boilersweep.eval.assess.answers import JudgedFolder
from boilersweep.eval.engines import EngineName, SearchOptions
from boilersweep.eval.frames import WrittenFrame
from boilersweep.eval.request import Request
from boilersweep.eval.runs import read_run
from boilersweep.eval.scoring import parse_measures
from boilersweep.eval.statistics import SEED
from boilersweep.eval.study.advice import advise
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.comparison import compare_groups
from boilersweep.eval.study.differences import DEFAULT_TESTS, require_tests
from boilersweep.eval.study.files import write_study
from boilersweep.eval.study.formulas import StudyFormula, check_formulas
from boilersweep.eval.study.mixture import suggest
from boilersweep.eval.study.outside import copy_and_score, look_at_runs
from boilersweep.eval.study.page_kinds import kinds_of_pages
from boilersweep.eval.study.pairs import compare_pairs, rows_to_pair
from boilersweep.eval.study.plan import StudyPlan
from boilersweep.eval.study.preparation import Prepared, index_sizes
from boilersweep.eval.study.ranked import (
    Ranked,
    choose_cleaner,
    entries_of,
    group_of,
    rank,
    rows_of,
    verify_runs,
)
from boilersweep.eval.study.results import (
    Advice,
    FormulaRows,
    Statistics,
    Study,
    StudyTopic,
    points_of,
)
from boilersweep.eval.study.variants import study_variants
from boilersweep.eval.verification import Verified
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic, describe

TESTED = ("P@10", "nDCG@10")
BESIDE = ("Judged@10", "Bpref")
"""Shown beside the scores: cleaned indexes bring up pages that no one judged."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudyResult(WrittenFrame):
    """study: what was found. table: for the terminal. files: what was written.

    verified: what was compared with real indexes; None where all runs come from real ones.
    placed: by name of the texts that are matched to blocks, how much of them was matched.
    """

    study: Study
    table: str
    files: list[Path]
    verified: Verified | None
    placed: Mapping[str, AlignmentCounts]


Report = Callable[[StudyResult], Sequence[Path]]
"""Writes more files into the folder of a study, and says which."""


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
    verify_full: bool = False,
    formulas: Sequence[StudyFormula] = (),
    runs: Mapping[str, Path] = MappingProxyType({}),
    seed: int = SEED,
    judged: JudgedFolder | None = None,
    title: str = "What cleaning does to retrieval",
    sources: Mapping[str, Path] = MappingProxyType({}),
    report: Report | None = None,
    nested: Sequence[str] = (),
    overwrite: bool = False,
) -> StudyResult:
    """Compare any number of cleaners and thresholds with a baseline, and choose one.

    baseline, cleaners, sweeps: as text, such as `words>=1` and `words=1:100`, or parsed.
    gold: name of the store's text that is the upper bound; None for `gold`, where it has that.
    measures: to compare by; the first is chosen by. Judged@10 and Bpref are beside them.
    tests: of statistics.TESTS; the first one decides what is significant.
    engine: what gives the runs. verified_variants: how many runs of the exact engine to compare
    with real indexes; None for the baseline and the best. verify_full: as for `run_sweep`.
    formulas: several, or tuned ones, in place of the model of the options; the first is chosen by.
    runs: made elsewhere, name -> file.
    seed: of the resamples, permutations and folds. judged: where `assess` collected the qrels; the
    notes say what they make certain. sources: the files of topics and qrels, to be noted. report:
    writes more files before the study counts as finished. nested: folders in which it makes further
    studies.
    overwrite: replace another experiment in the folder.
    Raises QrelsError where no topic or document is judged, UsageError for unknown measures or
    tests, a name that two things have, or nothing to compare, RunError for a file that is no run of
    these topics, VerificationError, what `experiment` raises, and what indexing and searching
    raise.
    """
    check_formulas(formulas)
    options = options or SearchOptions()
    if formulas:
        options = replace(options, model=formulas[0].model)
    parsed = parse_measures(measures)
    tested = list(map(str, parsed))
    request = Request(
        *(store, topics, qrels, Path(output), options),
        measures=parsed + parse_measures([one for one in BESIDE if one not in tested]),
        engine=engine,
        sources=sources,
        verified_variants=verified_variants,
        verify_full=verify_full,
        overwrite=overwrite,
    )
    tests = require_tests(tests)
    swept = [*map(as_sweep, sweeps)]
    compared = study_variants(
        *(as_cleaner(baseline), [*map(as_cleaner, cleaners)], swept, store.page_texts, gold),
        others=len(runs),
    )
    store.require_for([variant.cleaner for variant in compared.variants])
    docids = frozenset(store.docids()) if runs else frozenset()
    outside = look_at_runs(runs, compared.variants, request.grades, docids, request.output)
    return _carry_out(
        StudyPlan(
            *(request, compared, swept, tested, tests, formulas, outside, seed, title),
            judged=judged,
        ),
        report,
        nested,
    )


def _carry_out(plan: StudyPlan, report: Report | None, nested: Sequence[str]) -> StudyResult:
    """Prepare, rank, choose, verify, compare and write."""
    request, variants = plan.request, plan.compared.variants
    with request.folder(
        *("study", variants),
        docvectors=plan.reads_vectors,
        nested=nested,
        **plan.identity(),
    ) as folder:
        indexes = folder.index_folder
        prepared = plan.prepare(indexes)
        ranked = [rank(plan, formula, prepared) for formula in plan.ways]
        choice, winner = choose_cleaner(plan, ranked[0])
        verified = verify_runs(plan, ranked, prepared, choice, winner, indexes)
        built = request.engine == "indexes" or plan.reads_vectors
        used = verified.indexes if verified else ()
        folder.use_indexes([variant.name for variant in variants] if built else used)
        folder.manifest = plan.manifest(verified, prepared)
        study = _study(plan, ranked, prepared, choice, winner, indexes)
        study = replace(study, run=folder.manifest)
        study = replace(study, advice=_advice(plan, study))
        table, files = write_study(study, request.output)
        result = StudyResult(study, table, files, verified, prepared.placed)
        if report:
            result = replace(result, files=[*report(result), *files])
        folder.files = result.files
    return result


def _study(
    plan: StudyPlan,
    ranked: Sequence[Ranked],
    prepared: Prepared,
    choice: Choice | None,
    winner: int,
    indexes: Path,
) -> Study:
    """All that was found, as rows and figures."""
    request, tested = plan.request, plan.tested
    outside = {
        run.name: copy_and_score(run, request.grades, request.measures, plan.run_file(run.name))
        for run in plan.outside
    }
    # Runs from elsewhere are beside the variants under the first formula.
    entries = [entries_of(plan, one, outside if one is ranked[0] else {}) for one in ranked]
    groups = [group_of(*pair) for pair in zip(ranked, entries, strict=True)]
    compared = compare_groups(groups, tested, plan.seed, plan.tests)
    sizes = index_sizes(
        {one.variant: one.tokens for one in ranked[0].found},
        indexes,
        vectors=request.options.model.reads_vectors,
    )
    rows = [
        rows_of(one, some, comparison.results, prepared, sizes)
        for one, some, comparison in zip(ranked, entries, compared, strict=True)
    ]
    points = points_of(rows[0], plan.sweeps)
    paired = rows_to_pair(
        [row.role for row in rows[0]],
        [points[row.variant][0] if row.variant in points else None for row in rows[0]],
        groups[0].scores[tested[0]].mean(axis=0),
        choice.chosen if choice else winner,
    )
    noted = [line for run in plan.outside for line in run.notes(len(request.grades))]
    return Study(
        title=plan.title,
        tested=tested,
        beside=plan.beside,
        topics=_topics(request, prepared),
        rows=rows[0],
        statistics=Statistics(
            seed=plan.seed, comparisons=compared[0].comparisons, tests=plan.tests
        ),
        choice=choice,
        suggestion=suggest(request.store),
        advice=None,
        notes=[*describe(request.agreement), *noted, *_answers(plan)],
        formulas=[
            FormulaRows(way.name, str(way), way.tested, [r for r in some if r.role != "run"])
            for way, some in zip(plan.formulas, rows, strict=False)
        ],
        pairs=compare_pairs(groups[0].scores, paired, tested, plan.tests, plan.seed),
        sweeps=list(plan.sweeps),
        kinds=kinds_of_pages(request.store, plan.compared.variants, plan.seed),
    )


def _answers(plan: StudyPlan) -> list[str]:
    """What the judgements of `assess` make certain about the baseline and the named cleaners."""
    if plan.judged is None:
        return []
    compared = zip(plan.compared.variants, plan.compared.roles, strict=True)
    runs = {
        str(variant): {
            topic: [docid for docid, _ in hits]
            for topic, hits in read_run(plan.run_file(variant.name, plan.ways[0])).items()
        }
        for variant, role in compared
        if role in ("baseline", "cleaner")
    }
    return plan.judged.answers(runs, plan.tested[0]) if len(runs) > 1 else []


def _advice(plan: StudyPlan, study: Study) -> Advice | None:
    request = plan.request
    return advise(
        *(study, request.store.path, request.output, request.options.analyzer),
        docvectors=request.options.model.reads_vectors,
        languages=request.store.chosen_languages,
    )


def _topics(request: Request, prepared: Prepared) -> list[StudyTopic]:
    losses, terms = prepared.losses, prepared.terms
    languages = request.topic_languages()
    return [
        StudyTopic(
            id=topic,
            query=request.queries[topic],
            terms=None if terms is None else list(terms[topic]),
            judged=len(grades),
            relevant=len(request.relevant[topic]),
            relevant_here=None if losses is None else int(losses.relevant[place]),
            pairs=None if losses is None else int(losses.terms[place]),
            language=languages[topic],
        )
        for place, (topic, grades) in enumerate(request.grades.items())
    ]
