"""What an experiment is asked, checked before the long work; and what each view does with it.

A sweep, a grid and a study differ in what they compare and in what they write. They ask, hold
their folder, run and score, verify and record their provenance in the same way: by a Request.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.variants import Variant
from boilersweep.eval.engines import Engine, EngineName, SearchOptions
from boilersweep.eval.experiment import Experiment, experiment
from boilersweep.eval.languages import judgements_left_out, relevant_documents, topic_languages
from boilersweep.eval.provenance import file_facts, identity, index_recipes, provenance
from boilersweep.eval.ranking_models import RankingModel
from boilersweep.eval.scored import ScoredRun, write_scored_runs
from boilersweep.eval.verification import Verified, verify
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes
from boilersweep.store.store import BlockStore
from boilersweep.topics import (
    Agreement,
    Qrels,
    Topic,
    require_agreement,
    require_judged_documents,
)
from boilersweep.work.tasks import prepare_processes


@dataclass(frozen=True, eq=False)
class Request:
    """Topics on a block store, their judgements, and the folder for what is found.

    measures: parsed. engine: what gives the runs. verified_variants: how many runs of the exact
    engine to compare with real indexes; None for those that the experiment chooses. verify_full:
    let Lucene's own analyzer read all texts for that, and not those of a sample. build: makes
    the real indexes. sources: the files of topics and qrels, to be recorded. overwrite: replace
    another experiment in the folder.

    Raises QrelsError if no topic or no document is judged.
    """

    store: BlockStore
    topics: Sequence[Topic]
    qrels: Qrels
    output: Path
    options: SearchOptions
    measures: list[Any]
    engine: EngineName
    sources: Mapping[str, Path]
    verified_variants: int | None = None
    verify_full: bool = False
    build: IndexBuilder = build_parallel_indexes
    overwrite: bool = False

    def __post_init__(self) -> None:
        # Now, as files may change during the long work.
        _ = self.source_facts, self.agreement, self.judged_documents

    @cached_property
    def source_facts(self) -> dict[str, dict[str, Any]]:
        """The files of topics and qrels, with their digests."""
        return file_facts(self.sources)

    @cached_property
    def agreement(self) -> Agreement:
        """Which topics are judged."""
        return require_agreement(self.topics, self.qrels)

    @cached_property
    def judged_documents(self) -> int:
        """Documents of the store that any topic judges."""
        return require_judged_documents(self.store.docids(), self.qrels)

    @cached_property
    def queries(self) -> dict[str, str]:
        """Topic -> query."""
        return {topic.id: topic.text(self.options.fields) for topic in self.topics}

    @cached_property
    def grades(self) -> dict[str, Mapping[str, int]]:
        """Topic -> docid -> grade, of the topics that are evaluated."""
        return {topic: self.qrels.grades[topic] for topic in self.agreement.evaluated}

    @cached_property
    def relevant(self) -> Mapping[str, frozenset[str]]:
        """Topic -> its relevant documents."""
        return relevant_documents(self.grades)

    @property
    def measure_names(self) -> list[str]:
        """The measures as they are written in files."""
        return list(map(str, self.measures))

    def topic_languages(self) -> dict[str, str | None]:
        """Topic -> its language, by its relevant documents."""
        return topic_languages(self.store, self.relevant)

    @contextlib.contextmanager
    def folder(
        self,
        kind: str,
        variants: Sequence[Variant],
        *,
        indexed: Sequence[Variant] | None = None,
        docvectors: bool = False,
        nested: Sequence[str] = (),
        **more: Any,
    ) -> Iterator[Experiment]:
        """Hold the output folder; its manifest is written at the end.

        variants: what the results depend on. indexed: those that may get a real index, if others.
        docvectors: the real indexes have them. nested: folders of further experiments.
        more: what else the results depend on. Raises what `experiment` raises.
        """
        asked = identity(
            *(kind, self.store, variants, self.queries, self.qrels, self.options),
            self.measure_names,
            verify=self.verified_variants,
            verify_full=self.verify_full,
            **more,
        )
        recipes = index_recipes(
            self.store,
            variants if indexed is None else indexed,
            self.options,
            docvectors=docvectors,
        )
        if self.engine == "exact":
            prepare_processes("boilersweep.eval.scored", self.options.threads)
        with experiment(
            *(self.output, self.store, asked, recipes), overwrite=self.overwrite, nested=nested
        ) as folder:
            yield folder

    def score(self, engine: Engine, runs: Mapping[Variant, Path]) -> list[ScoredRun]:
        """Write and score the run of each variant. runs: their files, all in one folder."""
        return write_scored_runs(
            *(engine, runs, list(self.queries), self.grades, self.measures, self.options.threads)
        )

    def verify(
        self,
        engine: Engine,
        variants: Sequence[Variant],
        indexes: Path,
        *,
        model: RankingModel | None = None,
        complete: bool = False,
        docvectors: bool = False,
    ) -> Verified:
        """Compare computed runs with those of Lucene's indexes, as `verify` does.

        model: if not that of the options.
        """
        options = replace(self.options, model=model) if model else self.options
        return verify(
            *(engine, self.store, variants, self.queries, indexes, options, self.build),
            full=self.verify_full,
            complete=complete,
            docvectors=docvectors,
        )

    def provenance(
        self, verified: Verified | None, placed: Mapping[str, AlignmentCounts]
    ) -> dict[str, Any]:
        """What every manifest says."""
        return provenance(
            *(self.store, self.options, self.agreement, self.judged_documents, verified),
            engine=self.engine,
            placed=placed,
            sources=self.source_facts,
            notes=judgements_left_out(self.store, self.grades),
        )
