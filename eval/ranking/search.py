"""Search an index with topics, as Anserini's SimpleSearcher does, and read its documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.errors import IndexingError, UsageError
from boilersweep.eval.ranking.formula_base import RankingModel
from boilersweep.eval.ranking.formulas import BM25, SearcherModel
from boilersweep.eval.ranking.runs import Hits, require_hits
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.manifest import read_manifest
from boilersweep.indexer.searcher import (
    IndexSearcher,
    index_analyzer,
    open_index,
    require_index,
)
from boilersweep.outputs.notebook import Framed
from boilersweep.topics import AnyTopics, read_topics

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

    def plot(self, measure: str | None = None, **options: Any) -> Any:
        """Draw a line of scores over ranks for each topic; returns matplotlib's axes."""
        lines = self.to_pandas().pivot_table(
            measure or "score", "rank", "topic", sort=False
        )
        return lines.plot(**{"ylabel": measure or "score", "legend": False, **options})

    def __repr__(self) -> str:
        return f"<SearchResult: {sum(map(len, self.values())):,} hits of {len(self):,} topics>"


def search_index(
    index: Path | str,
    queries: AnyTopics,
    model: RankingModel | None = None,
    *,
    fields: Mapping[str, float] | None = None,
    hits: int = HITS,
    threads: int = 1,
    analyzer: AnalyzerOptions | None = None,
) -> SearchResult:
    """Search an index with every query; a query without a result has an empty list.

    Args:
        index: The index.
        queries: The text of each query by its topic id; or topics as a file, `irds:ID`, a frame or
            a list, as `boilersweep.topics.read_topics` takes them, whose titles are the queries.
        model: The ranking model; None for BM25 with Anserini's parameters.
        fields: Boosts of the index's fields to search; None for its contents alone.
        hits: The greatest number of documents per topic.
        threads: The number of threads.
        analyzer: How queries become tokens; None for the index's analyzer, see `index_analyzer`.

    Raises:
        IndexingError: The index cannot be opened.
        UsageError: `hits` is below 1, Lucene lacks the model, or the index lacks a field or
            document vectors.
    """
    require_hits(hits)
    if not isinstance(queries, Mapping):
        queries = {topic.id: topic.text(["title"]) for topic in read_topics(queries)}
    index, model = Path(index), model or BM25()
    require_index(index)
    manifest = read_manifest(index)
    start_jvm()
    java_analyzer = make_analyzer(analyzer or index_analyzer(index))
    if manifest and manifest.documents == 0:
        return SearchResult({topic: [] for topic in queries})
    if fields and not isinstance(model, SearcherModel):
        raise UsageError(
            f"fields: expected BM25 or query likelihood to search them, got {model}"
        )
    with IndexSearcher(index, java_analyzer) as searcher:
        model.configure(searcher)
        texts, topics = list(queries.values()), list(queries)
        return SearchResult(
            searcher.batch_lists(texts, topics, hits, threads, fields=fields)
        )


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
        found = [searcher.doc(docid) for docid in docids]
    documents = [document for document in found if document]
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
