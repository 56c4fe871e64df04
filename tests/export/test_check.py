"""check_export: what a manifest lists is there, nothing beside it, and the counts add up."""

from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep.cleaners.parsing import parse_cleaners
from boilersweep.cleaners.variants import collect_variants
from boilersweep.cli.commands.check import _kind
from boilersweep.export.export import export_share, export_store
from boilersweep.export.manifest import check_export
from boilersweep.outputs.manifests import read_manifest, write_manifest
from boilersweep.store.store import BlockStore
from boilersweep.work.shares import Share

VARIANTS = collect_variants((), parse_cleaners("words>=5,gold"))


@pytest.fixture
def output(store: BlockStore, tmp_path: Path) -> Path:
    export_store(store, VARIANTS, tmp_path)
    return tmp_path


def miscount(output: Path) -> None:
    manifest = read_manifest(output / "manifest.json")
    manifest["counts"]["gold"]["empty"] += 1
    write_manifest(output / "manifest.json", manifest)


def other_store(output: Path) -> None:
    manifest = read_manifest(output / "manifest.json")
    manifest["identity"]["store"] = "f" * 64
    write_manifest(output / "manifest.json", manifest)


def test_a_whole_export_has_no_fault(store: BlockStore, output: Path) -> None:
    assert check_export(output, store).faults == []
    assert _kind(output) == "export"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda o: (o / "gold/00000.jsonl.gz").unlink(), "gold/00000.jsonl.gz is missing"),
        (lambda o: (o / "gold/00000.jsonl.gz").write_bytes(b""), "gold/00000.jsonl.gz has 0 bytes"),
        (lambda o: (o / "gold/more").touch(), "gold/more is not listed in manifest.json"),
        (miscount, "gold has 6 documents, the store 5"),
        (other_store, "it was made from another block store"),
    ],
)
def test_damage_is_seen(
    store: BlockStore, output: Path, damage: Callable[[Path], None], said: str
) -> None:
    damage(output)
    (fault,) = check_export(output, store).faults
    assert said in fault


def test_an_unfinished_export_is_told(store: BlockStore, tmp_path: Path) -> None:
    export_share(store, Share(1, 2), VARIANTS, tmp_path)
    assert _kind(tmp_path) == "export"
    (fault,) = check_export(tmp_path, store).faults
    assert "run `boilersweep export` again" in fault
