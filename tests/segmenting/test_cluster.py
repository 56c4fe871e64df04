"""`--cluster` on real clusters of Dask and of Ray, in processes of their own, one for all tests."""

import contextlib
import importlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep import UsageError
from boilersweep.cli.main import main
from boilersweep.pages.words import ESTIMATED, dictionary
from boilersweep.work.cluster import parse_cluster
from tests.comparing import comparable
from tests.running import PROGRAM, boilersweep, python
from tests.segmenting.conftest import jsonl
from tests.stores import contents, contents_of_sweep

SEGMENT = ("segment", "--input", "pages", "--extractors", "slowly:text", "--output")
EXPORT = ("export", "--keep", "bte,slowly:text")
JUDGED = ("--topics", "topics.tsv", "--qrels", "qrels.txt")
SWEEP = ("sweep", *JUDGED, "--sweep", "words=1,3", "--engine")

SLOW = """
import time
def text(html):
    time.sleep(0.5)
    return html
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with pages, an extractor, topics and judgements, and a store of the pages."""
    folder = tmp_path_factory.mktemp("place")
    for name in "abcd":
        documents = [(f"{name}{n}", f"<p>text {n} of {name}") for n in range(2)]
        jsonl(folder / "pages" / f"{name}.jsonl", *documents)
    (folder / "code").mkdir()
    (folder / "code" / "slowly.py").write_text(SLOW)
    (folder / "topics.tsv").write_text("1\ttext of a\n2\ttext 1 of c\n")
    (folder / "qrels.txt").write_text("1 0 a0 1\n1 0 b0 0\n2 0 c1 1\n2 0 d0 0\n")
    boilersweep(*SEGMENT, "store", "--threads", 2, **inside(folder))
    return folder


class Dask:
    """A scheduler and two workers."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("distributed")
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self._folder = folder
        options = ("--host", "127.0.0.1", "--no-dashboard")
        self._scheduler = self._start("scheduler", *options, "--port", port)
        self._workers = [self._worker() for _ in range(2)]

    def _worker(self) -> subprocess.Popen[bytes]:
        alone = ("--no-nanny", "--nthreads", 1, "--no-dashboard", "--death-timeout", 9)
        return self._start("worker", self.address, *alone)

    def _start(
        self, kind: str, *options: object, path: Path | None = None
    ) -> subprocess.Popen[bytes]:
        module = "distributed.cli.dask_" + kind
        return started(self._folder, module, *options, path=path)

    def add_a_worker(self, path: Path, threads: int) -> None:
        """Let a worker join that finds other modules first, and wait until it is there."""
        dask: Any = importlib.import_module("distributed")
        options = ("--no-nanny", "--nthreads", threads, "--no-dashboard")
        command = ("worker", self.address, *options, "--death-timeout", 9)
        self._workers.append(self._start(*command, path=path))
        living = sum(worker.poll() is None for worker in self._workers)
        with dask.Client(self.address) as client:
            client.wait_for_workers(living, timeout=60)

    def end_the_last_worker(self) -> None:
        last = self._workers.pop()
        last.kill()
        last.wait()

    def kill_a_worker(self) -> None:
        self._workers[0].kill()

    def kill_the_scheduler(self) -> None:
        self._scheduler.kill()

    def end(self) -> None:
        for process in (*self._workers, self._scheduler):
            process.kill()
            process.wait()


class Ray:
    """A node with two workers, which is the head of its cluster."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("ray")
        if not Path("/proc/self/stat").exists():
            pytest.skip("finds the processes of Ray in /proc")
        port = free_port()
        self.address = f"ray://127.0.0.1:{port}"
        # A path of a socket has at most 107 characters.
        self._folder = tempfile.TemporaryDirectory(prefix="ray")
        here = ("--node-ip-address", "127.0.0.1", "--port", 0, "--num-cpus", 2)
        plain = ("--include-dashboard", "false", "--disable-usage-stats")
        ports = ("--ray-client-server-port", port, "--temp-dir", self._folder.name)
        options = ("--head", "--block", *here, *plain, *ports)
        self._head = started(folder, "ray.scripts.scripts", "start", *options)
        while not listens(port):
            assert self._head.poll() is None
            time.sleep(0.1)

    def kill_a_worker(self) -> None:
        self._kill(b"ray::_call")

    def kill_the_scheduler(self) -> None:
        self._kill(b"")

    def end(self) -> None:
        self._kill(b"")
        self._head.wait()
        self._folder.cleanup()

    def _kill(self, command: bytes) -> None:
        """Kill the processes of the head's session whose command line begins with some bytes."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                session = (process / "stat").read_text().rpartition(")")[2].split()[3]
                is_one = (process / "cmdline").read_bytes().startswith(command)
                if int(session) == self._head.pid and is_one:
                    found.append(int(process.name))
        assert found or not command
        for number in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


Cluster = Dask | Ray


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def started(
    folder: Path, module: str, *options: object, path: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a process of a cluster in a session of its own, not where the commands run."""
    with (folder / "cluster.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", module, *map(str, options)],
            cwd=folder / "code",
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(
                    map(str, filter(None, [path, folder / "code"]))
                ),
                # On a loaded machine a client's process is late.
                "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "120",
            },
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


@pytest.fixture(scope="module", params=[Dask, Ray])
def cluster(place: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Yield a cluster; Ray's wants a token, which is not that of this machine's user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(place))
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
        found = request.param(place)
        yield found
        found.end()


def inside(folder: Path) -> dict[str, Any]:
    """Return how a command runs that finds the extractor."""
    return {"cwd": folder, "env": {"PYTHONPATH": str(folder / "code")}}


