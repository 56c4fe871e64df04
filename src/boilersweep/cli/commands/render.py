"""`boilersweep render`: where the blocks of a store stand on pages as a browser draws them."""

import argparse

from boilersweep.cli import arguments
from boilersweep.work.shares import parse_share


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "render",
        help="have a browser draw the pages of a block store",
        description="Draw the pages that a block store was made of in headless Chromium, without "
        "a network and without scripts, and keep beside its shards where blocks and elements "
        "stand, with fonts and colours: what `vips` reads. Called again it skips what is done.",
    )
    arguments.add_store(parser)
    arguments.add_store_input(parser)
    parser.add_argument(
        "--share",
        type=arguments.checked(parse_share),
        metavar="I/N",
        help="do the I-th of N shares of the store's shards; in any order, also at the same time",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="draw anew what another browser drew (default: refuse, and name the differences)",
    )
    arguments.add_verify_input(parser)
    arguments.add_no_sandbox(parser)
    arguments.add_strict(parser)
    arguments.add_threads(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import note
    from boilersweep.rendering.chromium import has_sandbox
    from boilersweep.rendering.render import render_store
    from boilersweep.store.box_files import BOXES_MANIFEST

    arguments.take_no_sandbox(options)
    if not has_sandbox():
        note("Chromium runs without its own sandbox; pages have no scripts and no network")
    store = render_store(
        options.input,
        options.store,
        workers=options.threads,
        share=options.share,
        overwrite=options.overwrite,
        verify_input=options.verify_input,
    )
    if store is None or store.boxes is None:
        note(f"share {options.share} is done; other shares are unfinished")
        return 0
    boxes = store.boxes
    note(
        f"{boxes['drawn']:,} of {boxes['documents']:,} pages drawn by "
        f"{boxes['identity']['browser']}; of {boxes['blocks']:,} blocks {boxes['hidden_blocks']:,} "
        f"are hidden, {boxes['unmatched_blocks']:,} and of {boxes['elements']:,} elements "
        f"{boxes['unmatched_elements']:,} the browser has not"
    )
    for reason, count in sorted(boxes["undrawn"].items()):
        place = next((one for one in boxes["places"] if one.endswith(reason)), "")
        note(f"  not drawn, {reason}: {count:,}, such as {place.removesuffix(f': {reason}')}")
    print(options.store / BOXES_MANIFEST)
    return int(options.strict and bool(boxes["undrawn"]))
