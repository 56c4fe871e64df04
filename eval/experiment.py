"""The folder of an experiment, of a sweep or of a study: who may write there, and its manifest.

What an experiment's results depend on is its identity. A finished folder has a manifest, written
last, with the identity and with every file's digest. Before anything new is written there, all
that an earlier run left is gone, the manifest first.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from boilersweep.errors import IndexingError, OutputError, reason_of
from boilersweep.eval.drawing import FORMATS
from boilersweep.indexer.manifest import MANIFEST as INDEX_MANIFEST
from boilersweep.indexer.manifest import (
    IndexRecipe,
    index_fault,
    index_folders,
    require_no_others,
)
from boilersweep.outputs.files import (
    make_folder,
    only_writer,
    output_errors,
    remove_folder,
    remove_leftovers,
    sync_files,
    write_text,
)
from boilersweep.outputs.identity import differences, some_of
from boilersweep.outputs.locations import is_remote
from boilersweep.outputs.manifests import listing, read_manifest, write_manifest
from boilersweep.store.store import MANIFEST as STORE_MANIFEST
from boilersweep.store.store import BlockStore

MANIFEST = "manifest.json"
RUNS = "runs"
INDEXES = "indexes"
STORE = "store"

RESULTS = (
    *(
        "scores.csv",
        "topics.csv",
        "compare.csv",
        "pairs.csv",
        "languages.csv",
        "study.json",
        "report.html",
        "paper.txt",
    ),
    *(f"table.{suffix}" for suffix in ("txt", "md", "tex")),
    *(
        f"{name}.{suffix}"
        for name in ("curve", "grid", "forest", "mixture", "languages")
        for suffix in FORMATS
    ),
)
"""All files of sweeps and studies beside their runs: those of an earlier run are removed."""

_ADVICE = "choose another --output, or have it made anew with --overwrite"


@dataclass(slots=True)
class Experiment:
    """What a run of an experiment leaves in its folder.

    manifest: what is to be said beside identity and files. files: that were written, below the
    folder. indexes: names of those that were used.
    """

    output: Path
    manifest: dict[str, Any] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    indexes: Sequence[str] = ()

    @property
    def index_folder(self) -> Path:
        """Where the real indexes are."""
        return self.output / INDEXES

    def use_indexes(self, names: Sequence[str]) -> None:
        """Note which real indexes were used, and remove others; raises OutputError."""
        require_no_others(self.index_folder, names, overwrite=True)
        self.indexes = names


@contextlib.contextmanager
def experiment(
    output: Path,
    store: BlockStore,
    identity: Mapping[str, Any],
    recipes: Mapping[str, IndexRecipe],
    *,
    overwrite: bool = False,
    nested: Sequence[str] = (),
) -> Iterator[Experiment]:
    """Hold an experiment's folder, cleared of earlier results; its manifest is written at the end.

    recipes: of the real indexes it may use, by name. overwrite: replace another experiment.
    nested: folders of further experiments in it, which it clears.
    Raises OutputError where another experiment is finished, or something else is in the way, and
    IndexingError where an index is another or damaged.
    """
    with only_writer(output):
        _require_same(output, identity, overwrite=overwrite)
        unfit = _unfit_indexes(output, recipes)
        if unfit and not overwrite:
            raise IndexingError(f"{output / INDEXES}: {some_of(list(unfit.values()))}; {_ADVICE}")
        _clear(output, nested)
        _remove(unfit)
        make_folder(output / RUNS)
        for folder in (output, output / RUNS, *filter(Path.is_dir, (output / RUNS).iterdir())):
            remove_leftovers(folder)
        run = Experiment(output)
        yield run
        names = [path.relative_to(output).as_posix() for path in run.files]
        if not is_remote(store.path) and store.path.absolute() == (output / STORE).absolute():
            names.append(f"{STORE}/{STORE_MANIFEST}")
        names += [f"{INDEXES}/{name}/{INDEX_MANIFEST}" for name in run.indexes]
        with output_errors(output):
            sync_files(run.files)
            files = listing(output, names)
        write_manifest(output / MANIFEST, {**run.manifest, "identity": identity, "files": files})


def replace_file(output: Path, name: str, text: str) -> None:
    """Write a file of a finished experiment again; whoever calls holds the folder.

    At no time does the manifest list the file as what it is not: it is listed last.
    Raises OutputError.
    """
    manifest = read_experiment(output)
    if manifest is None:
        raise OutputError(f"{output} has no finished experiment: it has no {MANIFEST}")
    files = manifest["files"]
    others = {other: entry for other, entry in files.items() if other != name}
    write_manifest(output / MANIFEST, {**manifest, "files": others})
    write_text(output / name, text)
    with output_errors(output):
        files |= listing(output, [name])
    write_manifest(output / MANIFEST, {**manifest, "files": files})


def make_way(output: Path, *, overwrite: bool = False, nested: Sequence[str] = ()) -> None:
    """Remove an experiment's results before the store in its folder changes.

    Raises OutputError where it is finished and is to stay.
    """
    with only_writer(output):
        if read_experiment(output, overwrite=overwrite) is not None and not overwrite:
            raise OutputError(
                f"{output} has a finished experiment, but the block store in it is not whole; "
                f"{_ADVICE}"
            )
        _clear(output, nested)


def read_experiment(output: Path, *, overwrite: bool = False) -> dict[str, Any] | None:
    """The manifest of the finished experiment in a folder, None where there is none.

    overwrite: a manifest that was changed or damaged counts as none.
    Raises OutputError for such a one, and for that of something else.
    """
    try:
        manifest = read_manifest(output / MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        # Of our stores the folder has shards; what has neither is a manifest of ours, once.
        if overwrite and not any(output.glob("shard-*.parquet")):
            return None
        raise OutputError(
            f"{output / MANIFEST} is not the manifest of an experiment ({reason_of(error)}); "
            f"{_ADVICE}"
        ) from error
    identity = manifest.get("identity")
    if not isinstance(identity, dict) or "kind" not in identity:  # an export's has none
        raise OutputError(
            f"{output / MANIFEST} is in the way: it is not that of an experiment; choose another "
            "--output"
        )
    return manifest


def run_files(output: Path) -> list[Path]:
    """The runs in an experiment's folder; those of several formulas are in folders of their own."""
    return sorted([*(output / RUNS).glob("*.trec"), *(output / RUNS).glob("*/*.trec")])


