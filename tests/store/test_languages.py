"""The documents of some languages: the others are left out and counted, shard by shard."""

import json
from pathlib import Path

import pytest

from boilersweep import BlockStore, Segmentation, UsageError, segment_collection
from boilersweep.outputs.manifest_file import read_manifest
from boilersweep.pages.language import DECLARED_ONLY, detector
from boilersweep.store.checked_store import CHECKED
from tests.manifests import write_manifest
from tests.stores import faults_of

PAGES = (
    ("a.jsonl", ("en1", "en"), ("de1", "de"), ("none", "")),
    ("b.jsonl", ("de2", "de"), ("fr1", "fr")),
    ("c.jsonl", ("en2", "en"), ("de2", "fr")),  # de2 stands twice
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    """Six documents in three shards, whose texts do not say their language, and a duplicate."""
    folder = tmp_path_factory.mktemp("languages")
    (folder / "in").mkdir()
    for file, *some in PAGES:
        lines = [
            json.dumps({"id": docid, "contents": f"<html lang='{language}'><p>1 2 3"})
            for docid, language in some
        ]
        (folder / "in" / file).write_text("\n".join(lines))
    options = Segmentation(on_duplicate="first")
    return segment_collection(folder / "in", folder / "store", options, workers=1)


def test_a_store_counts_its_documents_by_language(store: BlockStore) -> None:
    assert store.documents == 6
    assert store.manifest.languages == {"de": 2, "en": 2, "fr": 1, "und": 1}
    assert store.manifest.detector == detector()
    assert faults_of(CHECKED, store.path) == []


def test_those_of_other_languages_are_left_out_and_counted(store: BlockStore) -> None:
    chosen = store.in_languages(["de", "fr"])
    assert chosen.other_languages == {"en": 2, "und": 1}
    assert chosen.documents == 3
    docids = [docid for columns in chosen.columns() for docid in columns.docids]
    assert docids == ["de1", "de2", "fr1"]
    assert list(chosen.fields(["language"])) == [("de",), ("de",), ("fr",)]


def test_without_a_language_all_documents_stay(store: BlockStore) -> None:
    assert store.in_languages(()) == store
    with pytest.raises(UsageError, match=r"no document in pl; its languages are .*fr"):
        store.in_languages(["pl"])


def test_a_wrong_count_is_found(store: BlockStore) -> None:
    path = store.path / "manifest.json"
    text = path.read_text()
    manifest = read_manifest(path)
    manifest["facts"]["languages"]["de"] = 3
    write_manifest(path, manifest)
    try:
        assert any(
            "documents are counted by language" in what
            for what in faults_of(CHECKED, store.path)
        )
    finally:
        path.write_text(text)


@pytest.mark.skipif(detector() == DECLARED_ONLY, reason="no detector is installed")
def test_a_document_has_its_language_from_its_text_on_any_number_of_workers(
    tmp_path: Path,
) -> None:
    texts = {
        "de": "Die Kinder stehen am Morgen früh auf und gehen mit ihren Freunden zur Schule.",
        "fr": "Les enfants se lèvent tôt le matin et vont à l'école avec leurs amis.",
    }
    (tmp_path / "in").mkdir()
    for docid, text in texts.items():
        line = json.dumps({"id": docid, "contents": f"<html lang=en><p>{text}"})
        (tmp_path / "in" / f"{docid}.jsonl").write_text(line)
    stores = [
        segment_collection(tmp_path / "in", tmp_path / f"{workers}", workers=workers)
        for workers in (1, 2)
    ]
    names = ["language", "declared_language"]
    assert list(stores[0].fields(names)) == [("de", "en"), ("fr", "en")]
    one, two = ([shard["sha256"] for shard in s.manifest.shards] for s in stores)
    assert one == two
