"""An S3 server.

The server is real, OpenStack Swift with its S3 interface, as operators run it. Four processes, as
on a cluster's nodes (proxy, account, container and object server), keep objects in a folder, with
their metadata in extended attributes, and check the signature of every request.
"""

import contextlib
import os
import pwd
import select
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.quick import quick
from tests.system.bench import Bench

_BIN = Path(sys.executable).parent
_STORAGE = ("account", "container", "object")
_NAMES = (*_STORAGE, "proxy")
_SECONDS = 300

# One device, one replica, 2**4 partitions. A process of its own: Swift patches what it imports.
_RINGS = """
import sys
from swift.common.ring import RingBuilder
folder, *servers = sys.argv[1:]
for name, port in zip(servers[::2], servers[1::2]):
    ring = RingBuilder(4, 1, 0)
    device = {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": int(port), "device": "disk"}
    ring.add_dev({**device, "weight": 1})
    ring.rebalance()
    ring.get_ring().save(f"{folder}/{name}.ring.gz")
"""
# However the tests end, the server ends with them: Linux's prctl(PR_SET_PDEATHSIG, SIGKILL).
_BOUND = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
os.execv(sys.argv[1], sys.argv[1:])
"""
_SERVER = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
swift_dir = {folder}
devices = {folder}
user = {user}
workers = 0
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = {pipeline} {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""
_FILTERS = (
    "catch_errors gatekeeper healthcheck proxy_logging listing_formats "
    "bulk s3api tempauth copy slo dlo"
)
_KEY, _SECRET, _REGION = "test:tester", "testing", "us-east-1"
_OPTIONS = {
    "s3api": f"location = {_REGION}\n",
    "tempauth": f"user_{_KEY.replace(':', '_')} = {_SECRET} .admin\n",
}


class Gate:
    """A port that leads to an S3 server, and is slow or fails if a test says so.

    Attributes:
        seconds: How long requests wait that read or write an object's content.
        fails: Whether they are refused then.
    """

    def __init__(self, server: int) -> None:
        self.seconds = 0.0
        self.fails = False
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def end(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._lead, args=[client], daemon=True).start()

    def _lead(self, client: socket.socket) -> None:
        with (
            client,
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self._server)) as server,
        ):
            while True:
                for one in select.select([client, server], [], [])[0]:
                    if not (data := one.recv(2**16)):
                        return
                    if data.startswith(_CONTENT):
                        time.sleep(self.seconds)
                        if self.fails:
                            client.sendall(_FAILURE)
                            return
                    (server if one is client else client).sendall(data)


# How requests begin for objects of the bucket.
_CONTENT = (b"GET /bucket/", b"PUT /bucket/")
_FAILURE = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class SwiftServer:
    """Swift on free ports of this machine; what it stores outlives its processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / "log"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._ports = dict(zip(_NAMES, _free_ports(len(_NAMES)), strict=True))
        (folder / "disk").mkdir()
        (folder / "swift.conf").write_text(
            "[swift-hash]\nswift_hash_path_suffix = tests\n"
        )
        for name in _NAMES:
            (folder / f"{name}.conf").write_text(self._configuration(name))
        servers = [str(word) for name in _STORAGE for word in (name, self._ports[name])]
        subprocess.run([sys.executable, "-c", _RINGS, folder, *servers], check=True)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a client here."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._ports['proxy']}",
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": _SECRET,
            "AWS_DEFAULT_REGION": _REGION,
        }

    def gate(self) -> Gate:
        """Return another way to the server."""
        return Gate(self._ports["proxy"])

    def start(self) -> None:
        with self._log.open("ab") as out:
            for name in _NAMES:
                server = (
                    _BIN / f"swift-{name}-server",
                    self._folder / f"{name}.conf",
                    "-v",
                )
                command = (sys.executable, "-c", _BOUND, *server)
                self._processes.append(
                    subprocess.Popen(command, stdout=out, stderr=out)
                )
        end = time.monotonic() + _SECONDS
        while not all(_answers(port) for port in self._ports.values()):
            ended = [
                process.args
                for process in self._processes
                if process.poll() is not None
            ]
            if ended or time.monotonic() > end:
                self.kill()
                pytest.fail(
                    f"Swift does not start; ended: {ended}; its log:\n{self.log()}"
                )
            time.sleep(0.05)

    def kill(self) -> None:
        """End all processes by SIGKILL, as a power cut would."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self._processes.clear()

    def log(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-100:])

    def _configuration(self, name: str) -> str:
        filters = _FILTERS if name == "proxy" else "healthcheck"
        text = _SERVER.format(
            port=self._ports[name],
            folder=self._folder,
            user=pwd.getpwuid(os.getuid()).pw_name,
            pipeline=filters,
            name=name,
        )
        if name == "proxy":
            text += "account_autocreate = true\n"
        for word in filters.split():
            text += f"[filter:{word}]\nuse = egg:swift#{word}\n{_OPTIONS.get(word, '')}"
        return text


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthcheck", timeout=60):
            return True
    except OSError:
        return False


def _has_attributes(folder: Path) -> bool:
    file = folder / "attribute"
    file.touch()
    try:
        os.setxattr(file, "user.swift.metadata", b"1")
    except (AttributeError, OSError):  # not on Linux; not on this file system
        return False
    return True


@pytest.fixture(scope="module")
def swift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SwiftServer]:
    if not (_BIN / "swift-proxy-server").exists():
        pytest.skip(
            "no S3 server here: OpenStack Swift (`swift` on PyPI) is not installed"
        )
    folder = tmp_path_factory.mktemp("swift")
    if not _has_attributes(folder):
        pytest.skip(
            f"no S3 server here: {folder} has no extended attributes, which Swift needs"
        )
    server = SwiftServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Yield worlds with finished work; the commands on them take little time."""
    with quick():
        yield Bench(tmp_path_factory.mktemp("bench"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the server's log with a test that fails."""
    report = yield
    server = item.funcargs.get("swift")
    if report.failed and isinstance(server, SwiftServer):
        report.sections.append(("Swift's log", server.log()))
    return report
