"""Manifests that tell when they were changed, and files by digest."""

import json
import os
from pathlib import Path

import pytest

from boilersweep.outputs.manifest_file import (
    fault,
    faults,
    listing,
    manifest_text,
    read_manifest,
    unchanged,
)
from tests.manifests import write_manifest

VALUE = {"name": "päge", "numbers": [1, 2.5, None], "within": {"b": True, "a": "😀"}}


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    write_manifest(tmp_path / "manifest.json", VALUE)
    return tmp_path / "manifest.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.trec").write_text("1 Q0 d 1 2.5 x\n")
    (tmp_path / "scores.csv").write_text("P@10\n0.5\n")
    (tmp_path / "empty").write_text("")
    return tmp_path


NAMES = ["scores.csv", "runs/a.trec", "empty"]


def test_what_was_written_is_read(manifest: Path) -> None:
    assert read_manifest(manifest) == VALUE
    said = json.loads(manifest.read_text())
    assert list(said) == [*VALUE, "digest"]
    assert manifest_text(json.loads(json.dumps(VALUE))) == manifest.read_text()
    assert unchanged(dict(reversed(said.items()))) == VALUE
    manifest.unlink()
    with pytest.raises(FileNotFoundError):
        read_manifest(manifest)


def test_any_changed_byte_is_seen_or_says_the_same(manifest: Path) -> None:
    whole = manifest.read_bytes()
    for place in range(len(whole)):
        for bit in (1, 2, 32):
            body = bytearray(whole)
            body[place] ^= bit
            manifest.write_bytes(body)
            try:
                assert read_manifest(manifest) == VALUE
            except ValueError:
                continue


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "{}", '{"digest": ""}', "\ufeff{}", "[" * 100_000]
)
def test_what_is_no_manifest_is_a_value_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text, "utf-8")
    with pytest.raises(ValueError):  # noqa: PT011
        read_manifest(tmp_path / "m.json")


def test_a_listing_has_every_file_in_order(folder: Path) -> None:
    found = listing(folder, NAMES)
    assert list(found) == NAMES
    assert found["empty"]["bytes"] == 0
    assert found["scores.csv"]["bytes"] == 9
    assert all(len(entry["sha256"]) == 64 for entry in found.values())
    assert faults(folder, found) == []
    assert listing(folder, []) == {}
    assert faults(folder, {}) == []


def test_faults_of_files(folder: Path) -> None:
    found = listing(folder, NAMES)
    (folder / "runs" / "a.trec").write_text("1 Q0 d 1 3.5 x\n")
    os.utime(folder / "runs" / "a.trec", ns=(1, 1))
    (folder / "empty").write_text("x")
    (folder / "scores.csv").unlink()
    assert faults(folder, found) == [
        "scores.csv is missing",
        "runs/a.trec was changed or damaged after it was written",
        "empty has 1 bytes, and was written with 0",
    ]
    (folder / "scores.csv").mkdir()
    assert fault(folder / "scores.csv" / "x", found["empty"]) == "is missing"
    assert fault(folder / "runs" / "a.trec" / "x", found["empty"]) == "is missing"
    assert fault(folder / "scores.csv", found["scores.csv"]) is not None
