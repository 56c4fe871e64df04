"""Topics, query logs and judgements: which ones, and reading them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from boilersweep.cli.call import Call
from boilersweep.cli.messages import note
from boilersweep.cli.options.collection import Dataset, from_dataset
from boilersweep.cli.options.values import Count, File, parsed, parsed_each, section
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.experiment.request import are_sequential
from boilersweep.indexer.jvm import start_jvm
from boilersweep.outputs.locations import location
from boilersweep.topics import (
    FIELDS,
    Agreement,
    Qrels,
    Topic,
    describe,
    describe_fields,
    needs_java,
    read_qrels,
    read_query_log,
    read_topics,
    renamed,
    require_agreement,
)

_TOPICS = section("topics")
_SAMPLE = 50  # queries of a log


def _field_or_boost(text: str) -> str | tuple[str, float]:
    """Return `desc` unchanged, `title=0.5` as name and boost."""
    name, equals, boost = text.partition("=")
    if not equals and name in FIELDS:
        return name
    try:
        value = float(boost)
    except ValueError:
        value = -1
    if not (equals and name and 0 < value < math.inf):
        raise UsageError(
            f"expected {', '.join(FIELDS)} of the topics, or a field of the index with a boost "
            f"above 0, such as title=0.5, got {text!r}{did_you_mean(name, FIELDS)}"
        )
    return name, value


def _columns(text: str) -> tuple[str | None, str | None]:
    """Parse `QUERY,COUNT`, of which one may be missing."""
    query, _, count = text.partition(",")
    return query or None, count or None


def _pair(text: str) -> tuple[str, str]:
    old, _, new = text.partition("=")
    return old, new


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Prefixes:
    """How ids of topics and runs begin, and how those of the qrels do instead.

    Attributes:
        topic_prefix: Topic ids that begin with OLD begin with NEW in the qrels; without =NEW, the
            qrels lack OLD. For ids of topics and runs; may be repeated.
    """

    topic_prefix: Annotated[
        Sequence[tuple[str, str]], parsed_each(_pair, "OLD=NEW")
    ] = ()


@Parameter(name="*", group=_TOPICS)
@dataclass(frozen=True, slots=True)
class Topics(Prefixes):
    """Topics, and which part of them is the query.

    Attributes:
        topics: TREC, TSV, CSV or JSONL; or irds:ID for a dataset of ir_datasets; or a name that
            pyserini knows, such as trec2004-terabyte.
        fields: Which fields of a topic form the query: title, desc, narr. `search` also takes the
            fields of the index to search, with boosts, such as contents=1.0 title=0.5.
        topic_language: Of topics in several languages, as HC4 (zho) and CLEF eHealth 2018 (fr) have
            them (default: English).
    """

    topics: File | None = None
    fields: Annotated[
        Sequence[str | tuple[str, float]],
        parsed_each(_field_or_boost, "FIELD", consume_multiple=True),
    ] = ("title",)
    topic_language: str = ""

    @property
    def of_topics(self) -> tuple[str, ...]:
        """The fields of the topics that form the query."""
        return tuple(field for field in self.fields if isinstance(field, str))

    @property
    def boosts(self) -> dict[str, float]:
        """The fields of the index to search, with their boosts."""
        return dict(field for field in self.fields if not isinstance(field, str))

    def check(self) -> None:
        """Raise UsageError for boosts, which a command without an index does not take."""
        if self.boosts:
            raise UsageError("--fields: expected title, desc or narr")

    def read(self, path: Path, heap: str | None = None) -> list[Topic]:
        """Read the topics, and print which fields of the query some of them lack.

        Args:
            path: The topics.
            heap: Java's maximum heap, for names that pyserini knows.
        """
        _start_java_for(path, "topics", heap)
        topics = read_topics(path, self.topic_language)
        ids = renamed([topic.id for topic in topics], dict(self.topic_prefix))
        topics = [replace(topic, id=ids[topic.id]) for topic in topics]
        note(*describe_fields(topics, self.of_topics or FIELDS[:1]))
        return topics


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Judgements:
    """Judgements, and the dataset that may have them.

    Attributes:
        dataset: Take what no other option names from ir_datasets: documents, topics and qrels of
            an id such as irds:gov2/trec-tb-2004.
        qrels: TREC's, BEIR's or CSV; or irds:ID, or a name that pyserini knows.
    """

    dataset: Dataset | None = None
    qrels: File | None = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class QueryLog:
    """A query log in place of topics.

    Attributes:
        queries: A query log in place of --topics: a query per line, a table with the names of its
            columns in the first line, JSON lines, a slow log, or a web server's log.
        columns: With --queries: the columns or keys of the query and of its count, or their numbers
            from 1, or the query's parameter in requests; one of the two may be left out.
        sample: With --queries: how many different queries, drawn by their counts (default: 50).
    """

    queries: File | None = None
    columns: Annotated[
        tuple[str | None, str | None] | None, parsed(_columns, "QUERY,COUNT")
    ] = None
    sample: Count | None = None

    def check(self, call: Call, topics: Path | None) -> None:
        """Raise UsageError unless topics or queries are given, with the options of either."""
        call.needs("--sample", "--queries")
        call.needs("--columns", "--queries")
        call.apart("--queries", "--qrels", "--topic-prefix")
        if (topics is None) == (self.queries is None):
            raise UsageError("expected --topics or --queries, one of the two")

    def draw(
        self, path: Path, fields: Sequence[str], seed: int = 1
    ) -> tuple[list[Topic], list[Topic]]:
        """Return a sample of the query log, and the rest of the log.

        Args:
            path: The query log.
            fields: Which fields of a topic form the query.
            seed: What the sample depends on.
        """
        log = read_query_log(path, *(self.columns or (None, None)))
        note(str(log))
        drawn, count = log.sample(len(log.counts), seed), self.sample or _SAMPLE
        describe_fields(drawn, fields)
        note(
            f"{min(count, len(drawn)):,} of {len(drawn):,} different queries were drawn by their "
            "counts (--sample)"
        )
        return drawn[:count], drawn[count:]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Queries:
    """Topics, or a query log in their place."""

    topics: Topics = Topics()
    log: QueryLog = QueryLog()

    def check(self, call: Call) -> None:
        """Raise UsageError unless topics or queries are given, with the options of either."""
        self.topics.check()
        self.log.check(call, self.topics.topics)

    def read(self, seed: int = 1) -> tuple[list[Topic], list[Topic]]:
        """Return a sample of the query log, and the rest of the log; or all topics.

        Args:
            seed: What the sample depends on.
        """
        if self.log.queries:
            return self.log.draw(self.log.queries, self.topics.of_topics, seed)
        return self.topics.read(self.topics.topics or Path()), []


# What `sweep` and `compare` take with judgements alone.
_OF_JUDGEMENTS = tuple(
    "--measures --verify --grid --cluster --choose --gold --tests --runs --engine".split()
)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class JudgedQueries(Queries):
    """Topics with their judgements, or topics or a query log without."""

    judgements: Judgements = Judgements()

    @property
    def are_judged(self) -> bool:
        """Whether the call names judgements."""
        return bool(self.judgements.qrels or self.judgements.dataset)

    def check(self, call: Call) -> None:
        """Raise UsageError for options that do not go together, or need judgements."""
        self.topics.check()
        if self.are_judged:
            call.apart("--queries", "--qrels", "--dataset", "--topic-prefix")
        elif given := call.given(*_OF_JUDGEMENTS):
            raise UsageError(f"{', '.join(given)}: expected --qrels, too")
        else:
            self.log.check(call, self.topics.topics)

    def sources(self, **collection: Any) -> dict[str, Any]:
        """Return the files of topics and qrels; what is missing is the dataset's.

        Args:
            collection: `input`, where a collection is needed, too.

        Raises:
            UsageError: One of them is missing.
        """
        named = {"topics": self.topics.topics, "qrels": self.judgements.qrels}
        dataset = self.judgements.dataset
        return from_dataset(dataset, {**collection, **named}, or_store=True)

    def read_judged(
        self, sources: Mapping[str, Path], heap: str | None
    ) -> tuple[list[Topic], Qrels, Agreement, list[str]]:
        """Read topics and qrels, and print sentences about how they agree.

        Args:
            sources: The files of topics and qrels.
            heap: Java's maximum heap.

        Returns:
            Topics, qrels, their agreement, and the printed sentences.

        Raises:
            QrelsError: If they have no topic in common.
        """
        topics = self.topics.read(sources["topics"], heap)
        qrels = read_judgements(sources["qrels"], heap)
        agreement = require_agreement(topics, qrels)
        sentences = describe(agreement)
        note(*sentences)
        return topics, qrels, agreement, sentences


def read_judgements(path: Path, heap: str | None = None) -> Qrels:
    """Read the judgements."""
    _start_java_for(path, "qrels", heap)
    return read_qrels(path)


def note_judged_folder(path: Path) -> None:
    """Print what judgements of `assess` do not support, where single scores are shown."""
    if are_sequential(path):
        note(
            f"{path} has judgements of `boilersweep assess`, of few documents: scores count "
            "all others as not relevant; `boilersweep compare` shows what the judgements support"
        )


def _start_java_for(name: Path, what: str, heap: str | None) -> None:
    """Start the JVM with the requested heap if a name needs one."""
    if needs_java(name, what):
        start_jvm(heap)


def _named_run(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (equals and name and path):
        raise UsageError(
            f"expected NAME=RUN.trec, such as dense=dense.trec, got {text!r}"
        )
    return name, location(path)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Runs:
    """Runs made elsewhere.

    Attributes:
        runs: A run made elsewhere, by a dense retriever or another engine, to compare as well; may
            be repeated.
    """

    runs: Annotated[
        Sequence[tuple[str, Path]], parsed_each(_named_run, "NAME=RUN.trec")
    ] = ()

    def by_name(self) -> dict[str, Path]:
        """Return the runs; raise UsageError for a duplicate name."""
        names = [name for name, _ in self.runs]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise UsageError(
                f"--runs: expected a different name for each, got {twice[0]} twice"
            )
        return dict(self.runs)