def _require_same(output: Path, identity: Mapping[str, Any], *, overwrite: bool) -> None:
    manifest = read_experiment(output, overwrite=overwrite)
    if manifest is None or overwrite:
        return
    if changes := differences(manifest["identity"], identity):
        changes.sort(key=lambda change: change.startswith("variants "))  # a hundred may differ
        raise OutputError(
            f"{output} has another finished experiment than the one asked for: "
            f"{some_of(changes)}; {_ADVICE}"
        )


def _unfit_indexes(output: Path, recipes: Mapping[str, IndexRecipe]) -> dict[Path, str]:
    """The real indexes that are not of this experiment, or damaged, and what is wrong with each."""
    unfit = {}
    for path in index_folders(output / INDEXES):
        recipe = recipes.get(path.name)
        if recipe is None:
            unfit[path] = f"{path.name} is not asked for"
        elif (why := index_fault(path, recipe)) is not None:
            unfit[path] = f"{path.name} is not the index asked for: {why}"
    return unfit


def _remove(indexes: Iterable[Path]) -> None:
    for path in indexes:
        with output_errors(path):
            remove_folder(path)


def nested_experiments(files: Iterable[str]) -> list[str]:
    """The folders of further experiments in one, by the files that its manifest lists."""
    inner = [PurePosixPath(name).parts for name in files]
    return [
        parts[0] for parts in inner if parts[1:] == (MANIFEST,) and parts[0] not in (STORE, "..")
    ]


def _clear(output: Path, nested: Sequence[str]) -> None:
    """Remove what an earlier run left: all that its manifest lists, and what has a name of ours.

    The manifest goes before all that it lists but further experiments, which go whole: no kill
    leaves it beside anything new, nor one of these without it. Indexes and the block store, which
    say themselves what they are, stay.
    """
    listed = _listed(output)
    with output_errors(output):
        for name in nested_experiments(listed):
            if name not in nested:
                _remove_nested(output / name)
        (output / MANIFEST).unlink(missing_ok=True)
        results = {*RESULTS, *(name for name in listed if "/" not in name)}
        for path in [output / name for name in sorted(results)]:
            path.unlink(missing_ok=True)
        for path in run_files(output):
            path.unlink()
            if path.parent != output / RUNS and not any(path.parent.iterdir()):
                path.parent.rmdir()
    for name in nested:
        if (output / name).is_dir():
            _clear(output / name, ())


def _listed(output: Path) -> list[str]:
    """The files that the manifest in a folder lists; none where it is not there, or damaged."""
    try:
        return list(read_manifest(output / MANIFEST)["files"])
    except (OSError, ValueError, LookupError, TypeError):
        return []


def _remove_nested(folder: Path) -> None:
    """Remove an experiment with its indexes; what else lies in its folder stays."""
    if not folder.is_dir() or folder.is_symlink():
        return
    _remove(index_folders(folder / INDEXES))
    _clear(folder, ())
    for path in (folder / RUNS, folder / INDEXES, folder):
        with contextlib.suppress(OSError):  # something of somebody else's is in it
            path.rmdir()
