"""Compare cleaners with a baseline: intervals, corrected p-values, costs, a choice.

Run and score any number of cleaners and thresholds over a block store, compare each with the
baseline, and report what cleaning removes. A text named gold in the store is the upper bound.
Without --qrels: how the top ten changes from cleaner to cleaner. --of-sweep compares what a
finished sweep ran, without searching again.
"""

import argparse
from dataclasses import replace

from boilersweep.cleaners.language.grammar import elsewhere
from boilersweep.cli import options
from boilersweep.cli.messages import note, print_results, tell
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.eval.assess.decision import judged_folder
from boilersweep.eval.experiment.request import OutputOptions
from boilersweep.eval.report.report import report_study
from boilersweep.eval.study.differences import parse_tests
from boilersweep.eval.study.outside import check_names
from boilersweep.eval.study.plan import StudyOptions, models_of, study_variants
from boilersweep.eval.study.ranked import estimate_seconds
from boilersweep.eval.study.results import StudyResult
from boilersweep.eval.study.study import compare_sweep, run_study
from boilersweep.indexer.jvm import start_jvm
from boilersweep.store.store import open_store
from boilersweep.work.progress import begin

_LONG = 120  # seconds; longer work is announced
_VERIFIED = 2  # the baseline and the best

# The options beside --of-sweep; what others choose is the sweep's.
_OF_SWEEP = frozenset(
    "of_sweep output overwrite title baseline cleaners gold runs topic_prefix choose tests "
    "measures verify threads heap".split()
)


def _check_sweep(args: argparse.Namespace) -> None:
    """Take all inputs from --of-sweep; raise UsageError for options beside it, or for no store."""
    if args.of_sweep is None:
        if args.store is None:
            raise UsageError("expected --store or --of-sweep")
        return
    args.store = args.topics = args.qrels = args.of_sweep
    others = [
        words[0]
        for name, words in args.typed.items()
        if words and name not in _OF_SWEEP
    ]
    if others:
        raise UsageError(
            f"--of-sweep cannot be used with {', '.join(others)}: these are the sweep's"
        )


OPTIONS = (
    options.collection.store(required=False),
    Options(
        """
        --of-sweep DIR  in place of --store, --topics, --qrels and options of ranking: the --output
                        of a finished `sweep`, whose runs are compared without searching again
        """
    ),
    _check_sweep,
    options.collection.dataset("topics and qrels that no other option names"),
    options.topics.topics_group(),
    options.topics.qrels_option(required=False),
    options.experiment.UNJUDGED,
    options.collection.resolve_dataset,
    options.output.folder("the folder for all results"),
    options.cleaners.one(
        "--baseline",
        "the cleaner that all others are compared with; the default keeps every block",
        "words>=1",
    ),
    options.cleaners.several("cleaners to compare with the baseline"),
    options.cleaners.sweep(),
    options.topics.RUNS,
    Options(
        """
        --gold NAME   the text of the store that is the upper bound (default: gold, if the store has
                      it)
        --choose      recommend one cleaner, with its certainty, its cost, and the command that
                      builds the index to deploy
        --tests LIST  paired tests over topics, separated by commas: randomisation, t, wilcoxon; the
                      first decides what is statistically significant
        """,
        types={"tests": parse_tests},
        defaults={"tests": "randomisation,t"},
    ),
    options.experiment.measures(
        "the measures to compare by, any of ir-measures, or trec_eval's names; --choose uses the "
        "first; Judged@10 and Bpref are always reported (default: P@10 nDCG@10)"
    ),
    options.collection.languages(),
    options.output.title("with the store's name"),
    options.output.overwrite(),
    options.experiment.engine("exact"),
    options.ranking.group(several=True),
    options.index.ANALYZER,
    options.output.ALL,
)


def run(args: argparse.Namespace) -> int:
    if args.qrels is None:
        options.experiment.start_java(args)
        return options.experiment.run_unjudged(
            args, open_store(args.store), args.sweeps or ()
        )
    result = _of_sweep(args) if args.of_sweep else _searched(args)
    tell(f"{result.table}\n")
    if args.choose:
        print(f"{result.study.answer}\n")
    study = result.study
    if study.chosen.cleaner and study.distinction:
        note(*elsewhere(study.chosen.variant.cleaner))
    print_results(result, args.output)
    return 0


def _of_sweep(args: argparse.Namespace) -> StudyResult:
    """Compare what a sweep ran."""
    start_jvm(args.heap)
    result = compare_sweep(
        args.of_sweep,
        args.output,
        cleaners=args.cleaners,
        study=_study_options(args),
        options=options.experiment.experiment_options(args),
        output_options=_output_options(args, args.of_sweep.name),
    )
    note(*result.study.notes)
    return result


def _study_options(args: argparse.Namespace) -> StudyOptions:
    """Return what is compared, and how."""
    return StudyOptions(
        baseline=args.baseline,
        sweeps=args.sweeps or (),
        gold=args.gold,
        tests=args.tests,
        formulas=options.ranking.formulas(args),
        runs=options.topics.runs(args),
        topic_prefixes=dict(args.topic_prefix),
        judged=judged_folder(args.qrels),
        report=report_study,
    )


def _output_options(args: argparse.Namespace, collection: str) -> OutputOptions:
    """Return the title, and whether to replace another experiment."""
    title = args.title or f"What cleaning does to retrieval: {collection}"
    return OutputOptions(title=title, overwrite=args.overwrite)


def _searched(args: argparse.Namespace) -> StudyResult:
    """Search for all cleaners, and compare them."""
    begin("topics, judgements and the store")
    experiment = options.experiment.experiment_options(args)
    search_options = experiment.search
    topics, qrels, agreement, noted = options.topics.topics_and_qrels(args)
    store = open_store(args.store)
    store = options.experiment.select_languages(args, store, qrels, agreement.evaluated)
    options.index.note_languages(args, store)
    study = _study_options(args)
    compared = study_variants(args.cleaners, study, store.page_texts)
    check_names(list(study.runs), compared.variants)
    models = models_of(study.formulas) or [search_options.model]
    exact = args.engine == "exact" and not any(model.reads_vectors for model in models)
    count = len(compared.variants)
    searched = min(
        (experiment.verification.variants or _VERIFIED) if exact else count, count
    )
    hits = min(search_options.hits, store.documents)
    _note_time(len(topics), count, searched, len(models), hits)
    begin("Java")
    options.experiment.start_java(args)
    if not exact:
        options.experiment.note_size(store, compared.variants)
    result = run_study(
        store,
        args.cleaners,
        topics,
        qrels,
        args.output,
        study=study,
        options=experiment,
        output_options=replace(
            _output_options(args, store.collection),
            sources=options.topics.sources(args),
        ),
    )
    note(*(line for line in result.study.notes if line not in noted))
    return result


def _note_time(
    topics: int, cleaners: int, searched: int, models: int, hits: int
) -> None:
    """Announce long work.

    Args:
        topics: The number of topics.
        cleaners: The number of cleaners.
        searched: The number of cleaners for which real indexes are searched.
        models: The number of ranking formulas.
        hits: The hits of a topic.
    """
    seconds = estimate_seconds(topics, cleaners * models, searched * models, hits)
    if seconds >= _LONG:
        note(
            f"{topics:,} topics and {cleaners} cleaners: searching, scoring, resampling and the "
            f"report will take about {seconds / 60:,.0f} minutes; fewer --hits take less"
        )