@pytest.mark.slow
def test_a_worker_that_dies_costs_nothing(cluster: Cluster, place: Path) -> None:
    output = f"killed-{type(cluster).__name__}"
    with killing(place, output, cluster.address) as running:
        cluster.kill_a_worker()
        _, error = running.communicate()
    assert running.returncode == 0, error
    assert contents(place / output) == contents(place / "store")


@pytest.mark.slow
@pytest.mark.java
def test_a_cluster_builds_the_same_indexes(
    cluster: Cluster, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = ("index", "--sweep", "words=1:40")  # three tasks on two workers
    made = made_twice(index, cluster, place, tmp_path, monkeypatch)
    there, alone = map(comparable, made)
    assert there == alone


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.parametrize("cluster", [Dask], indirect=True)
@pytest.mark.parametrize(
    "work", [EXPORT, (*SWEEP, "exact"), (*SWEEP, "indexes")], ids=lambda work: work[-1]
)
def test_a_cluster_makes_the_same(
    cluster: Cluster,
    work: tuple[str, ...],
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    drawn_figures: None,
) -> None:
    """What Ray's executor does with a function, the tests of segments and indexes show."""
    there, alone = made_twice(work, cluster, place, tmp_path, monkeypatch)
    if "exact" in work:
        [rows] = (there / ".tasks").iterdir()
        assert rows.suffix == ".npz"
        shutil.rmtree(there / ".tasks")
    assert contents_of_sweep(there) == contents_of_sweep(alone)


def made_twice(
    work: tuple[str, ...],
    cluster: Cluster,
    place: Path,
    folder: Path,
    patch: pytest.MonkeyPatch,
) -> tuple[Path, Path]:
    """Return what a command makes of the store on a cluster, and what in this process."""
    there, alone = folder / "there", folder / "alone"
    work = (*work, "--store", "store", "--output")
    boilersweep(*work, there, "--cluster", cluster.address, **inside(place))
    patch.chdir(place)
    patch.syspath_prepend(place / "code")
    assert main([*work, str(alone)]) == 0
    return there, alone


@pytest.mark.slow
@pytest.mark.skipif(dictionary() == ESTIMATED, reason="needs ICU")
@pytest.mark.parametrize("cluster", [Dask], indirect=True)
def test_a_worker_that_lacks_a_package_does_nothing(
    cluster: Dask, place: Path, tmp_path: Path
) -> None:
    """It joins late, with four threads; the others do all, to the same bytes."""
    (tmp_path / "icu4py").mkdir()
    (tmp_path / "icu4py" / "__init__.py").write_text("raise ImportError('not here')")
    cluster.add_a_worker(tmp_path, threads=4)
    there = tmp_path / "there"
    boilersweep(*SEGMENT, there, "--cluster", cluster.address, **inside(place))
    cluster.end_the_last_worker()
    assert contents(there) == contents(place / "store")


@pytest.mark.slow
@pytest.mark.parametrize("cluster", [Ray], indirect=True)
def test_a_cluster_that_wants_a_token(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    said = r"no Ray workers .* token.*RAY_AUTH_TOKEN"
    assert re.search(said, asked(cluster.address))


def test_a_scheduler_that_is_not_there() -> None:
    said = asked(f"tcp://127.0.0.1:{free_port()}", "_SECONDS = 1")
    assert "no Dask workers with boilersweep" in said


@pytest.mark.slow
def test_a_scheduler_that_dies_costs_one_line(cluster: Cluster, place: Path) -> None:
    """The last test of a cluster: the next has another."""
    output = place / f"ended-{type(cluster).__name__}"
    with killing(place, output.name, cluster.address) as running:
        made = {path.name for path in output.glob("*.parquet")}
        cluster.kill_the_scheduler()
        _, error = running.communicate()
    assert running.returncode == 1
    assert "Traceback" not in error, error
    [line] = [one for one in error.splitlines() if one.startswith("boilersweep: ")]
    assert "lost" in line, error
    assert "run the same command again" in line
    boilersweep(*SEGMENT, output, "--threads", 2, **inside(place))
    assert made <= {path.name for path in output.iterdir()}
    assert contents(output) == contents(place / "store")


def asked(address: str, setting: str = "") -> str:
    """Return what a process says that does not get an executor, with a setting changed or none."""
    code = "from boilersweep.work import cluster; "
    code += f"cluster.{setting}; " if setting else ""
    code += f"cluster.cluster_executor({address!r}).__enter__()"
    return python("-c", code, status=1).stderr


@contextlib.contextmanager
def killing(folder: Path, output: str, address: str) -> Iterator[subprocess.Popen[str]]:
    """Start to segment on a cluster; yield the process once a first text is there."""
    command = (*SEGMENT, output, "--cluster", address)
    with subprocess.Popen(
        [*PROGRAM, *command],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(folder / "code"),
            "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "1",  # seconds
        },
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        while not any((folder / output).glob("texts-*")):
            assert running.poll() is None, running.communicate()
            time.sleep(0.02)
        yield running


@pytest.mark.parametrize("text", ["host:8786", "http://host", "Auto", "ray:/h", ""])
def test_addresses(text: str) -> None:
    with pytest.raises(UsageError, match="the address of a Dask scheduler"):
        parse_cluster(text)


@pytest.mark.parametrize(
    "text", ["tcp://host:8786", "tls://host:1", "ray://h:1", "auto"]
)
def test_good_addresses(text: str) -> None:
    assert parse_cluster(text) == text
