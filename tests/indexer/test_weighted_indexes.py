"""Blocks that count several times, against pyserini's own index of a text that repeats them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from boilersweep import BlockStore, collect_variants
from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import PageText, select
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval import (
    BM25,
    RM3,
    Classic,
    Lucene29,
    QueryLikelihood,
    SearchOptions,
    search_index,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.indexer import (
    IndexLayout,
    IndexOptions,
    ParallelIndex,
    as_typed,
    build_index,
    build_parallel_indexes,
    open_index,
)
from tests.conftest import known
from tests.indexer.conftest import StoreMaker, Terms

pytestmark = pytest.mark.java

MODELS: tuple[RankingModel, ...] = (
    BM25(),
    BM25(1.2, 0.75),
    QueryLikelihood(),
    Classic(),
)
TEXTS = (
    *(f"weighted(words>=5, {times})" for times in (1, 2, 3, 20, 100)),
    *("weighted(density>=4, 7)", "weighted(words>=1000, 9)", "weighted(words>=1, 2)"),
    *("words>=1", "words>=5"),
)
VARIANTS = collect_variants((), TEXTS)
_TITLE = re.compile("<title>.*?</title>")


@pytest.fixture(scope="module")
def store(make_store: StoreMaker, pages: dict[str, str]) -> BlockStore:
    """Make a store of the difficult pages without titles, which count once and are no blocks."""
    return make_store({docid: _TITLE.sub("", page) for docid, page in pages.items()})


def repeated_contents(store: BlockStore, variant: Variant) -> dict[str, str]:
    """Return the text of every document, each block as often as it counts."""
    assert not isinstance(variant.cleaner, PageText)
    cleaner = variant.cleaner
    rule = cleaner.cleaner if isinstance(cleaner, Weighted) else cleaner
    times, rest = (cleaner.times, 1) if isinstance(cleaner, Weighted) else (1, 0)
    contents = {}
    for columns in store.columns():
        mask = select(columns, [rule]).mask(0)
        for docid, start, end in zip(
            columns.docids, columns.starts[:-1], columns.starts[1:], strict=True
        ):
            lines = []
            for block in range(start, end):
                lines += [columns.texts[block]] * (times if mask[block] else rest)
            if lines:
                contents[docid] = as_typed("\n".join(lines))
    return contents


@dataclass(frozen=True, slots=True)
class Built:
    """Of a variant: ours among others, ours alone with positions, pyserini's of repeated text."""

    parallel: ParallelIndex
    single: Path
    theirs: Path


@pytest.fixture(scope="module")
def built(
    store: BlockStore, tmp_path_factory: pytest.TempPathFactory, java: None
) -> dict[str, Built]:
    from tests.pyserini_lucene import LuceneIndexer

    folder = tmp_path_factory.mktemp("weighted")
    made = {}
    for index in build_parallel_indexes(store, VARIANTS, folder / "parallel"):
        name = index.variant.name
        build_index(store, index.variant.cleaner, folder / "single" / name)
        theirs = folder / "theirs" / name
        theirs.mkdir(parents=True)
        indexer = LuceneIndexer(str(theirs), threads=1)
        for docid, text in repeated_contents(store, index.variant).items():
            indexer.add_doc_raw(json.dumps({"id": docid, "contents": text}))
        indexer.close()
        made[name] = Built(index, folder / "single" / name, theirs)
    return made


NAMES = [variant.name for variant in VARIANTS]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_hits_and_scores_are_those_of_the_repeated_text(
    built: Mapping[str, Built], name: str, model: RankingModel, queries: dict[str, str]
) -> None:
    one = built[name]
    typed = {number: as_typed(query) for number, query in queries.items()}
    theirs = search_index(one.theirs, typed, model)
    assert sum(map(len, theirs.values())) > 500
    assert search_index(one.parallel.path, queries, model) == theirs
    assert search_index(one.single, queries, model) == theirs


@pytest.mark.parametrize("name", NAMES)
def test_terms_and_frequencies_are_those_of_the_repeated_text(
    built: Mapping[str, Built], name: str, vocabulary: Terms
) -> None:
    one = built[name]
    theirs = list(vocabulary(one.theirs))
    assert list(vocabulary(one.parallel.path)) == list(vocabulary(one.single)) == theirs
    assert one.parallel.manifest.tokens == sum(count for _, _, count in theirs)


def test_the_formula_of_2010_sees_the_repeated_text(
    store: BlockStore, queries: dict[str, str], make_store: StoreMaker
) -> None:
    """It has no index: what is compared is the exact run on pages that repeat their blocks."""
    options, everything = SearchOptions(Lucene29()), Variant.at_least("words", 1.0)
    engine = ExactEngine(store, VARIANTS, queries, options)
    for variant in VARIANTS:
        repeated = make_store(repeated_contents(store, variant), plain=True)
        alone = ExactEngine(repeated, [everything], queries, options).run(everything)
        assert (
            replace(engine.run(variant), variant=everything, empty=alone.empty) == alone
        ), variant


def test_a_text_is_stored_once(make_store: StoreMaker, tmp_path: Path) -> None:
    store = make_store({"a": "<p>Home</p><p>one fast pony was here</p><p>News</p>"})
    layout = IndexLayout(contents=True, raw=True, docvectors=True, optimize=True)
    manifest = build_index(
        store, "weighted(words>=3, 4)", tmp_path / "index", IndexOptions(layout=layout)
    )
    assert manifest.tokens == 2 + 4 * 4  # "was" is a stop word of the analyzer
    with open_index(tmp_path / "index") as searcher:
        document = known(searcher.doc("a"))
        assert document.contents() == "Home\none fast pony was here\nNews"
        raw = known(document.raw())
        assert json.loads(raw)["contents"] == document.contents()
        assert search_index(tmp_path / "index", {"q": "pony"}, RM3(BM25()))["q"]


def phrase_hits(index: Path, *terms: str) -> list[str]:
    from jnius import autoclass, cast

    paths = autoclass("java.nio.file.Paths")
    directory = autoclass("org.apache.lucene.store.FSDirectory").open(
        paths.get(str(index))
    )
    reader = autoclass("org.apache.lucene.index.DirectoryReader").open(directory)
    searcher = autoclass("org.apache.lucene.search.IndexSearcher")(
        cast("org.apache.lucene.index.IndexReader", reader)
    )
    builder = autoclass("org.apache.lucene.search.PhraseQuery$Builder")()
    for term in terms:
        builder.add(autoclass("org.apache.lucene.index.Term")("contents", term))
    query = cast("org.apache.lucene.search.Query", builder.build())
    found = searcher.search(query, 100).scoreDocs
    docids = [reader.storedFields().document(hit.doc).get("id") for hit in found]
    reader.close()
    return sorted(docids)


def test_phrases_can_be_searched(make_store: StoreMaker, tmp_path: Path) -> None:
    """Also those that begin in what counts once and end in what counts several times."""
    store = make_store(
        {"a": "<p>quick brown</p><p>foxes jumped over fences</p><p>lazy dogs</p>"}
    )
    build_index(store, "weighted(words>=3, 4)", tmp_path / "index")
    for phrase in (("brown", "fox"), ("fox", "jump", "over"), ("fenc", "lazi")):
        assert phrase_hits(tmp_path / "index", *phrase) == ["a"], phrase
    assert phrase_hits(tmp_path / "index", "jump", "brown") == []
