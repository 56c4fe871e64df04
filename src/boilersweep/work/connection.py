"""Connect to a Dask cluster, or start one of processes on this machine."""

import contextlib
import importlib
import logging
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.outputs.identity import STAGES, __version__, code_identity, digest_of
from boilersweep.work.crew import Crew, dask

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
# Workers are spawned: one forked from a process with a JVM would hang. Each holds one task: another
# that waits with it would be blamed, too, when it dies.
_CONFIGURATION = {
    "distributed.worker.multiprocessing-method": "spawn",
    "distributed.scheduler.worker-saturation": 1.0,
}
_SECONDS_TO_CONNECT = 30
_SECONDS_FOR_A_WORKER = 120


def parse_cluster(text: str) -> int:
    """Parse `local:4`, four worker processes on this machine; raises UsageError."""
    match = _LOCAL.fullmatch(text)
    if match is None:
        raise UsageError(f"cluster {text!r}: expected local:N with N worker processes, as local:4")
    return int(match[1])


@contextlib.contextmanager
def local_crew(workers: int) -> Iterator[Crew]:
    """A cluster of worker processes on this machine, for as long as the block runs.

    It listens on the loopback interface alone. A worker that dies is replaced.
    """
    distributed = dask()
    with contextlib.ExitStack() as stack:
        stack.enter_context(importlib.import_module("dask").config.set(_CONFIGURATION))
        with _deaf_children():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
        stack.enter_context(cluster)
        yield Crew(stack.enter_context(distributed.Client(cluster)))


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started meanwhile ignore Ctrl-C, which ends this one, and this one ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def connected_crew(scheduler: str) -> Iterator[Crew]:
    """The workers of a running Dask cluster. scheduler: its address, such as tcp://host:8786.

    Certificates for tls:// are those of Dask's own configuration. Raises BoilersweepError where
    one of these is missing, no scheduler answers, no worker joins it, or a worker has another
    boilersweep.
    """
    distributed = dask()
    # It would show a traceback for every task when the scheduler is lost.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL + 1)
    _check_certificates()
    try:
        client = distributed.Client(scheduler, timeout=_SECONDS_TO_CONNECT)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        raise BoilersweepError(
            f"no Dask scheduler answers at {scheduler} ({error}); start one with `dask scheduler`; "
            "where it wants encryption, name it as tls:// and set Dask's distributed.comm.tls"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_SECONDS_FOR_A_WORKER)
        except TimeoutError as error:
            raise BoilersweepError(
                f"no worker has joined {scheduler} in {_SECONDS_FOR_A_WORKER} seconds; start some "
                f"with `dask worker {scheduler}`"
            ) from error
        _check_versions(client)
        yield Crew(client)


def _check_certificates() -> None:
    """Raises BoilersweepError that names the files of Dask's configuration that are missing."""
    configured = importlib.import_module("dask").config.get
    for key in ("ca-file", "client.cert", "client.key"):
        path = configured(f"distributed.comm.tls.{key}", None)
        if path and not Path(path).is_file():
            raise BoilersweepError(
                f"Dask's distributed.comm.tls.{key} is {path}, which is no file; expected one in "
                "PEM format"
            )


def _check_versions(client: Any) -> None:
    found = client.run(_version, on_error="return")
    for worker, version in found.items():
        if version != _version():
            raise BoilersweepError(
                f"worker {worker} has another boilersweep ({_text(version)}) than this machine "
                f"({_text(_version())}); install the same one, with its extra `cluster`, wherever "
                "workers run"
            )


def _version() -> tuple[str, str]:
    """The version, and a digest of all code that shapes a result."""
    return __version__, digest_of(code_identity(*STAGES))


def _text(version: object) -> str:
    return f"{version[0]}, code {version[1][:12]}" if isinstance(version, tuple) else str(version)
