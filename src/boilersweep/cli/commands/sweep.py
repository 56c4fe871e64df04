"""`boilersweep sweep`: from a collection to the table and the curve."""

import argparse
from typing import Any

from boilersweep.cleaners.grids import Grid
from boilersweep.cleaners.variants import PAPER_SWEEPS, collect_variants
from boilersweep.cli import arguments, topic_arguments
from boilersweep.cli import cluster_arguments as shared
from boilersweep.cli import options as chosen
from boilersweep.cli.terminal import tell
from boilersweep.errors import UsageError


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "sweep",
        help="from a collection, topics and qrels to scores at every threshold",
        description="Segment a collection, index what every threshold keeps, run the topics, "
        "score the runs, and write table, curve, runs and indexes. Called again it skips what "
        "is done.",
    )
    arguments.add_collection(parser, store=True)
    swept = parser.add_mutually_exclusive_group()
    arguments.add_sweeps(swept, " (default: words=1:100 and density=1:20, as in the paper)")
    arguments.add_grid(swept)
    arguments.add_cleaners(parser, "cleaners to try beside the thresholds, or alone")
    parser.add_argument(
        "--measures",
        nargs="+",
        metavar="MEASURE",
        help="any of ir-measures, or trec_eval's names; the first two are drawn (default: P@10 "
        "nDCG@10 Judged@10 AP; of a --grid without AP)",
    )
    arguments.add_languages(parser)
    topic_arguments.add_experiment(parser, dataset=True)
    topic_arguments.add_feedback(parser)
    arguments.add_reuse(parser, segments=True)
    shared.add_shared(
        parser,
        "of the exact engine's pass over a finished --store and, called again when all are done, "
        "of the ranking; then the same command without --share scores",
    )
    parser.set_defaults(run=run, engine=None)  # which is the default depends on --grid


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import list_files, note, report_alignment
    from boilersweep.eval.engines import shared_sweep
    from boilersweep.eval.exact.on_cluster import sweep_on
    from boilersweep.eval.scoring import DEFAULT_MEASURES, TOP_MEASURES, parse_measures
    from boilersweep.eval.sweep.grid import GridResult, run_grid
    from boilersweep.eval.sweep.sweep import SweepResult, run_sweep
    from boilersweep.indexer.on_cluster import builder
    from boilersweep.store.store import open_store
    from boilersweep.topics import describe, require_agreement

    # What can fail at once fails before the long work.
    grid = _grid(options)
    options.engine = options.engine or ("exact" if grid else "indexes")
    measures = options.measures or (TOP_MEASURES if grid else DEFAULT_MEASURES)
    parse_measures(measures)
    chosen.check_engine(options)
    shared.check_sweep_share(options)
    if options.languages and (options.share or options.cluster or options.scheduler):
        raise UsageError("sweep: --languages does not go with --share, --cluster or --scheduler")
    search_options = chosen.search_options(options)
    chosen.resolve_dataset(options)
    topics, qrels = chosen.topics(options), chosen.qrels(options)
    agreement = require_agreement(topics, qrels)
    for line in describe(agreement):
        note(line)
    made_before = open_store(options.store) if options.store else None
    chosen.start_java(options)
    sweeps = chosen.sweeps(options, PAPER_SWEEPS)
    variants = () if grid else collect_variants(sweeps, options.cleaners)
    queries = {topic.id: topic.text(search_options.fields) for topic in topics}
    with shared.crew(options) as crew:
        store = made_before or chosen.own_store(options, options.collection, crew)
        store = chosen.of_languages(options, store, qrels, agreement.evaluated)
        chosen.note_languages(options, store)
        asked = (store, variants, queries, options.output, search_options)
        if options.engine == "indexes":
            chosen.note_size(store, variants)
        elif crew:
            sweep_on(crew, shared_sweep(*asked), heap=options.heap)
        elif options.share:
            return shared.sweep_share(shared_sweep(*asked), options.share)
        same: dict[str, Any] = {
            "options": search_options,
            "measures": measures,
            "verified_variants": options.verify,
            "sources": chosen.sources(options),
            "overwrite": options.overwrite,
            "build": builder(crew, options.heap, overwrite=options.overwrite),
            "title": f"What cleaning does to retrieval: {(options.input or options.store).name}",
        }
        result: SweepResult | GridResult = (
            run_grid(store, grid, topics, qrels, options.output, **same)
            if grid
            else run_sweep(
                store,
                sweeps,
                topics,
                qrels,
                options.output,
                cleaners=options.cleaners,
                engine=options.engine,
                **same,
            )
        )
    tell(result.table)
    print()
    report_alignment(result.placed)
    if result.verified:
        note(str(result.verified))
    print(list_files(result.files, options.output))
    return chosen.note_losses(options, store)


def _grid(options: argparse.Namespace) -> Grid | None:
    """The grid asked for; raises UsageError for what does not go with one."""
    if not options.grid:
        return None
    if options.cleaners:
        raise UsageError("--grid has no cleaners beside it; try these with another `sweep`")
    if options.engine == "indexes":
        raise UsageError("--grid goes with --engine exact: it has too many variants for indexes")
    if options.share or options.cluster or options.scheduler:
        raise UsageError(
            "--grid is swept by one process; --share, --cluster and --scheduler go with --sweep"
        )
    return Grid(*options.grid)
