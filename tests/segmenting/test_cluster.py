"""`--cluster` on a real Dask scheduler with workers in processes of their own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.work import cluster
from boilersweep.work.cluster import cluster_executor, parse_cluster
from tests.running import boilersweep
from tests.segmenting.conftest import jsonl
from tests.stores import contents

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


class Cluster:
    """A scheduler and two workers; `workers` and `scheduler` are their processes."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("distributed")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._folder = folder
        self._log = (folder / "dask.log").open("ab")
        options = ("--host", "127.0.0.1", "--no-dashboard")
        self.scheduler = self._start("scheduler", *options, "--port", port)
        self.workers = [self._worker() for _ in range(2)]

    def _worker(self) -> subprocess.Popen[bytes]:
        alone = ("--no-nanny", "--nthreads", 1, "--no-dashboard", "--death-timeout", 9)
        return self._start("worker", self.address, *alone)

    def _start(self, kind: str, *options: object) -> subprocess.Popen[bytes]:
        command = (sys.executable, "-m", "distributed.cli.dask_" + kind)
        return subprocess.Popen(
            [*command, *map(str, options)],
            cwd=self._folder / "code",  # not where the commands run
            env={**os.environ, "PYTHONPATH": str(self._folder / "code")},
            stdout=self._log,
            stderr=self._log,
        )

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
        self._log.close()


@pytest.fixture
def dask(tmp_path: Path, pages: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    yield found
    found.end()


def segment(folder: Path, output: str, *more: object) -> None:
    arguments = ("segment", "--input", "pages", "--output", output, *more)
    boilersweep(*arguments, *EXTRACT, cwd=folder, env=path_of(folder))


def path_of(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(folder / "code")}


@pytest.mark.slow
def test_a_cluster_makes_the_same_whatever_dies(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cluster for all: a worker that dies costs nothing, a scheduler one line."""
    segment(tmp_path, "alone", "--threads", 2)
    segment(tmp_path, "there", "--cluster", dask.address)
    assert contents(tmp_path / "there") == contents(tmp_path / "alone")
    export = ("export", "--store", "there", "--keep", "bte,slowly:text", "--output")
    boilersweep(*export, "texts", cwd=tmp_path, env=path_of(tmp_path))
    cluster_of = ("--cluster", dask.address)
    boilersweep(*export, "others", *cluster_of, cwd=tmp_path, env=path_of(tmp_path))
    assert contents(tmp_path / "others") == contents(tmp_path / "texts")
    with monkeypatch.context() as patch:
        patch.setattr(cluster, "__version__", "0.0.9")
        said = (
            r"worker tcp.* has boilersweep 0\.1\.0.* this process boilersweep 0\.0\.9"
        )
        with pytest.raises(BoilersweepError, match=said):
            cluster_executor(dask.address).__enter__()
    with killing(tmp_path, "one", dask) as running:
        dask.workers[0].send_signal(signal.SIGKILL)
        _, error = running.communicate()
    assert running.returncode == 0, error
    assert contents(tmp_path / "one") == contents(tmp_path / "alone")
    with killing(tmp_path, "all", dask) as running:
        made = {path.name for path in (tmp_path / "all").glob("*.parquet")}
        dask.scheduler.send_signal(signal.SIGKILL)
        _, error = running.communicate()
    assert running.returncode == 1
    assert "Traceback" not in error, error
    [line] = [one for one in error.splitlines() if one.startswith("boilersweep: ")]
    assert "lost" in line, error
    assert "run the same command again" in line
    segment(tmp_path, "all", "--threads", 2)
    assert made <= {path.name for path in (tmp_path / "all").iterdir()}
    assert contents(tmp_path / "all") == contents(tmp_path / "alone")
    monkeypatch.setattr(cluster, "_SECONDS", 1)
    with pytest.raises(BoilersweepError, match="no Dask workers with boilersweep"):
        cluster_executor(dask.address).__enter__()


@contextlib.contextmanager
def killing(
    folder: Path, output: str, dask: Cluster
) -> Iterator[subprocess.Popen[str]]:
    """Start to segment on a cluster; yield the process once a first text is there."""
    command = ("segment", "--input", "pages", "--output", output, *EXTRACT)
    with subprocess.Popen(
        [sys.executable, "-m", "boilersweep", *command, "--cluster", dask.address],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "code")},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        while not any((folder / output).glob("texts-*")):
            assert running.poll() is None
            time.sleep(0.02)
        yield running


@pytest.mark.parametrize("text", ["host:8786", "http://host", "auto", ""])
def test_addresses(text: str) -> None:
    with pytest.raises(UsageError, match="the address of a Dask scheduler"):
        parse_cluster(text)
    assert parse_cluster("tls://host:1") == "tls://host:1"
