"""Parallel indexes against pyserini's LuceneIndexer: hit lists, scores and postings are equal."""
# ruff: noqa: RUF001, S311

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, collect_variants
from boilersweep.cleaners.syntax.variants import Variant, parse_sweep
from boilersweep.eval import BM25, QueryLikelihood, search_index
from boilersweep.indexer import (
    AnalyzerOptions,
    ParallelIndex,
    ParallelOptions,
    build_parallel_indexes,
)
from tests.indexer.conftest import Reference, Searching, StoreMaker, Terms

pytestmark = pytest.mark.java

# Models, and what a user of SimpleSearcher would call.
MODELS: dict[str, tuple[BM25 | QueryLikelihood, Callable[[Any], None]]] = {
    "bm25": (BM25(0.9, 0.4), lambda searcher: searcher.set_bm25(0.9, 0.4)),
    "bm25-long": (BM25(1.2, 0.75), lambda searcher: searcher.set_bm25(1.2, 0.75)),
    "qld": (QueryLikelihood(1000.0), lambda searcher: searcher.set_qld(1000.0)),
}

SWEEPS = ("words=1,2,5,12,31", "density=1,4.5,9")
THRESHOLDS = collect_variants(tuple(map(parse_sweep, SWEEPS)))


@dataclass(frozen=True, slots=True)
class Twins:
    """An index of ours and pyserini's of the same kept text."""

    ours: ParallelIndex
    theirs: Path


def twins(
    store: BlockStore,
    thresholds: Sequence[Variant],
    options: AnalyzerOptions,
    arguments: Sequence[str],
    folder: Path,
    reference: Reference,
) -> list[Twins]:
    built = build_parallel_indexes(
        store, thresholds, folder / "ours", ParallelOptions(analyzer=options)
    )
    return [
        Twins(
            i,
            reference(
                store,
                i.variant.cleaner,
                folder / i.variant.name,
                *arguments,
                options=options,
            ),
        )
        for i in built
    ]


@pytest.fixture(scope="module")
def english(
    store: BlockStore, tmp_path_factory: pytest.TempPathFactory, reference: Reference
) -> dict[str, Twins]:
    folder = tmp_path_factory.mktemp("english")
    made = twins(store, THRESHOLDS, AnalyzerOptions(), (), folder, reference)
    return {pair.ours.variant.name: pair for pair in made}


NAMES = [threshold.name for threshold in THRESHOLDS]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_hits_and_scores_are_equal(
    english: dict[str, Twins],
    name: str,
    model: str,
    queries: dict[str, str],
    simple_search: Searching,
) -> None:
    pair = english[name]
    ours, configure = MODELS[model]
    theirs = simple_search(pair.theirs, queries, configure)
    assert sum(map(len, theirs.values())) > 500
    assert simple_search(pair.ours.path, queries, configure) == theirs
    assert search_index(pair.ours.path, queries, ours, threads=2) == theirs


@pytest.mark.parametrize("name", NAMES)
def test_statistics_and_vocabulary_are_equal(
    english: dict[str, Twins], name: str, vocabulary: Terms
) -> None:
    from tests.pyserini_lucene import LuceneIndexReader

    pair = english[name]
    manifest = pair.ours.manifest
    ours, theirs = (
        LuceneIndexReader(str(p)).stats() for p in (pair.ours.path, pair.theirs)
    )
    # Anserini keeps documents of stop words only as documents without a term; ours leaves them out.
    assert ours == theirs | {"documents": theirs["non_empty_documents"]}
    assert (manifest.documents, manifest.tokens) == (
        ours["documents"],
        ours["total_terms"],
    )
    assert list(vocabulary(pair.ours.path)) == list(vocabulary(pair.theirs))


@pytest.mark.parametrize("name", NAMES)
def test_postings_are_equal(
    english: dict[str, Twins], name: str, vocabulary: Terms
) -> None:
    pair = english[name]
    terms = [term for term, _, _ in vocabulary(pair.theirs)]
    odd = [term for term in terms if not term.isascii() or len(term) > 100]
    chosen = random.Random(3).sample(terms, 60) + odd[:30]
    assert postings(pair.ours.path, chosen) == postings(pair.theirs, chosen)


