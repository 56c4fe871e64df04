"""Draw the pages of a block store in a browser.

Draw the pages that a block store was made from in headless Chromium, without network and scripts,
and store the positions, fonts and colours of blocks and elements beside the shards, for `vips`. If
run again, it skips completed work.
"""

import argparse

from boilersweep.cli import options
from boilersweep.cli.messages import note
from boilersweep.cli.parser import Parser
from boilersweep.rendering.chromium import has_sandbox
from boilersweep.rendering.render import render_store
from boilersweep.store.box_files import BOXES_MANIFEST


def add_options(parser: Parser) -> None:
    options.collection.add_store(parser)
    options.collection.add_store_input(parser)
    options.work.add_share(parser, "of the store's shards")
    options.output.add_overwrite(parser, "draw again what another browser drew")
    options.output.add_verify_input(parser)
    options.work.add_no_sandbox(parser)
    options.output.add_strict(parser)
    options.work.add(parser, java=False)


def run(args: argparse.Namespace) -> int:
    options.work.take_no_sandbox(args)
    if not has_sandbox():
        note("Chromium runs without its own sandbox; pages have no scripts and no network")
    store = render_store(
        args.input,
        args.store,
        workers=args.threads,
        share=args.share,
        overwrite=args.overwrite,
        verify_input=args.verify_input,
    )
    if store is None or store.boxes is None:
        note(f"share {args.share} is done; other shares are unfinished")
        return 0
    boxes = store.boxes
    note(
        f"{boxes.drawn:,} of {boxes.documents:,} pages drawn by "
        f"{boxes.identity['browser']}; of {boxes.blocks:,} blocks {boxes.hidden_blocks:,} "
        f"are hidden; the browser lacks {boxes.unmatched_blocks:,} blocks and "
        f"{boxes.unmatched_elements:,} of {boxes.elements:,} elements"
    )
    for reason, count in sorted(boxes.undrawn.items()):
        place = next((one for one in boxes.places if one.endswith(reason)), "")
        note(f"  not drawn, {reason}: {count:,}, such as {place.removesuffix(f': {reason}')}")
    print(args.store / BOXES_MANIFEST)
    return int(args.strict and bool(boxes.undrawn))
