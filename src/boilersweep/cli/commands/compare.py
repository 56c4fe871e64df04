"""Compare cleaners with a baseline: intervals, corrected p-values, costs, a choice.

Run and score any number of cleaners and thresholds over a block store, compare each with the
baseline, and report what cleaning removes. A text named gold in the store is the upper bound.
Without --qrels: how the top ten changes from cleaner to cleaner.
"""

import argparse
from typing import TYPE_CHECKING

from boilersweep.cli import options
from boilersweep.cli.parser import Parser, declare
from boilersweep.cli.terminal import tell

if TYPE_CHECKING:
    from boilersweep.eval.study.study import StudyResult

_LONG = 120  # seconds; longer work is announced
_VERIFIED = 2  # the baseline and the best


def add_options(parser: Parser) -> None:
    options.collection.add_store(parser)
    options.collection.add_dataset(parser, "topics and qrels that no other option names")
    options.topics.add_topics(parser, required=False)
    options.topics.add_qrels(parser, required=False)
    options.judging.add_unjudged(parser)
    parser.check(options.collection.resolve_dataset)
    options.output.add(parser, "the folder for all results")
    options.cleaners.add_one(
        parser,
        "--baseline",
        "the cleaner that all others are compared with; the default keeps every block",
        "words>=1",
    )
    options.cleaners.add(parser, "cleaners to compare with the baseline")
    options.cleaners.add_sweeps(parser)
    options.topics.add_runs(parser)
    declare(
        parser,
        """
        --gold NAME   the text of the store that is the upper bound (default: gold, if the store has
                      it)
        --choose      recommend one cleaner, with its certainty, its cost, and the command that
                      builds the index to deploy
        --tests LIST  paired tests over topics, separated by commas: randomisation, t, wilcoxon; the
                      first decides what is statistically significant
        """,
        types={"tests": _tests},
        defaults={"tests": "randomisation,t"},
    )
    options.experiment.add_measures(
        parser,
        "the measures to compare by, any of ir-measures, or trec_eval's names; --choose uses the "
        "first; Judged@10 and Bpref are always reported (default: P@10 nDCG@10)",
    )
    options.collection.add_languages(parser)
    options.output.add_title(parser, "with the store's name")
    options.output.add_overwrite(parser)
    options.experiment.add_engine(parser, "exact")
    options.ranking.add(parser, several=True, vectors=True)
    options.index.add_analyzer(parser)
    options.work.add(parser)


def _tests(text: str) -> tuple[str, ...]:
    from boilersweep.eval.study.differences import parse_tests

    return parse_tests(text)


def run(args: argparse.Namespace) -> int:
    from boilersweep.cli.messages import note, note_probabilities, print_results
    from boilersweep.eval.study.formulas import models_of
    from boilersweep.eval.study.outside import check_names
    from boilersweep.eval.study.variants import study_variants
    from boilersweep.store.store import open_store

    if args.qrels is None:
        options.experiment.start_java(args)
        return options.judging.run_unjudged(args, open_store(args.store), args.sweeps or ())
    search_options = options.experiment.search_options(args)
    topics, qrels, agreement, noted = options.topics.topics_and_qrels(args)
    store = open_store(args.store)
    store = options.experiment.of_languages(args, store, qrels, agreement.evaluated)
    options.index.note_languages(args, store)
    runs, sweeps = options.topics.runs(args), args.sweeps or ()
    compared = study_variants(
        *(args.baseline, args.cleaners, sweeps, store.page_texts, args.gold), others=len(runs)
    )
    check_names(list(runs), compared.variants)
    note_probabilities(store, [one.cleaner for one in compared.variants])
    models = models_of(options.ranking.formulas(args)) or [search_options.model]
    exact = args.engine == "exact" and not any(model.reads_vectors for model in models)
    count = len(compared.variants)
    searched = min((args.verify.verified_variants or _VERIFIED) if exact else count, count)
    hits = min(search_options.hits, store.documents)
    _note_time(len(topics), count, searched, len(models), hits)
    options.experiment.start_java(args)
    if not exact:
        options.experiment.note_size(store, compared.variants)
    result = _study(args, store, topics, qrels, options=search_options, runs=runs)
    for line in result.study.notes:
        if line not in noted:
            note(line)
    tell(result.table)
    print()
    if args.choose:
        print(result.study.answer)
        print()
    print_results(result, args.output)
    return 0


def _note_time(topics: int, cleaners: int, searched: int, models: int, hits: int) -> None:
    """Announce long work. searched: cleaners for which real indexes are searched."""
    from boilersweep.cli.messages import note
    from boilersweep.eval.study.preparation import estimate_seconds

    seconds = estimate_seconds(topics, cleaners * models, searched * models, hits)
    if seconds >= _LONG:
        note(
            f"{topics:,} topics and {cleaners} cleaners: searching, scoring, resampling and the "
            f"report will take about {seconds / 60:,.0f} minutes; fewer --hits take less"
        )


def _study(args: argparse.Namespace, store, topics, qrels, **more) -> "StudyResult":  # type: ignore[no-untyped-def]
    from boilersweep.eval.assess.answers import judged_folder
    from boilersweep.eval.report.report import report_study
    from boilersweep.eval.study.study import TESTED, run_study

    sources = options.topics.sources(args)

    return run_study(
        store,
        topics,
        qrels,
        args.baseline,
        args.output,
        cleaners=args.cleaners,
        sweeps=args.sweeps or (),
        gold=args.gold,
        measures=args.measures or TESTED,
        tests=args.tests,
        engine=args.engine,
        **args.verify._asdict(),
        formulas=options.ranking.formulas(args),
        title=args.title or f"What cleaning does to retrieval: {args.store.name}",
        judged=judged_folder(sources["qrels"], args.seed or 1),
        sources=sources,
        report=lambda _: [report_study(args.output, store, qrels, more["options"].analyzer)],
        overwrite=args.overwrite,
        **more,
    )
