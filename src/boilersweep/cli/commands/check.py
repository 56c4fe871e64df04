"""`boilersweep check`."""

import importlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from boilersweep.cli.messages import tell
from boilersweep.cli.options.values import Folder, PagesInput
from boilersweep.collection.inputs import Input
from boilersweep.errors import BoilersweepError, InputError
from boilersweep.outputs.folder import (
    INDEX_MANIFEST,
    KIND,
    MANIFEST,
    Checked,
    CheckRequest,
    OutputCheck,
    holds_output,
    visible,
)
from boilersweep.outputs.locations import read_regular
from boilersweep.outputs.typed_files import parse_json
from boilersweep.segmenting.segment import check_input
from boilersweep.store.store import BlockStore, open_store

# The modules of all kinds of outputs; each declares its CHECK.
#
# Where a manifest is damaged, the first kind whose marks are found is checked.
OUTPUTS = (
    "boilersweep.store.check",
    "boilersweep.indexer.manifest",
    "boilersweep.export.export",
    "boilersweep.eval.judge.files",
    "boilersweep.demo.collection",
    "boilersweep.eval.assess.check",
    "boilersweep.eval.assess.unjudged",
    "boilersweep.eval.experiment.check",
    "boilersweep.cleaners.learned.model",
)


def run(
    folder: Folder,
    /,
    *,
    pages: Annotated[PagesInput | None, Parameter("--input")] = None,
    verbose: bool = False,
) -> int:
    """Verify a store, indexes, an export, a sweep or a study from their files.

    Read every file of a block store, indexes, an export, a sweep, a study, or a trained model;
    compare it with the digests of the manifests, look for missing files and files that no manifest
    lists, compute scores again from runs and qrels, and verify the counts: records are documents or
    skipped, documents are indexed or left empty, runs rank documents of the store.

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


def _print_output(checked: Checked) -> None:
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


def _checked(folder: Path, pages: Input | None) -> Iterator[Checked]:
    """Check everything in a folder."""
    checks: list[OutputCheck] = []
    for name in OUTPUTS:
        module = importlib.import_module(name)
        checks += getattr(module, "CHECKS", ()) or [module.CHECK]
    # The experiment around an index, or around a folder of indexes, has the store.
    around = (folder, *list(folder.absolute().parents)[:2])
    request = CheckRequest(has_input=pages is not None)
    for path in reversed(around):
        request = _with_store(request, path, checks)
    store = request.store
    yield from _walk(folder, checks, request)
    if pages:
        checked = Checked("input", Path(str(pages)))
        if store is None:
            checked.faults.append("there is no block store to compare it with")
        else:
            checked.collect(check_input(store, pages))
        yield checked


def _walk(
    path: Path, checks: list[OutputCheck], request: CheckRequest
) -> Iterator[Checked]:
    """Check the output at a path and the outputs in it; links to folders are not followed."""
    here = _recognised(path, checks)
    request = _with_store(request, path, checks)
    known = request.store.fingerprint if request.store else None
    is_others = request.beside and _made_from(path) not in (None, known)
    for check in here:
        yield from check.check(
            path, replace(request, store=None) if is_others else request
        )
    parts = {name for check in here for name in check.parts}
    for inner in visible(path) if path.is_dir() else ():
        if inner.is_symlink() or not inner.is_dir() or inner.name in parts:
            continue
        known = inner.name == "store" or any(
            check.recognises(inner) for check in checks
        )
        if holds_output(inner) or known:
            yield from _walk(inner, checks, request)


def _recognised(path: Path, checks: list[OutputCheck]) -> list[OutputCheck]:
    """Return the checks of the outputs that a path is: by its manifest, else by its files."""
    recognised = [check for check in checks if check.recognises(path)]
    kind = _manifest(path).get(KIND)
    named = [check for check in checks if check.manifest and check.manifest == kind]
    if not named:
        named = [check for check in checks if check.is_marked(path)][:1]
    return [*named, *recognised]


def _manifest(path: Path, name: str = MANIFEST) -> dict[str, Any]:
    """Return the manifest in a folder; empty if there is none that can be read."""
    try:
        value = parse_json(read_regular(path / name))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _made_from(path: Path) -> object:
    """Return the fingerprint of the store that an output names, None if it names none."""
    manifest = _manifest(path) or _manifest(path, INDEX_MANIFEST)
    recipe = manifest.get("recipe") or manifest.get("identity")
    return recipe.get("store") if isinstance(recipe, dict) else None


def _with_store(
    request: CheckRequest, path: Path, checks: list[OutputCheck]
) -> CheckRequest:
    """Return a request that knows the store that belongs to a path."""
    store = _store_in(path, checks)
    if store is None:
        return request
    return replace(request, store=store, beside=not _manifest(path))


def _store_in(path: Path, checks: list[OutputCheck]) -> BlockStore | None:
    """Return the block store that the outputs at a path were made from, if it can be found."""
    tries = [(check.store_of, path) for check in _recognised(path, checks)]
    if path.is_dir():
        tries.append((open_store, path / "store"))
    for find, place in tries:
        try:
            store: BlockStore | None = find(place)
        except BoilersweepError:  # reported where the store itself is checked
            continue
        if store is not None:
            return store
    return None
