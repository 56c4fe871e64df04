"""Segments of counted contents: what Lucene finds in them, and its own check of every file."""

from pathlib import Path

import pytest

from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.eval.ranking.models import BM25
from boilersweep.eval.ranking.search import search_index
from boilersweep.indexer import adders, compiled, pieces
from boilersweep.indexer.lucene import open_directory
from boilersweep.indexer.parallel_indexes import build_parallel_indexes
from boilersweep.store.store import BlockStore
from tests.indexer.conftest import StoreMaker, Terms

pytestmark = [
    pytest.mark.java,
    pytest.mark.skipif(not compiled.SEGMENTS.exists(), reason="no JDK compiled the Java classes"),
]

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
    monkeypatch.setattr(adders, "_MOST_TERMS", most)
    whole, long = build_parallel_indexes(hostile, VARIANTS, tmp_path)
    terms = {term: (df, cf) for term, df, cf in vocabulary(long.path)}
    assert terms.pop("été") == (8, 32)
    assert {term for term, counts in terms.items() if counts == (8, 8)} >= {"long", "本"}
    assert "common" not in terms
    for number, docid in enumerate(list(hostile.docids())[:8]):
        for index in (whole, long):
            run = search_index(index.path, {"1": f"own{number}"}, BM25())
            assert [found for found, _ in run["1"]] == [docid]
    assert is_clean(whole.path)
    assert is_clean(long.path)


def test_terms_are_numbered_anew_when_the_table_begins_anew(
    store: BlockStore, tmp_path: Path, vocabulary: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    (once, _) = build_parallel_indexes(store, VARIANTS, tmp_path / "once")
    monkeypatch.setattr(pieces, "MOST_PIECES", 10)
    (again, _) = build_parallel_indexes(store, VARIANTS, tmp_path / "again")
    assert list(vocabulary(once.path)) == list(vocabulary(again.path))
