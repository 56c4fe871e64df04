"""Score every threshold on a collection with topics and qrels.

Segment a collection, index what every threshold keeps, run the topics, score the runs, and write
table, curve, runs and indexes. If run again, it skips completed work. Without --qrels: how the top
ten changes with the threshold. With --preset blogs06: check that the BLOGS06 permalink documents,
topics 851-900 and their qrels exist, run the paper's grid and BTE, under the requested formula and
that of 2010, and compare the results with the paper's figures and the runs of TREC 2006.
"""

import argparse
from concurrent.futures import Executor
from dataclasses import replace

from boilersweep.cleaners.language.grammar import elsewhere
from boilersweep.cleaners.language.variants import PAPER_SWEEPS, Grid, collect_variants
from boilersweep.cli import blogs06, options
from boilersweep.cli.messages import note, print_results, tell
from boilersweep.cli.options.collection import (
    own_store,
    report_losses,
    requested_extractors,
    segmented,
)
from boilersweep.cli.parser import Group, Options, apart
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.folder import EXPERIMENT
from boilersweep.eval.experiment.request import OutputOptions, require_means
from boilersweep.eval.stats.frames import best_of
from boilersweep.eval.sweep.grid import GridResult, run_grid
from boilersweep.eval.sweep.sweep import SweepResult, run_sweep
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import Qrels, Topic, describe
from boilersweep.work.cluster import cluster_executor


def _apply_preset(args: argparse.Namespace) -> None:
    if args.preset:
        blogs06.prepare(args)


def _choose_engine(args: argparse.Namespace) -> None:
    """Set the default engine; raise UsageError for options that a grid does not have."""
    grid = args.grid
    if grid and args.cleaners:
        raise UsageError(
            "--grid cannot be used with --cleaners; score them in a separate `sweep`"
        )
    if grid and args.engine == "indexes":
        raise UsageError(
            "--grid requires --engine exact: it has too many variants for indexes"
        )
    if grid:
        Grid(*grid)
    args.engine = args.engine or ("exact" if grid else "indexes")


def _check(args: argparse.Namespace) -> None:
    """Raise UsageError for qrels without means, and work that a cluster cannot do."""
    if args.qrels:
        require_means(args.qrels)
    if args.grid and args.cluster:
        raise UsageError(
            "--cluster requires --sweep or --cleaners: a grid has no files of rows"
        )


OPTIONS = (
    Options(
        """
        --preset {blogs06}  the settings of the 2010 paper: words 1 to 100, density 1 to 20 and BTE,
            blocks between any two tags, no titles, apostrophes as written
        """
    ),
    apart("--preset", *blogs06.SET),
    _apply_preset,
    options.collection.pages_or_store(),
    Group(
        options.cleaners.sweep(
            " (default: words=1:100 and density=1:20, as in the paper)"
        ),
        options.cleaners.GRID,
        exclusive=True,
    ),
    options.cleaners.several("cleaners to score besides the thresholds, or alone"),
    options.experiment.measures(
        "any measures of ir-measures, or trec_eval's names; the first two are drawn (default: P@10 "
        "nDCG@10 Judged@10 AP; with --grid without AP)"
    ),
    options.collection.languages(),
    _choose_engine,
    options.experiment.experiment(),
    options.experiment.UNJUDGED,
    options.output.overwrite(),
    options.output.CLUSTER,
    _check,
    {"engine": None},  # the default depends on --grid
)


def run(args: argparse.Namespace) -> int:
    if args.preset:
        return blogs06.run(args)
    if args.qrels is None:
        return _unjudged(args)
    topics, qrels, agreement, noted = options.topics.topics_and_qrels(args)
    existing = open_store(args.store) if args.store else None
    sweeps = options.cleaners.sweeps(args, PAPER_SWEEPS)
    variants = () if args.grid else collect_variants(sweeps, args.cleaners)
    if existing:
        cleaners = [one.cleaner for one in variants]
        existing.require_for(cleaners)
    else:
        requested_extractors(args)  # rejects unknown names
    options.experiment.start_java(args)
    with cluster_executor(args.cluster) as executor:
        store = existing or own_store(args, EXPERIMENT, executor)
        store = options.experiment.select_languages(
            args, store, qrels, agreement.evaluated
        )
        options.index.note_languages(args, store)
        if args.engine == "indexes":
            options.experiment.note_size(store, variants)
        result = _scored(args, store, topics, qrels, executor)
    note(*(line for line in describe(result.agreement) if line not in noted))
    tell(f"{result.table}\n")
    if isinstance(result, SweepResult):
        best = best_of(result.rows, next(iter(result.rows[0].results)))
        note(*elsewhere(best.variant.cleaner))
    print_results(result, args.output)
    return report_losses(args, store)


def _unjudged(args: argparse.Namespace) -> int:
    """Show how the top ten changes with the threshold, without --qrels."""
    args.engine = "exact"
    options.experiment.start_java(args)
    store = open_store(args.store) if args.store else None
    store = store or segmented(args, args.output / "store")
    return options.experiment.run_unjudged(
        args, store, options.cleaners.sweeps(args, PAPER_SWEEPS)
    )


def _scored(
    args: argparse.Namespace,
    store: BlockStore,
    topics: list[Topic],
    qrels: Qrels,
    executor: Executor | None,
) -> SweepResult | GridResult:
    """Run and score the sweep or the grid."""
    experiment_options = replace(
        options.experiment.experiment_options(args),
        executor=executor,
    )
    output_options = OutputOptions(
        title=f"What cleaning does to retrieval: {store.collection}",
        sources=options.topics.sources(args),
        overwrite=args.overwrite,
    )
    if args.grid:
        return run_grid(
            store,
            Grid(*args.grid),
            topics,
            qrels,
            args.output,
            options=experiment_options,
            output_options=output_options,
        )
    return run_sweep(
        store,
        options.cleaners.sweeps(args, PAPER_SWEEPS),
        topics,
        qrels,
        args.output,
        cleaners=args.cleaners,
        options=experiment_options,
        output_options=output_options,
    )
