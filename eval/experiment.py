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

from boilersweep.errors import IndexingError
from boilersweep.eval.drawing import FORMATS
from boilersweep.indexer.manifest import (
    IndexRecipe,
    index_fault,
    index_folders,
    require_no_others,
)
from boilersweep.outputs.files import make_folder, output_errors, remove_folder, remove_leftovers
from boilersweep.outputs.folder import ADVICE, INDEX_MANIFEST, MANIFEST, Kind, OutputFolder
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import is_remote
from boilersweep.outputs.manifest_file import ENTRY
from boilersweep.store.store import BlockStore

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

EXPERIMENT = Kind(
    name="experiment",
    command="sweep`, `compare` or `blogs06",
    shape={
        "identity": {
            "kind": str,
            "variants": {str: str},
            "runs?": {str: str},
            "formulas?": {},
            "languages?": [str],
        },
        "kept?": {str: str},
        "store": str,
        "store_fingerprint": str,
        "sources": {str: {"path": str, **ENTRY}},
        "topics": {"evaluated": [str]},
        "measures": [str],
        "analyzer": {},
    },
    own=(*RESULTS, f"{RUNS}/*.trec", f"{RUNS}/*/*.trec"),
    strict=lambda _: (RUNS, INDEXES),
    unlisted=(STORE,),
)


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
    folder = OutputFolder(output, EXPERIMENT)
    with folder.held():
        folder.finished(identity, overwrite=overwrite)
        unfit = _unfit_indexes(output, recipes)
        if unfit and not overwrite:
            raise IndexingError(f"{output / INDEXES}: {some_of(list(unfit.values()))}; {ADVICE}")
        _clear(folder, nested)
        for path in unfit:
            with output_errors(path):
                remove_folder(path)
        make_folder(output / RUNS)
        for path in (output / RUNS, *filter(Path.is_dir, (output / RUNS).iterdir())):
            remove_leftovers(path)
        run = Experiment(output)
        yield run
        names = folder.names(run.files)
        if not is_remote(store.path) and store.path.absolute() == (output / STORE).absolute():
            names.append(f"{STORE}/{MANIFEST}")
        names += [f"{INDEXES}/{name}/{INDEX_MANIFEST}" for name in run.indexes]
        folder.seal(run.manifest, identity, names)


def make_way(output: Path, *, overwrite: bool = False, nested: Sequence[str] = ()) -> None:
    """Remove an experiment's results before the store in its folder changes.

    Raises OutputError where it is finished and is to stay.
    """
    folder = OutputFolder(output, EXPERIMENT)
    with folder.held():
        folder.make_way(overwrite=overwrite)
        _clear(folder, nested)


def _unfit_indexes(output: Path, recipes: Mapping[str, IndexRecipe]) -> dict[Path, str]:
    """Map each index that is damaged or not part of this experiment to its fault."""
    unfit = {}
    for path in index_folders(output / INDEXES):
        recipe = recipes.get(path.name)
        if recipe is None:
            unfit[path] = f"{path.name} is not asked for"
        elif (why := index_fault(path, recipe)) is not None:
            unfit[path] = f"{path.name} {why}"
    return unfit


def nested_experiments(files: Iterable[str]) -> list[str]:
    """The folders of further experiments in one, by the files that its manifest lists."""
    inner = [PurePosixPath(name).parts for name in files]
    return [parts[0] for parts in inner if parts[1:] == (MANIFEST,) and parts[0] != STORE]


def _clear(folder: OutputFolder, nested: Sequence[str]) -> None:
    """Remove what an earlier run left; indexes and the block store have manifests and stay.

    nested: further experiments, which are cleared; others in the folder go with their indexes,
    before the manifest that lists them: no kill leaves one of these without it.
    """
    manifest = folder.read(overwrite=True)
    for name in nested_experiments(manifest["files"] if manifest else ()):
        inner = OutputFolder(folder.path / name, EXPERIMENT)
        if name not in nested and inner.path.is_dir() and not inner.path.is_symlink():
            inner.clear(
                [f"{INDEXES}/{index.name}" for index in index_folders(inner.path / INDEXES)]
            )
            with contextlib.suppress(OSError):  # something of somebody else's is in it
                inner.path.rmdir()
    folder.clear()
    for name in nested:
        OutputFolder(folder.path / name, EXPERIMENT).clear()
