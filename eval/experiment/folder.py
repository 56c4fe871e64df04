"""The folder of an experiment, of a sweep, a grid or a study: its parts and what its manifest says.

Runs, real indexes and views are its parts. A run or an index is used again if its recipe is the
same; views are drawn by every run.
"""

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from boilersweep.cleaners.language.variants import Variant
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.options import ParallelOptions
from boilersweep.indexer.parallel_indexes import ParallelIndex, build_into
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.parts import Output, view
from boilersweep.outputs.pictures import picture_names
from boilersweep.outputs.writer import Writer, remove_output, writing
from boilersweep.store.store import BlockStore

RUNS = "runs"
INDEXES = "indexes"
STORE = "store"

_FIGURES = ("curve", "grid", "forest", "mixture", "languages")

# All files that sweeps and studies may have beside their runs.
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


class ExperimentRecipe(msgspec.Struct, kw_only=True):
    """The part of an experiment's recipe that its readers use.

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


class ExperimentFacts(msgspec.Struct, kw_only=True):
    """What readers of an experiment use of what its manifest says.

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
        nested: The folders of further experiments in the experiment's.
        own_store: Whether the block store is in the experiment's folder.
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
    nested: list[str] = msgspec.field(default_factory=list)
    own_store: bool = False


EXPERIMENT = Output(
    name="experiment",
    command="sweep` or `compare",
    facts=dict[str, Any],
    recipe=ExperimentRecipe,
)


@dataclass(slots=True)
class Experiment:
    """An experiment while it is written.

    Attributes:
        writer: The one writer of its folder.
        facts: What the manifest says of the whole.
        files: The views that were written.
        indexes: The names of the real indexes that were used.
    """

    writer: Writer[dict[str, Any]]
    facts: dict[str, Any] = field(default_factory=dict)
    files: Sequence[Path] = ()
    indexes: list[str] = field(default_factory=list)

    @property
    def index_folder(self) -> Path:
        """The folder of the real indexes."""
        return self.writer.folder / INDEXES

    def build(
        self, store: BlockStore, variants: Sequence[Variant], options: ParallelOptions
    ) -> list[ParallelIndex]:
        """Build real indexes, those that are missing; they are parts of the experiment."""
        built = build_into(self.writer, store, variants, options, f"{INDEXES}/")
        self.indexes += [index.variant.name for index in built]
        return built

    def withdraw_runs(self) -> None:
        """Remove the runs, which proved wrong, and the manifest."""
        runs = [name for name in self.writer.entries if name.startswith(f"{RUNS}/")]
        self.writer.withdraw(runs)


@contextlib.contextmanager
def experiment(
    output: Path,
    recipe: Mapping[str, Any],
    title: str,
    *,
    inputs: Iterable[Path] = (),
    store: Path,
    overwrite: bool = False,
    nested: Sequence[str] = (),
) -> Iterator[Experiment]:
    """Hold an experiment's folder; its manifest is written at the end.

    Args:
        output: The folder.
        recipe: Everything that the results depend on.
        title: The title of pictures and of the report.
        inputs: The files that the experiment reads.
        store: The block store.
        overwrite: Replace another experiment.
        nested: The folders of further experiments in it.

    Yields:
        The experiment, whose facts and files the caller sets.

    Raises:
        OutputError: Another experiment is finished there, or something else is in the way.
        UsageError: A result would replace an input.
    """
    views = [view(name, [recipe, title]) for name in RESULTS]
    with writing(
        EXPERIMENT,
        output,
        recipe,
        views,
        inputs=inputs,
        closed=[store],
        overwrite=overwrite,
    ) as writer:
        for name in writer.before.facts.get("nested", ()) if writer.before else ():
            if name not in nested:
                remove_output(EXPERIMENT, output / name)
        writer.discard_missing()
        make_folder(output / RUNS)
        run = Experiment(writer)
        yield run
        for path in run.files:
            name = path.relative_to(output).as_posix()
            if name in RESULTS:
                writer.add(name)
        writer.finish({**run.facts, "nested": list(nested)})
