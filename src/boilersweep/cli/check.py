"""`boilersweep check`: prove again, from the files, that nothing is missing."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from boilersweep.cli import arguments
from boilersweep.errors import InputError


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "check",
        help="prove a store, indexes or a sweep again from their files",
        description="Read every file of a block store, of indexes, or of a whole sweep, compare "
        "checksums, and add up again: records read are documents or skipped, documents are "
        "indexed or left empty, runs rank documents of the store.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="what a command wrote")
    arguments.add_java(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; 1 if anything is wrong."""
    from boilersweep.indexer.jvm import start_jvm

    parts = list(_parts(options.folder))
    if not parts:
        raise InputError(
            f"{options.folder} holds no block store, index or sweep of boilersweep; name a folder "
            "that one of its commands wrote, and that is finished"
        )
    if any(kind == "index" for kind, _ in parts):
        start_jvm(options.heap)
    faults = 0
    for kind, path in parts:
        found = list(_faults(kind, path, options.folder))
        faults += len(found)
        print(f"{'wrong' if found else 'ok':>5}  {kind} {path}")
        for fault in found:
            print(f"       {fault}")
    return 1 if faults else 0


def _parts(folder: Path) -> Iterator[tuple[str, Path]]:
    """What there is to check, in the order in which it was made."""
    for store in (folder, folder / "store"):
        if any(store.glob("shard-*.parquet")):
            yield "store", store
    for parent in (folder, folder / "indexes"):
        indexes = [parent] if _is_index(parent) else sorted(filter(_is_index, _folders(parent)))
        for index in indexes:
            yield "index", index
    for run_file in sorted((folder / "runs").glob("*.trec")):
        yield "run", run_file


def _folders(parent: Path) -> list[Path]:
    return [path for path in parent.iterdir() if path.is_dir()] if parent.is_dir() else []


def _is_index(path: Path) -> bool:
    from boilersweep.indexer.manifest import MANIFEST

    return (path / MANIFEST).is_file()


def _faults(kind: str, path: Path, folder: Path) -> Iterator[str]:
    from boilersweep.errors import BoilersweepError
    from boilersweep.eval.runs import read_run
    from boilersweep.indexer.check import check_index
    from boilersweep.store.check import check_store
    from boilersweep.store.store import MANIFEST, open_store

    own_store = folder / "store"
    try:
        store = open_store(own_store) if (own_store / MANIFEST).is_file() else None
        if kind == "store":
            yield from check_store(path)
        elif kind == "index":
            yield from check_index(path, store)
        else:
            ranked = {docid for hits in read_run(path).values() for docid, _ in hits}
            strange = ranked.difference(store.docids()) if store else set()
            if strange:
                yield f"{len(strange):,} ranked documents are not in the store: {min(strange)}"
    except BoilersweepError as error:
        yield str(error)
