"""Join the results of index --share.

Join exactly what `index` with --share 1/N to N/N wrote: the parts of each index become one index.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from boilersweep.cli import options
from boilersweep.cli.messages import describe_index
from boilersweep.cli.parser import Options
from boilersweep.errors import InputError
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.manifest import MANIFEST as INDEX
from boilersweep.indexer.manifest import list_indexes
from boilersweep.indexer.shares import merge_indexes
from boilersweep.outputs.atomic import remove_leftovers
from boilersweep.work.shares import parts_folder, shares_in

OPTIONS = (
    Options("folder DIR  the --output of `index --share`"),
    options.output.HEAP,
)


def run(args: argparse.Namespace) -> None:
    lines = list(_merged(args))
    if not lines and not _is_whole(args.folder):
        raise InputError(
            f"expected results of `index --share` in {args.folder} or beside it; run "
            "them with that --output first"
        )
    print(*(lines or [f"{args.folder} is complete"]), sep="\n")


def _merged(args: argparse.Namespace) -> Iterator[str]:
    folder = args.folder
    parts = parts_folder(folder)
    if shares_in(parts):
        start_jvm(args.heap)
        merged = merge_indexes(folder)
        for path, manifest in merged.items():
            yield describe_index(path, manifest)
        if folder not in merged:
            list_indexes(folder)
    else:
        remove_leftovers(parts.parent)  # of a merge that was killed when all was joined


def _is_whole(folder: Path) -> bool:
    return (folder / INDEX).is_file() or any(folder.glob(f"*/{INDEX}"))
