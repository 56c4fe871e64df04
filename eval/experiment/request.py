"""A request for an experiment, checked before the long work, and what it does for each kind.

A sweep, a grid and a study differ in what they compare and write. An ExperimentRequest holds their
folder, runs and scores, verifies, and records the provenance in the same way for all.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Self, get_args

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.selection import AlignmentCounts, identity_of
from boilersweep.cleaners.stored import fingerprint_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.folder import RUNS, STORE
from boilersweep.eval.experiment.languages import (
    judgements_left_out,
    relevant_documents,
    topic_languages,
)
from boilersweep.eval.experiment.verification import Verified
from boilersweep.eval.ranking.exact.plan import RANK_CODE
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import EngineName, SearchOptions
from boilersweep.eval.stats import STATISTICS_CODE
from boilersweep.eval.stats.scoring import parse_measures
from boilersweep.extras import OF_LUCENE, require
from boilersweep.indexer.analyzer import unlike_documents
from boilersweep.indexer.jvm import anserini_identity
from boilersweep.indexer.manifest import INDEX_CODE, versions
from boilersweep.outputs.identity import (
    __version__,
    code_identity,
    digest_of,
    file_digest,
)
from boilersweep.outputs.locations import (
    as_location,
    is_path,
    is_remote,
    output_path,
    recorded_path,
)
from boilersweep.outputs.typed_files import as_builtins
from boilersweep.redaction import without_secrets
from boilersweep.store.store import BlockStore, as_store
from boilersweep.topics import (
    Agreement,
    AnyQrels,
    AnyTopics,
    Qrels,
    Topic,
    describe,
    describe_fields,
    read_qrels,
    read_topics,
    require_agreement,
    require_judged_documents,
    with_documents,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How the exact engine's runs are compared with those of real indexes.

    Attributes:
        variants: How many variants to compare; None for those that the experiment chooses.
        full: Also compare all variants with an index of blocks, of which Lucene's own analyzer
            reads all texts.
    """

    variants: int | None = None
    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentOptions:
    """How topics are run and scored.

    Attributes:
        search: How the topics are run.
        measures: One name of a measure or several; None for those of the kind of experiment.
        engine: What gives the runs; None for the engine of the kind of experiment.
        verification: How the exact engine's runs are verified.
        executor: Collects the rows of a sweep part by part, into files, or builds its indexes,
            instead of this process; its workers see the store and the output at the same paths.
    """

    search: SearchOptions = field(default_factory=SearchOptions)
    measures: Sequence[str] | str | None = None
    engine: EngineName | None = None
    verification: Verification = Verification()
    executor: Executor | None = None

    def with_defaults(self, measures: Sequence[str], engine: EngineName) -> Self:
        """Return these options with the measures and the engine of a kind of experiment.

        Args:
            measures: The measures unless others were chosen.
            engine: The engine unless another was chosen.
        """
        return replace(
            self, measures=self.measures or measures, engine=self.engine or engine
        )


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


# The files of a folder of `assess`, and who judges in it.
TOPICS = "topics.tsv"
QRELS = "qrels.txt"
AssessorKind = Literal["people", "programs"]
KINDS: tuple[AssessorKind, ...] = get_args(AssessorKind)


def is_assessment(folder: Path) -> bool:
    """Return whether `assess` or `serve` wrote judgements into a folder."""
    return (folder / TOPICS).is_file() and any((folder / k).is_dir() for k in KINDS)


def are_sequential(qrels: Path) -> bool:
    """Return whether a file of qrels is that of a folder of `assess`."""
    is_one = not is_remote(qrels) and qrels.name == QRELS
    return is_one and is_assessment(qrels.parent)


def require_means(qrels: Path) -> None:
    """Raise UsageError for a file of qrels whose judgements support no means of scores."""
    if are_sequential(qrels):
        raise UsageError(
            f"{qrels}: judgements of `boilersweep assess` tell the cleaners apart that it "
            "showed; they give no mean of a threshold, as nobody judged the other documents. See "
            "what they support with `boilersweep compare --qrels` and --cleaners of that `assess`"
        )


