"""`boilersweep serve`."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.cleaners.syntax.variants import PAPER_SWEEPS
from boilersweep.cli.call import ThisCall
from boilersweep.cli.options.cleaners import Variants
from boilersweep.cli.options.searching import OneFormulaSearching
from boilersweep.cli.options.serving import Page
from boilersweep.cli.options.topics import QueryLog, Topics
from boilersweep.cli.options.values import Folder, OutputFolder, Store
from boilersweep.errors import UsageError
from boilersweep.eval.assess.judgements import judgements_in
from boilersweep.extras import require
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.searcher import open_index
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.parts import INDEX_MANIFEST, MANIFEST
from boilersweep.store.store import BlockStore, open_store

if TYPE_CHECKING:
    from boilersweep.eval.serve.exploring import Explored  # needs the extra


def run(
    folder: Folder,
    /,
    *,
    store: Store | None = None,
    variants: Variants = Variants(),
    output: OutputFolder | None = None,
    queries: QueryLog = QueryLog(),
    page: Page = Page(),
    searching: OneFormulaSearching = OneFormulaSearching(),
    call: ThisCall,
) -> None:
    """Explore what cleaning does to queries, on a page on this machine.

    Open a page where a query's first documents under two or more cleaners are side by side, with
    the documents that entered, left and moved, and a slider over the thresholds.

    Args:
        folder: An index built with --blocks; or a block store, or the --output of sweep or compare,
            of whose store such an index is built at DIR.blocks, or brought up to date.
        store: A block store from `boilersweep segment`, or its URL.
        output: The folder of the judgements that the page's link to `assess` adds to (default: DIR
            with .judged after it).
    """
    require("starlette", "uvicorn", "jinja2")
    from boilersweep.eval.serve.exploring import Worker, exploring_routes

    call.needs("--sample", "--queries")
    call.needs("--columns", "--queries")
    judged = output or folder.with_name(f"{folder.name}.judged")
    start_jvm(searching.workers.heap)
    worker = Worker()
    with ExitStack() as stack:
        stack.callback(worker.close)
        opened = open_store(store) if store else None
        explored = _explored(folder, judged, variants, searching, stack, opened)
        if queries.queries:
            read, _ = queries.draw(queries.queries, Topics().of_topics)
            explored = replace(explored, queries=[topic.title for topic in read])
        if output:
            make_folder(output)
        judgements = stack.enter_context(judgements_in(explored.judged))
        page.serve(exploring_routes(explored, worker, judgements))


def _explored(
    folder: Path,
    judged: Path,
    variants: Variants,
    searching: OneFormulaSearching,
    stack: ExitStack,
    store: BlockStore | None,
) -> "Explored":
    """Open what the folder contains, until the stack ends; raise UsageError for anything else."""
    from boilersweep.eval.serve.exploring import (
        explore_experiment,
        explore_index,
        index_of_blocks,
    )

    index = folder
    if not (folder / INDEX_MANIFEST).is_file():
        if (folder / MANIFEST).is_file() and not any(folder.glob("shard-*.parquet")):
            if variants.sweep or variants.cleaners:
                raise UsageError(
                    f"--sweep and --cleaners require an index or a block store, got {folder}"
                )
            return explore_experiment(folder, judged, stack)
        store = open_store(folder)
        index = index_of_blocks(store, searching.analyzer.options(), folder)
    searcher = stack.enter_context(open_index(index, store=store))
    searching.ranking.model().configure(searcher)
    sweeps = tuple(variants.sweep) or PAPER_SWEEPS
    return explore_index(searcher, store, sweeps, variants.cleaners, judged)
