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
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.folder import MANIFEST
from boilersweep.outputs.locations import output_path
from boilersweep.outputs.locks import only_writer
from boilersweep.store.store import open_store

if TYPE_CHECKING:
    from boilersweep.eval.serve.exploring import Explored  # needs the extra

OPTIONS = (
    Options(
        "folder DIR  a block store, or the --output of sweep or compare, whose store exists"
    ),
    options.cleaners.sweep(
        " (with a block store; default: words=1:100 and density=1:20)"
    ),
    options.cleaners.several("with a block store: cleaners besides the thresholds"),
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
    explored = _explored(args)
    if args.queries:
        queries = [topic.title for topic in options.experiment.queries(args)]
        explored = replace(explored, queries=queries)
    worker = Worker()
    with ExitStack() as stack:
        stack.callback(worker.close)
        if args.output:
            make_folder(args.output)
        stack.enter_context(only_writer(explored.judged))
        options.experiment.serve(args, exploring_routes(explored, worker))


def _explored(args: argparse.Namespace) -> "Explored":
    """Open what the folder contains; raise UsageError for anything else."""
    from boilersweep.eval.serve.exploring import explore_experiment, explore_store

    judged = args.output or args.folder.with_name(f"{args.folder.name}.judged")
    if (args.folder / MANIFEST).is_file() and not any(
        args.folder.glob("shard-*.parquet")
    ):
        if args.sweeps or args.cleaners:
            raise UsageError(
                f"--sweep and --cleaners require a block store, got {args.folder}"
            )
        return explore_experiment(args.folder, judged)
    return explore_store(
        open_store(args.folder),
        args.sweeps or PAPER_SWEEPS,
        args.cleaners,
        options.ranking.model(args),
        options.index.analyzer(args),
        judged,
    )
