"""open_index: what SimpleSearcher finds, in the words of pyserini's LuceneSearcher."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep import (
    BlockStore,
    IndexingError,
    Segmentation,
    UsageError,
    segment_collection,
)
from boilersweep.cleaners.page_model import why_no_model
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.indexer import (
    AnalyzerOptions,
    IndexLayout,
    IndexOptions,
    IndexSearcher,
    build_index,
    open_index,
)
from boilersweep.indexer import hits as module
from boilersweep.indexer.layout import SEARCHABLE, PageFields
from boilersweep.store.shard_columns import METADATA
from tests.conftest import known
from tests.indexer.conftest import StoreMaker, kept_contents, titled_contents

pytestmark = pytest.mark.usefixtures("java")

RULE = parse_rule("words>=3")
FIELDS = SEARCHABLE if not why_no_model() else ("title",)
EVERYTHING = IndexLayout(
    contents=True, raw=True, docvectors=True, fields=FIELDS, optimize=True
)
# What is called here, and what of SimpleSearcher.
SETTINGS: dict[str, tuple[str, tuple[Any, ...], tuple[Any, ...]]] = {
    "bm25": ("set_bm25", (), (0.9, 0.4)),
    "bm25 long": ("set_bm25", (1.2, 0.75), (1.2, 0.75)),
    "qld": ("set_qld", (), (1000.0,)),
    "rm3": ("set_rm3", (), (None, 10, 10, 0.5, False, True)),
    "rm3 short": ("set_rm3", (3, 2, 0.3), (None, 3, 2, 0.3, False, True)),
    "rocchio": (
        "set_rocchio",
        (),
        (None, 10, 10, 10, 10, 1.0, 0.75, 0.0, False, False),
    ),
    "rocchio long": (
        "set_rocchio",
        (30, 5, 10, 10, 0.5, 1.0),
        (None, 30, 5, 10, 10, 0.5, 1.0, 0.0, False, False),
    ),
}


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("searcher") / "index"
    build_index(store, RULE, path, IndexOptions(layout=EVERYTHING))
    return path


@pytest.fixture
def searcher(index: Path) -> Iterator[IndexSearcher]:
    with open_index(index) as opened:
        yield opened


@pytest.mark.parametrize("name", SETTINGS)
def test_hits_are_those_of_simple_searcher(
    searcher: IndexSearcher,
    index: Path,
    queries: dict[str, str],
    simple_search: Callable[..., Any],
    name: str,
) -> None:
    method, ours, theirs = SETTINGS[name]
    expected = simple_search(
        index, queries, lambda found: getattr(found, method)(*theirs)
    )
    getattr(searcher, method)(*ours)
    found = searcher.batch_search(list(queries.values()), list(queries), 1000, 2)
    assert {
        q: [(hit.docid, hit.score) for hit in hits] for q, hits in found.items()
    } == expected
    assert (
        searcher.batch_lists(list(queries.values()), list(queries), 1000, 2) == expected
    )
    topic = next(topic for topic, hits in expected.items() if len(hits) > 3)
    first = searcher.search(queries[topic], 3)
    if not name.startswith("r"):  # feedback looks at the first hits alone
        assert [(hit.docid, hit.score) for hit in first] == expected[topic][:3]


@pytest.mark.parametrize("first", ["page", "\ufeff", "\ufffe", "\U0001f600"])
def test_one_query_finds_what_it_finds_among_others(
    make_store: StoreMaker, tmp_path: Path, first: str
) -> None:
    """Also where scores are equal, and docids begin with what pyjnius takes away."""
    pages = {f"{first}{n}": f"pony {'zebra ' * (n % 3)}" for n in range(9)}
    build_index(make_store(pages, plain=True), "words>=1", tmp_path / "index")
    with open_index(tmp_path / "index") as searcher:
        assert {hit.docid for hit in searcher.search("pony")} == set(pages)
        for query in ("pony", "zebra pony", "\ufeffpony", "unknown", ""):
            for k in (1, 4, 100):
                for fields in (None, {"contents": 2.0}):
                    (batch,) = searcher.batch_search(
                        [query], ["1"], k, fields=fields
                    ).values()
                    found = searcher.search(query, k, fields=fields)
                    assert [(h.docid, h.score, h.lucene_docid) for h in found] == [
                        (h.docid, h.score, h.lucene_docid) for h in batch
                    ]


def test_feedback_changes_what_is_found_and_can_be_unset(
    searcher: IndexSearcher,
) -> None:
    def found() -> list[tuple[str, float]]:
        return [
            (hit.docid, hit.score) for hit in searcher.search("running ponies", 100)
        ]

    first = found()
    searcher.set_rm3()
    assert found() != first
    searcher.unset_rm3()
    assert found() == first
    searcher.set_rocchio()
    assert found() != first
    searcher.unset_rocchio()
    assert found() == first


def test_every_document_is_there_with_what_is_stored(
    searcher: IndexSearcher, store: BlockStore
) -> None:
    kept = {d: text for c in store.columns() for d, text in kept_contents(c, RULE)}
    titled = {d: text for c in store.columns() for d, text in titled_contents(c, RULE)}
    assert kept.keys() - titled.keys() == {"stop-words"}
    assert searcher.num_docs == len(titled)
    for docid, text in titled.items():
        document = known(searcher.doc(docid))
        assert (document.docid(), document.contents()) == (docid, text)
        raw = json.loads(known(document.raw()))
        assert (raw["id"], raw["contents"]) == (docid, text)
        assert text == "\n".join(filter(None, [raw.get("title"), kept[docid]]))
    assert searcher.doc("no such page") is None


def test_a_hit_leads_to_its_document(searcher: IndexSearcher) -> None:
    hit = searcher.search("docid 😀", 1)[0]
    assert hit.docid.startswith("ünï-")
    assert hit.document.contents() == "running ponies 😀 with a docid of its own"
    by_number = known(searcher.doc(hit.lucene_docid))
    assert by_number.docid() == hit.docid


@pytest.fixture(scope="module")
def titled(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    folder = tmp_path_factory.mktemp("titled")
    pages = [
        {
            "id": "a",
            "url": "http://x.example/ä?b=1",
            "contents": "<title>Zebra 😀</title>",
        },
        {
            "id": "b",
            "contents": "<title>Of ponies</title><meta name=author content='Änn 😀'>",
        },
        {"id": "c", "contents": ""},
    ]
    for number, page in enumerate(pages):
        page["contents"] += (
            f"<p>a zebra and {'pony ' * number} were here {number} times</p>"
        )
    lines = "".join(json.dumps(page) + "\n" for page in pages)
    (folder / "pages.jsonl").write_text(lines, "utf-8")
    options = Segmentation(metadata=True)
    return segment_collection(
        folder / "pages.jsonl", folder / "store", options, workers=1
    )


def test_raw_and_anserinis_own_command_make_the_same_index(
    make_store: Any, pages: dict[str, str], queries: dict[str, str], tmp_path: Path
) -> None:
    from jnius import autoclass

    titles = [f"{number % 7} ponies" for number in range(len(pages))]
    store = make_store(
        {
            docid: f"<title>{title}</title><h1>{title}</h1>{page}"
            for (docid, page), title in zip(pages.items(), titles, strict=True)
        }
    )
    as_written = AnalyzerOptions(keep_apostrophes=True)  # as Anserini has it
    options = IndexOptions(analyzer=as_written, layout=EVERYTHING)
    build_index(store, RULE, tmp_path / "ours", options)
    (tmp_path / "raw").mkdir()
    runs = []
    with open_index(tmp_path / "ours") as searcher:
        documents = [searcher.doc(number) for number in range(searcher.num_docs)]
        lines = "".join(f"{document.raw()}\n" for document in documents if document)
        (tmp_path / "raw" / "raw.jsonl").write_text(lines, "utf-8")
    autoclass("io.anserini.index.IndexCollection").main(
        [
            *("-collection", "JsonCollection", "-input", str(tmp_path / "raw")),
            *("-index", str(tmp_path / "theirs"), "-threads", "1"),
            *("-fields", *FIELDS),
            *(
                "-storePositions",
                "-storeDocvectors",
                "-storeContents",
                "-storeRaw",
                "-optimize",
            ),
            "-quiet",
        ]
    )
    # Contents, title, and the headline of pages that a model knows.
    weights = dict(zip(("contents", *FIELDS), (1.0, 0.5, 2.0), strict=False))
    for name in ("ours", "theirs"):
        with open_index(tmp_path / name) as searcher:
            found: list[Any] = []
            for fields in (None, weights):
                for method in ("set_bm25", "set_rm3"):
                    getattr(searcher, method)()
                    texts, ids = list(queries.values()), list(queries)
                    hits = searcher.batch_search(texts, ids, 1000, fields=fields)
                    found.append([(h.docid, h.score) for q in ids for h in hits[q]])
                searcher.unset_rm3()
            for docid in sorted(pages):
                document = searcher.doc(docid)
                if document is not None and docid != "stop-words":  # see test_equality
                    raw = json.loads(document.raw() or "")
                    found.append([(docid, document.contents(), raw)])
            runs.append(found)
    assert len(runs[0][0]) > 500
    assert len(runs[0][0]) < len(runs[0][1])
    assert runs[0] == runs[1]


def test_titles_urls_and_metadata_are_stored(
    titled: BlockStore, tmp_path: Path
) -> None:
    build_index(
        titled, RULE, tmp_path / "index", IndexOptions(layout=IndexLayout(raw=True))
    )
    with open_index(tmp_path / "index") as searcher:
        documents = [searcher.doc(docid) for docid in "abc"]
        stored = [(d.get("title"), d.get("url"), d.get("date")) for d in documents if d]
        assert stored == [
            ("Zebra 😀", "http://x.example/ä?b=1", None),
            ("Of ponies", None, None),
            (None, None, None),
        ]
        assert [d.get("author") for d in documents if d] == [None, "Änn 😀", None]
        raw = [json.loads(d.raw() or "") for d in documents if d]
        assert [fields.get("author") for fields in raw] == [None, "Änn 😀", None]
        text = "Zebra 😀\na zebra and were here 0 times"
        about = {"id": "a", "url": "http://x.example/ä?b=1", "title": "Zebra 😀"}
        assert raw[0] == {**about, "contents": text}
        assert [(d.contents(), d.text()) for d in documents[:1] if d] == [(None, text)]


@pytest.mark.application("learned")
def test_headline_and_comments_are_fields(make_store: Any, tmp_path: Path) -> None:
    text = "The mayor opened the bridge on Monday, and people walked across it in the rain."
    comments = "".join(
        f"<li class=comment><div class=comment-author>ann{n}</div><div class=comment-text>"
        f"<p>what a zebra of a bridge, I liked it, thanks {n}!</p></div></li>"
        for n in range(3)
    )
    head = "<title>A new bridge</title><meta property=og:title content=Stated>"
    page = f"{head}<h1>A new bridge</h1><article>{f'<p>{text}</p>' * 5}</article>"
    page += (
        f"<div id=comments class=comments><ul class=comment-list>{comments}</ul></div>"
    )
    store = make_store({"a": page, "b": f"<p>{text}</p>"})
    layout = IndexLayout(fields=("headline", "comments"))
    manifest = build_index(
        store, "learned", tmp_path / "index", IndexOptions(layout=layout)
    )
    assert manifest.identity.cleaner["fields"]["models"]["shipped"]
    with open_index(tmp_path / "index") as searcher:
        for query, field, found in (
            ("new bridge", "headline", ["a"]),
            ("mayor", "headline", []),
            ("zebra", "comments", ["a"]),
            ("zebra", "contents", []),
        ):
            assert [
                h.docid for h in searcher.search(query, fields={field: 1.0})
            ] == found
        document = known(searcher.doc("a"))
        assert document.get("headline") == "A new bridge"
        assert (document.get("comments") or "").count("zebra of a bridge") == 3


def test_page_fields_are_those_of_a_store() -> None:
    assert PageFields._fields == ("title", "url", "date", *METADATA, "comments")


def test_fields_are_searched_with_boosts_as_simple_searcher_does(
    titled: BlockStore, tmp_path: Path
) -> None:
    from jnius import autoclass

    path = tmp_path / "index"
    build_index(titled, RULE, path, IndexOptions(layout=IndexLayout(fields=("title",))))
    theirs = autoclass("io.anserini.search.SimpleSearcher")(str(path))
    with open_index(path) as searcher:
        for fields in (
            {"contents": 1.0, "title": 0.5},
            {"title": 2.0},
            {"contents": 0.1},
        ):
            boosts = autoclass("java.util.HashMap")()
            for field, boost in fields.items():
                boosts.put(field, autoclass("java.lang.Float")(boost))
            for query in ("zebra", "ponies zebra", "times"):
                found = [
                    (h.docid, h.score) for h in searcher.search(query, fields=fields)
                ]
                expected = theirs.search_fields(query, boosts, 10)
                assert found == [(hit.docid, hit.score) for hit in expected]
        assert [
            hit.docid for hit in searcher.search("zebra", fields={"title": 1.0})
        ] == ["a"]
        document = known(searcher.doc("a"))
        assert document.get("title") == "Zebra 😀"
        with pytest.raises(
            UsageError, match=r"'url' is not searched in .*has contents, title;"
        ):
            searcher.search("zebra", fields={"url": 1.0})
    theirs.close()


def test_an_index_of_nothing_finds_nothing(store: BlockStore, tmp_path: Path) -> None:
    build_index(store, "words>=5000", tmp_path / "index")
    with open_index(tmp_path / "index") as searcher:
        searcher.set_rm3()
        assert (searcher.num_docs, searcher.search("pony")) == (0, [])
        assert searcher.batch_lists(["pony"], ["1"]) == {"1": []}


def test_lists_do_not_depend_on_how_many_are_read_at_once(
    searcher: IndexSearcher, queries: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list(queries.values()), list(queries)
    expected = searcher.batch_lists(*asked)
    assert any(expected.values())
    monkeypatch.setattr(module, "_QUERIES_AT_ONCE", 2)
    assert list(searcher.batch_lists(*asked).items()) == list(expected.items())


def test_lists_have_the_docids_and_scores_of_java(
    make_store: StoreMaker, tmp_path: Path
) -> None:
    docids = ["plain", "\N{GRINNING FACE}", "a\u0301", "\ufeffmark", "\ufffe", "\uffff"]
    store = make_store({docid: f"<p>pony {docid}</p>" for docid in docids})
    build_index(store, "words>=1", tmp_path / "index")
    with open_index(tmp_path / "index") as searcher:
        found = searcher.batch_search(["pony", "zebra"], ["1", "2"])
    assert found["2"] == []
    assert {hit.docid for hit in found["1"]} == set(docids)
    for hit in found["1"]:
        assert hit.docid.lstrip("\ufeff\ufffe") == hit.scored.docid
        assert hit.score == hit.scored.score


def test_wrong_calls_are_errors(searcher: IndexSearcher, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected at least 1, got 0"):
        searcher.search("pony", 0)
    with pytest.raises(IndexingError, match="no index in"):
        open_index(tmp_path)


def test_a_query_may_hold_what_is_no_text(searcher: IndexSearcher) -> None:
    assert [hit.docid for hit in searcher.search("ponies \udcff")] == [
        hit.docid for hit in searcher.search("ponies")
    ]


SPELLED = [f"o{sign}clock" for sign in "'\u2019\u02bc\uff07"]


@pytest.fixture(scope="module")
def clocks(make_store: StoreMaker) -> BlockStore:
    pages = [
        f"<title>{word}</title><p>six {word}</p><p>{word} and {word}</p>"
        for word in (*SPELLED, "clock")
    ]
    return make_store(dict(zip("01234", pages, strict=True)))


@pytest.mark.parametrize("query", SPELLED)
def test_every_spelling_finds_every_spelling(
    clocks: BlockStore, query: str, tmp_path: Path
) -> None:
    texts = IndexLayout(contents=True, raw=True, fields=("title",))
    build_index(clocks, "words>=2", tmp_path / "texts", IndexOptions(layout=texts))
    with open_index(tmp_path / "texts") as searcher:
        for fields in (None, {"contents": 1.0, "title": 0.5}, {"title": 1.0}):
            hits = searcher.search(query, fields=fields)
            assert {hit.docid for hit in hits} == {"0", "1", "2", "3"}
        for number, word in enumerate(SPELLED):  # what is stored is the page's
            document = known(searcher.doc(str(number)))
            expected = f"{word}\nsix {word}\n{word} and {word}"
            assert (document.get("title"), document.contents()) == (word, expected)
            assert json.loads(known(document.raw()))["contents"] == expected
    blocks = IndexOptions(layout=IndexLayout(blocks=True))
    build_index(clocks, "words>=1", tmp_path / "blocks", blocks)
    with open_index(tmp_path / "blocks") as searcher:
        assert len(searcher.search(query, keep="words>=3")) == 4


def test_apostrophes_stay_where_they_are_to(clocks: BlockStore, tmp_path: Path) -> None:
    as_written = IndexOptions(analyzer=AnalyzerOptions(keep_apostrophes=True))
    build_index(clocks, "words>=2", tmp_path, as_written)
    with open_index(tmp_path) as searcher:
        for number, word in enumerate(SPELLED):
            assert [hit.docid for hit in searcher.search(word)] == [str(number)]
