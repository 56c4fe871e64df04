"""Executors of clusters, by their addresses."""

import contextlib
import importlib
import itertools
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.extras import require
from boilersweep.redaction import without_secrets
from boilersweep.work.progress import say
from boilersweep.work.tls import isolate_connections
from boilersweep.work.workers import LostWorkerError, one_line

_TLS = "tls://"
_DASK = ("tcp://", _TLS)
_RAY = "ray://"
_RAY_HERE = "auto"  # the cluster that this machine is a node of

# The loggers of what tells of a lost connection with tracebacks.
_CHATTY = ("distributed", "tornado", "asyncio", "ray")
_SILENT = logging.CRITICAL + 1
_STDERR = 2

# What else a cluster may want.
_SECRET = {
    "Dask": "",
    "Ray": "; if it wants a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN",
}

_SECONDS = 20  # for a scheduler to answer
_RAY_ATTEMPTS = 3  # see `_connect_to_ray`
_FIRST_SECONDS = 60  # for a worker that may have to start first


def parse_cluster(text: str) -> str:
    """Return the address of a cluster unchanged; raises UsageError for any other text."""
    if text != _RAY_HERE and not text.startswith((*_DASK, _RAY)):
        raise UsageError(
            "expected the address of a Dask scheduler, such as tcp://host:8786, or of a Ray "
            f"cluster, ray://host:10001 or auto, got {text!r}"
        )
    return text


@contextlib.contextmanager
def cluster_executor(address: str | None) -> Iterator[Executor | None]:
    """Yield the executor of a cluster, None without an address.

    Args:
        address: See `parse_cluster`.

    Raises:
        UsageError: Dask or Ray is not installed.
        BoilersweepError: The cluster does not answer, or has no workers.
    """
    if address is None:
        yield None
        return
    engine = "Dask" if address.startswith(_DASK) else "Ray"
    package = "distributed" if engine == "Dask" else "ray"
    require(package)
    module = importlib.import_module(package)
    # Several have levels of their own; the last is made as soon as Ray is asked.
    for name in (*logging.root.manager.loggerDict, "ray.util.client.logsclient"):
        if name.startswith(_CHATTY):
            logging.getLogger(name).setLevel(_SILENT)  # our error says it
    connected = _dask if engine == "Dask" else _ray
    with contextlib.ExitStack() as stack:
        try:
            # They warn of other versions: workers compare those that matter
            with warnings.catch_warnings(action="ignore"):
                executor = connected(module, address, stack)
        except Exception as error:  # foreign code raises what it likes
            shown, (_, _, host) = without_secrets(address), address.partition("://")
            reason = one_line(error).replace(host, shown.partition("://")[2])
            raise BoilersweepError(
                f"no {engine} workers with boilersweep at {shown} ({reason}); check that the "
                f"cluster runs, and that boilersweep is installed there{_SECRET[engine]}"
            ) from error
        yield executor


def _dask(dask: Any, address: str, stack: contextlib.ExitStack) -> Executor:
    """Return the executor of a Dask cluster."""
    if address.startswith(_TLS):
        isolate_connections()
    client = stack.enter_context(dask.Client(address, timeout=_SECONDS))
    executor = _DaskExecutor(client)
    try:
        client.wait_for_workers(1, timeout=_FIRST_SECONDS)
    except TimeoutError as error:
        raise TimeoutError(f"{error}{executor.absent()}") from error
    return executor


def _ray(ray: Any, address: str, stack: contextlib.ExitStack) -> Executor:
    """Return an executor on a Ray cluster."""
    _connect_to_ray(ray, address)
    stack.callback(ray.shutdown)
    return _RayExecutor(ray)


