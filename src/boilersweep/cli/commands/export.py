"""`boilersweep export`: what cleaners keep, in files that others read."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from boilersweep.cleaners.parsing import parse_cleaners
from boilersweep.cleaners.variants import collect_variants
from boilersweep.cli import arguments
from boilersweep.cli import cluster_arguments as shared
from boilersweep.cli import options as chosen
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.export.options import ExportOptions
    from boilersweep.store.store import BlockStore
    from boilersweep.work.crew import Crew


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "export",
        help="write what cleaners keep as JSON lines, Parquet, TREC web, text or for OpenSearch",
        description="Write what each cleaner keeps of every document into a folder of its own, "
        "one file per shard of the store. Documents of which nothing is kept are left out, and "
        "counted. Called again it skips what is done.",
    )
    arguments.add_collection(parser, store=True)
    arguments.add_limits(parser)
    arguments.add_extractors(parser)
    parser.add_argument(
        "--keep",
        dest="cleaners",
        type=arguments.checked(parse_cleaners),
        required=True,
        metavar="LIST",
        help="what to keep: cleaners with commas between them, such as learned or 'words>=11,bte'",
    )
    arguments.add_output(parser, "where the files go, in a folder for each cleaner")
    arguments.add_files(parser)
    arguments.add_languages(parser)
    arguments.add_dedup(parser)
    shared.add_shared(parser, "of the store's shards; the last one makes the export whole")
    arguments.add_reuse(parser, segments=True)
    arguments.add_threads(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import describe_export, note
    from boilersweep.export.export import export_share, export_store
    from boilersweep.export.on_cluster import run_on
    from boilersweep.store.store import open_store

    wanted = _wanted(options)
    variants = collect_variants((), options.cleaners)
    made_before = open_store(options.store) if options.store else None
    workers = chosen.threads(options)
    with shared.crew(options) as crew:
        store = made_before or _own_store(options, crew)
        asked = (variants, options.output, wanted)
        if options.share:
            manifest = export_share(store, options.share, *asked, workers=workers)
        else:
            run = partial(run_on, crew) if crew else None
            manifest = export_store(
                store, *asked, workers=workers, run=run, overwrite=options.overwrite
            )
    if manifest is None:
        note(f"share {options.share} is done, others are not yet")
        return 0
    for line in describe_export(options.output, manifest):
        print(line)
    return chosen.note_losses(options, store)


def _wanted(options: argparse.Namespace) -> "ExportOptions":
    from boilersweep.export.options import ExportOptions
    from boilersweep.export.passages import Passages

    if options.share and not options.store:
        raise UsageError(
            "export --share goes with --store, a finished block store; make it with "
            "`boilersweep segment --share`"
        )
    if options.share and options.overwrite:
        raise UsageError(
            "export: --overwrite does not go with --share, as others may be at work; delete "
            f"{options.output} before the first share begins"
        )
    if options.overlap is not None and options.passages is None:
        raise UsageError("export: --overlap goes with --passages")
    passages = Passages(options.passages, options.overlap or 0) if options.passages else None
    return ExportOptions(
        options.format, options.blocks, passages, chosen.dedup(options), options.languages
    )


def _own_store(options: argparse.Namespace, crew: "Crew | None") -> "BlockStore":
    """Segment the collection into the export's folder; a whole export takes in no new files."""
    from boilersweep.export.manifest import STORE, make_way, read_export

    output, overwrite = options.output, options.overwrite
    whole = read_export(output, overwrite=overwrite) is not None
    return chosen.segmented(
        options,
        output / STORE,
        options.collection,
        crew,
        may_grow=not whole,
        make_way=partial(make_way, output, overwrite=overwrite),
    )