def ranking_identity(model: RankingModel) -> dict[str, Any]:
    """Return a ranking formula and its parameters."""
    return {"formula": str(model), **model.parameters}


def file_facts(files: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """Record where files that were read are and what they contain, so that `check` can compare.

    A pipe, as of `--topics <(zcat topics.gz)`, cannot be read again and is left out.

    Args:
        files: What a file is -> its path.
    """
    return {
        name: {
            "path": recorded_path(path),
            "bytes": path.stat().st_size,
            "sha256": file_digest(path),
        }
        for name, path in files.items()
        if is_remote(path) or path.is_file()
    }


@dataclass(frozen=True, eq=False)
class ExperimentRequest:
    """Topics on a block store, their judgements, and the folder for the results.

    Attributes:
        store: The block store.
        topics: The topics to run.
        qrels: Their judgements.
        output: The folder for the results.
        options: How topics are run and scored, with measures and engine.
        output_options: What the folder records.

    Raises:
        QrelsError: No topic or no document is judged.
        UsageError: A measure is unknown, or a package that experiments need is not installed.
    """

    store: BlockStore
    topics: Sequence[Topic]
    qrels: Qrels
    output: Path
    options: ExperimentOptions
    output_options: OutputOptions

    @classmethod
    def of(
        cls,
        store: BlockStore | Path | str,
        topics: AnyTopics,
        qrels: AnyQrels,
        output: Path | str,
        options: ExperimentOptions,
        output_options: OutputOptions | None,
    ) -> Self:
        """Return a request for what the callers of experiments have.

        Args:
            store: The store or its folder.
            topics: As `read_topics` takes them.
            qrels: As `read_qrels` takes them.
            output: The folder for the results.
            options: How topics are run and scored, with measures and engine.
            output_options: What the folder records; without sources, the files of topics and qrels.
        """
        output_options = output_options or OutputOptions()
        named = {"topics": topics, "qrels": qrels}.items()
        files = {what: as_location(source) for what, source in named if is_path(source)}
        return cls(
            as_store(store),
            read_topics(topics),
            read_qrels(qrels),
            output_path(output),
            options,
            replace(output_options, sources=output_options.sources or files),
        )

    def __post_init__(self) -> None:
        require(*OF_LUCENE)
        # Read the files now, as they may change during the long work.
        _ = self.measures, self.source_facts, self.agreement, self.judged_documents
        describe_fields(self.topics, self.search.fields)

    @property
    def search(self) -> SearchOptions:
        """How the topics are run."""
        return self.options.search

    @property
    def engine(self) -> EngineName:
        """The engine that gives the runs."""
        return self.options.engine or "indexes"

    @cached_property
    def measures(self) -> list[Any]:
        """The measures, parsed."""
        return parse_measures(self.options.measures or ())

    @cached_property
    def source_facts(self) -> dict[str, dict[str, Any]]:
        """The files of topics and qrels, with their digests."""
        return file_facts(self.output_options.sources)

    @cached_property
    def agreement(self) -> Agreement:
        """The topics that are judged, and the judged documents that the store lacks."""
        agreement = require_agreement(self.topics, self.qrels)
        grades = {topic: self.qrels.grades[topic] for topic in agreement.evaluated}
        docids = [*self.store.docids(), *self.store.docids_left_out()]
        return with_documents(agreement, docids, grades)

    @cached_property
    def judged_documents(self) -> int:
        """The number of documents in the store that any topic judges."""
        return require_judged_documents(self.store.docids(), self.qrels)

    @cached_property
    def queries(self) -> dict[str, str]:
        """Topic -> query."""
        return {topic.id: topic.text(self.search.fields) for topic in self.topics}

    @cached_property
    def grades(self) -> dict[str, Mapping[str, int]]:
        """Topic -> docid -> grade, of the topics that are evaluated."""
        return {topic: self.qrels.grades[topic] for topic in self.agreement.evaluated}

    @cached_property
    def relevant(self) -> Mapping[str, frozenset[str]]:
        """Topic -> its relevant documents."""
        return relevant_documents(self.grades)

    @property
    def runs_folder(self) -> Path:
        """The folder of the runs, and of the arrays that processes share."""
        return self.output / RUNS

    @property
    def measure_names(self) -> list[str]:
        """The measures as they are written in files."""
        return list(map(str, self.measures))

    def topic_languages(self) -> dict[str, str | None]:
        """Return the language of each topic, by its relevant documents."""
        return topic_languages(self.store, self.relevant)

    def identity(
        self, kind: str, variants: Sequence[Variant], more: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return everything that the results depend on, as nested JSON.

        Args:
            kind: The kind of experiment.
            variants: The variants.
            more: What else the results of this kind depend on.
        """
        models: dict[str, str] = {}
        plugins: dict[str, str] = {}
        for variant in variants:
            cleaner = identity_of(variant.cleaner)
            models |= cleaner["models"]
            plugins |= cleaner.get("plugins", {})
        languages = list(self.store.chosen_languages)
        return {
            "kind": kind,
            "store": self.store.fingerprint,
            **({"languages": languages} if languages else {}),
            "variants": {variant.name: str(variant) for variant in variants},
            "models": models,
            "topics": {
                "fields": list(self.search.fields),
                "queries": digest_of(self.queries),
            },
            "qrels": digest_of(asdict(self.qrels)),
            "measures": self.measure_names,
            "ranking": ranking_identity(self.search.model),
            "hits": self.search.hits,
            "analyzer": asdict(self.search.analyzer),
            **({"plugins": plugins} if plugins else {}),
            "verify": self.options.verification.variants,
            "verify_full": self.options.verification.full,
            **more,
            "anserini": anserini_identity(),
            "ir_measures": version("ir_measures"),
            "code": code_identity(CLEAN_CODE, INDEX_CODE, RANK_CODE, STATISTICS_CODE),
        }

    def run_recipes(
        self, variants: Sequence[Variant], more: Any = None
    ) -> list[dict[str, Any]]:
        """Return all that the run of each variant depends on.

        Args:
            variants: The variants.
            more: What else the runs depend on, in place of the request's formula.
        """
        shared = {
            "languages": list(self.store.chosen_languages),
            "queries": digest_of(self.queries),
            "ranking": more or ranking_identity(self.search.model),
            "hits": self.search.hits,
            "analyzer": asdict(self.search.analyzer),
            "engine": self.engine,
            "anserini": anserini_identity(),
            "code": code_identity(CLEAN_CODE, INDEX_CODE, RANK_CODE),
        }
        return [
            {
                "store": fingerprint_for(self.store, [variant.cleaner]),
                "cleaner": identity_of(variant.cleaner),
                **shared,
            }
            for variant in variants
        ]

    def provenance(
        self, verified: Verified | None, placed: Mapping[str, AlignmentCounts]
    ) -> dict[str, Any]:
        """Return what every manifest records of the run.

        Args:
            verified: What was compared with real indexes.
            placed: By name of the texts that are matched to blocks, how much of them was matched.
        """
        store, search = self.store, self.search
        unlike = unlike_documents(search.analyzer, store.languages)
        notes = [
            *describe(self.agreement),
            *describe_fields(self.topics, search.fields),
            *([unlike] if unlike else []),
        ]
        return {
            "boilersweep": __version__,
            "input": store.manifest.input,
            "store": without_secrets(store.path.resolve()),
            "own_store": not is_remote(store.path)
            and store.path.absolute() == (self.output / STORE).absolute(),
            "store_fingerprint": store.fingerprint,
            "documents": store.documents,
            "languages": store.languages,
            "other_languages": store.other_languages,
            "skipped": dict(store.skipped),
            "analyzer": asdict(search.analyzer),
            "model": str(search.model),
            "hits": search.hits,
            "fields": list(search.fields),
            "topics": asdict(self.agreement),
            "queries_without_qrels": {
                topic: self.queries[topic] for topic in self.agreement.without_qrels
            },
            "sources": self.source_facts,
            "judged_documents": self.judged_documents,
            "engine": self.engine,
            "texts_in_blocks": as_builtins(placed),
            "verified": asdict(verified) if verified else None,
            "notes": [*notes, *judgements_left_out(store, self.grades)],
            "versions": versions(),
        }