def _connect_to_ray(ray: Any, address: str) -> None:
    """Connect this process, in several attempts.

    Ray's head starts a server for each client by a fork with gRPC's threads running, which may
    crash or hang the server before it begins: https://github.com/ray-project/ray/issues/63202.

    Raises:
        ConnectionAbortedError: The head started no server in any attempt.
    """
    for left in reversed(range(_RAY_ATTEMPTS)):
        try:
            with _silenced():
                ray.init(address, log_to_driver=False, logging_level=_SILENT)
        except ConnectionAbortedError:
            if not left:
                raise
            say("Ray's head could not start a server for this client; trying again")
        else:
            return


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    """Let nothing through to stderr, also of what is not written by Python."""
    kept = os.dup(_STDERR)
    try:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), _STDERR)
            yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)


class _ClusterExecutor(Executor):
    """An executor that knows its workers, and sends nothing more to some."""

    def __init__(self) -> None:
        self._avoided: set[str] = set()

    def names(self) -> list[str]:
        """Return the names of all workers, as `workers.worker_name` has them."""
        raise NotImplementedError

    def absent(self) -> str:
        """Return why workers of the cluster take no tasks now, "" without such workers."""
        return ""

    def workers(self) -> int:
        """Return the number of workers that may get tasks."""
        return len(self.allowed())

    def allowed(self) -> list[str]:
        """Return the names of the workers that may get tasks."""
        return [name for name in self.names() if name not in self._avoided]

    def avoid(self, worker: str) -> bool:
        """Send no more tasks to a worker; return whether there are others."""
        self._avoided.add(worker)
        return bool(self.allowed())


class _DaskExecutor(_ClusterExecutor):
    """Submits functions to a Dask cluster."""

    def __init__(self, client: Any) -> None:
        super().__init__()
        self._client = client
        self._executor = client.get_executor(pure=False)

    def names(self) -> list[str]:
        return [name for name, facts in self._all().items() if not _is_paused(facts)]

    def absent(self) -> str:
        paused = [name for name, facts in self._all().items() if _is_paused(facts)]
        return f"; paused as their memory is full: {', '.join(paused)}" * bool(paused)

    def _all(self) -> dict[str, Any]:
        # With a number of workers, an old client asks for as many
        workers: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def avoid(self, worker: str) -> bool:
        others = super().avoid(worker)
        only = {"workers": self.allowed(), "allow_other_workers": False}
        self._executor = self._client.get_executor(pure=False, **only)
        return others

    def submit(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> "Future[Any]":
        future: Future[Any] = self._executor.submit(function, *args, **kwargs)
        return future


def _is_paused(worker: Mapping[str, Any]) -> bool:
    """Return whether a worker of Dask is short of memory and does nothing."""
    counts = worker.get("metrics", {}).get("task_counts", {})
    return worker.get("status") == "paused" and not counts.get("executing")


class _RayExecutor(_ClusterExecutor):
    """Submits functions to a Ray cluster, each as a task for one processor."""

    def __init__(self, ray: Any) -> None:
        super().__init__()
        self._ray = ray
        # Where memory is short, Ray itself tries for ever, without a word
        self._call = ray.remote(max_retries=0)(_call)
        errors = ray.exceptions
        self._lost = (
            errors.WorkerCrashedError,
            errors.OutOfMemoryError,
            errors.NodeDiedError,
            errors.LocalRayletDiedError,
            errors.ObjectLostError,
        )
        self._turns = itertools.count()

    def names(self) -> list[str]:
        return [
            node["NodeID"]
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU")
        ]

    def submit(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # `shutdown` of Ray ends what is not done

        def tell(done: "Future[Any]") -> None:
            error = done.exception()
            if error is None:
                future.set_result(done.result())
            else:  # without the worker's traceback
                cause = getattr(error, "cause", None)
                kind = (
                    LostWorkerError if isinstance(error, self._lost) else BrokenExecutor
                )
                future.set_exception(cause or kind(one_line(error)))

        call = self._call
        if self._avoided:
            nodes = self.allowed()
            on_node = importlib.import_module("ray.util.scheduling_strategies")
            strategy = on_node.NodeAffinitySchedulingStrategy(
                nodes[next(self._turns) % len(nodes)], soft=False
            )
            call = call.options(scheduling_strategy=strategy)
        call.remote(function, args, kwargs).future().add_done_callback(tell)
        return future


def _call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    return function(*args, **kwargs)
