"""Input and block stores at URLs, from a real S3-compatible server run here (conftest.py)."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from boilersweep.cli.main import main
from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.store.shard import read_facts
from tests.clusters import Dask
from tests.running import PROGRAM, Ended, WarmProgram
from tests.stores import without_states
from tests.system.conftest import Gate, SwiftServer

pytestmark = [pytest.mark.java, pytest.mark.slow]

pytest.importorskip("upath", reason="boilersweep[remote] is not installed")
s3fs = pytest.importorskip("s3fs", reason="boilersweep[remote] is not installed")
ONE_TRY = {"AWS_MAX_ATTEMPTS": "1"}  # of botocore; s3fs tries five times still
SWEEP = ("--sweep", "words=1,5,11", "--engine", "exact", "--threads", "1")


@pytest.fixture(scope="module")
def s3(swift: SwiftServer) -> dict[str, str]:
    return swift.environment


@pytest.fixture(scope="module")
def bucket(s3: dict[str, str]) -> Any:
    files = s3fs.S3FileSystem(
        endpoint_url=s3["AWS_ENDPOINT_URL"],
        key=s3["AWS_ACCESS_KEY_ID"],
        secret=s3["AWS_SECRET_ACCESS_KEY"],
    )
    files.mkdir("bucket")
    return files


@pytest.fixture(scope="module")
def demo(bucket: Any, tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    demo = write_demo(tmp_path_factory.mktemp("demo"), pages=60)
    bucket.put(str(demo.trec), "bucket/pages", recursive=True)
    with bucket.open("bucket/pages/.hidden/permalinks-000.gz", "wb") as file:
        file.write(b"no page")
    return demo


Run = Callable[..., Ended]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Yield a function that runs a command in an environment, each of which has a process."""
    warm: dict[frozenset[tuple[str, str]], WarmProgram] = {}
    # A command finds what its process would find, and not what an earlier one has found.
    before = "import s3fs; s3fs.S3FileSystem.clear_instance_cache()"

    def run(environment: dict[str, str], *arguments: object, status: int = 0) -> Ended:
        key = frozenset(environment.items())
        if key not in warm:
            folder = tmp_path_factory.mktemp("warm") / "printed"
            env = {**environment, "OMP_NUM_THREADS": "1"}
            warm[key] = WarmProgram(folder, env, before)
        try:
            return warm[key].run(*arguments, status=status)
        except BaseException:
            warm.pop(key).kill()  # a test that runs again has a new one
            raise

    with contextlib.ExitStack() as ends:
        yield run
        for one in warm.values():
            ends.callback(one.end)


def here(*arguments: object) -> None:
    """Run a command that reads and writes no object, in this process."""
    assert main([*map(str, arguments)]) == 0


def shards(folder: Path) -> dict[str, Any]:
    """Return the rows and metadata of each shard."""
    found = {}
    for path in folder.glob("*.parquet"):
        facts = asdict(read_facts(path))
        found[path.name] = (pq.read_table(path).replace_schema_metadata(), facts)
    return found


@pytest.fixture(scope="module")
def local(demo: DemoCollection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("local")
    store = ("--output", folder / "store", "--threads", 1)
    here("segment", "--input", demo.trec, *store)
    return folder


def test_pages_from_s3(
    run: Run, s3: dict[str, str], demo: DemoCollection, local: Path, tmp_path: Path
) -> None:
    pages = ("--input", "s3://bucket/pages", "--threads", 2)
    run(s3, "segment", *pages, "--output", tmp_path)
    assert shards(tmp_path) == shards(local / "store")
    file = "s3://bucket/pages/20051206/permalinks-000.gz"
    run(s3, "segment", "--input", file, "--output", tmp_path / "one", "--threads", 1)


def test_a_block_store_from_s3(
    run: Run,
    s3: dict[str, str],
    demo: DemoCollection,
    bucket: Any,
    local: Path,
    tmp_path: Path,
) -> None:
    """The topics and qrels are there, too."""
    bucket.put(str(local / "store"), "bucket/store", recursive=True)
    bucket.put([str(demo.topics), str(demo.qrels)], "bucket/judged/")
    there = "s3://bucket/judged"
    remote = ("--topics", f"{there}/topics.txt", "--qrels", f"{there}/qrels.txt")
    near = ("--topics", demo.topics, "--qrels", demo.qrels)
    output = ("--output", tmp_path / "there")
    run(s3, "sweep", "--store", "s3://bucket/store", *remote, *SWEEP, *output)
    output = ("--output", tmp_path / "here")
    here("sweep", "--store", local / "store", *near, *SWEEP, *output)
    run(s3, "check", tmp_path / "there")
    missing = ("evaluate", "--qrels", "s3://bucket/none", "--run", demo.topics)
    said = run(s3, *missing, status=1).stderr
    assert "s3://bucket/none: expected a file of qrels, got: No such file" in said
    for name in ("scores.csv", "topics.csv", "runs/words-005.trec"):
        assert (tmp_path / "there" / name).read_bytes() == (
            tmp_path / "here" / name
        ).read_bytes()


def objects(bucket: Any, folder: str) -> dict[str, bytes]:
    """Return what is below a folder of the bucket, notes of its writers left out."""
    bucket.invalidate_cache()
    found = bucket.find(f"bucket/{folder}")
    contents = {name.removeprefix(f"bucket/{folder}/"): name for name in found}
    there = {}
    for name, path in contents.items():
        if not name.startswith("."):
            with contextlib.suppress(FileNotFoundError):  # gone since it was listed
                there[name] = without_states(name, bucket.cat_file(path))
    return there


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): without_states(
            path.name, path.read_bytes()
        )
        for path in folder.rglob("*")
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(".")
    }


