"""Manifests of indexes, and whether an index that is there may be used."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from boilersweep import BlockStore, IndexingError
from boilersweep.cleaners.learned.cleaner import SHIPPED, Learned
from boilersweep.cleaners.learned.model import load_model, save_model
from boilersweep.cleaners.rules import And, Comparison
from boilersweep.indexer import (
    AnalyzerOptions,
    IndexLayout,
    IndexManifest,
    IndexOptions,
)
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.layout import parallel_layout
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter
from boilersweep.indexer.manifest import (
    MANIFEST,
    UNCOUNTED,
    IndexRecipe,
    index_recipe,
    read_manifest,
    seal,
    sealed_index,
    versions,
    write_manifest,
)
from boilersweep.outputs import manifest_file

pytestmark = pytest.mark.java

RECIPE = IndexRecipe(
    "f00d",
    {"text": "words>=11", "models": {}},
    AnalyzerOptions(language="de"),
    IndexLayout(contents=True, fields=("title",)),
    anserini="1.7.1",
    code={"clean": "c0de", "index": "c0de"},
)
WHOLE = IndexManifest(RECIPE, 10, 2, 345, {"empty-page": 1}, {"java": "21.0.8"})


def test_round_trip(tmp_path: Path) -> None:
    write_manifest(tmp_path, WHOLE)
    assert read_manifest(tmp_path) == WHOLE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"stemmer"', '"stemming"'),
        ('"documents"', '"pages"'),
        ('"documents": 10', '"documents": "10"'),
        ('"empty": 2,', '"empty": 2, "more": 1,'),
    ],
)
def test_what_is_no_manifest_is_an_error_that_names_the_file(
    tmp_path: Path, old: str, new: str
) -> None:
    write_manifest(tmp_path, WHOLE)
    path = tmp_path / MANIFEST
    said = json.loads(path.read_text().replace(old, new))
    del said["digest"]
    manifest_file.write_manifest(path, said)
    with pytest.raises(
        IndexingError, match=rf"{MANIFEST} is not the manifest of an index.*rebuild"
    ):
        read_manifest(tmp_path)


def test_the_recipe_of_a_learned_cleaner_knows_its_model(tmp_path: Path) -> None:
    model = tmp_path / "my.npz"
    model.write_bytes(SHIPPED.read_bytes())
    one = index_recipe("f00d", Learned.made_of(str(model)), IndexOptions())
    changed = load_model(SHIPPED)
    save_model(replace(changed, threshold="fixed"), model)
    other = index_recipe(
        "f00d",
        And(Comparison("words", ">=", 2), Learned.made_of(str(model))),
        IndexOptions(),
    )
    assert one.cleaner_text == f"learned('{model}')"
    assert (
        one.cleaner["models"].keys() == other.cleaner["models"].keys() == {str(model)}
    )
    assert one.cleaner["models"] != other.cleaner["models"]
    shipped = index_recipe("f00d", Learned.made_of(), IndexOptions())
    assert shipped.cleaner["models"].keys() == {"shipped"}


def test_versions_are_all_known(java: None) -> None:
    found = versions()
    assert set(found) == {"boilersweep", "pyserini", "anserini", "lucene", "java"}
    assert all(value[0].isdigit() for value in found.values()), found


def added(documents: int, tokens: int = UNCOUNTED) -> IndexManifest:
    return IndexManifest(RECIPE, documents, 0, tokens)


@pytest.fixture
def index(tmp_path: Path, java: None) -> Path:
    """Two documents with five tokens."""
    from jnius import autoclass

    path = tmp_path / "index"
    maker = DocumentMaker(parallel_layout(), str)
    writer = IndexWriter(path, make_analyzer(AnalyzerOptions(pretokenized=True)), 4.0)
    documents = autoclass("java.util.ArrayList")()
    documents.add(maker.document("a", KeptText("x y y")))
    documents.add(maker.document("b", KeptText("x x")))
    writer.add(documents)
    writer.commit()
    return path


def test_an_index_that_holds_what_was_added_is_sealed(
    index: Path, store: BlockStore
) -> None:
    manifest = seal(index, added(2, 5), store)
    assert (manifest.documents, manifest.tokens) == (2, 5)
    assert manifest.empty == store.documents - 2
    assert sealed_index(index, RECIPE) == manifest
    names = {path.name for path in index.iterdir()}
    assert names == {*manifest.files, MANIFEST}


def test_tokens_need_not_be_known(index: Path, store: BlockStore) -> None:
    assert seal(index, added(2), store).tokens == 5


@pytest.mark.parametrize(
    ("documents", "tokens"),
    [
        (3, 5),
        (1, 5),
        (2, 4),
        (2, 6),
        (0, 0),
    ],
)
def test_an_index_that_holds_something_else_is_refused(
    index: Path, store: BlockStore, documents: int, tokens: int
) -> None:
    with pytest.raises(
        IndexingError, match=r"words>=11 was given .* but holds 2 with 5"
    ):
        seal(index, added(documents, tokens), store)
    assert not (index / MANIFEST).exists()


def test_another_recipe_is_refused(index: Path, store: BlockStore) -> None:
    seal(index, added(2, 5), store)
    with pytest.raises(IndexingError, match="store was f00d, is beef"):
        sealed_index(index, replace(RECIPE, store="beef"))


def test_nothing_and_an_empty_folder_are_none(tmp_path: Path) -> None:
    assert sealed_index(tmp_path / "nothing", RECIPE) is None
    assert sealed_index(tmp_path, RECIPE) is None


def test_a_foreign_file_or_folder_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path, tmp_path / "file"):
        with pytest.raises(IndexingError, match="already exists"):
            sealed_index(path, RECIPE)


def damaged(file: Path) -> None:
    body = bytearray(file.read_bytes())
    body[len(body) // 2] ^= 1
    file.write_bytes(body)
    os.utime(file, ns=(1, 1))


def test_a_damaged_index_is_refused_or_removed(index: Path, store: BlockStore) -> None:
    manifest = seal(index, added(2, 5), store)
    for name in manifest.files:
        whole = (index / name).read_bytes()
        damaged(index / name)
        with pytest.raises(IndexingError, match=f"{name} was changed .*--overwrite"):
            sealed_index(index, RECIPE)
        (index / name).write_bytes(whole)
        (index / name).unlink()
        with pytest.raises(IndexingError, match=f"{name} is missing"):
            sealed_index(index, RECIPE)
        (index / name).write_bytes(whole)
    assert sealed_index(index, RECIPE) == manifest
    (index / "write.lock").touch()  # of a writer of pyserini's, say
    assert sealed_index(index, RECIPE) == manifest
    (index / "segments_2").write_bytes(b"")
    with pytest.raises(
        IndexingError, match=r"segments_2 is not listed in boilersweep\.json"
    ):
        sealed_index(index, RECIPE)
    assert sealed_index(index, RECIPE, overwrite=True) is None
    assert not index.exists()


def test_what_is_no_index_is_never_removed(index: Path, store: BlockStore) -> None:
    seal(index, added(2, 5), store)
    (index / MANIFEST).unlink()
    (index / "notes.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(IndexingError, match="already exists"):
            sealed_index(index, RECIPE, overwrite=overwrite)
    (index / "notes.txt").unlink()  # then there are Lucene's files alone
    with pytest.raises(IndexingError, match=rf"has no {MANIFEST}.*--overwrite"):
        sealed_index(index, RECIPE)
    assert sealed_index(index, RECIPE, overwrite=True) is None
