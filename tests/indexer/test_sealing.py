"""seal and sealed_index: an index counts only once it was compared with what was added."""

from dataclasses import replace
from pathlib import Path

import pytest

from boilersweep.errors import IndexingError
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter, counting_analyzer
from boilersweep.indexer.manifest import MANIFEST, Added, IndexRecipe, seal, sealed_index
from boilersweep.store.store import BlockStore

RECIPE = IndexRecipe(
    "f00d",
    {"text": "words>=11", "models": {}},
    AnalyzerOptions(),
    positions=False,
    stored=False,
    anserini="1.7.1",
    code={},
)


@pytest.fixture
def index(tmp_path: Path, java: None) -> Path:
    """Two documents with five tokens."""
    from jnius import autoclass

    path = tmp_path / "index"
    maker = DocumentMaker()
    writer = IndexWriter(path, counting_analyzer("|"), 4.0)
    documents = autoclass("java.util.ArrayList")()
    documents.add(maker.document(maker.docid_fields("a"), "x y|2"))
    documents.add(maker.document(maker.docid_fields("b"), "x|2"))
    writer.add(documents)
    writer.commit()
    return path


def test_an_index_that_holds_what_was_added_is_sealed(index: Path, store: BlockStore) -> None:
    manifest = seal(index, RECIPE, Added(2, 5), store)
    assert (manifest.documents, manifest.tokens) == (2, 5)
    assert manifest.empty == store.documents - 2
    assert sealed_index(index, RECIPE) == manifest


def test_tokens_need_not_be_known(index: Path, store: BlockStore) -> None:
    assert seal(index, RECIPE, Added(2, None), store).tokens == 5


@pytest.mark.parametrize("added", [Added(3, 5), Added(1, 5), Added(2, 4), Added(2, 6), Added(0, 0)])
def test_an_index_that_holds_something_else_is_refused(
    index: Path, store: BlockStore, added: Added
) -> None:
    with pytest.raises(IndexingError, match=r"words>=11 was given .* but holds 2 with 5"):
        seal(index, RECIPE, added, store)
    assert not (index / MANIFEST).exists()


def test_another_recipe_is_refused(index: Path, store: BlockStore) -> None:
    seal(index, RECIPE, Added(2, 5), store)
    with pytest.raises(IndexingError, match="store was f00d, is beef"):
        sealed_index(index, replace(RECIPE, store="beef"))


def test_nothing_and_an_empty_folder_are_none(tmp_path: Path) -> None:
    assert sealed_index(tmp_path / "nothing", RECIPE) is None
    assert sealed_index(tmp_path, RECIPE) is None


def test_a_foreign_file_or_folder_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path, tmp_path / "file"):
        with pytest.raises(IndexingError, match="in the way"):
            sealed_index(path, RECIPE)
