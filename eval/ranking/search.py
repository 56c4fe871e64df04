"""Search indexes with topics, as Anserini's SimpleSearcher does, and give the runs of variants.

`exact` has other engines, with equal runs.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from boilersweep.cleaners.selection import AlignmentCounts, Cleaner
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import IndexingError, UsageError
from boilersweep.eval.ranking.formulas import BM25, RankingModel, SearcherModel
from boilersweep.eval.ranking.runs import Hits, Run, require_hits
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.searcher import IndexSearcher, open_index
from boilersweep.outputs.notebook import Framed, points
from boilersweep.outputs.pictures import Picture, Spec, lines
from boilersweep.topics import FIELDS, AnyTopics, read_topics

if TYPE_CHECKING:
    import pandas as pd

# The depth of a run, as TREC has it.
HITS = 1000


class SearchResult(dict[str, Hits], Framed):
    """A run: topic -> its hits, each a docid and a score."""

    def to_pandas(self) -> "pd.DataFrame":
        """Return a row for each hit: topic, docid, rank from 1, score."""
        import pandas as pd

        rows = [
            (topic, docid, rank, score)
            for topic, hits in self.items()
            for rank, (docid, score) in enumerate(hits, start=1)
        ]
        return pd.DataFrame(rows, columns=["topic", "docid", "rank", "score"])

    def plot(self, measure: str | None = None, **options: Any) -> Picture:
        """Draw a measure, the score by default, see `Framed`."""
        return super().plot(measure or "score", **options)

    def _draw(self, frame: "pd.DataFrame", measure: str) -> Spec:
        """Return a line over ranks for each topic."""
        return lines(points(frame, "rank", measure, "topic"), "rank", measure)

    def __repr__(self) -> str:
        return f"<SearchResult: {sum(map(len, self.values())):,} hits of {len(self):,} topics>"


def search_index(
    index: IndexSearcher | Path | str,
    queries: AnyTopics,
    model: RankingModel | None = None,
    *,
    fields: Mapping[str, float] | None = None,
    hits: int = HITS,
    threads: int = 1,
    analyzer: AnalyzerOptions | None = None,
    keep: Cleaner | str | None = None,
) -> SearchResult:
    """Search an index with every query; a query without a result has an empty list.

    Args:
        index: The index, or what `open_index` returned.
        queries: The text of each query by its topic id; or topics as a file, `irds:ID`, a frame or
            a list, as `boilersweep.topics.read_topics` takes them, whose titles are the queries.
        model: The ranking model; None for BM25 with Anserini's parameters.
        fields: Boosts of the index's fields to search; None for its contents alone.
        hits: The greatest number of documents per topic.
        threads: The number of threads.
        analyzer: How queries become tokens; None for the index's analyzer, see `index_analyzer`.
        keep: A cleaner; what it keeps is searched, see `IndexSearcher.search`.

    Raises:
        IndexingError: The index cannot be opened.
        UsageError: `hits` is below 1, Lucene lacks the model, the index lacks a field or document
            vectors, or the cleaner cannot be applied.
    """
    require_hits(hits)
    if not isinstance(queries, Mapping):
        queries = {topic.id: topic.text(["title"]) for topic in read_topics(queries)}
    model = model or BM25()
    with ExitStack() as stack:
        searcher = index
        if not isinstance(searcher, IndexSearcher):
            searcher = stack.enter_context(open_index(searcher, analyzer=analyzer))
        if not searcher.num_docs:
            return SearchResult({topic: [] for topic in queries})
        if fields and not isinstance(model, SearcherModel):
            raise UsageError(
                f"fields: expected BM25 or query likelihood to search them, got {model}"
            )
        model.configure(searcher)
        texts, topics = list(queries.values()), list(queries)
        lists = searcher.batch_lists(
            texts, topics, hits, threads, fields=fields, keep=keep
        )
        return SearchResult(lists)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """The parts of a document that its index stores; "" for others.

    Attributes:
        title: The title.
        url: The URL.
        text: The searched text, if the index was built with --storeContents or --storeRaw.
        date: The date.
    """

    title: str = ""
    url: str = ""
    text: str = ""
    date: str = ""


def stored_documents(index: Path, docids: Sequence[str]) -> list[StoredDocument]:
    """Read the documents of some docids, which the index must have; starts Java.

    Raises:
        IndexingError: The index cannot be read.
    """
    with open_index(index) as searcher:
        stored = [searcher.doc(docid) for docid in docids]
    documents = [document for document in stored if document]
    if len(documents) < len(docids):
        raise IndexingError(f"{index} has changed meanwhile; search once more")
    return [
        StoredDocument(
            title=document.get("title") or "",
            url=document.get("url") or "",
            text=document.text() or "",
            date=document.get("date") or "",
        )
        for document in documents
    ]


# Real Lucene indexes, or the exact engine, which needs none.
EngineName = Literal["indexes", "exact"]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How topics are run.

    Attributes:
        model: The ranking model.
        hits: The greatest number of documents per topic.
        fields: The fields of a topic that are joined to the query.
        threads: The number of Java's threads, and of processes if the exact engine ranks more than
            one variant.
        analyzer: How texts become tokens.
        heap: Java's heap in other processes that start it, as text; None for the default.
    """

    model: RankingModel = field(default_factory=BM25)
    hits: int = HITS
    fields: tuple[str, ...] = (FIELDS[0],)
    threads: int = 1
    analyzer: AnalyzerOptions = field(default_factory=AnalyzerOptions)
    heap: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of what a variant keeps of the collection.

    Attributes:
        variant: The variant.
        documents: The number of documents with a token left.
        empty: The number of documents without a token.
        tokens: The number of tokens, with repeats.
    """

    variant: Variant
    documents: int
    empty: int
    tokens: int


@dataclass(frozen=True, slots=True)
class VariantRun(Counts):
    """The run on a variant.

    Attributes:
        run: The run.
    """

    run: Run


class Engine(Protocol):
    """Gives the run of one variant after the other; its constructor does the long work."""

    @property
    def needs_java(self) -> bool:
        """Whether its runs come from this process's JVM, and so from no other process."""
        ...

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant the engine was made for; of all its topics, or of some."""
        ...


_Query = TypeVar("_Query")


def queries_of(
    queries: Mapping[str, _Query], topics: Sequence[str] | None
) -> Mapping[str, _Query]:
    """Return the queries of some topics, in their order; all where topics is None."""
    return queries if topics is None else {topic: queries[topic] for topic in topics}


@dataclass(frozen=True, slots=True)
class Searched(Counts):
    """What is searched for a variant.

    Attributes:
        index: The index.
        keep: Of an index of blocks, the cleaner whose blocks are searched.
    """

    index: IndexSearcher | Path
    keep: Cleaner | None = None


class IndexEngine:
    """Searches real indexes: one for each variant, or one of blocks under every variant.

    Attributes:
        variants: The variants.
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    needs_java = True

    def __init__(
        self,
        searched: Mapping[Variant, Searched],
        queries: Mapping[str, str],
        options: SearchOptions,
        placed: Mapping[str, AlignmentCounts],
    ) -> None:
        """Search indexes that exist.

        Args:
            searched: What is searched for each variant.
            queries: The text of each query by its topic id.
            options: How topics are run.
            placed: See the class.
        """
        self.variants = self._searched = searched
        self._queries, self._options = queries, options
        self.placed = placed

    def under(self, model: RankingModel) -> "IndexEngine":
        """Return these indexes under another formula; they must have vectors if it reads them."""
        options = replace(self._options, model=model)
        return IndexEngine(self._searched, self._queries, options, self.placed)

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        searched, options = self._searched[variant], self._options
        run = search_index(
            searched.index,
            queries_of(self._queries, topics),
            options.model,
            hits=options.hits,
            threads=options.threads,
            keep=searched.keep,
        )
        return VariantRun(
            variant, searched.documents, searched.empty, searched.tokens, run
        )
