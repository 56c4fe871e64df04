"""Verify a store, indexes, an export, a sweep or a study from their files.

Read every file of a block store, indexes, an export, a sweep, a study, or of unfinished shares, or
a trained model; compare it with the digests of the manifests, look for missing files and files that
no manifest lists, compute scores again from runs and qrels, and verify the counts: records are
documents or skipped, documents are indexed or left empty, runs rank documents of the store.
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
    from boilersweep.eval.check import FinishedExperiment
    from boilersweep.outputs.folder import Checked
    from boilersweep.store.store import BlockStore


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="the output of a command, or a model"
    )
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
    from boilersweep.demo.collection import DEMO
    from boilersweep.eval.check import FinishedExperiment, check_experiment
    from boilersweep.eval.judge.files import JUDGEMENT
    from boilersweep.export.manifest import check_export
    from boilersweep.outputs.folder import MANIFEST, Checked, OutputFolder, visible
    from boilersweep.store.check import check_store
    from boilersweep.store.store import EXTRACTING

    if folder.suffix == ".npz" and not folder.is_dir():
        yield _model(folder)
        return
    kind = _kind(folder)
    experiment, unfinished = None, Checked("experiment", folder)
    if kind == "experiment":
        try:
            experiment = FinishedExperiment(folder)
        except BoilersweepError as error:
            unfinished.faults.append(str(error))
    for path in (folder, folder / "store"):
        if _kind(path) == "store":
            yield check_store(path, has_input=pages is not None)
    store = _store_of(folder, experiment)
    yield from _indexes(_index_folders(folder), store, heap)
    if experiment:
        yield from check_experiment(experiment)
    elif unfinished.faults:
        yield unfinished
    if kind == "export":
        yield check_export(folder, store)
    for one in (JUDGEMENT, DEMO):
        if kind == one.name:
            yield OutputFolder(folder, one).check()
    for path in visible(folder) if folder.is_dir() else ():
        if path.name not in ("store", EXTRACTING) and (path / MANIFEST).is_file():
            yield from _checked(path, None, heap)
    yield from _parts(folder, heap)
    if pages:
        yield _input(store, pages)


def _model(path: Path) -> "Checked":
    from boilersweep.cleaners.learned.model import load_model
    from boilersweep.outputs.folder import Checked

    checked = Checked("model", path)
    try:
        load_model(path)
    except BoilersweepError as error:
        checked.faults.append(str(error))
    return checked


def _kind(folder: Path) -> str | None:
    """What a folder itself is, beside what it contains: by its manifest, else by its files."""
    from boilersweep.eval.experiment import EXPERIMENT
    from boilersweep.eval.judge.files import JUDGEMENT
    from boilersweep.export.shards import RECEIPTS
    from boilersweep.outputs.folder import KIND, MANIFEST
    from boilersweep.store.store import STORE

    said = _said(folder / MANIFEST).get(KIND)
    if isinstance(said, str):
        return said
    if any(any(folder.glob(name)) for name in STORE.own):
        return "store"
    if (folder / RECEIPTS).is_dir():
        return "export"
    if any((folder / name).exists() for name in set(JUDGEMENT.own) - set(EXPERIMENT.own)):
        return "judgement"
    names = (MANIFEST, "runs", *EXPERIMENT.own)
    return "experiment" if any(any(folder.glob(name)) for name in names) else None


def _said(manifest: Path) -> dict[str, Any]:
    """What a manifest says, changed or not; nothing where it cannot be read."""
    try:
        value = json.loads(read_regular(manifest))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


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
    from boilersweep.indexer.check import check_index
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.indexer.manifest import IndexRecipe, read_manifest

    parallel: list[tuple[Path, IndexRecipe]] = []
    for path in paths:
        start_jvm(heap)
        checked = check_index(path, store)
        if not checked.faults and (manifest := read_manifest(path)):
            recipe = manifest.recipe
            found = (path.parent, recipe)
            if not recipe.layout.positions and found in parallel:
                checked.faults.append("it is a copy of another index beside it; move it elsewhere")
            parallel.append(found)
        yield checked


def _parts(folder: Path, heap: str | None) -> "Iterator[Checked]":
    """What shares have left of a folder, or of the indexes in it, beside it; or the folder itself
    where it is that.
    """
    from boilersweep.eval.exact.share_files import check_parts, complete_division
    from boilersweep.eval.exact.shares import RANKED, ROWS
    from boilersweep.outputs.folder import Checked
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
            shares = Checked("shares", path, unseen=unseen)
            shares.collect(check_parts(path))
            yield shares


def _input(store: "BlockStore | None", pages: Path) -> "Checked":
    from boilersweep.outputs.folder import Checked
    from boilersweep.segmenting.check import check_input

    checked = Checked("input", pages)
    if store is None:
        checked.faults.append("there is no block store to compare it with")
    else:
        checked.collect(check_input(store, pages))
    return checked
