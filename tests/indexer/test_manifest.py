"""Manifests of indexes, and whether an index that is there may be used."""

import itertools
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
    manifest_json,
    read_manifest,
    versions,
)

RECIPE = IndexRecipe(
    "f00d",
    {"text": "words>=11", "models": {}},
    AnalyzerOptions(language="de"),
    IndexLayout(contents=True, fields=("title",)),
    anserini="1.7.1",
    code={"clean": "c0de", "index": "c0de"},
)
LAYOUTS = [
    IndexLayout(),
    IndexLayout(raw=True),
    IndexLayout(contents=True),
    IndexLayout(docvectors=True),
    IndexLayout(optimize=True),
    IndexLayout(positions=False),
    IndexLayout(page_fields=False),
    IndexLayout(fields=("title",)),
]
WHOLE = IndexManifest(RECIPE, 10, 2, 345, {"empty-page": 1}, {"java": "21.0.8"})


def write(folder: Path, text: str) -> Path:
    folder.joinpath(MANIFEST).write_text(text, "utf-8")
    return folder


def test_round_trip(tmp_path: Path) -> None:
    assert read_manifest(write(tmp_path, manifest_json(WHOLE))) == WHOLE


def test_none_where_there_is_none(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    assert read_manifest(tmp_path / "nothing") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        "\ufeff{}",
        '{"recipe": {}}',
        pytest.param("[" * 200_000, id="nested"),
        manifest_json(WHOLE)[:100],
        json.dumps(json.loads(manifest_json(WHOLE)) | {"more": 1}),
        manifest_json(WHOLE).replace('"stemmer"', '"stemming"'),
        manifest_json(WHOLE).replace('"documents"', '"pages"'),
    ],
)
def test_what_is_no_manifest_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(
        IndexingError, match=rf"{MANIFEST} is not a manifest.*build the index again"
    ):
        read_manifest(write(tmp_path, text))


def test_a_recipe_depends_on_all_its_parts() -> None:
    others = [
        replace(RECIPE, store="beef"),
        replace(RECIPE, cleaner={"text": "words>=12", "models": {}}),
        replace(RECIPE, cleaner={"text": "words>=11", "models": {"my.npz": "d1ce"}}),
        replace(RECIPE, analyzer=AnalyzerOptions()),
        *(replace(RECIPE, layout=layout) for layout in LAYOUTS),
        replace(RECIPE, anserini="2.3.0"),
        replace(RECIPE, code={"clean": "c0de", "index": "beef"}),
    ]
    assert RECIPE not in others
    assert all(one != other for one, other in itertools.combinations(others, 2))


def test_the_recipe_of_a_learned_cleaner_knows_its_model(tmp_path: Path) -> None:
    model = tmp_path / "my.npz"
    model.write_bytes(SHIPPED.read_bytes())
    one = index_recipe("f00d", Learned.made_of(str(model)), AnalyzerOptions(), IndexLayout())
    changed = load_model(SHIPPED)
    save_model(replace(changed, threshold="fixed"), model)
    other = index_recipe(
        "f00d",
        And(Comparison("words", ">=", 2), Learned.made_of(str(model))),
        AnalyzerOptions(),
        IndexLayout(),
    )
    assert one.cleaner_text == f"learned('{model}')"
    assert one.cleaner["models"].keys() == other.cleaner["models"].keys() == {str(model)}
    assert one.cleaner["models"] != other.cleaner["models"]
    assert index_recipe("f00d", Learned.made_of(), AnalyzerOptions(), IndexLayout()).cleaner[
        "models"
    ].keys() == {"shipped"}


@pytest.mark.java
def test_versions_are_all_known(java: None) -> None:
    found = versions()
    assert set(found) == {"boilersweep", "pyserini", "anserini", "lucene", "java"}
    assert all(value[0].isdigit() for value in found.values()), found
