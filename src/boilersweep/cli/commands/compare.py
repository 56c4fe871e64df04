"""`boilersweep compare`: which cleaner to index with, and why."""

import argparse

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cli import arguments, topic_arguments
from boilersweep.cli import options as chosen
from boilersweep.cli.terminal import tell

_LONG = 120  # seconds, from which on it is said beforehand
_VERIFIED = 2  # the baseline and the best


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "compare",
        help="compare cleaners with a baseline: intervals, corrected p-values, costs, a choice",
        description="Run and score any number of cleaners and thresholds over a block store, "
        "compare each with the baseline, and say what cleaning takes away. A text named gold "
        "in the store is the upper bound.",
    )
    arguments.add_store(parser)
    arguments.add_dataset(parser, "topics and qrels that are not named otherwise")
    topic_arguments.add_topics(parser, required=False)
    topic_arguments.add_qrels(parser, required=False)
    arguments.add_output(parser, "where everything goes")
    parser.add_argument(
        "--baseline",
        type=arguments.checked(parse_cleaner),
        default="words>=1",
        metavar="CLEANER",
        help="what all others are compared with (default: words>=1, every block)",
    )
    arguments.add_cleaners(parser, "cleaners to compare with it")
    arguments.add_sweeps(parser, "")
    topic_arguments.add_runs(parser)
    parser.add_argument(
        "--gold",
        metavar="NAME",
        help="the text of the store that is the upper bound (default: gold, where it has that)",
    )
    parser.add_argument(
        "--measures",
        nargs="+",
        metavar="MEASURE",
        help="to compare by, any of ir-measures, or trec_eval's names; --choose goes by the first; "
        "Judged@10 and Bpref stand beside them (default: P@10 nDCG@10)",
    )
    parser.add_argument(
        "--tests",
        type=arguments.checked(_tests),
        default="randomisation,t",
        metavar="LIST",
        help="paired tests over topics, with commas between them, of randomisation, t and "
        "wilcoxon; the first one decides what is statistically significant (default: "
        "randomisation,t)",
    )
    parser.add_argument(
        "--choose",
        action="store_true",
        help="name one cleaner, how sure that is and what it costs, and the command that builds "
        "the index to deploy",
    )
    arguments.add_languages(parser)
    arguments.add_title(parser, "with the store's name")
    arguments.add_reuse(parser)
    topic_arguments.add_engine(parser, "exact")
    topic_arguments.add_ranking(parser, several=True)
    topic_arguments.add_feedback(parser)
    arguments.add_analyzer(parser)
    arguments.add_threads(parser)
    arguments.add_java(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def _tests(text: str) -> tuple[str, ...]:
    from boilersweep.eval.study.differences import parse_tests

    return parse_tests(text)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import list_files, note, report_alignment
    from boilersweep.eval.report.report import report_study
    from boilersweep.eval.scoring import parse_measures
    from boilersweep.eval.study.formulas import models_of
    from boilersweep.eval.study.outside import check_names
    from boilersweep.eval.study.preparation import estimate_seconds
    from boilersweep.eval.study.study import TESTED, run_study
    from boilersweep.eval.study.variants import study_variants
    from boilersweep.store.store import open_store
    from boilersweep.topics import describe, require_agreement

    # What can fail at once fails before the long work.
    measures = options.measures or TESTED
    parse_measures(measures)
    chosen.check_engine(options)
    formulas = chosen.formulas(options)
    search_options = chosen.search_options(options)
    runs = chosen.runs(options)
    chosen.resolve_dataset(options)
    topics, qrels = chosen.topics(options), chosen.qrels(options)
    agreement = require_agreement(topics, qrels)
    noted = describe(agreement)
    for line in noted:
        note(line)
    store = chosen.of_languages(options, open_store(options.store), qrels, agreement.evaluated)
    chosen.note_languages(options, store)
    sweeps = options.sweeps or ()
    compared = study_variants(
        *(options.baseline, options.cleaners, sweeps, store.page_texts, options.gold),
        others=len(runs),
    )
    check_names(list(runs), compared.variants)
    models = models_of(formulas) or [search_options.model]
    vectors = any(model.reads_vectors for model in models)
    exact = options.engine == "exact" and not vectors
    count, hits = len(compared.variants), min(options.hits, store.documents)
    real = (options.verify or _VERIFIED) if exact else count
    every, searched = count * len(models), min(real, count) * len(models)
    seconds = estimate_seconds(len(topics), every, searched, hits)
    if seconds >= _LONG:
        note(
            f"{len(topics):,} topics and {count} cleaners: searching, scoring, resampling and the "
            f"report will take about {seconds / 60:,.0f} minutes; fewer --hits take less"
        )
    chosen.start_java(options)
    if not exact:
        chosen.note_size(store, compared.variants)
    result = run_study(
        store,
        topics,
        qrels,
        options.baseline,
        options.output,
        cleaners=options.cleaners,
        sweeps=sweeps,
        gold=options.gold,
        options=search_options,
        measures=measures,
        tests=options.tests,
        engine=options.engine,
        verified_variants=options.verify,
        formulas=formulas,
        runs=runs,
        title=options.title or f"What cleaning does to retrieval: {options.store.name}",
        sources=chosen.sources(options),
        report=lambda _: [report_study(options.output, store, qrels, search_options.analyzer)],
        overwrite=options.overwrite,
    )
    for line in result.study.notes:
        if line not in noted:
            note(line)
    tell(result.table)
    print()
    if options.choose:
        print(result.study.answer)
        print()
    report_alignment(result.placed)
    if result.verified:
        note(str(result.verified))
    print(list_files(result.files, options.output))
    return 0
