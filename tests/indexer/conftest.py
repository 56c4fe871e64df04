"""The difficult collection, and the same indexed by pyserini."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.selection import Cleaner, select
from boilersweep.collection.format import Reading
from boilersweep.indexer import AnalyzerOptions, as_typed
from boilersweep.indexer.analyzer import LuceneAnalysis
from boilersweep.pages.columns import BlockColumns
from boilersweep.pages.stray_characters import as_shown
from tests.difficult import (
    difficult_pages,
    difficult_queries,
    pages_with_apostrophes,
)
from tests.stores import make_store_of


def kept_contents(columns: BlockColumns, cleaner: Cleaner) -> Iterator[tuple[str, str]]:
    """Docid and kept text, one block per line, of every document that keeps a block."""
    for kept in select(columns, [cleaner]).kept(0):
        yield columns.docids[kept.document], kept.text


def titled_contents(
    columns: BlockColumns, cleaner: Cleaner, options: AnalyzerOptions | None = None
) -> Iterator[tuple[str, str]]:
    """Docid, and title before kept text, of every document of which a token is kept."""
    analysis = LuceneAnalysis(options or AnalyzerOptions())
    titles = dict(zip(columns.docids, columns.titles, strict=True))
    for docid, text in kept_contents(columns, cleaner):
        if analysis.tokens([text]) != [""]:
            yield docid, f"{titles[docid]}\n{text}" if titles[docid] else text


Hits = dict[str, list[tuple[str, float]]]
StoreMaker = Callable[..., BlockStore]
Reference = Callable[..., Path]
Searching = Callable[..., Hits]
Terms = Callable[[Path], Iterator[tuple[str, int, int]]]


@pytest.fixture(scope="session")
def make_store(tmp_path_factory: pytest.TempPathFactory) -> StoreMaker:
    """Make a block store of pages, docid -> HTML, or -> plain text with one block per line."""

    def make(pages: dict[str, str], *, plain: bool = False) -> BlockStore:
        folder = tmp_path_factory.mktemp("store")
        return make_store_of(folder, pages, reading=Reading(plain=plain))

    return make


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    # Without U+FFFF, which parts tokens for us, and not for Lucene's WhitespaceAnalyzer.
    every = difficult_pages() | pages_with_apostrophes()
    return {d: page.replace("\uffff", "") for d, page in every.items()}


@pytest.fixture(scope="session")
def store(make_store: StoreMaker, pages: dict[str, str]) -> BlockStore:
    return make_store(pages)


@pytest.fixture(scope="session")
def queries() -> dict[str, str]:
    return difficult_queries()


@pytest.fixture(scope="session")
def reference(java: None) -> Reference:
    """Indexes titles and what a rule keeps with pyserini's LuceneIndexer, as typed."""

    def index(
        store: BlockStore,
        rule: Rule,
        folder: Path,
        *arguments: str,
        options: AnalyzerOptions | None = None,
    ) -> Path:
        from tests.pyserini_lucene import LuceneIndexer

        folder.mkdir(parents=True)
        given = (options or AnalyzerOptions()).given
        if arguments:
            indexer = LuceneIndexer(args=["-index", str(folder), *arguments], threads=1)
        else:
            indexer = LuceneIndexer(str(folder), threads=1)
        for columns in store.columns():
            for docid, text in titled_contents(columns, rule, options):
                # As ASCII with escapes: pyjnius may corrupt characters beyond the BMP.
                indexer.add_doc_raw(json.dumps({"id": docid, "contents": given(text)}))
        indexer.close()
        return folder

    return index


@pytest.fixture(scope="session")
def simple_search(java: None) -> Searching:
    """Search with Anserini's SimpleSearcher, one query at a time, as typed."""

    def search(
        index: Path,
        queries: dict[str, str],
        configure: Callable[[Any], None],
        analyzer: Any = None,
        hits: int = 1000,
    ) -> Hits:
        from jnius import autoclass

        searcher = autoclass("io.anserini.search.SimpleSearcher")(str(index))
        if isinstance(analyzer, str):
            searcher.set_language(analyzer)
        elif analyzer is not None:
            searcher.set_analyzer(analyzer)
        configure(searcher)
        found = {
            topic: [
                (hit.docid, hit.score)
                for hit in searcher.search(as_typed(as_shown(text)), hits)
            ]
            for topic, text in queries.items()
        }
        searcher.close()
        return found

    return search


@pytest.fixture(scope="session")
def vocabulary(java: None) -> Terms:
    def terms(index: Path) -> Iterator[tuple[str, int, int]]:
        from tests.pyserini_lucene import LuceneIndexReader

        for term in LuceneIndexReader(str(index)).terms():
            yield term.term, term.df, term.cf

    return terms
