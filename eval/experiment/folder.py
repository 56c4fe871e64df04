"""The folder of an experiment, of a sweep, a grid or a study: its parts and what its manifest says.

Runs, real indexes and views are its parts. A run or an index is used again if its recipe is the
same; views are drawn by every run.
"""

import itertools
from typing import Any, TypedDict

import msgspec

from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.parts import Output
from boilersweep.outputs.pictures import picture_names

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
