"""Add texts of extractors, or probabilities of `learned`, to a block store.

Run extractors on the pages that a block store was made from, and store their texts with the blocks,
which stay unchanged. The result is the store that `boilersweep segment` makes with these extractors
in addition to the existing ones. With `--extractors learned` or `"learned('FILE')"` store what the
model gives of each block, so that other commands do not compute it again; this needs no --input. If
run again, it skips completed work.
"""

import argparse

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cli import options
from boilersweep.cli.messages import note, note_probabilities, note_store
from boilersweep.cli.stores import report_losses
from boilersweep.errors import UsageError
from boilersweep.segmenting.extracting import add_extractors
from boilersweep.store.probabilities import add_probabilities


def _is_model(name: str) -> bool:
    return name.partition("(")[0].strip() == "learned"


OPTIONS = (
    options.collection.store(),
    options.collection.store_input(required=False),
    options.collection.extractors(required=True),
    options.output.overwrite("rebuild texts made by another version of an extractor"),
    options.output.VERIFY_INPUT,
    options.output.STRICT,
    options.work.THREADS,
    options.work.LOG_EVERY,
)


def run(args: argparse.Namespace) -> int:
    extractors = [name for name in args.extractors if not _is_model(name)]
    parsed = map(parse_cleaner, filter(_is_model, args.extractors))
    models = [one for one in parsed if isinstance(one, Learned)]
    if extractors or not models:
        if args.input is None:
            raise UsageError("expected --input, the pages that the extractors read")
        store = add_extractors(
            args.input,
            args.store,
            extractors,
            workers=args.threads,
            overwrite=args.overwrite,
            verify_input=args.verify_input,
        )
        note_store(store)
        note(f"texts stored with the blocks: {', '.join(store.page_texts)}")
    if models:
        store = add_probabilities(args.store, models, workers=args.threads)
        note_probabilities(store, models)
    print(args.store / "manifest.json")
    return report_losses(args, store)
