"""Score every threshold on a collection with topics and qrels.

Segment a collection, index what every threshold keeps, run the topics, score the runs, and write
table, curve, runs and indexes. If run again, it skips completed work. Without --qrels: how the top
ten changes with the threshold.
"""

import argparse
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.grids import Grid
from boilersweep.cleaners.variants import PAPER_SWEEPS, collect_variants
from boilersweep.cli import options
from boilersweep.cli.parser import Parser
from boilersweep.cli.terminal import tell
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.eval.exact.shares import SharedSweep
    from boilersweep.eval.sweep.grid import GridResult
    from boilersweep.eval.sweep.sweep import SweepResult
    from boilersweep.work.shares import Share


def add_options(parser: Parser) -> None:
    options.collection.add(parser, store=True)
    swept = parser.add_mutually_exclusive_group()
    options.cleaners.add_sweeps(swept, " (default: words=1:100 and density=1:20, as in the paper)")
    options.cleaners.add_grid(swept)
    options.cleaners.add(parser, "cleaners to score besides the thresholds, or alone")
    options.experiment.add_measures(
        parser,
        "any measures of ir-measures, or trec_eval's names; the first two are drawn (default: P@10 "
        "nDCG@10 Judged@10 AP; with --grid without AP)",
    )
    options.collection.add_languages(parser)
    parser.check(_choose_engine)
    options.experiment.add(parser, dataset=True)
    options.judging.add_unjudged(parser)
    options.output.add_overwrite(parser)
    options.output.add_verify_input(parser)
    options.work.add_shared(
        parser,
        "of the exact engine's pass over a finished --store and, run again when all are done, "
        "of the ranking; then the same command without --share computes the scores",
    )
    parser.check(_check)
    parser.set_defaults(engine=None)  # the default depends on --grid


def _choose_engine(args: argparse.Namespace) -> None:
    """Set the default engine; raises UsageError for options that a grid does not have."""
    grid = args.grid
    if grid and args.cleaners:
        raise UsageError("--grid cannot be used with --cleaners; score them in a separate `sweep`")
    if grid and args.engine == "indexes":
        raise UsageError("--grid requires --engine exact: it has too many variants for indexes")
    if grid:
        Grid(*grid)
    args.engine = args.engine or ("exact" if grid else "indexes")


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for work that several processes cannot share."""
    if not options.work.is_shared(args):
        return
    if args.grid:
        raise UsageError(
            "--grid runs in one process; --share, --cluster and --scheduler require --sweep"
        )
    if args.languages:
        raise UsageError("--languages cannot be used with --share, --cluster or --scheduler")
    if args.share and args.engine != "exact":
        raise UsageError(
            "sweep --share requires --engine exact; for real indexes share `boilersweep index`, "
            "with --output SWEEP/indexes"
        )
    options.work.check_share_of_store(args)


def run(args: argparse.Namespace) -> int:
    from boilersweep.cli.messages import note_probabilities, print_results
    from boilersweep.eval.engines import shared_sweep
    from boilersweep.eval.exact.shares import sweep_on
    from boilersweep.indexer.shares import builder
    from boilersweep.store.store import open_store

    if args.qrels is None:
        return _unjudged(args)
    search_options = options.experiment.search_options(args)
    topics, qrels, agreement, _ = options.topics.topics_and_qrels(args)
    existing = open_store(args.store) if args.store else None
    sweeps = options.cleaners.sweeps(args, PAPER_SWEEPS)
    variants = () if args.grid else collect_variants(sweeps, args.cleaners)
    if existing:
        cleaners = [one.cleaner for one in variants]
        existing.require_for(cleaners)
        note_probabilities(existing, cleaners)
    else:
        options.collection.requested_extractors(args)  # rejects unknown names
    options.experiment.start_java(args)
    queries = {topic.id: topic.text(search_options.fields) for topic in topics}
    with options.work.cluster(args) as cluster:
        store = existing or options.experiment.store_of(args, args.collection, cluster)
        store = options.experiment.of_languages(args, store, qrels, agreement.evaluated)
        options.index.note_languages(args, store)
        requested = (store, variants, queries, args.output, search_options)
        if args.engine == "indexes":
            options.experiment.note_size(store, variants)
        elif cluster:
            sweep_on(cluster, shared_sweep(*requested), heap=args.heap)
        elif args.share:
            return _share(shared_sweep(*requested), args.share)
        build = builder(cluster, args.heap, overwrite=args.overwrite)
        result = _scored(args, store, topics, qrels, options=search_options, build=build)
    tell(result.table)
    print()
    print_results(result, args.output)
    return options.collection.note_losses(args, store)


def _unjudged(args: argparse.Namespace) -> int:
    """Without --qrels: how the top ten changes with the threshold."""
    from boilersweep.store.store import open_store

    args.engine = "exact"
    options.experiment.start_java(args)
    store = open_store(args.store) if args.store else None
    store = store or options.collection.segmented(args, args.output / "store", args.collection)
    return options.judging.run_unjudged(args, store, options.cleaners.sweeps(args, PAPER_SWEEPS))


def _scored(
    args: argparse.Namespace, store: Any, topics: Any, qrels: Any, **more: Any
) -> "SweepResult | GridResult":
    """The scored sweep or grid."""
    from boilersweep.eval.scoring import DEFAULT_MEASURES, TOP_MEASURES
    from boilersweep.eval.sweep.grid import run_grid
    from boilersweep.eval.sweep.sweep import run_sweep

    more |= {
        "measures": args.measures or (TOP_MEASURES if args.grid else DEFAULT_MEASURES),
        **args.verify._asdict(),
        "sources": options.topics.sources(args),
        "overwrite": args.overwrite,
        "title": f"What cleaning does to retrieval: {(args.input or args.store).name}",
    }
    if args.grid:
        return run_grid(store, Grid(*args.grid), topics, qrels, args.output, **more)
    sweeps = options.cleaners.sweeps(args, PAPER_SWEEPS)
    more |= {"cleaners": args.cleaners, "engine": args.engine}
    return run_sweep(store, sweeps, topics, qrels, args.output, **more)


def _share(sweep: "SharedSweep", share: "Share") -> int:
    """Do the next step of a share of a sweep; the exit status."""
    from boilersweep.cli.messages import note

    if share in sweep.shares():
        print(sweep.rank(share))
        note(f"share {share} is ranked; the same command without --share uses all shares")
    else:
        print(sweep.collect(share))
        note(f"share {share} is analysed; when all shares are, the same command ranks it")
    return 0
