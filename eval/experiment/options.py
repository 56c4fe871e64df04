"""How an experiment is run, verified and written: the options that all experiments share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from boilersweep.eval.ranking.engines import EngineName, SearchOptions
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How the exact engine's runs are compared with those of real indexes.

    Attributes:
        variants: How many variants to compare; None for those that the experiment chooses.
        full: Let Lucene's own analyzer read all texts, not only those of a sample of documents.
    """

    variants: int | None = None
    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentOptions:
    """How topics are run and scored.

    Attributes:
        search: How the topics are run.
        measures: Names of the measures; None for those of the kind of experiment.
        engine: What gives the runs; None for the engine of the kind of experiment.
        verification: How the exact engine's runs are verified.
        build: Builds the real indexes.
    """

    search: SearchOptions = field(default_factory=SearchOptions)
    measures: Sequence[str] | None = None
    engine: EngineName | None = None
    verification: Verification = Verification()
    build: IndexBuilder = build_parallel_indexes

    def with_defaults(self, measures: Sequence[str], engine: EngineName) -> Self:
        """Return these options with the measures and the engine of a kind of experiment.

        Args:
            measures: The measures unless others were chosen.
            engine: The engine unless another was chosen.
        """
        return replace(self, measures=self.measures or measures, engine=self.engine or engine)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """The title and the sources that the output folder of an experiment records.

    Attributes:
        title: The title of pictures and of the report.
        sources: The files of topics and qrels, whose digests the manifest records.
        overwrite: Replace another experiment in the folder.
    """

    title: str = "What cleaning does to retrieval"
    sources: Mapping[str, Path] = field(default_factory=dict)
    overwrite: bool = False
