"""Search one index, with the calls of pyserini's LuceneSearcher and without torch.

`open_index` gives an `IndexSearcher`. Under it is Anserini's SimpleSearcher, as under pyserini's
class, so hits and scores are the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from boilersweep.cleaners.selection import Cleaner
from boilersweep.command_lines import command_line
from boilersweep.errors import IndexingError, UsageError
from boilersweep.indexer.analyzer import ANSERINI, AnalyzerOptions, make_analyzer
from boilersweep.indexer.blocks.kept import BlockIndex
from boilersweep.indexer.contents import NONCHARACTER
from boilersweep.indexer.hits import Document, Hit, read_hits
from boilersweep.indexer.jvm import anserini_class, start_jvm
from boilersweep.indexer.lucene import (
    DOCID,
    SHARD,
    java_path,
    lucene_errors,
    open_directory,
)
from boilersweep.indexer.manifest import (
    MANIFEST,
    indexes_in,
    read_manifest,
    unchanged_manifest,
)
from boilersweep.pages.stray_characters import as_shown, without_surrogates
from boilersweep.store.store import BlockStore, as_store

_NAMED = 5  # indexes in a message
_MARKS = ("\ufeff", "\ufffe")  # of the order of bytes


@dataclass(frozen=True, slots=True)
class _KeptHit:
    """A document that was found under a rule, with the fields of Anserini's ScoredDoc.

    Attributes:
        searcher: The searcher that found it.
        lucene_docid: Lucene's number of the document.
    """

    searcher: "IndexSearcher"
    lucene_docid: int

    @property
    def lucene_document(self) -> Any:
        """Lucene's own document."""
        document = self.searcher.doc(self.lucene_docid)
        return document and document.lucene


