"""Verify a store, indexes, an export, a sweep or a study from their files.

Read every file of a block store, indexes, an export, a sweep, a study, or of unfinished shares;
compare it with the digests of the manifests, look for missing files and files that no manifest
lists, compute scores again from runs and qrels, and verify the counts: records are documents or
skipped, documents are indexed or left empty, runs rank documents of the store.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cli import options
from boilersweep.cli.parser import Parser
from boilersweep.errors import BoilersweepError, InputError
from boilersweep.outputs.files import read_regular
from boilersweep.outputs.locations import location

if TYPE_CHECKING:
    from boilersweep.eval.check import Checked, FinishedExperiment
    from boilersweep.store.store import BlockStore


def add_options(parser: Parser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="the output of a command")
    parser.add_argument(
        "--input",
        type=location,
        metavar="PATH",
        help="the collection that the block store was made from: also compare its files with their "
        "digests",
    )
    options.work.add(parser, threads=False)


def run(args: argparse.Namespace) -> int:
    """The exit status is 1 if anything is wrong."""
    outputs = faults = 0
    for checked in _checked(args.folder, args.input, args.heap):
        outputs += 1
        faults += len(checked.faults)
        print(f"{'wrong' if checked.faults else 'ok':>5}  {checked.kind} {checked.path}")
        for fault in checked.faults:
            print(f"       {fault}")
        for unseen in checked.unseen:
            print(f"       not looked at: {unseen}")
    if not outputs:
        raise InputError(
            f"{args.folder} holds no block store, index, export, sweep or study of boilersweep; "
            "name a folder that one of its commands wrote"
        )
    return 1 if faults else 0


def _checked(folder: Path, pages: Path | None, heap: str | None) -> "Iterator[Checked]":
    """Everything in a folder, in the order in which it was made."""
    from boilersweep.eval.check import Checked, FinishedExperiment, check_experiment

    kind = _kind(folder)
    experiment, fault = None, ""
    if kind == "experiment":
        try:
            experiment = FinishedExperiment(folder)
        except BoilersweepError as error:
            fault = str(error)
    for path in (folder, folder / "store"):
        if _kind(path) == "store":
            yield _store(path, pages)
    store = _store_of(folder, experiment)
    yield from _indexes(_index_folders(folder), store, heap)
    if experiment:
        yield from check_experiment(experiment)
        for nested in experiment.nested:
            yield from _checked(nested, None, heap)
    elif fault:
        yield Checked("experiment", folder, [fault])
    if kind == "export":
        yield _export(folder, store)
    if kind == "judgement":
        yield _judgement(folder)
    yield from _parts(folder, heap)
    if pages:
        yield _input(store, pages)


def _kind(folder: Path) -> str | None:
    """What a folder itself is, beside what stands in it: by its manifest, else by its files."""
    from boilersweep.eval.experiment import RESULTS, RUNS
    from boilersweep.eval.judge.files import OWN
    from boilersweep.export.manifest import KIND as EXPORT
    from boilersweep.export.shards import RECEIPTS

    said = _said(folder / "manifest.json")
    if any(folder.glob("shard-*.parquet")) or (folder / "plan.json").is_file():
        return "store"
    for key, kind in (("store_version", "store"), ("dataset", "judgement"), (EXPORT, "export")):
        if key in said:
            return kind
    if (folder / RECEIPTS).is_dir():
        return "export"
    if any((folder / name).exists() for name in OWN):
        return "judgement"
    names = (RUNS, "manifest.json", *RESULTS)
    return "experiment" if any((folder / name).exists() for name in names) else None


def _said(manifest: Path) -> Any:
    """What a manifest says, changed or not; nothing where it cannot be read."""
    try:
        value = json.loads(read_regular(manifest))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _store(path: Path, pages: Path | None) -> "Checked":
    from boilersweep.eval.check import Checked
    from boilersweep.store.check import check_store

    unseen = [] if pages else ["its input; name that with --input"]
    return Checked("store", path, _all(check_store(path)), unseen)


def _store_of(folder: Path, experiment: "FinishedExperiment | None") -> "BlockStore | None":
    """The block store that what is in a folder was made from, where that can be found."""
    from boilersweep.eval.check import FinishedExperiment
    from boilersweep.store.store import open_store

    def enclosing(path: Path) -> "BlockStore | None":
        return FinishedExperiment(path).store

    tries: list[tuple[Callable[[Path], BlockStore | None], Path]] = []
    if experiment:
        tries.append((lambda _: experiment.store, folder))
    tries += [(open_store, folder / "store"), (open_store, folder)]
    # An index of an experiment, or the folder of all, may be named itself.
    tries += [(enclosing, path) for path in list(folder.absolute().parents)[:2]]
    for find, path in tries:
        try:
            if (store := find(path)) is not None:
                return store
        except BoilersweepError:  # said where that itself is checked
            continue
    return None


def _index_folders(folder: Path) -> list[Path]:
    """The indexes in a folder, whole or not; the folder itself, if it is one."""
    from boilersweep.indexer.manifest import is_index

    if is_index(folder):
        return [folder]
    parents = [path for path in (folder, folder / "indexes") if path.is_dir()]
    paths = [path for parent in parents for path in sorted(parent.iterdir())]
    return [path for path in paths if not path.name.startswith(".") and is_index(path)]


def _indexes(
    paths: Iterable[Path], store: "BlockStore | None", heap: str | None
) -> "Iterator[Checked]":
    from boilersweep.eval.check import Checked
    from boilersweep.indexer.check import check_index
    from boilersweep.indexer.jvm import start_jvm

    for path in paths:
        start_jvm(heap)
        unseen = [] if store else ["the block store it was built from, which is not here"]
        yield Checked("index", path, _all(check_index(path, store)), unseen)


def _parts(folder: Path, heap: str | None) -> "Iterator[Checked]":
    """What shares have left of a folder, or of the indexes in it, beside it; or the folder itself
    where it is that.
    """
    from boilersweep.eval.check import Checked
    from boilersweep.eval.exact.share_files import check_parts, complete_division
    from boilersweep.eval.exact.shares import RANKED, ROWS
    from boilersweep.work.shares import parts_folder, share_named

    # resolve() raises where links lead in a circle.
    named = [path for path in (folder, folder / "indexes") if Path(os.path.realpath(path)).name]
    beside = [parts_folder(path) for path in named]
    places = [folder] if folder.suffix == ".parts" else beside
    for path in [path for parts in places if parts.is_dir() for path in sorted(parts.iterdir())]:
        if share_named(path.name):
            yield from _indexes(_index_folders(path), None, heap)
        elif path.name.startswith((f"{ROWS}-", f"{RANKED}-")):
            there = sorted(file.stem for file in path.glob("*.npz"))
            lacking = not complete_division(path)
            unseen = [f"shares that are not there; it has {', '.join(there)}"] if lacking else []
            yield Checked("shares", path, _all(check_parts(path)), unseen)


def _export(folder: Path, store: "BlockStore | None") -> "Checked":
    from boilersweep.eval.check import Checked
    from boilersweep.export.check import check_export

    unseen = [] if store else ["the block store it was made from, which is not here"]
    return Checked("export", folder, _all(check_export(folder, store)), unseen)


def _judgement(folder: Path) -> "Checked":
    from boilersweep.eval.check import Checked
    from boilersweep.eval.judge.files import check_report

    return Checked("judgement", folder, _all(check_report(folder)))


def _input(store: "BlockStore | None", pages: Path) -> "Checked":
    from boilersweep.eval.check import Checked
    from boilersweep.segmenting.check import check_input

    if store is None:
        return Checked("input", pages, ["there is no block store to compare it with"])
    return Checked("input", pages, _all(check_input(store, pages)))


def _all(faults: Iterable[str]) -> list[str]:
    """All faults, the last of them what ended the search."""
    found: list[str] = []
    try:
        found.extend(faults)
    except BoilersweepError as error:
        found.append(str(error))
    return found
