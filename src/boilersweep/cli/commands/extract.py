"""Add texts of extractors to a block store.

Run extractors on the pages that a block store was made from, and store their texts with the blocks,
which stay unchanged. The result is the store that `boilersweep segment` makes with these extractors
in addition to the existing ones. If run again, it skips completed work.
"""

import argparse

from boilersweep.cli import options
from boilersweep.cli.messages import note, note_store
from boilersweep.cli.stores import report_losses
from boilersweep.segmenting.extracting import add_extractors

OPTIONS = (
    options.collection.store(),
    options.collection.store_input(),
    options.collection.extractors(required=True),
    options.output.overwrite("rebuild texts made by another version of an extractor"),
    options.output.VERIFY_INPUT,
    options.output.STRICT,
    options.work.THREADS,
    options.work.LOG_EVERY,
)


def run(args: argparse.Namespace) -> int:
    store = add_extractors(
        args.input,
        args.store,
        args.extractors,
        workers=args.threads,
        overwrite=args.overwrite,
        verify_input=args.verify_input,
    )
    note_store(store)
    note(f"texts stored with the blocks: {', '.join(store.page_texts)}")
    print(args.store / "manifest.json")
    return report_losses(args, store)
