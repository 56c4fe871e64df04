"""Explore what cleaning does to queries, on a page on this machine.

Open a page where a query's first documents under two or more cleaners are side by side, with the
documents that entered, left and moved, and a slider over the thresholds.
"""

import argparse
from contextlib import ExitStack
from dataclasses import replace

from boilersweep.cleaners.language.variants import PAPER_SWEEPS
from boilersweep.cli import options
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.eval.serve.opening import (
    Explored,
    explore_experiment,
    explore_indexes,
    explore_store,
)
from boilersweep.extras import require
from boilersweep.indexer.jvm import start_jvm
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.folder import MANIFEST
from boilersweep.outputs.locks import only_writer
from boilersweep.store.store import open_store

OPTIONS = (
    Options(
        """
        folders DIR  a block store; the --output of sweep or compare; or two or more Lucene indexes,
            or a folder of them
        """,
        nargs="+",
    ),
    Options("--store DIR  with indexes: their block store, for titles and for the text of pages"),
    options.cleaners.sweep(" (with a block store; default: words=1:100 and density=1:20)"),
    options.cleaners.several("with a block store: cleaners besides the thresholds"),
    Options(
        """
        --output DIR  the folder of the judgements that the page's link to `assess` adds to
            (default: the first DIR with .judged after it)
        """
    ),
    options.judging.QUERY_LOG,
    options.judging.PAGE,
    options.ranking.group(feedback=False),
    options.index.ANALYZER,
    options.work.THREADS,
    options.work.HEAP,
)


def run(args: argparse.Namespace) -> None:
    require("starlette", "uvicorn", "jinja2")
    from boilersweep.eval.serve.exploring import Worker, exploring_routes

    start_jvm(args.heap)
    explored = _explored(args)
    if args.queries:
        queries = [topic.title for topic in options.judging.queries(args)]
        explored = replace(explored, queries=queries)
    worker = Worker()
    with ExitStack() as stack:
        stack.callback(worker.close)
        if args.output:
            make_folder(args.output)
        if explored.judged:
            stack.enter_context(only_writer(explored.judged))
        options.judging.serve(args, exploring_routes(explored, worker))


def _explored(args: argparse.Namespace) -> Explored:
    """Open what the folders contain; raise UsageError for anything else."""
    first = args.folders[0]
    judged = args.output or first.with_name(f"{first.name}.judged")
    is_one = len(args.folders) == 1
    if is_one and any(first.glob("shard-*.parquet")):
        sweeps = args.sweeps or PAPER_SWEEPS
        return explore_store(
            open_store(first),
            sweeps,
            args.cleaners,
            options.ranking.model(args),
            options.index.analyzer(args),
            judged,
        )
    if args.sweeps or args.cleaners:
        raise UsageError(f"--sweep and --cleaners require a block store, got {first}")
    if is_one and (first / MANIFEST).is_file():
        return explore_experiment(first, judged)
    store = open_store(args.store) if args.store else None
    return explore_indexes(args.folders, store, options.ranking.model(args), judged)