@pytest.mark.application("learned")
def test_a_store_and_an_export_to_s3(
    run: Run,
    s3: dict[str, str],
    demo: DemoCollection,
    bucket: Any,
    local: Path,
    tmp_path: Path,
) -> None:
    pages, there = tmp_path / "pages", "s3://bucket/made"
    shutil.copytree(demo.trec, pages)
    segment = ("segment", "--input", pages, "--threads", 2, "--output")
    here(*segment, tmp_path / "store")
    run(s3, *segment, there)
    assert objects(bucket, "made") == files(tmp_path / "store")
    before = bucket.modified("bucket/made/manifest.json")
    run(s3, *segment, there)
    bucket.invalidate_cache()
    assert bucket.modified("bucket/made/manifest.json") == before
    next(path for path in sorted(pages.rglob("*.gz"))).unlink()
    run(s3, *segment, there)
    here(*segment, tmp_path / "store")
    assert objects(bucket, "made") == files(tmp_path / "store")
    export = ("export", "--keep", "learned,words>=11", "--threads", 2)
    here(*export, "--store", tmp_path / "store", "--output", tmp_path / "texts")
    run(s3, *export, "--store", there, "--output", "s3://bucket/texts")
    remote, near = objects(bucket, "texts"), files(tmp_path / "texts")
    del remote["manifest.json"], near["manifest.json"]  # they name their stores
    assert remote == near
    here("check", tmp_path / "store")
    other = run(s3, *segment, there, "--borders", "paper", status=1)
    assert "contains another store than requested: options borders" in other.stderr
    refused = run(s3, "index", "--store", there, "--output", there, status=2)
    assert "expected a path of this machine for the output" in refused.stderr


def test_a_killed_run_to_s3_is_continued(
    run: Run, s3: dict[str, str], demo: DemoCollection, bucket: Any, local: Path
) -> None:
    segment = ("segment", "--input", str(demo.trec), "--output", "s3://bucket/killed")
    with subprocess.Popen(
        [*PROGRAM, *segment, "--threads", "1"],
        env={**os.environ, **s3},
    ) as running:
        while not objects(bucket, "killed"):
            assert running.poll() is None
            time.sleep(0.02)
        running.kill()
    made = objects(bucket, "killed")
    assert "manifest.json" not in made
    run(s3, *segment)
    assert made.items() <= objects(bucket, "killed").items()
    assert objects(bucket, "killed") == files(local / "store")


def test_what_cannot_be_reached(
    run: Run, s3: dict[str, str], bucket: Any, tmp_path: Path
) -> None:
    def refused(status: int, url: str, **environment: str) -> str:
        command = ("segment", "--input", url, "--output", tmp_path / "out")
        done = run(s3 | ONE_TRY | environment, *command, status=status)
        assert "Traceback" not in done.stderr
        return done.stderr

    for url in ("s3://bucket/nothing", "s3://nothing/at-all"):
        assert f"{url} does not exist" in refused(1, url)
    gone = refused(2, "s3://bucket/pages", AWS_ENDPOINT_URL="http://127.0.0.1:9")
    assert "s3://bucket/pages cannot be reached (EndpointConnectionError" in gone
    assert "Unsupported filesystem: 'nonsense'" in refused(2, "nonsense://bucket/pages")


@pytest.mark.parametrize(
    "wrong", [{"AWS_SECRET_ACCESS_KEY": "wrong"}, {"AWS_ACCESS_KEY_ID": "test:nobody"}]
)
@pytest.mark.parametrize("path", ["pages", "pages/20051206/permalinks-000.gz"])
def test_wrong_credentials(
    run: Run,
    s3: dict[str, str],
    demo: DemoCollection,
    tmp_path: Path,
    path: str,
    wrong: dict[str, str],
) -> None:
    url = f"s3://bucket/{path}"
    segment = ("segment", "--input", url, "--output", tmp_path / "out")
    done = run(s3 | wrong, *segment, status=2)
    assert (
        f"{url} cannot be reached (PermissionError: Forbidden); "
        "check its name, credentials and endpoint\n"
    ) in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.exhaustive