class IndexSearcher:
    """Ranks by BM25 with Anserini's parameters until it is set otherwise. Made by `open_index`.

    For one thread at a time: pyjnius binds a method to its object for all threads.
    """

    def __init__(
        self,
        path: Path,
        analyzer: AnalyzerOptions,
        store: BlockStore | None = None,
    ) -> None:
        """Open the index.

        Args:
            path: The folder of the index.
            analyzer: How queries become tokens.
            store: The block store of the index, see `open_index`.

        Raises:
            IndexingError: The index cannot be opened.
        """
        from jnius import autoclass

        self.path = path
        self._analyzer, self._store = analyzer, store
        with lucene_errors(path):
            self._reader = autoclass("org.apache.lucene.index.DirectoryReader").open(
                open_directory(path)
            )
            self.num_docs: int = self._reader.numDocs()
            self.object = anserini_class("io.anserini.search.SimpleSearcher")(
                java_path(path), make_analyzer(analyzer)
            )

    def search(
        self,
        q: str,
        k: int = 10,
        *,
        fields: Mapping[str, float] | None = None,
        keep: Cleaner | str | None = None,
    ) -> list[Hit]:
        """Return the best k documents.

        Args:
            q: The query.
            k: The greatest number of documents.
            fields: Boosts of the fields to search; None for the contents alone.
            keep: A cleaner, such as `words>=11`: search what it keeps, with the scores of an index
                of that. The index must have been built with `--blocks`.

        Raises:
            UsageError: k is below 1, a field is not searched, or the cleaner cannot be applied.
            IndexingError: The index is missing or damaged, or has no blocks.
        """
        boosts = self._boosts(k, fields)
        # pyjnius takes marks away.
        if keep is not None or self._has_marks:
            return self.batch_search([q], ["q"], k, fields=fields, keep=keep)["q"]
        if self.num_docs == 0:
            return []
        text = self._as_indexed(q)
        with lucene_errors(self.path):
            results = (
                self.object.search_fields(text, boosts, k)
                if fields
                else self.object.search(text, k)
            )
            return [Hit(scored.docid, scored.score, scored) for scored in results]

    def batch_search(
        self,
        queries: Sequence[str],
        qids: Sequence[str],
        k: int = 10,
        threads: int = 1,
        *,
        fields: Mapping[str, float] | None = None,
        keep: Cleaner | str | None = None,
    ) -> dict[str, list[Hit]]:
        """Return the best k documents of each query, by its id in their order; as `search`."""
        if keep is not None:
            return {
                qid: [
                    Hit(docid, score, _KeptHit(self, number))
                    for docid, score, number in self._kept_hits(query, k, fields, keep)
                ]
                for qid, query in zip(qids, queries, strict=True)
            }
        hits_of = self._found(queries, qids, k, threads, fields)
        with lucene_errors(self.path):
            return {
                qid: [
                    Hit(docid, score, scored)
                    for (docid, score), scored in zip(
                        hits, hits_of.get(qid) or (), strict=True
                    )
                ]
                for qid, hits in read_hits(hits_of, qids).items()
            }

    def batch_lists(
        self,
        queries: Sequence[str],
        qids: Sequence[str],
        k: int = 10,
        threads: int = 1,
        *,
        fields: Mapping[str, float] | None = None,
        keep: Cleaner | str | None = None,
    ) -> dict[str, list[tuple[str, float]]]:
        """Return docids and scores of the hits of `batch_search`, several times as fast."""
        if keep is not None:
            return {
                qid: [hit[:2] for hit in self._kept_hits(query, k, fields, keep)]
                for qid, query in zip(qids, queries, strict=True)
            }
        hits_of = self._found(queries, qids, k, threads, fields)
        with lucene_errors(self.path):
            return read_hits(hits_of, qids)

    @cached_property
    def blocks(self) -> BlockIndex:
        """What rules leave of the index.

        Raises:
            IndexingError: The index has no blocks, or damaged ones.
        """
        manifest = unchanged_manifest(self.path)
        return BlockIndex(
            self.path, self._reader, manifest, self._store, self._analyzer
        )

    def _kept_hits(
        self,
        query: str,
        k: int,
        fields: Mapping[str, float] | None,
        keep: Cleaner | str,
    ) -> Iterator[tuple[str, float, int]]:
        """Yield docid, score and Lucene's number of the best k documents under a cleaner."""
        if k < 1:
            raise UsageError(f"hits: expected at least 1, got {k}")
        if fields or self.object.use_rm3() or self.object.use_rocchio():
            raise UsageError(
                "keep: expected a search of contents without feedback, which reads documents as "
                "they are without the rule; build an index of the rule"
            )
        self._make_searcher()
        documents, scores = self.blocks.search(
            self._as_indexed(query),
            keep,
            self.object.searcher.getSimilarity(),
            k,
        )
        docids = self.blocks.table.docids
        for number, score in zip(documents.tolist(), scores.tolist(), strict=True):
            yield docids[number], score, number

    def _found(
        self,
        queries: Sequence[str],
        qids: Sequence[str],
        k: int,
        threads: int,
        fields: Mapping[str, float] | None,
    ) -> Any:
        """Return Java's map of query ids to arrays of hits."""
        from jnius import autoclass

        boosts = self._boosts(k, fields)
        if self.num_docs == 0:
            return autoclass("java.util.HashMap")()
        new_list = autoclass("java.util.ArrayList")
        texts, ids = new_list(), new_list()
        for qid, text in zip(qids, queries, strict=True):
            ids.add(qid)
            texts.add(self._as_indexed(text))
        with lucene_errors(self.path):
            return self.object.batch_search_fields(texts, ids, k, threads, boosts)

    def _as_indexed(self, query: str) -> str:
        """Return a query as the index has the words of pages."""
        shown = as_shown(without_surrogates(query)).replace(NONCHARACTER, " ")
        return self._analyzer.given(shown)

    def _boosts(self, k: int, fields: Mapping[str, float] | None) -> Any:
        """Return Java's map of fields to boosts; raise UsageError as `search` does."""
        from jnius import autoclass

        if k < 1:
            raise UsageError(f"hits: expected at least 1, got {k}")
        boosts = autoclass("java.util.HashMap")()
        for field, boost in (fields or {}).items():
            self._require_searched(field)
            boosts.put(field, autoclass("java.lang.Float")(float(boost)))
        return boosts

    @cached_property
    def _has_marks(self) -> bool:
        """Whether a docid begins with a byte order mark, of either order."""
        from jnius import autoclass, cast

        reader = cast("org.apache.lucene.index.IndexReader", self._reader)
        prefix, term = (
            autoclass(f"org.apache.lucene.{name}")
            for name in ("search.PrefixQuery", "index.Term")
        )
        with lucene_errors(self.path):
            searcher = autoclass("org.apache.lucene.search.IndexSearcher")(reader)
            return any(searcher.count(prefix(term(DOCID, m))) for m in _MARKS)

    def _require_searched(self, field: str) -> None:
        from jnius import autoclass, cast

        reader = cast("org.apache.lucene.index.IndexReader", self._reader)
        indexed = autoclass("org.apache.lucene.index.FieldInfos").getIndexedFields(
            reader
        )
        searched = {str(name) for name in indexed.toArray()} - {DOCID, SHARD}
        if field not in searched:
            manifest = read_manifest(self.path)
            if manifest and field in manifest.identity.layout.fields:
                return  # no document has it
            known = ", ".join(sorted(searched))
            raise UsageError(
                f"field {field!r} is not searched in {self.path}, which has {known or 'none'}; "
                f"`{command_line('index', fields=True)}` makes one that is"
            )

    def doc(self, docid: str | int) -> Document | None:
        """Return the document of a docid, or of Lucene's number; None if there is none."""
        with lucene_errors(self.path):
            document = self.object.doc(docid)
        return None if document is None else Document(document)

    def set_bm25(self, k1: float = 0.9, b: float = 0.4) -> None:
        """Rank by BM25."""
        self.object.set_bm25(float(k1), float(b))

    def set_qld(self, mu: float = 1000.0) -> None:
        """Rank by query likelihood with Dirichlet smoothing."""
        self.object.set_qld(float(mu))

    def set_similarity(self, similarity: Any) -> None:
        """Rank by a similarity of Lucene's, which pyserini's class has no call for."""
        self._make_searcher()
        if self.num_docs:
            self.object.searcher.setSimilarity(similarity)

    def _make_searcher(self) -> None:
        """Have SimpleSearcher make its searcher, as it does when it is first asked."""
        if self.num_docs and self.object.searcher is None:
            self.object.search("", 1)

    def set_rm3(
        self,
        fb_terms: int = 10,
        fb_docs: int = 10,
        original_query_weight: float = 0.5,
        *,
        filter_terms: bool = True,
    ) -> None:
        """Expand queries by RM3.

        Args:
            fb_terms: The number of terms that expand a query.
            fb_docs: The number of first hits that they are from.
            original_query_weight: The weight of the original query, from 0 to 1.
            filter_terms: Whether to expand by terms of English letters and digits alone.

        Raises:
            UsageError: The index has no document vectors.
        """
        self._prepare_feedback("RM3", "Rm3Reranker")
        weight = float(original_query_weight)
        self.object.set_rm3(None, fb_terms, fb_docs, weight, False, filter_terms)

    def unset_rm3(self) -> None:
        """Expand queries no more."""
        self.object.unset_rm3()

    def set_rocchio(
        self,
        top_fb_terms: int = 10,
        top_fb_docs: int = 10,
        bottom_fb_terms: int = 10,
        bottom_fb_docs: int = 10,
        alpha: float = 1,
        beta: float = 0.75,
        gamma: float = 0,
        *,
        use_negative: bool = False,
    ) -> None:
        """Expand queries by Rocchio's method; bottom and gamma count with use_negative alone.

        Raises:
            UsageError: The index has no document vectors.
        """
        self._prepare_feedback("Rocchio", "RocchioReranker")
        terms = (top_fb_terms, top_fb_docs, bottom_fb_terms, bottom_fb_docs)
        weights = (float(alpha), float(beta), float(gamma))
        self.object.set_rocchio(None, *terms, *weights, False, use_negative)

    def unset_rocchio(self) -> None:
        """Expand queries no more."""
        self.object.unset_rocchio()

    def _prepare_feedback(self, method: str, reranker: str) -> None:
        """Load Anserini's class, and raise UsageError if the index lacks what it reads."""
        if self.num_docs and self._reader.termVectors().get(0) is None:
            raise UsageError(
                f"{method} reads document vectors, which {self.path} lacks; build it again with "
                f"`{command_line('index', storeDocvectors=True)}`"
            )
        for name in ("search.SearchCollection", f"rerank.lib.{reranker}"):
            anserini_class(f"io.anserini.{name}")

    def close(self) -> None:
        """Close the index; do nothing if it is closed already."""
        self.object.close()
        self._reader.close()

    def __enter__(self) -> "IndexSearcher":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()


