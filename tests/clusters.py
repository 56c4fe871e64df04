"""Clusters of Dask and of Ray on this machine, each in processes of its own."""

import contextlib
import importlib.machinery
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from tests.running import python

SECONDS = 120  # for what is soon done on a quiet machine


class Cluster:
    """Processes at an address."""

    address: str

    @property
    def options(self) -> tuple[str, str]:
        """How a command is told of the cluster."""
        return "--cluster", self.address

    def kill_a_worker(self) -> None:
        raise NotImplementedError

    def kill_the_scheduler(self) -> None:
        raise NotImplementedError

    def add_a_node(self) -> subprocess.Popen[bytes]:
        """Let a node join, with what replaces its workers; return the leader of its session."""
        raise NotImplementedError


class Dask(Cluster):
    """A scheduler and two workers."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("distributed")
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self._folder = folder
        options = ("--host", "127.0.0.1", "--no-dashboard")
        self._scheduler = self._start("scheduler", *options, "--port", port)
        self._workers: list[subprocess.Popen[bytes]] = []
        self.add_workers()

    def _worker(
        self, *options: object, path: Path | None = None
    ) -> subprocess.Popen[bytes]:
        alone = (
            "--no-nanny",
            "--nthreads",
            1,
            "--no-dashboard",
            "--death-timeout",
            SECONDS,
        )
        return self._start("worker", self.address, *alone, *options, path=path)

    def _start(
        self, kind: str, *options: object, path: Path | None = None
    ) -> subprocess.Popen[bytes]:
        module = "distributed.cli.dask_" + kind
        return started(self._folder, module, *options, path=path)

    def add_a_worker(
        self, modules: dict[str, str] | None = None, *options: object
    ) -> None:
        """Let a worker join that finds other modules first, and wait until it is there."""
        path = None
        if modules:
            path = Path(tempfile.mkdtemp(dir=self._folder))
            for name, code in modules.items():
                (path / name).parent.mkdir(exist_ok=True)
                (path / name).write_text(code)
        self._workers.append(self._worker(*options, path=path))
        self._wait_for(sum(worker.poll() is None for worker in self._workers))

    def _wait_for(self, workers: int) -> None:
        with self._client() as client:
            while len(client.scheduler_info(n_workers=-1)["workers"]) < workers:
                time.sleep(0.05)

    def add_a_node(self) -> subprocess.Popen[bytes]:
        self.add_workers()  # an earlier test may have killed some
        self.end_workers(1)
        two = ("--nworkers", 2, "--nthreads", 1, "--no-dashboard")
        node = self._start("worker", self.address, *two, "--death-timeout", SECONDS)
        self._wait_for(3)
        return node

    def _client(self) -> Any:
        dask: Any = importlib.import_module("distributed")
        return dask.Client(self.address, timeout=SECONDS)

    def has_no_tasks(self) -> bool:
        """Return whether the scheduler soon knows no tasks."""
        end = time.monotonic() + SECONDS
        with self._client() as client:
            while time.monotonic() < end:
                if not client.run_on_scheduler(
                    lambda dask_scheduler: [*dask_scheduler.tasks]
                ):
                    return True
                time.sleep(0.1)
        return False

    def end_workers(self, kept: int = 0) -> None:
        """End all workers but the first ones."""
        while len(self._workers) > kept:
            last = self._workers.pop()
            last.kill()
            last.wait()

    def add_workers(self) -> None:
        """Let two workers join in the place of those that ended."""
        self.end_workers()
        self._workers = [self._worker() for _ in range(2)]
        self._wait_for(2)

    def kill_a_worker(self) -> None:
        self._workers[0].kill()

    def kill_the_scheduler(self) -> None:
        self._scheduler.kill()

    def end(self) -> None:
        for process in (*self._workers, self._scheduler):
            process.kill()
            process.wait()


class Ray(Cluster):
    """A node with two workers, which is the head of its cluster."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("ray")
        if not Path("/proc/self/stat").exists():
            pytest.skip("finds the processes of Ray in /proc")
        port = free_port()
        self.address = f"ray://127.0.0.1:{port}"
        self._place = folder
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

    def add_a_node(self) -> subprocess.Popen[bytes]:
        here = ("--node-ip-address", "127.0.0.1", "--temp-dir", self._folder.name)
        head = ("--address", self._address(), *here, "--disable-usage-stats")
        start = ("start", "--block", "--num-cpus", 2, *head)
        node = started(self._place, "ray.scripts.scripts", *start)
        code = (
            f"import ray, time; ray.init({self.address!r})\n"
            "while sum(node['Alive'] for node in ray.nodes()) < 2: time.sleep(.1)"
        )
        python("-c", code)
        return node

    def _address(self) -> str:
        """Return the address that nodes join, from the command line of one of the head's."""
        for line in command_lines(self._head.pid).values():
            if found := re.search(rb"--gcs-address=([\w.:]+)", line):
                return found[1].decode()
        raise AssertionError("no process of the head names its address")

    def _kill(self, command: bytes) -> None:
        kill_session(self._head.pid, command)


def command_lines(session: int) -> dict[int, bytes]:
    """Return the command lines of the processes of a session."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            of = (process / "stat").read_text().rpartition(")")[2].split()[3]
            if int(of) == session:
                found[int(process.name)] = (process / "cmdline").read_bytes()
    return found


def kill_session(session: int, command: bytes = b"") -> None:
    """Kill the processes of a session whose command line begins with some bytes."""
    lines = command_lines(session)
    found = [number for number, line in lines.items() if line.startswith(command)]
    assert found or not command
    for number in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


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
                "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": str(SECONDS),
                # Otherwise it may crash or hang where the head forks it:
                # https://github.com/ray-project/ray/issues/63202
                "GRPC_ENABLE_FORK_SUPPORT": "0",
            },
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
