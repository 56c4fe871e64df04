"""Explore what cleaning does to queries, on a page on this machine.

Open a page where a query's first documents under two or more cleaners are side by side, with the
documents that entered, left and moved, and a slider over the thresholds.
"""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from boilersweep.cleaners.language.variants import PAPER_SWEEPS
from boilersweep.cli import options
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.extras import require
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.searcher import open_index
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.folder import INDEX_MANIFEST, MANIFEST
from boilersweep.outputs.locations import output_path
from boilersweep.outputs.locks import only_writer
from boilersweep.store.store import open_store

if TYPE_CHECKING:
    from boilersweep.eval.serve.exploring import Explored  # needs the extra

OPTIONS = (
    Options(
        "folder DIR  an index built with --blocks; or a block store, or the --output of sweep or "
        "compare, of whose store such an index is built at DIR.blocks, or brought up to date"
    ),
    options.collection.store(required=False),
    options.cleaners.sweep(" (default: words=1:100 and density=1:20)"),
    options.cleaners.several("cleaners that the page offers besides the thresholds"),
    Options(
        """
        --output DIR  the folder of the judgements that the page's link to `assess` adds to
            (default: DIR with .judged after it)
        """,
        types={"output": output_path},
    ),
    options.experiment.QUERY_LOG,
    options.experiment.PAGE,
    options.ranking.group(hits=None, feedback=False),
    options.index.ANALYZER,
    options.output.HEAP,
)


def run(args: argparse.Namespace) -> None:
    require("starlette", "uvicorn", "jinja2")
    from boilersweep.eval.serve.exploring import Worker, exploring_routes

    start_jvm(args.heap)
    worker = Worker()
    with ExitStack() as stack:
        stack.callback(worker.close)
        explored = _explored(args, stack)
        if args.queries:
            queries = [topic.title for topic in options.experiment.queries(args)]
            explored = replace(explored, queries=queries)
        if args.output:
            make_folder(args.output)
        stack.enter_context(only_writer(explored.judged))
        options.experiment.serve(args, exploring_routes(explored, worker))


def _explored(args: argparse.Namespace, stack: ExitStack) -> "Explored":
    """Open what the folder contains, until the stack ends; raise UsageError for anything else."""
    from boilersweep.eval.serve.exploring import (
        explore_experiment,
        explore_index,
        index_of_blocks,
    )

    index = folder = args.folder
    judged = args.output or folder.with_name(f"{folder.name}.judged")
    store = open_store(args.store) if args.store else None
    if not (folder / INDEX_MANIFEST).is_file():
        if (folder / MANIFEST).is_file() and not any(folder.glob("shard-*.parquet")):
            if args.sweeps or args.cleaners:
                raise UsageError(
                    f"--sweep and --cleaners require an index or a block store, got {folder}"
                )
            return explore_experiment(folder, judged, stack)
        store = open_store(folder)
        index = index_of_blocks(store, options.index.analyzer(args), folder)
    searcher = stack.enter_context(open_index(index, store=store))
    options.ranking.model(args).configure(searcher)
    sweeps = args.sweeps or PAPER_SWEEPS
    return explore_index(searcher, store, sweeps, args.cleaners, judged)
