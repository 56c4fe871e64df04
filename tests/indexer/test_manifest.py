"""Manifests of indexes, and whether an index that is there may be used."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from boilersweep.cleaners.learned.cleaner import SHIPPED, Learned
from boilersweep.cleaners.learned.model import load_model, save_model
from boilersweep.cleaners.rules import And, Comparison
from boilersweep.errors import IndexingError
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.manifest import (
    MANIFEST,
    IndexManifest,
    IndexRecipe,
    index_recipe,
    read_manifest,
    versions,
    write_manifest,
)
from boilersweep.indexer.options import IndexOptions
from boilersweep.outputs import manifest_file

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
    assert one.cleaner["models"].keys() == other.cleaner["models"].keys() == {str(model)}
    assert one.cleaner["models"] != other.cleaner["models"]
    shipped = index_recipe("f00d", Learned.made_of(), IndexOptions())
    assert shipped.cleaner["models"].keys() == {"shipped"}


@pytest.mark.java
def test_versions_are_all_known(java: None) -> None:
    found = versions()
    assert set(found) == {"boilersweep", "pyserini", "anserini", "lucene", "java"}
    assert all(value[0].isdigit() for value in found.values()), found
