"""One command, and the same in several processes at a time: the same to the last byte."""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from boilersweep.cli.main import main
from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.eval import BM25, search_index
from boilersweep.indexer import start_jvm
from boilersweep.indexer.manifest import MANIFEST, read_manifest
from tests.running import PROGRAM, boilersweep
from tests.stores import contents

pytestmark = [pytest.mark.java, pytest.mark.slow]

SWEEPS = ("--sweep", "words=1,5,11", "--sweep", "density=5")
CLEANERS = ("--cleaners", "bte,words>=3 & link_density<=0.33")
MANY = ("--sweep", "words=1:30", "--sweep", "density=1:15")  # three tasks of indexes
EXPORT = ("--keep", "words>=5,bte", "--passages", 20)
EXPORTED = ("words-005", "bte")
SCORES = ("scores.csv", "topics.csv", "table.txt")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    """120 pages in eight files."""
    return write_demo(tmp_path_factory.mktemp("demo"), pages=120)


def here(*arguments: object) -> None:
    """Run the command in this process."""
    assert main([*map(str, arguments)]) == 0


def at_the_same_time(processes: int, *command: object) -> None:
    """Run one command in several processes, which divide its work."""
    with ThreadPoolExecutor(processes) as pool:
        env = {"OMP_NUM_THREADS": "1"}
        started = [
            pool.submit(boilersweep, *command, env=env) for _ in range(processes)
        ]
        for one in started:
            one.result()


def experiment(demo: DemoCollection) -> list[object]:
    options = [*SWEEPS, *CLEANERS, "--threads", 1, "--verify", "full"]
    return ["--topics", demo.topics, "--qrels", demo.qrels, *options]


@pytest.fixture(scope="module")
def plain(demo: DemoCollection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store, the sweep, the indexes and the export of plain commands."""
    out = tmp_path_factory.mktemp("plain")
    alone = ("--threads", 1, "--output")
    here("segment", "--input", demo.trec, *alone, out / "store")
    of_store = ("--store", out / "store")
    exact = ("--engine", "exact", *of_store, "--output", out / "sweep")
    here("sweep", *exact, *experiment(demo))
    here("index", *of_store, *alone, out / "indexes", *MANY)
    here("export", *of_store, *alone, out / "export", *EXPORT)
    return out


def assert_same(ours: Path, plain: Path) -> None:
    """Compare stores, scores, runs and exports byte for byte, and indexes by manifest and ranks."""
    assert contents(ours / "store") == contents(plain / "store")
    assert folders(ours / "export") == folders(plain / "export") == sorted(EXPORTED)
    for name in EXPORTED:
        assert len(contents(ours / "export" / name)) == 8
        assert contents(ours / "export" / name) == contents(plain / "export" / name)
    assert contents(ours / "sweep" / "runs") == contents(plain / "sweep" / "runs")
    for name in SCORES:
        assert (ours / "sweep" / name).read_bytes() == (
            plain / "sweep" / name
        ).read_bytes()
    start_jvm()
    for folder in ("indexes", "sweep/indexes"):
        assert folders(ours / folder) == folders(plain / folder)
    names = folders(plain / "indexes")
    queries = {
        str(n): text for n, text in enumerate(["chess", "coffee garden", "the moon"])
    }
    proofs = folders(plain / "sweep/indexes")
    for name in [
        *(f"indexes/{n}" for n in names),
        *(f"sweep/indexes/{n}" for n in proofs),
    ]:
        assert read_manifest(ours / name) == read_manifest(plain / name)
        assert search_index(ours / name, queries, BM25()) == search_index(
            plain / name, queries, BM25()
        )


def folders(folder: Path) -> list[str]:
    """Return the names of the folders in one that are not hidden."""
    return sorted(path.name for path in folder.glob("[!.]*") if path.is_dir())


def test_three_processes(demo: DemoCollection, plain: Path, tmp_path: Path) -> None:
    """One process that builds indexes is killed before three others come."""
    store, sweep, indexes = (tmp_path / name for name in ("store", "sweep", "indexes"))
    alone = ("--threads", 1)
    at_the_same_time(3, "segment", "--input", demo.trec, "--output", store, *alone)
    of_store = ("--store", store, "--output")
    exact = ("sweep", "--engine", "exact", *of_store, sweep, *experiment(demo))
    at_the_same_time(3, *exact, "--divide")
    index = ("index", *of_store, indexes, *alone, *MANY, "--divide")
    kill_at_the_first_index(indexes, *index)
    built = manifests(indexes)
    assert 0 < len(built) < len(manifests(plain / "indexes"))
    at_the_same_time(3, *index)
    assert built.items() <= manifests(indexes).items()
    export = ("export", *of_store, tmp_path / "export", *alone)
    here(*export, *EXPORT)
    assert_same(tmp_path, plain)


def kill_at_the_first_index(output: Path, *command: object) -> None:
    """Start a command, and kill it as soon as there is a whole index in its output."""
    arguments = [*PROGRAM, *map(str, command)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as process:
        while not manifests(output):
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()


def manifests(folder: Path) -> dict[str, int]:
    """Return when the manifest of each index was written, by the index's name."""
    found = folder.glob(f"[!.]*/{MANIFEST}")
    return {path.parent.name: path.stat().st_mtime_ns for path in found}
