"""build_parallel_indexes: counts, taking up again, what is in the way, and failures."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from boilersweep import BlockStore, IndexingError, collect_variants
from boilersweep.cleaners.syntax.variants import Variant, parse_sweep
from boilersweep.eval import BM25, search_index
from boilersweep.indexer import (
    AnalyzerOptions,
    ParallelOptions,
    adders,
    build_parallel_indexes,
    contents,
    parallel_indexes,
    start_jvm,
)
from boilersweep.indexer.adders import segments_can_be_added
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.lucene import IndexWriter, open_directory
from boilersweep.indexer.manifest import INDEX, MANIFEST
from boilersweep.indexer.options import ALL_TEXTS, Proof
from boilersweep.indexer.parallel_indexes import open_parallel_index
from boilersweep.outputs.plan import PLAN
from tests.indexer.conftest import StoreMaker, Terms, titled_contents

pytestmark = pytest.mark.java

THRESHOLDS = collect_variants((parse_sweep("words=1,5,31"), parse_sweep("density=4")))


def state(folder: Path) -> dict[str, tuple[int, int]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(p.relative_to(folder)): (p.stat().st_ino, p.stat().st_mtime_ns)
        for p in files
    }


def names(folder: Path) -> list[str]:
    """Return what is in a folder of indexes but the manifest, or the plan of what is to be made."""
    left_out = ("manifest.json", PLAN)
    return sorted(one.name for one in folder.iterdir() if one.name not in left_out)


def choose(monkeypatch: pytest.MonkeyPatch, *, segments: bool) -> None:
    """Whether counted contents are added as segments; otherwise Lucene reads the texts."""
    start_jvm()
    if not segments:
        monkeypatch.setattr(parallel_indexes, "segments_can_be_added", lambda: False)
    elif not segments_can_be_added():
        pytest.skip("the extension modules are not built")


@pytest.fixture
def small_store(make_store: StoreMaker) -> BlockStore:
    pages = {
        f"page-{n}": f"<p>pony {n}</p><p>{'running ponies ' * n}</p>" for n in range(8)
    }
    return make_store(pages)


def test_counts_are_those_of_a_naive_count(
    store: BlockStore, tmp_path: Path, java: None
) -> None:
    analyzer = BlockAnalyzer(AnalyzerOptions())
    for index in build_parallel_indexes(store, THRESHOLDS, tmp_path):
        documents = tokens = 0
        for columns in store.columns():
            for _, text in titled_contents(columns, index.variant.cleaner):
                found = analyzer.tokens([text])[0].split()
                documents += bool(found)
                tokens += len(found)
        manifest = index.manifest
        assert (manifest.documents, manifest.tokens) == (documents, tokens)
        assert manifest.empty == store.documents - documents > 0
        assert index.path == tmp_path / index.variant.name
    assert names(tmp_path) == sorted(threshold.name for threshold in THRESHOLDS)


@pytest.mark.parametrize("most", [500, 2**24])
def test_lucene_alone_makes_the_same_indexes(
    store: BlockStore,
    queries: dict[str, str],
    tmp_path: Path,
    vocabulary: Terms,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choose(monkeypatch, segments=True)
    monkeypatch.setattr(adders, "_MOST_TERMS", most)
    cleaners = [variant.cleaner for variant in THRESHOLDS]
    variants = collect_variants((), [*cleaners, "weighted(words>=5, 3)"])
    counted = build_parallel_indexes(store, variants, tmp_path / "counted")
    whole = build_parallel_indexes(
        store, variants, tmp_path / "whole", ParallelOptions(proof=Proof())
    )
    for one, other in zip(counted, whole, strict=True):
        assert (one.manifest.by_lucene, other.manifest.by_lucene) == ("", ALL_TEXTS)
        assert (
            msgspec.structs.replace(one.manifest, by_lucene=ALL_TEXTS) == other.manifest
        )
        assert list(vocabulary(one.path)) == list(vocabulary(other.path))
        found = [search_index(index.path, queries, BM25()) for index in (one, other)]
        assert found[0] == found[1]
        assert not list(INDEX.check(one.path, store))


def test_those_that_lucene_is_to_make_are_made_anew(
    small_store: BlockStore, tmp_path: Path
) -> None:
    build_parallel_indexes(small_store, THRESHOLDS[:2], tmp_path)
    counted = state(tmp_path / "words-001")
    (made,) = build_parallel_indexes(
        small_store, THRESHOLDS[1:2], tmp_path, ParallelOptions(proof=Proof())
    )
    assert made.manifest.by_lucene == ALL_TEXTS
    before = state(tmp_path)
    again = build_parallel_indexes(
        small_store, THRESHOLDS[1:2], tmp_path, ParallelOptions(proof=Proof())
    )
    assert [
        *again,
        *build_parallel_indexes(small_store, THRESHOLDS[1:2], tmp_path),
    ] == [made] * 2
    assert state(tmp_path) == before
    assert state(tmp_path / "words-001") == counted


def test_the_noncharacter_parts_tokens_for_lucene_too(
    make_store: StoreMaker, tmp_path: Path, vocabulary: Terms
) -> None:
    store = make_store({"a": "one\uffff7 two"}, plain=True)
    raw = AnalyzerOptions(pretokenized=True)
    for proof in (None, Proof()):
        folder = tmp_path / str(proof)
        (built,) = build_parallel_indexes(
            store, THRESHOLDS[:1], folder, ParallelOptions(analyzer=raw, proof=proof)
        )
        assert list(vocabulary(built.path)) == [
            ("7", 1, 1),
            ("one", 1, 1),
            ("two", 1, 1),
        ]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_same(
    small_store: BlockStore, tmp_path: Path, threads: int, vocabulary: Terms
) -> None:
    built = build_parallel_indexes(
        small_store, THRESHOLDS, tmp_path, ParallelOptions(threads=threads)
    )
    assert [i.manifest.documents for i in built] == [8, 5, 0, 6]
    assert list(vocabulary(built[1].path)) == [("poni", 5, 25), ("run", 5, 25)]


def test_an_index_without_its_manifest_is_in_the_way(
    small_store: BlockStore, tmp_path: Path
) -> None:
    build_parallel_indexes(small_store, THRESHOLDS[:1], tmp_path)
    (tmp_path / "words-001" / MANIFEST).unlink()
    with pytest.raises(IndexingError, match=r"words-001/boilersweep\.json is missing"):
        build_parallel_indexes(small_store, THRESHOLDS[:1], tmp_path)
    with pytest.raises(IndexingError, match=r"expected an index in .*words-001"):
        open_parallel_index(tmp_path, THRESHOLDS[0])


@pytest.mark.parametrize("step", ["add", "add_counted", "commit"])
def test_a_writer_that_fails_midway_leaves_nothing(
    small_store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    choose(monkeypatch, segments=step != "add")
    works = getattr(IndexWriter, step)
    calls: list[Path] = []

    def fails(self: IndexWriter, *arguments: Any) -> None:
        calls.append(self.path)
        if len(calls) > 2:
            raise IndexingError("made to fail")
        works(self, *arguments)

    monkeypatch.setattr(IndexWriter, step, fails)
    with pytest.raises(IndexingError, match="made to fail"):
        build_parallel_indexes(small_store, THRESHOLDS, tmp_path)
    assert names(tmp_path) == []
    monkeypatch.undo()
    assert len(build_parallel_indexes(small_store, THRESHOLDS, tmp_path)) == len(
        THRESHOLDS
    )


@pytest.mark.parametrize("step", ["add", "add_counted"])
def test_a_document_that_gets_lost_is_noticed(
    small_store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    choose(monkeypatch, segments=step == "add_counted")
    works = getattr(IndexWriter, step)

    def loses_one(self: IndexWriter, *given: Any) -> None:
        if self.path.name.startswith(".words-005"):
            *others, documents = given
            given = (
                *others,
                documents[4:] if others else documents.subList(1, documents.size()),
            )
        works(self, *given)

    monkeypatch.setattr(IndexWriter, step, loses_one)
    with pytest.raises(IndexingError, match="words>=5 was given"):
        build_parallel_indexes(small_store, THRESHOLDS, tmp_path)
    assert "words-005" not in names(tmp_path)
    assert not [name for name in names(tmp_path) if name.startswith(".")]


def test_a_threshold_that_keeps_nothing(
    small_store: BlockStore, tmp_path: Path
) -> None:
    (index,) = build_parallel_indexes(
        small_store, [Variant.at_least("words", 1000.0)], tmp_path
    )
    assert (index.manifest.documents, index.manifest.tokens) == (0, 0)
    assert index.manifest.empty == small_store.documents == 8
    assert search_index(index.path, {"1": "pony", "2": ""}, BM25()) == {
        "1": [],
        "2": [],
    }


def test_more_thresholds_than_writers_take_several_passes(
    store: BlockStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    vocabulary: Terms,
) -> None:
    thresholds = collect_variants((parse_sweep("words=1:5"),))
    at_once = build_parallel_indexes(store, thresholds, tmp_path / "at once")
    monkeypatch.setattr(parallel_indexes, "WRITERS_AT_ONCE", 2)
    by_twos = build_parallel_indexes(store, thresholds, tmp_path / "by twos")
    for one, other in zip(at_once, by_twos, strict=True):
        assert one.manifest == other.manifest
        assert list(vocabulary(one.path)) == list(vocabulary(other.path))


VARIANTS = collect_variants(["words=1,4"])


def is_clean(index: Path) -> bool:
    from jnius import autoclass

    with_checks = autoclass("org.apache.lucene.index.CheckIndex")(open_directory(index))
    try:
        return bool(with_checks.checkIndex().clean)
    finally:
        with_checks.close()


@pytest.fixture
def hostile(make_store: StoreMaker) -> BlockStore:
    """Docids that need an order of bytes, and terms of several bytes; one page stays empty."""
    docids = ["\ufeffmark", "\ufffeother", "\U0001f600", "\ue000", "é", "z", "a b", "Z"]
    text = "common pony\nlong 本 \U0001d4b3 été été été été"
    texts = {docid: f"{text} own{n}" for n, docid in enumerate(docids)}
    return make_store(texts | {"empty": "the"}, plain=True)


@pytest.mark.parametrize("most", [1, 20, 2**24])
def test_lucene_finds_no_fault_and_every_document(
    hostile: BlockStore,
    tmp_path: Path,
    most: int,
    vocabulary: Terms,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choose(monkeypatch, segments=True)
    monkeypatch.setattr(adders, "_MOST_TERMS", most)
    whole, long = build_parallel_indexes(hostile, VARIANTS, tmp_path)
    terms = {term: (df, cf) for term, df, cf in vocabulary(long.path)}
    assert terms.pop("été") == (8, 32)
    assert {term for term, counts in terms.items() if counts == (8, 8)} >= {
        "long",
        "本",
    }
    assert "common" not in terms
    for number, docid in enumerate(list(hostile.docids())[:8]):
        for index in (whole, long):
            run = search_index(index.path, {"1": f"own{number}"}, BM25())
            assert [found for found, _ in run["1"]] == [docid]
    assert is_clean(whole.path)
    assert is_clean(long.path)


def test_terms_are_numbered_anew_when_the_table_begins_anew(
    store: BlockStore,
    tmp_path: Path,
    vocabulary: Terms,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choose(monkeypatch, segments=True)
    (once, _) = build_parallel_indexes(store, VARIANTS, tmp_path / "once")
    monkeypatch.setattr(contents, "MOST_PIECES", 10)
    (again, _) = build_parallel_indexes(store, VARIANTS, tmp_path / "again")
    assert list(vocabulary(once.path)) == list(vocabulary(again.path))
