"""Outputs that cannot be written: addresses of object stores, and `-`, which is no folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import BlockStore, UsageError, collect_variants, segment_collection
from boilersweep.eval import run_grid, run_study, run_sweep
from boilersweep.eval.ranking.runs import write_run
from boilersweep.export.export import export_store
from boilersweep.export.feature_table import write_features
from boilersweep.indexer import build_index, build_parallel_indexes
from boilersweep.outputs.atomic import make_folder, write_text
from boilersweep.outputs.locations import output_path
from boilersweep.outputs.locks import only_writer
from boilersweep.topics import Qrels, Topic
from tests.stores import make_store_of

ADDRESSES = (
    "s3://bucket/x.parquet",
    "gs://bucket/folder",
    "hdfs://host:8020/x",
    "memory://x",
    "https://host/x",
    "s3:/bucket/x",
    "simplecache::s3://bucket/x",
    "file:///tmp/x",
    "-",
    "./-",
)


@pytest.mark.parametrize("address", [*map(Path, ADDRESSES)], ids=repr)
@pytest.mark.parametrize(
    "write",
    [
        make_folder,
        lambda path: write_text(path, ""),
        lambda path: only_writer(path).__enter__(),
    ],
)
def test_no_writer_takes_an_address(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path], object],
    address: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="expected a path of this machine"):
        write(address)
    assert not list(tmp_path.iterdir())


TOPICS = [Topic("1", "pony")]
QRELS = Qrels({"1": {"a": 1}})
FUNCTIONS: dict[str, Callable[[BlockStore, Path], object]] = {
    "segment_collection": lambda _, out: segment_collection("pages", out),
    "build_index": lambda store, out: build_index(store, "bte", out),
    "build_parallel_indexes": lambda store, out: build_parallel_indexes(
        store, collect_variants((), ["bte"]), out
    ),
    "export_store": lambda store, out: export_store(
        store, collect_variants((), ["bte"]), out
    ),
    "run_sweep": lambda store, out: run_sweep(store, ["words=1"], TOPICS, QRELS, out),
    "run_grid": lambda store, out: run_grid(
        store, ("words=1", "density=1"), TOPICS, QRELS, out
    ),
    "run_study": lambda store, out: run_study(store, ["bte"], TOPICS, QRELS, out),
    "write_run": lambda _, out: write_run(out, {}, "tag"),
    "write_features": lambda store, out: write_features(store, out, "kohlschuetter"),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    return make_store_of(tmp_path_factory.mktemp("store"), {"a": "<p>pony"})


# What writes objects: see tests/system/test_remote.py.
ANYWHERE = ("segment_collection", "export_store")


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (name, address)
        for name in FUNCTIONS
        for address in (*ADDRESSES, *map(Path, ADDRESSES))
        if name not in ANYWHERE
        or isinstance(address, Path)
        or "://" not in str(address)
    ],
)
def test_no_function_takes_an_address(
    store: BlockStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    address: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "write_features":
        address = Path(address, "x.csv")
    with pytest.raises(UsageError, match="expected a path of this machine"):
        FUNCTIONS[name](store, address)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a:b", "x/s3:/y", "-x", "C:/x", "irds:gov2"])
def test_other_paths_are_outputs(name: str) -> None:
    assert output_path(name) == Path(name)
