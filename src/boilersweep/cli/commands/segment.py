"""Cut the pages of a collection into text blocks.

Cut every page of a collection into text blocks and keep them in a block store: Parquet shards that
pandas, polars and DuckDB read. If run again, it skips completed work.
"""

import argparse
import os

# numpy, which other imports need, would start a thread for every processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


from boilersweep.cli import options
from boilersweep.cli.messages import note, note_losses, note_store
from boilersweep.cli.stores import (
    fetch,
    note_texts,
    report_losses,
    segmentation,
    segmented,
)
from boilersweep.errors import UsageError
from boilersweep.segmenting.segment import (
    lost_so_far,
    segment_share,
    segmentation_of,
    update_collection,
)
from boilersweep.store.store import BlockStore


def _check(args: argparse.Namespace) -> None:
    if args.share and args.update:
        raise UsageError(
            "--update cannot be used with --share: an update only segments new and changed files"
        )


OPTIONS = (
    options.collection.pages(),
    options.collection.CHOSEN,
    options.output.folder("the folder of the block store"),
    options.output.overwrite(
        update="segment new and changed files, remove pages of deleted files, and keep all other "
        "shards"
    ),
    options.output.VERIFY_INPUT,
    options.work.share("of the store's shards; the last share completes the store"),
    options.work.THREADS,
    options.work.LOG_EVERY,
    options.work.check_share_overwrites_nothing,
    _check,
)


def run(args: argparse.Namespace) -> int:
    if args.share:
        return _share(args)
    store = _updated(args) if args.update else segmented(args, args.output)
    print(args.output / "manifest.json")
    return report_losses(args, store)


def _updated(args: argparse.Namespace) -> BlockStore:
    before = segmentation_of(args.output)
    fetch(args)
    updated = update_collection(
        args.input,
        args.output,
        segmentation(args, before),
        workers=args.threads,
        verify_input=args.verify_input,
    )
    shards = len(updated.store.manifest.shards)
    note(f"{updated.changes}; {updated.made:,} of {shards:,} shards were made")
    note_store(updated.store)
    note_texts(args, updated.store)
    return updated.store


def _share(args: argparse.Namespace) -> int:
    fetch(args)
    store = segment_share(
        args.input,
        args.output,
        args.share,
        segmentation(args),
        workers=args.threads,
        verify_input=args.verify_input,
    )
    if store is None:
        note(f"share {args.share} is done; other shares are unfinished")
        lost = lost_so_far(args.output)
        note_losses(lost, "manifest.json as soon as all shares are done")
        return int(args.strict and lost.total() > 0)
    note_store(store)
    note_texts(args, store)
    print(args.output / "manifest.json")
    return report_losses(args, store)
