"""A small collection with everything that is difficult, and the same indexed by pyserini."""
# ruff: noqa: RUF001, S311

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.selection import Cleaner, select
from boilersweep.collection.format import Reading
from boilersweep.pages.columns import BlockColumns
from boilersweep.store.store import BlockStore
from tests.stores import make_store_of


def kept_contents(columns: BlockColumns, cleaner: Cleaner) -> Iterator[tuple[str, str]]:
    """Docid and kept text, one block per line, of every document that keeps a block."""
    for kept in select(columns, [cleaner]).kept(0):
        yield columns.docids[kept.document], kept.text


Hits = dict[str, list[tuple[str, float]]]
StoreMaker = Callable[..., BlockStore]
Reference = Callable[..., Path]
Searching = Callable[..., Hits]
Terms = Callable[[Path], Iterator[tuple[str, int, int]]]

ENGLISH = (
    "the of and running runner ran ponies caresses relational conditional generously wi-fi don't "
    "O'Neil's naïve façade straße Ελλάδα привет 12,345.67 C++ foo|bar |pipe| a|7 x|y|z term|3 "
    "snake_case user@example.org U.S.A. 日本語 한국어 ไทย 😀 👩‍💻 𝒳𝓎𝓏 𐐷𐐲𐑌 𠮷野家 é e\u0301 "
    "zero\u200bwidth non\u00a0breaking soft\u00adhyphen x0blk0x X0BLK0X \ufffd"
).split(" ")
LONG = ["w" * 255, "w" * 256, "ab" * 200, "long|" * 80, "𝒳" * 150, "q" * 1100]


def make_words(dice: random.Random, count: int) -> list[str]:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return [
        "".join(dice.choices(syllables, k=dice.randint(1, 4))) for _ in range(count)
    ]


def make_pages(words: Sequence[str], *, pages: int, seed: int) -> dict[str, str]:
    """HTML pages with blocks of 1 to 60 words, frequent words first in `words`."""
    dice = random.Random(seed)
    weights = [1 / (rank + 2) for rank in range(len(words))]
    made = {}
    for number in range(pages):
        blocks = []
        for _ in range(dice.randint(1, 14)):
            length = dice.choice([1, 1, 2, 3, 5, 8, 12, 19, 30, 60])
            text = " ".join(dice.choices(words, weights, k=length))
            blocks.append(f"<p>{text.replace('&', '&amp;').replace('<', '&lt;')}</p>")
        made[f"page-{number:03d}"] = (
            "<html><body>" + "\n".join(blocks) + "</body></html>"
        )
    return made


@pytest.fixture(scope="session")
def make_store(tmp_path_factory: pytest.TempPathFactory) -> StoreMaker:
    """Make a block store of pages, docid -> HTML, or -> plain text with one block per line."""

    def make(pages: dict[str, str], *, plain: bool = False) -> BlockStore:
        folder = tmp_path_factory.mktemp("store")
        return make_store_of(folder, pages, reading=Reading(plain=plain))

    return make


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    """90 pages: 70 varied, some alike so that they tie, and the awkward ones."""
    dice = random.Random(1)
    words = make_words(dice, 250)
    for word in ENGLISH:
        words.insert(dice.randrange(80), word)
    made = make_pages(words, pages=70, seed=2)
    for number in range(12):  # four pages three times over
        made[f"tie-{11 - number:02d}"] = made[f"page-{number % 4:03d}"]
    for number, word in enumerate(LONG):
        made[f"long-{number}"] = (
            f"<p>{word}</p><p>before {word} after {word} running</p>"
        )
    made["stop-words"] = (
        "<p>the</p><p>of and the</p><p>" + "to be or not to be " * 5 + "</p>"
    )
    made["many-times"] = "<p>" + "ponies " * 700 + "</p>"
    made["only-long-block"] = "<p>" + " ".join(make_words(dice, 90)) + "</p>"
    made["no-block"] = "<p>... !!! ---</p>"
    made["docid-ünï-😀"] = "<p>running ponies 😀 with a docid of its own</p>"
    return made


@pytest.fixture(scope="session")
def store(make_store: StoreMaker, pages: dict[str, str]) -> BlockStore:
    return make_store(pages)


@pytest.fixture(scope="session")
def queries() -> dict[str, str]:
    """60 queries: words of the collection, alone and together, odd ones, and none at all."""
    dice = random.Random(1)
    words = make_words(dice, 250)
    chosen = {f"w{n}": " ".join(dice.choices(words, k=n % 4 + 1)) for n in range(36)}
    odd = [
        *ENGLISH[4:],
        *LONG[:5],
        "ponies ponies running",
        "the of",
        "nowhereatall",
        "",
    ]
    return chosen | {f"o{number}": text for number, text in enumerate(odd)}


@pytest.fixture(scope="session")
def reference(java: None) -> Reference:
    """Indexes what a rule keeps with pyserini's LuceneIndexer."""

    def index(store: BlockStore, rule: Rule, folder: Path, *arguments: str) -> Path:
        from pyserini.index.lucene import LuceneIndexer

        folder.mkdir(parents=True)
        if arguments:
            indexer = LuceneIndexer(args=["-index", str(folder), *arguments], threads=1)
        else:
            indexer = LuceneIndexer(str(folder), threads=1)
        for columns in store.columns():
            for docid, text in kept_contents(columns, rule):
                # As ASCII with escapes: pyjnius may corrupt characters beyond the BMP.
                indexer.add_doc_raw(json.dumps({"id": docid, "contents": text}))
        indexer.close()
        return folder

    return index


@pytest.fixture(scope="session")
def simple_search(java: None) -> Searching:
    """Search with Anserini's SimpleSearcher, one query at a time."""

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
            topic: [(hit.docid, hit.score) for hit in searcher.search(text, hits)]
            for topic, text in queries.items()
        }
        searcher.close()
        return found

    return search


@pytest.fixture(scope="session")
def vocabulary(java: None) -> Terms:
    def terms(index: Path) -> Iterator[tuple[str, int, int]]:
        from pyserini.index.lucene import LuceneIndexReader

        for term in LuceneIndexReader(str(index)).terms():
            yield term.term, term.df, term.cf

    return terms
