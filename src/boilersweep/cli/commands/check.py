"""`boilersweep check`."""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from boilersweep.applications import all_provided
from boilersweep.cli.messages import tell
from boilersweep.cli.options.values import FolderAnywhere, PagesInput
from boilersweep.errors import BoilersweepError, InputError
from boilersweep.outputs.locations import read_regular
from boilersweep.outputs.parts import MANIFESTS, NotChecked, Output
from boilersweep.outputs.typed_files import parse_json
from boilersweep.segmenting.segment import check_input
from boilersweep.store.checked_store import INPUT
from boilersweep.store.store import BlockStore, open_store

# The declarations of all kinds of outputs.
OUTPUTS = (
    "boilersweep.store.checked_store:CHECKED",
    "boilersweep.indexer.manifest:INDEX",
    "boilersweep.indexer.manifest:PARALLEL",
    "boilersweep.export.export:EXPORT",
    "boilersweep.eval.judge.files:JUDGEMENT",
    "boilersweep.demo.collection:DEMO",
    "boilersweep.eval.annotate.checked_pages:CHECKED",
    "boilersweep.eval.assess.checked_judgements:CHECKED",
    "boilersweep.eval.sweep.overlap:OVERLAP",
    "boilersweep.eval.experiment.finished:CHECKED",
    "boilersweep.cleaners.learned.model:MODEL",
)


@dataclass(slots=True)
class _Checked:
    """The result of checking one output: faults, and what could not be checked and why."""

    kind: str
    path: Path
    faults: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def collect(self, faults: Iterable[str]) -> "_Checked":
        """Add what is found; an error that ends the search is the last of it."""
        try:
            for fault in faults:
                is_fault = not isinstance(fault, NotChecked)
                (self.faults if is_fault else self.unseen).append(fault)
        except BoilersweepError as error:
            self.faults.append(str(error))
        return self


def run(
    folder: FolderAnywhere,
    /,
    *,
    pages: Annotated[PagesInput | None, Parameter("--input")] = None,
    verbose: bool = False,
) -> int:
    """Verify a store, indexes, an export, a sweep or a study from their files.

    Read every file of a block store, indexes, an export, a sweep, a study, or a trained model;
    compare it with the digests of the manifests, look for missing files, compute scores again from
    runs and qrels, and verify the counts: records are documents or skipped, documents are indexed
    or left empty, runs rank documents of the store.

    Args:
        folder: The output of a command, or a model.
        pages: The collection that the block store was made from: also compare its files with their
            digests.
        verbose: Print a line for each output that is right, too.

    Returns:
        1 if anything is wrong.
    """
    right: Counter[str] = Counter()
    unseen: dict[str, Counter[str]] = {}
    faults = 0
    for checked in _checked(folder, pages):
        faults += len(checked.faults)
        if checked.faults or verbose:
            _print_output(checked)
        if not checked.faults:
            right[checked.kind] += 1
            unseen.setdefault(checked.kind, Counter()).update(checked.unseen)
    if not right and not faults:
        raise InputError(
            f"{folder} does not exist or holds no block store, index, export, sweep or study; "
            "name a folder that one of its commands wrote"
        )
    for kind, count in right.items():
        tell(f"{count:,} {_plural(kind, count)} ok")
        for clause, times in {} if verbose else unseen[kind].items():
            more = f" ({times:,} times)" if times > 1 else ""
            tell(f"       not looked at: {clause}{more}")
    return 1 if faults else 0


def _print_output(checked: _Checked) -> None:
    tell(f"{'wrong' if checked.faults else 'ok':>5}  {checked.kind} {checked.path}")
    for fault in checked.faults:
        tell(f"       {fault}")
    for clause in checked.unseen:
        tell(f"       not looked at: {clause}")


def _plural(kind: str, count: int) -> str:
    if count == 1 or kind.endswith("s"):
        return kind
    if kind.endswith("y"):
        return f"{kind[:-1]}ies"
    return f"{kind}es" if kind.endswith(("x", "ss")) else f"{kind}s"


def _checked(folder: Path, pages: PagesInput | None) -> Iterator[_Checked]:
    """Check everything in a folder."""
    outputs: list[Output[Any]] = all_provided(OUTPUTS)
    # The experiment around an index, or around a folder of indexes, has the store.
    around = (folder, *list(folder.absolute().parents)[:2])
    known = _Known()
    for path in reversed(around):
        known = known.at(path, outputs)
    for checked in _walk(folder, outputs, known):
        if pages and INPUT in checked.unseen:
            checked.unseen.remove(INPUT)
        yield checked
    if pages:
        store = known.store
        missing = ["there is no block store to compare it with"]
        changes = check_input(store, pages) if store else missing
        yield _Checked("input", Path(str(pages))).collect(changes)


@dataclass(frozen=True, slots=True)
class _Known:
    """The block store that the outputs at a path may be made from.

    Attributes:
        store: The store; None if it is unknown.
        beside: Whether it only has the usual name in a folder around an output, which may be
            another one's.
    """

    store: BlockStore | None = None
    beside: bool = False

    def at(self, path: Path, outputs: Sequence[Output[Any]]) -> "_Known":
        """Return the store of the outputs at a path, this one if they have none of their own."""
        tries = [(output.store_of, path) for output in outputs if output.is_at(path)]
        if path.is_dir():
            tries.append((open_store, path / "store"))
        for find, place in tries:
            # Reported where the store itself is checked
            with contextlib.suppress(BoilersweepError):
                if store := find(place):
                    return _Known(store, beside=not _recipe(path))
        return self

    def of(self, path: Path) -> BlockStore | None:
        """Return the store of the output at a path, None if that names another one."""
        made_from = _recipe(path).get("store")
        if (
            self.beside
            and self.store
            and made_from not in (None, self.store.fingerprint)
        ):
            return None
        return self.store


def _walk(
    path: Path, outputs: Sequence[Output[Any]], known: _Known
) -> Iterator[_Checked]:
    """Check the outputs at a path and in it; links to folders are not followed."""
    here = [one for one in outputs if one.is_at(path)]
    known = known.at(path, outputs)
    for output in here:
        # An experiment is a sweep, a grid or a study.
        kind = str(_recipe(path).get("kind", output.name))
        yield _Checked(kind, path).collect(output.check(path, known.of(path)))
    within = {name for output in here for name in output.within}
    for inner in sorted(path.iterdir()) if path.is_dir() else ():
        is_other = inner.name.startswith(".") or inner.name in within
        if is_other or inner.is_symlink() or not inner.is_dir():
            continue
        has_manifest = any((inner / name).is_file() for name in MANIFESTS)
        if has_manifest or any(one.is_at(inner) for one in outputs):
            yield from _walk(inner, outputs, known)


def _recipe(path: Path) -> dict[str, Any]:
    """Return the recipe in the manifest at a path; empty if there is none that can be read."""
    for name in MANIFESTS:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return dict(parse_json(read_regular(path / name)).get("recipe") or {})
    return {}
