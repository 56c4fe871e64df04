"""`--cluster` on real clusters of Dask and of Ray, in processes of their own."""

import contextlib
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

import pytest

from boilersweep.errors import UsageError
from boilersweep.work.cluster import parse_cluster
from tests.comparing import comparable
from tests.running import boilersweep, python
from tests.segmenting.conftest import jsonl
from tests.stores import contents, contents_of_sweep

EXTRACT = ("--extractors", "slowly:text")

SLOW = """
import time
def text(html):
    time.sleep(0.5)
    return html
"""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name in "abcd":
        documents = [(f"{name}{n}", f"<p>text {n} of {name}") for n in range(2)]
        jsonl(tmp_path / "pages" / f"{name}.jsonl", *documents)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "slowly.py").write_text(SLOW)
    return tmp_path / "pages"


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

    def _start(self, kind: str, *options: object) -> subprocess.Popen[bytes]:
        return started(self._folder, "distributed.cli.dask_" + kind, *options)

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
        connect = f"import ray; ray.init({self.address!r})"
        while python("-c", connect, status=None).returncode:
            assert self._head.poll() is None

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


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def started(folder: Path, module: str, *options: object) -> subprocess.Popen[bytes]:
    """Start a process of a cluster in a session of its own, not where the commands run."""
    with (folder / "cluster.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", module, *map(str, options)],
            cwd=folder / "code",
            env={
                **os.environ,
                "PYTHONPATH": str(folder / "code"),
                # On a loaded machine a client's process is late.
                "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "120",
            },
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


@pytest.fixture(params=[Dask, Ray])
def cluster(
    tmp_path: Path,
    pages: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Dask | Ray]:
    """Yield a cluster; Ray's wants a token, which is not that of this machine's user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
    found = request.param(tmp_path)
    yield found
    found.end()


def segment(folder: Path, output: str, *more: object) -> None:
    arguments = ("segment", "--input", "pages", "--output", output, *more)
    boilersweep(*arguments, *EXTRACT, cwd=folder, env=path_of(folder))


def path_of(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(folder / "code")}


@pytest.mark.java
@pytest.mark.slow
def test_a_cluster_makes_the_same_whatever_dies(
    cluster: Dask | Ray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cluster for all: a worker that dies costs nothing, a scheduler one line."""
    segment(tmp_path, "alone", "--threads", 2)
    segment(tmp_path, "there", "--cluster", cluster.address)
    assert contents(tmp_path / "there") == contents(tmp_path / "alone")
    export = ("export", "--store", "there", "--keep", "bte,slowly:text", "--output")
    boilersweep(*export, "texts", cwd=tmp_path, env=path_of(tmp_path))
    cluster_of = ("--cluster", cluster.address)
    boilersweep(*export, "others", *cluster_of, cwd=tmp_path, env=path_of(tmp_path))
    assert contents(tmp_path / "others") == contents(tmp_path / "texts")
    sweep = ("sweep", "--store", "there", *judged(tmp_path), "--sweep", "words=1,3")
    exact = (*sweep, "--engine", "exact", "--output")
    boilersweep(*exact, "swept", cwd=tmp_path, env=path_of(tmp_path))
    boilersweep(*exact, "sent", *cluster_of, cwd=tmp_path, env=path_of(tmp_path))
    [rows] = (tmp_path / "sent" / ".tasks").iterdir()
    assert rows.suffix == ".npz"
    shutil.rmtree(tmp_path / "sent" / ".tasks")
    assert contents_of_sweep(tmp_path / "sent") == contents_of_sweep(tmp_path / "swept")
    said = r"worker .* has boilersweep 0\.1\.0.* this process boilersweep 0\.0\.9"
    other = asked(cluster.address, "__version__ = '0.0.9'")
    assert re.search(said, other), other
    if isinstance(cluster, Ray):
        with monkeypatch.context() as patch:
            patch.delenv("RAY_AUTH_TOKEN")
            said = r"no Ray workers .* token.*RAY_AUTH_TOKEN"
            assert re.search(said, asked(cluster.address))
    with killing(tmp_path, "one", cluster.address) as running:
        cluster.kill_a_worker()
        _, error = running.communicate()
    assert running.returncode == 0, error
    assert contents(tmp_path / "one") == contents(tmp_path / "alone")
    with killing(tmp_path, "all", cluster.address) as running:
        made = {path.name for path in (tmp_path / "all").glob("*.parquet")}
        cluster.kill_the_scheduler()
        _, error = running.communicate()
    assert running.returncode == 1
    assert "Traceback" not in error, error
    [line] = [one for one in error.splitlines() if one.startswith("boilersweep: ")]
    assert "lost" in line, error
    assert "run the same command again" in line
    segment(tmp_path, "all", "--threads", 2)
    assert made <= {path.name for path in (tmp_path / "all").iterdir()}
    assert contents(tmp_path / "all") == contents(tmp_path / "alone")
    assert re.search(
        "no (Dask|Ray) workers with boilersweep", asked(cluster.address, "_SECONDS = 1")
    )


@pytest.mark.java
@pytest.mark.slow
def test_a_cluster_builds_the_same_indexes(cluster: Dask | Ray, tmp_path: Path) -> None:
    """Three tasks on two workers, and the real indexes of a sweep."""
    segment(tmp_path, "store", "--threads", 2)
    cluster_of = ("--cluster", cluster.address)
    index = ("index", "--store", "store", "--sweep", "words=1:40", "--output")
    boilersweep(*index, "alone", cwd=tmp_path, env=path_of(tmp_path))
    boilersweep(*index, "there", *cluster_of, cwd=tmp_path, env=path_of(tmp_path))
    assert comparable(tmp_path / "there") == comparable(tmp_path / "alone")
    sweep = ("sweep", "--store", "store", *judged(tmp_path), "--sweep", "words=1,3")
    sweep += ("--engine", "indexes", "--output")
    boilersweep(*sweep, "swept", cwd=tmp_path, env=path_of(tmp_path))
    boilersweep(*sweep, "sent", *cluster_of, cwd=tmp_path, env=path_of(tmp_path))
    swept = contents_of_sweep(tmp_path / "swept")
    assert contents_of_sweep(tmp_path / "sent") == swept


def judged(folder: Path) -> list[str]:
    """Write topics and judgements, and return the options that name them."""
    (folder / "topics.tsv").write_text("1\ttext of a\n2\ttext 1 of c\n")
    (folder / "qrels.txt").write_text("1 0 a0 1\n1 0 b0 0\n2 0 c1 1\n2 0 d0 0\n")
    return ["--topics", "topics.tsv", "--qrels", "qrels.txt"]


def asked(address: str, setting: str = "") -> str:
    """Return what a process says that does not get an executor, with a setting changed or none."""
    code = "from boilersweep.work import cluster; "
    code += f"cluster.{setting}; " if setting else ""
    code += f"cluster.cluster_executor({address!r}).__enter__()"
    return python("-c", code, status=1).stderr


@contextlib.contextmanager
def killing(folder: Path, output: str, address: str) -> Iterator[subprocess.Popen[str]]:
    """Start to segment on a cluster; yield the process once a first text is there."""
    command = ("segment", "--input", "pages", "--output", output, *EXTRACT)
    with subprocess.Popen(
        [sys.executable, "-m", "boilersweep", *command, "--cluster", address],
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
