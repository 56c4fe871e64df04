"""`boilersweep extract`: more texts beside the blocks of a finished store."""

import argparse

from boilersweep.cli import arguments
from boilersweep.cli import options as chosen


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "extract",
        help="add texts of extractors to a block store",
        description="Run extractors over the pages that a block store was made of, and keep their "
        "texts beside the blocks, which are not cut again. The store is then the one that "
        "`boilersweep segment` makes with these extractors after those that it has. Called again "
        "it skips what is done.",
    )
    arguments.add_store(parser)
    arguments.add_store_input(parser)
    arguments.add_extractor_names(parser, required=True)
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="make texts anew that are there of another version of an extractor (default: refuse, "
        "and name the differences)",
    )
    arguments.add_verify_input(parser)
    arguments.add_strict(parser)
    arguments.add_threads(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import describe_store, note
    from boilersweep.segmenting.extracting import add_extractors

    store = add_extractors(
        options.input,
        options.store,
        options.extractors,
        workers=options.threads,
        overwrite=options.overwrite,
        verify_input=options.verify_input,
    )
    for line in describe_store(store):
        note(line)
    note(f"texts beside the blocks: {', '.join(store.page_texts)}")
    print(options.store / "manifest.json")
    return chosen.note_losses(options, store)
