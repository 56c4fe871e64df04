"""The folder of an experiment, of a sweep or of a study: who may write there, and its manifest.

What an experiment's results depend on is its identity. A finished folder has a manifest, written
last, with the identity and with every file's digest. Before anything new is written there, all
that an earlier run left is gone, the manifest first.
"""

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypedDict

import msgspec

from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.parallel_indexes import ParallelRequest, drop_indexes
from boilersweep.outputs.atomic import (
    make_folder,
    remove_leftovers,
)
from boilersweep.outputs.folder import (
    INDEX_MANIFEST,
    MANIFEST,
    OutputFolder,
    OutputKind,
)
from boilersweep.outputs.locations import is_remote
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import FileEntry, OutputManifest
from boilersweep.outputs.pictures import picture_names
from boilersweep.outputs.typed_files import as_type
from boilersweep.store.store import BlockStore

RUNS = "runs"
INDEXES = "indexes"
STORE = "store"

_FIGURES = ("curve", "grid", "forest", "mixture", "languages")

# All files of sweeps and studies beside their runs: those of an earlier run are removed.
RESULTS = (
    "scores.csv",
    "topics.csv",
    "compare.csv",
    "pairs.csv",
    "languages.csv",
    "study.json",
    "report.html",
    "paper.txt",
    "table.txt",
    "table.md",
    "table.tex",
    *itertools.chain.from_iterable(picture_names(name) for name in _FIGURES),
)


def run_name(name: str, formula: str = "") -> str:
    """Return the path of a run below the folder of its experiment.

    Args:
        name: The name of the variant or of the external run.
        formula: The formula that ranked it, if an experiment has several; "" for external runs.
    """
    return f"{RUNS}/{formula}/{name}.trec" if formula else f"{RUNS}/{name}.trec"


class Source(FileEntry):
    """A file that an experiment read, such as its qrels, with its path."""

    path: str


class EvaluatedTopics(TypedDict):
    """The ids of the topics whose scores count."""

    evaluated: list[str]


class ExperimentIdentity(msgspec.Struct, kw_only=True):
    """The part of an experiment's identity that its readers use.

    Attributes:
        kind: "sweep", "grid" or "study".
        variants: The cleaners by the names of their runs.
        runs: The digests of runs made elsewhere, by name.
        formulas: The ranking formulas of a study with several, by name.
        languages: The languages that documents were chosen by.
        gold: The gold texts that are a variant, too.
    """

    kind: str
    variants: dict[str, str]
    runs: dict[str, str] = msgspec.field(default_factory=dict)
    formulas: dict[str, Any] = msgspec.field(default_factory=dict)
    languages: list[str] = msgspec.field(default_factory=list)
    gold: Any = None


class ExperimentManifest(OutputManifest, kw_only=True):
    """The part of an experiment's manifest that its readers use.

    Attributes:
        store: The path of the block store.
        store_fingerprint: The fingerprint of the block store.
        sources: The files of topics and qrels.
        topics: The topics.
        measures: The measures.
        analyzer: The options of the analyzer.
        kept: Of a grid, the variants whose runs are kept.
        variants: Of a grid, the number of all variants.
        model: The ranking formula.
        hits: The documents of a topic.
        fields: The fields of a topic that are joined to the query.
        sweeps: The sweeps of thresholds.
        cleaners: Of a sweep, the cleaners beside its thresholds.
    """

    store: str
    store_fingerprint: str
    sources: dict[str, Source]
    topics: EvaluatedTopics
    measures: list[str]
    analyzer: AnalyzerOptions
    kept: dict[str, str] = msgspec.field(default_factory=dict)
    variants: Any = None
    model: str = ""
    hits: int = 0
    fields: tuple[str, ...] = ()
    sweeps: list[str] = msgspec.field(default_factory=list)
    cleaners: list[str] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        as_type(self.identity, ExperimentIdentity)

    @property
    def experiment(self) -> ExperimentIdentity:
        """The identity as a type."""
        return as_type(self.identity, ExperimentIdentity)


