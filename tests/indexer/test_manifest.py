"""Manifests of indexes, and whether an index that is there may be used."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from boilersweep.errors import IndexingError
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.manifest import (
    MANIFEST,
    IndexManifest,
    IndexRecipe,
    manifest_json,
    read_manifest,
    versions,
)

RECIPE = IndexRecipe("f00d", "words>=11", AnalyzerOptions(language="de"), positions=True)
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
        replace(RECIPE, rule="words>=12"),
        replace(RECIPE, analyzer=AnalyzerOptions()),
        replace(RECIPE, positions=False),
        replace(RECIPE, stored=True),
        replace(RECIPE, boilersweep="0"),
    ]
    assert RECIPE not in others
    assert len(set(others)) == len(others)


def test_versions_are_all_known(java: None) -> None:
    found = versions()
    assert set(found) == {"boilersweep", "pyserini", "anserini", "lucene", "java"}
    assert all(value[0].isdigit() for value in found.values()), found