def open_index(
    path: Path | str,
    *,
    analyzer: AnalyzerOptions | None = None,
    store: BlockStore | Path | str | None = None,
) -> IndexSearcher:
    """Open an index to search it, one of boilersweep or any of Anserini; starts Java.

    Args:
        path: The folder of the index.
        analyzer: How queries become tokens; None for the index's analyzer, see `index_analyzer`.
        store: The block store of an index of blocks, or its folder: for `keep` with cleaners that
            read more than the index has.

    Raises:
        IndexingError: There is no index, or it cannot be opened.
        UsageError: The request is invalid.
        JavaError: No Java can be started.
    """
    path = Path(path)
    require_index(path)
    options = analyzer or index_analyzer(path)
    start_jvm()
    return IndexSearcher(path, options, None if store is None else as_store(store))


def index_analyzer(index: Path) -> AnalyzerOptions:
    """Return the analyzer of the index; Anserini's default if boilersweep did not make it."""
    manifest = read_manifest(index)
    return manifest.identity.analyzer if manifest else ANSERINI


def require_index(path: Path) -> None:
    """Raise IndexingError if there is no Lucene index; the message names those nearby."""
    if path.is_dir() and any(path.glob("segments_*")):
        return
    near = [*indexes_in(path), *indexes_in(path / "indexes")]
    if near:
        names = ", ".join(map(str, near[:_NAMED])) + (
            ", ..." if len(near) > _NAMED else ""
        )
        raise IndexingError(
            f"expected the folder of one index, got {path}, which holds {len(near)}; name one of "
            f"them: {names}"
        )
    if (path / MANIFEST).is_file():
        raise IndexingError(
            f"{path} is damaged: it has the manifest of an index, and no file segments_N of "
            "Lucene; delete it and build it again"
        )
    raise IndexingError(
        f"no index in {path}: expected a folder with Lucene's files, got {_kind(path)}; build one "
        "with `boilersweep index`"
    )


def _kind(path: Path) -> str:
    if not path.exists():
        return "nothing there"
    return "a folder without them" if path.is_dir() else "a file"