EXPERIMENT = OutputKind(
    name="experiment",
    command="sweep` or `compare",
    manifest_type=ExperimentManifest,
    own=(*RESULTS, f"{RUNS}/*.trec", f"{RUNS}/*/*.trec"),
    strict=lambda _: (RUNS, INDEXES),
    unlisted=(STORE, f"{INDEXES}/{MANIFEST}"),
)


@dataclass(slots=True)
class Experiment:
    """The files and the manifest that a run of an experiment leaves in its folder.

    Attributes:
        output: The folder.
        manifest: What the manifest records besides identity and files.
        files: The files that were written, below the folder.
        indexes: The names of the real indexes that were used.
    """

    output: Path
    manifest: dict[str, Any] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    indexes: Sequence[str] = ()

    @property
    def index_folder(self) -> Path:
        """The folder of the real indexes."""
        return self.output / INDEXES


@contextlib.contextmanager
def experiment(
    output: Path,
    store: BlockStore,
    identity: Mapping[str, Any],
    indexes: ParallelRequest,
    *,
    overwrite: bool = False,
    nested: Sequence[str] = (),
) -> Iterator[Experiment]:
    """Hold an experiment's folder, cleared of earlier results; its manifest is written at the end.

    Args:
        output: The folder.
        store: The block store.
        identity: Everything that the results depend on.
        indexes: The real indexes that it may use.
        overwrite: Replace another experiment.
        nested: The folders of further experiments in it, which it clears.

    Yields:
        The experiment whose files and manifest the caller sets.

    Raises:
        OutputError: Another experiment is finished there, or something else is in the way.
        IndexingError: An index has another recipe, or is damaged.
    """
    folder = OutputFolder(output, EXPERIMENT)
    with only_writer(output):
        folder.finished(identity, overwrite=overwrite)
        indexes.require_fit(output / INDEXES, overwrite=overwrite)
        used = _used_indexes(folder)
        _clear(folder, nested)
        make_folder(output / RUNS)
        for path in (output / RUNS, *filter(Path.is_dir, (output / RUNS).iterdir())):
            remove_leftovers(path)
        run = Experiment(output)
        yield run
        names = folder.names(run.files)
        if (
            not is_remote(store.path)
            and store.path.absolute() == (output / STORE).absolute()
        ):
            names.append(f"{STORE}/{MANIFEST}")
        names += [f"{INDEXES}/{name}/{INDEX_MANIFEST}" for name in run.indexes]
        folder.seal(run.manifest, identity, names)
        drop_indexes(run.index_folder, used.difference(run.indexes))


def _used_indexes(folder: OutputFolder[ExperimentManifest]) -> set[str]:
    """Return the names of the indexes that the experiment in a folder has used."""
    manifest = folder.read(overwrite=True)
    files = [PurePosixPath(name).parts for name in manifest.files] if manifest else []
    return {parts[1] for parts in files if parts[0] == INDEXES}


def nested_experiments(files: Iterable[str]) -> list[str]:
    """Return the folders of further experiments in one, by the files that its manifest lists."""
    inner = [PurePosixPath(name).parts for name in files]
    return [
        parts[0] for parts in inner if parts[1:] == (MANIFEST,) and parts[0] != STORE
    ]


def _clear(folder: OutputFolder[ExperimentManifest], nested: Sequence[str]) -> None:
    """Remove what an earlier run left; indexes and the block store have manifests and stay.

    Args:
        folder: The folder.
        nested: Further experiments, which are cleared. Others are removed with their indexes before
            the manifest that lists them, so that no kill leaves one of them without a manifest.
    """
    manifest = folder.read(overwrite=True)
    for name in nested_experiments(manifest.files if manifest else ()):
        inner = OutputFolder(folder.path / name, EXPERIMENT)
        if name not in nested and inner.path.is_dir() and not inner.path.is_symlink():
            drop_indexes(inner.path / INDEXES, _used_indexes(inner))
            inner.clear()
            with contextlib.suppress(OSError):  # it contains files of somebody else
                inner.path.rmdir()
    folder.clear()
    for name in nested:
        OutputFolder(folder.path / name, EXPERIMENT).clear()
