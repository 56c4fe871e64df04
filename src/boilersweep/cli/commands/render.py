"""Draw the pages of a block store in a browser.

Draw the pages that a block store was made from in headless Chromium, without network and scripts,
and store the positions, fonts and colours of blocks and elements beside the shards, for `vips`. If
run again, it skips completed work.
"""

import argparse

from boilersweep.cli import options
from boilersweep.cli.messages import note
from boilersweep.rendering.chromium import allow_no_sandbox, has_sandbox
from boilersweep.rendering.render import render_store
from boilersweep.store.box_files import BOXES_MANIFEST

OPTIONS = (
    options.collection.store(),
    options.collection.store_input(),
    options.work.share("of the store's shards"),
    options.output.overwrite("draw again what another browser drew"),
    options.output.VERIFY_INPUT,
    options.work.NO_SANDBOX,
    options.output.STRICT,
    options.work.THREADS,
    options.work.LOG_EVERY,
)


def run(args: argparse.Namespace) -> int:
    allow_no_sandbox(args.no_sandbox)
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