def test_a_server_killed_mid_way(
    run: Run, swift: SwiftServer, s3: dict[str, str], bucket: Any, tmp_path: Path
) -> None:
    pages, store = write_demo(tmp_path / "demo", pages=600).trec, tmp_path / "store"
    bucket.put(str(pages), "bucket/more", recursive=True)
    segment = (
        "segment",
        "--input",
        "s3://bucket/more",
        "--output",
        store,
        "--threads",
        1,
    )
    files = len(list(pages.rglob("permalinks-*.gz")))
    with subprocess.Popen(
        [*PROGRAM, *map(str, segment)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **s3, **ONE_TRY},
    ) as client:
        while not shards(store) and client.poll() is None:
            time.sleep(0.001)
        client.send_signal(signal.SIGSTOP)  # the others wait until the server is gone
        swift.kill()
        client.send_signal(signal.SIGCONT)
        try:
            _, said = client.communicate()
        finally:
            swift.start()
    finished = {name: (store / name).stat().st_mtime_ns for name in shards(store)}
    assert 0 < len(finished) < files, said
    assert client.returncode == 1, said
    assert said.count("boilersweep: ") == 1, said
    assert "cannot read s3://bucket/more/" in said.splitlines()[-1]
    assert "Traceback" not in said

    # What was put there is there again, and what was done is not done again.
    run(s3, *segment)
    assert {name: (store / name).stat().st_mtime_ns for name in finished} == finished
    here("segment", "--input", pages, "--output", tmp_path / "here", "--threads", 1)
    assert len(shards(store)) == files
    assert shards(store) == shards(tmp_path / "here")


@pytest.fixture
def gate(swift: SwiftServer) -> Iterator[Gate]:
    gate = swift.gate()
    yield gate
    gate.end()


def through(gate: Gate, s3: dict[str, str]) -> dict[str, str]:
    return {**s3, **ONE_TRY, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{gate.port}"}


def test_waiting_for_a_slow_store_costs_no_page(
    run: Run,
    gate: Gate,
    s3: dict[str, str],
    demo: DemoCollection,
    bucket: Any,
    local: Path,
) -> None:
    gate.seconds = 1.5
    slow = ("--input", "s3://bucket/pages/20051206/permalinks-000.gz")
    how = ("--output", "s3://bucket/slow", "--max-page-seconds", 1)
    done = run(through(gate, s3), "segment", *slow, *how)
    assert "lost" not in done.stderr
    assert objects(bucket, "slow").keys() > {"manifest.json"}


def test_a_cluster_writes_to_s3(
    run: Run,
    gate: Gate,
    s3: dict[str, str],
    demo: DemoCollection,
    bucket: Any,
    local: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The workers, who run elsewhere, read and write objects themselves; a read may fail."""
    for name, value in through(gate, s3).items():
        monkeypatch.setenv(name, value)
    (tmp_path / "code").mkdir()
    cluster = Dask(tmp_path)
    try:
        there = ("--output", "s3://bucket/sent", "--cluster", cluster.address)
        run(s3, "segment", "--input", "s3://bucket/pages", *there)
        bucket.get("bucket/sent", str(tmp_path / "sent"), recursive=True)
        assert shards(tmp_path / "sent") == shards(local / "store")
        export = ("export", "--keep", "words>=5", "--store")
        there = ("--output", "s3://bucket/sent-texts", "--cluster", cluster.address)
        run(s3, *export, "s3://bucket/sent", *there)
        alone = ("--output", tmp_path / "texts", "--threads", 1)
        here(*export, local / "store", *alone)
        remote, near = objects(bucket, "sent-texts"), files(tmp_path / "texts")
        del remote["manifest.json"], near["manifest.json"]  # they name their stores
        assert remote == near
        gate.fails = True
        again = ("--input", "s3://bucket/pages", "--output", tmp_path / "again")
        sent = ("segment", *again, "--cluster", cluster.address)
        said = run(s3, *sent, status=1).stderr
        assert "Traceback" not in said
        [line] = [one for one in said.splitlines() if one.startswith("boilersweep: ")]
        assert "cannot read s3://bucket/pages/2005" in line
        assert f"(on the worker {socket.gethostname()})" in line
        gate.fails = False
        run(s3, *sent)
        assert shards(tmp_path / "again") == shards(local / "store")
    finally:
        cluster.end()
