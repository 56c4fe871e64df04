"""check_export: what it compares beyond `tests/cli/commands/test_outputs.py`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep.cleaners.language.grammar import parse_cleaners
from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.export.export import export_share, export_store
from boilersweep.export.manifest import CHECK, check_export
from boilersweep.outputs.manifest_file import read_manifest, write_manifest
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


@pytest.mark.parametrize(
    ("forge", "fault"),
    [
        (miscount, "gold has 6 documents, the store 5"),
        (other_store, "it was made from another block store"),
    ],
)
def test_an_export_is_compared_with_its_store(
    store: BlockStore, output: Path, forge: Callable[[Path], None], fault: str
) -> None:
    assert check_export(output, store).faults == []
    forge(output)
    (found,) = check_export(output, store).faults
    assert fault in found


def test_check_names_an_unfinished_export(store: BlockStore, tmp_path: Path) -> None:
    export_share(store, Share(1, 2), VARIANTS, tmp_path)
    assert CHECK.is_marked(tmp_path)
    (fault,) = check_export(tmp_path, store).faults
    assert "run `boilersweep export` again" in fault