def postings(index: Path, terms: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    from tests.pyserini_lucene import LuceneIndexReader

    reader = LuceneIndexReader(str(index))
    docid = reader.convert_internal_docid_to_collection_docid
    return {
        term: sorted(
            (docid(p.docid), p.tf)
            for p in reader.get_postings_list(term, analyzer=None)
        )
        for term in terms
    }


CJK = "検索エンジンの索引を作る。文書の本文だけを残す。中文信息检索系统的索引文本块密度网页内容正文"
SENTENCES = {
    "de": "Die Häuser der Straße waren größer als das Haus am Fluss und liefen über Bücherregale",
    "fr": "l'été des chevaux qu'il aimait les journaux étaient aujourd'hui mangés à l'école d'où",
    "ja": "東京都 の 図書館 で ﾊﾝｶｸ カタカナ サーバー 走った 食べられた 本を読む ウェブ　ページ",
    "zh": "中文 信息检索 系统 网页 正文 的 我们 full-width ＡＢＣ 搜索引擎 𠮷野家 文本块",
    "pl": "mam psy i koty które były domy domów poszedł zamek zamku dobrze lepszy ludzie jest",
    "uk": "мова мови книжки читати будинок будинки були людьми",
    "ko": "한국어 정보검색 시스템을 만들었다 학교에서 먹었다 웹페이지",
    "ar": "الكتاب الكتب والمدارس يكتبون مكتبة العربية",
    "ru": "книги читали библиотеках дома домов поисковая система",
    "tr": "İstanbul'da kitaplar evlerin ışık okullarda",
    "hi": "हिन्दी किताबें पुस्तकालय में खोज",
}
VARIANTS = [
    *[(AnalyzerOptions(language=code), ("-language", code)) for code in SENTENCES],
    (AnalyzerOptions(pretokenized=True), ("-pretokenized",)),
    (AnalyzerOptions(keep_stopwords=True), ("-keepStopwords",)),
    (AnalyzerOptions(stemmer="krovetz"), ("-stemmer", "krovetz")),
    (AnalyzerOptions(stemmer="none"), ("-stemmer", "none")),
]


def analyzer_of(options: AnalyzerOptions) -> Any:
    """Set SimpleSearcher as pyserini's users would: to a language, or an analyzer."""
    from pyserini.analysis import get_lucene_analyzer
    from pyserini.pyclass import autoclass

    if options.pretokenized:
        return autoclass("org.apache.lucene.analysis.core.WhitespaceAnalyzer")()
    if options.language != "en":
        return options.language
    stemming = options.stemmer != "none"
    return get_lucene_analyzer(
        stemming=stemming, stemmer=options.stemmer, stopwords=not options.keep_stopwords
    )


@pytest.mark.parametrize(
    ("options", "arguments"),
    VARIANTS,
    ids=["-".join(a).strip("-") for _, a in VARIANTS],
)
def test_every_analyzer(
    options: AnalyzerOptions,
    arguments: tuple[str, ...],
    make_store: StoreMaker,
    pages: dict[str, str],
    tmp_path: Path,
    reference: Reference,
    simple_search: Searching,
    vocabulary: Terms,
) -> None:
    dice = random.Random(options.language)
    words = SENTENCES.get(options.language, "running the ponies").split(" ")
    own = {}
    for number in range(40):
        blocks = (
            " ".join(dice.choices(words, k=dice.randint(1, 25))) for _ in range(6)
        )
        cut = dice.randrange(len(CJK))
        own[f"own-{number}"] = (
            f"<title>{' '.join(dice.choices(words, k=4))}</title>"
            + "".join(f"<p>{b}</p>" for b in blocks)
            + f"<p>{CJK[cut:]}</p>"
        )
    some = dict(list(pages.items())[:20] + list(pages.items())[-9:])
    store = make_store(own | some)
    thresholds = (
        Variant.at_least("words", 1.0),
        Variant.at_least("words", 6.0),
        Variant.at_least("density", 3.0),
    )
    queries = {f"q{n}": " ".join(dice.choices(words, k=n % 3 + 1)) for n in range(30)}
    queries |= {"cjk": CJK[3:9], "english": "running ponies", "odd": "foo|bar 😀 𝒳𝓎𝓏"}
    for pair in twins(store, thresholds, options, arguments, tmp_path, reference):
        assert list(vocabulary(pair.ours.path)) == list(vocabulary(pair.theirs))
        for model, configure in (MODELS["bm25"], MODELS["qld"]):
            theirs = simple_search(
                pair.theirs, queries, configure, analyzer_of(options)
            )
            assert sum(map(len, theirs.values())) > 100
            assert search_index(pair.ours.path, queries, model) == theirs
