"""Manifests of indexes, and whether an index that is there may be used."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from boilersweep import BlockStore, IndexingError, OutputError
from boilersweep.cleaners.learned.cleaner import SHIPPED, Learned
from boilersweep.cleaners.learned.model import load_model, save_model
from boilersweep.cleaners.rules import And, Comparison
from boilersweep.indexer import (
    AnalyzerOptions,
    IndexLayout,
    IndexManifest,
    IndexOptions,
    single,
)
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.layout import parallel_layout
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter
from boilersweep.indexer.manifest import (
    INDEX,
    MANIFEST,
    UNCOUNTED,
    IndexRecipe,
    complete_manifest,
    index_recipe,
    read_manifest,
    versions,
    write_index_manifest,
)
from tests.manifests import write_manifest

pytestmark = pytest.mark.java

RECIPE = IndexRecipe(
    "f00d",
    {"text": "words>=11", "models": {}},
    AnalyzerOptions(language="de"),
    IndexLayout(contents=True, fields=("title",)),
    anserini="1.7.1",
    code={"clean": "c0de", "index": "c0de"},
)
WHOLE = IndexManifest(
    identity=RECIPE,
    documents=10,
    empty=2,
    tokens=345,
    skipped={"empty-page": 1},
    versions={"java": "21.0.8"},
)


def test_round_trip(tmp_path: Path) -> None:
    write_index_manifest(tmp_path, WHOLE)
    assert read_manifest(tmp_path) == WHOLE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"layout"', '"setting"'),
        ('"documents"', '"pages"'),
        ('"documents": 10', '"documents": "10"'),
    ],
)
def test_what_is_no_manifest_is_an_error_that_names_the_file(
    tmp_path: Path, old: str, new: str
) -> None:
    write_index_manifest(tmp_path, WHOLE)
    path = tmp_path / MANIFEST
    said = json.loads(path.read_text().replace(old, new))
    del said["digest"]
    write_manifest(path, said)
    with pytest.raises(IndexingError, match=rf"{MANIFEST} is damaged .*`overwrite`"):
        read_manifest(tmp_path)


@pytest.mark.application("learned")
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
    return IndexManifest(identity=RECIPE, documents=documents, empty=0, tokens=tokens)


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
    manifest = complete_manifest(index, added(2, 5), store)
    assert (manifest.documents, manifest.tokens) == (2, 5)
    assert manifest.empty == store.documents - 2
    assert read_manifest(index) == manifest
    whole = INDEX.finished(index, asdict(RECIPE))
    assert whole is not None
    assert {path.name for path in index.iterdir()} == {*whole.files, MANIFEST}


def test_tokens_need_not_be_known(index: Path, store: BlockStore) -> None:
    assert complete_manifest(index, added(2), store).tokens == 5


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
        complete_manifest(index, added(documents, tokens), store)
    assert not (index / MANIFEST).exists()


def existing(
    index: Path, recipe: IndexRecipe = RECIPE, *, overwrite: bool = False
) -> IndexManifest | None:
    return single._existing(index, recipe, IndexOptions(overwrite=overwrite))[0]


def test_another_recipe_is_refused(index: Path, store: BlockStore) -> None:
    complete_manifest(index, added(2, 5), store)
    with pytest.raises(IndexingError, match="store was f00d, is beef"):
        existing(index, replace(RECIPE, store="beef"))


def test_nothing_and_an_empty_folder_are_none(tmp_path: Path) -> None:
    assert existing(tmp_path / "nothing") is None
    assert existing(tmp_path) is None


def test_a_foreign_file_or_folder_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path, tmp_path / "file"):
        for overwrite in (False, True):
            with pytest.raises(OutputError, match="in the way"):
                existing(path, overwrite=overwrite)


def damaged(file: Path) -> None:
    body = bytearray(file.read_bytes())
    body[len(body) // 2] ^= 1
    file.write_bytes(body)
    os.utime(file, ns=(1, 1))


def test_a_damaged_index_is_refused_or_rebuilt(index: Path, store: BlockStore) -> None:
    manifest = complete_manifest(index, added(2, 5), store)
    for name in INDEX.require(index).files:
        whole = (index / name).read_bytes()
        damaged(index / name)
        with pytest.raises(IndexingError, match=f"{name} was changed .*`overwrite`"):
            existing(index)
        (index / name).write_bytes(whole)
        (index / name).unlink()
        with pytest.raises(IndexingError, match=f"{name} is missing"):
            existing(index)
        assert existing(index, overwrite=True) is None
        (index / name).write_bytes(whole)
    assert existing(index) == manifest
    (index / "write.lock").touch()  # of a writer of pyserini's, say
    assert existing(index) == manifest
    assert existing(index, replace(RECIPE, store="beef"), overwrite=True) is None


@pytest.mark.parametrize("name", ["notes.txt", "segments_2", ".git/config"])
def test_other_files_in_an_index_stay(
    index: Path, store: BlockStore, name: str
) -> None:
    manifest = complete_manifest(index, added(2, 5), store)
    (index / name).parent.mkdir(exist_ok=True)
    (index / name).write_text("mine")
    assert existing(index) == manifest
    with pytest.raises(OutputError, match=f"in the way .*: {name}"):
        existing(index, replace(RECIPE, store="beef"), overwrite=True)


def test_an_index_without_its_manifest_is_somebody_elses(
    index: Path, store: BlockStore
) -> None:
    complete_manifest(index, added(2, 5), store)
    (index / MANIFEST).unlink()
    for overwrite in (False, True):
        with pytest.raises(OutputError, match="in the way"):
            existing(index, overwrite=overwrite)
