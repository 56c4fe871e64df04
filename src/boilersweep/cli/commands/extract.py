"""Add texts of extractors to a block store.

Run extractors on the pages that a block store was made from, and store their texts with the blocks,
which stay unchanged. The result is the store that `boilersweep segment` makes with these extractors
in addition to the existing ones. If run again, it skips completed work.
"""

import argparse

from boilersweep.cli import options
from boilersweep.cli.parser import Parser


def add_options(parser: Parser) -> None:
    options.collection.add_store(parser)
    options.collection.add_store_input(parser)
    options.collection.add_extractors(parser, required=True)
    options.output.add_overwrite(parser, "rebuild texts made by another version of an extractor")
    options.output.add_verify_input(parser)
    options.output.add_strict(parser)
    options.work.add(parser, java=False)


def run(args: argparse.Namespace) -> int:
    from boilersweep.cli.messages import note, note_store
    from boilersweep.segmenting.extracting import add_extractors

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
    return options.collection.note_losses(args, store)
