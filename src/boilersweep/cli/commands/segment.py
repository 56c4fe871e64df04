"""`boilersweep segment`: a collection to a block store."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.cli import arguments
from boilersweep.cli import cluster_arguments as shared
from boilersweep.cli import options as chosen
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.store.store import BlockStore
    from boilersweep.work.crew import Crew


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "segment",
        help="cut the pages of a collection into text blocks",
        description="Cut every page of a collection into text blocks and keep them in a block "
        "store: Parquet shards that pandas, polars and DuckDB read. Called again it skips what "
        "is done.",
    )
    arguments.add_collection(parser)
    arguments.add_limits(parser)
    arguments.add_extractors(parser)
    arguments.add_output(parser, "the block store")
    arguments.add_threads(parser)
    arguments.add_reuse(
        parser,
        segments=True,
        update="files that are new or have changed are cut, what is of files that are gone "
        "leaves, and all other shards stay",
    )
    shared.add_shared(parser, "of the store's shards; the last one makes the store whole")
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    chosen.resolve_dataset(options)
    if options.share:
        if options.overwrite:
            raise UsageError(
                "segment: --overwrite does not go with --share, as others may be at work; delete "
                f"{options.output} before the first share begins"
            )
        if options.update:
            raise UsageError(
                "segment: --update does not go with --share: an update cuts only what is new"
            )
        return _share(options)
    with shared.crew(options) as crew:
        cut = _updated if options.update else chosen.segmented
        store = cut(options, options.output, options.collection, crew)
    print(options.output / "manifest.json")
    return chosen.note_losses(options, store)


def _updated(
    options: argparse.Namespace, output: Path, collection: str | None, crew: "Crew | None"
) -> "BlockStore":
    from boilersweep.cli.messages import describe_store, note
    from boilersweep.segmenting.on_cluster import run_on
    from boilersweep.segmenting.segment import update_collection

    updated = update_collection(
        options.input,
        output,
        chosen.segmentation(options, collection),
        workers=options.threads,
        run=partial(run_on, crew) if crew else None,
        verify_input=options.verify_input,
    )
    shards = len(updated.store.manifest["shards"])
    note(f"{updated.changes}; {updated.made:,} of {shards:,} shards were made")
    for line in describe_store(updated.store):
        note(line)
    return updated.store


def _share(options: argparse.Namespace) -> int:
    from boilersweep.cli.messages import describe_store, note, note_losses
    from boilersweep.segmenting.segment import lost_so_far, segment_share

    store = segment_share(
        options.input,
        options.output,
        options.share,
        chosen.segmentation(options, options.collection),
        workers=options.threads,
        verify_input=options.verify_input,
    )
    if store is None:
        note(f"share {options.share} is done, others are not yet")
        lost = lost_so_far(options.output)
        note_losses(lost, "manifest.json as soon as all shares are done")
        return int(options.strict and lost.total() > 0)
    for line in describe_store(store):
        note(line)
    print(options.output / "manifest.json")
    return chosen.note_losses(options, store)
