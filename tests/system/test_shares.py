"""One command, and shares of it in several processes: the same to the last byte."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.eval.ranking.formulas import BM25
from boilersweep.eval.ranking.search import search_index
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.manifest import read_manifest
from boilersweep.work.shares import all_shares, parts_folder
from tests import running
from tests.stores import contents

pytestmark = [pytest.mark.java, pytest.mark.slow]

SWEEPS = ("--sweep", "words=1,5,11", "--sweep", "density=5")
CLEANERS = ("--cleaners", "bte,words>=3 & link_density<=0.33")
KEEP = ("--keep", "words>=5", "--storeContents")
EXPORT = ("--keep", "words>=5,bte", "--passages", 20)
EXPORTED = ("words-005", "bte")
SCORES = ("scores.csv", "topics.csv", "table.txt")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    """120 pages in eight files."""
    return write_demo(tmp_path_factory.mktemp("demo"), pages=120)


def boilersweep(*arguments: object) -> str:
    """Run the command in a process of its own; return what it prints."""
    return python("-m", "boilersweep", *arguments)


def python(*arguments: object) -> str:
    return running.python(*arguments, env={"OMP_NUM_THREADS": "1"}).stdout


_SHARES = """
import sys
from boilersweep.cli.main import main
shares, *command = sys.argv[1:]
sys.exit(max(main([*command, "--share", share]) for share in shares.split(",")))
"""


def at_the_same_time(processes: int, *command: object) -> None:
    """Run one command in several processes, which divide its work."""
    with ThreadPoolExecutor(processes) as pool:
        for outcome in [pool.submit(boilersweep, *command) for _ in range(processes)]:
            outcome.result()


def in_two_processes(of: int, *command: object) -> None:
    """Run all shares of a command, the odd ones and the even ones backwards at the same time."""
    shares = list(map(str, all_shares(of)))
    with ThreadPoolExecutor(2) as pool:
        outcomes = [
            pool.submit(python, "-c", _SHARES, ",".join(some), *command)
            for some in (shares[::2], shares[1::2][::-1])
        ]
        for outcome in outcomes:
            outcome.result()


def experiment(demo: DemoCollection) -> list[object]:
    options = [*SWEEPS, *CLEANERS, "--threads", 1, "--verify", "full"]
    return ["--topics", demo.topics, "--qrels", demo.qrels, *options]


@pytest.fixture(scope="module")
def plain(demo: DemoCollection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store, the sweep, the indexes and the export of plain commands."""
    out = tmp_path_factory.mktemp("plain")
    boilersweep(
        "segment", "--input", demo.trec, "--output", out / "store", "--threads", 1
    )
    exact = ("--engine", "exact", "--store", out / "store", "--output", out / "sweep")
    boilersweep("sweep", *exact, *experiment(demo))
    index = ("index", "--store", out / "store", "--threads", 1, "--output")
    boilersweep(*index, out / "indexes", *SWEEPS)
    boilersweep(*index, out / "index", *KEEP)
    export = (
        "export",
        "--store",
        out / "store",
        "--output",
        out / "export",
        "--threads",
        1,
    )
    boilersweep(*export, *EXPORT)
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
        "index",
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


def test_three_shares_merged(demo: DemoCollection, plain: Path, tmp_path: Path) -> None:
    store, sweep, indexes, index = (
        tmp_path / n for n in ("store", "sweep", "indexes", "index")
    )
    at_the_same_time(
        3, "segment", "--input", demo.trec, "--output", store, "--threads", 1
    )
    exact = [
        "sweep",
        "--engine",
        "exact",
        "--store",
        store,
        "--output",
        sweep,
        *experiment(demo),
    ]
    at_the_same_time(3, *exact, "--divide")
    for output, what in ((indexes, SWEEPS), (index, KEEP)):
        in_two_processes(
            3, "index", "--store", store, "--output", output, "--threads", 1, *what
        )
        boilersweep("merge", output)
        assert not parts_folder(output).exists()
    export = (
        "export",
        "--store",
        store,
        "--output",
        tmp_path / "export",
        "--threads",
        1,
    )
    at_the_same_time(3, *export, *EXPORT)
    assert_same(tmp_path, plain)
