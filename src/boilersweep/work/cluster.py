"""Executors of clusters, by their addresses."""

import contextlib
import importlib
import logging
import os
import platform
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError, UsageError, without_secrets
from boilersweep.extras import require
from boilersweep.outputs.identity import __version__

_DASK = ("tcp://", "tls://")
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
        BoilersweepError: The cluster does not answer, has no workers, or they have other versions.
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
            # They warn of other versions: we compare those that matter
            with warnings.catch_warnings(action="ignore"):
                executor, found = connected(module, address, stack)
        except Exception as error:  # foreign code raises what it likes
            shown, (_, _, host) = without_secrets(address), address.partition("://")
            reason = re.split(r"\n|\. ", str(error).strip())[0]
            reason = reason.replace(host, shown.partition("://")[2])
            raise BoilersweepError(
                f"no {engine} workers with boilersweep at {shown} ({reason}); check that the "
                f"cluster runs, and that boilersweep is installed there{_SECRET[engine]}"
            ) from error
        for worker, theirs in found.items():
            if theirs != versions():
                raise BoilersweepError(
                    f"the {engine} worker {worker} has {theirs}, this process {versions()}; "
                    "install the same versions"
                )
        yield executor


def versions() -> str:
    """Return the versions that must be the same in all processes of one work."""
    names = ("pyarrow", "lxml", "numpy")
    modules = [f"{name} {importlib.import_module(name).__version__}" for name in names]
    python = ".".join(platform.python_version_tuple()[:2])
    return ", ".join([f"boilersweep {__version__}", f"Python {python}", *modules])


def _dask(
    dask: Any, address: str, stack: contextlib.ExitStack
) -> tuple[Executor, Mapping[str, str]]:
    """Return the executor of a Dask cluster, and the versions of each of its workers."""
    client = stack.enter_context(dask.Client(address, timeout=_SECONDS))
    client.wait_for_workers(1, timeout=_FIRST_SECONDS)
    found: dict[str, str] = client.run(versions)
    return stack.enter_context(client.get_executor(pure=False)), found


def _ray(
    ray: Any, address: str, stack: contextlib.ExitStack
) -> tuple[Executor, Mapping[str, str]]:
    """Return an executor on a Ray cluster, and the versions of each of its nodes."""
    with _silenced():
        ray.init(address, log_to_driver=False, logging_level=_SILENT)
    stack.callback(ray.shutdown)
    on_node = importlib.import_module("ray.util.scheduling_strategies")
    asked = {
        node["NodeManagerAddress"]: ray.remote(versions)
        .options(
            scheduling_strategy=on_node.NodeAffinitySchedulingStrategy(
                node["NodeID"], soft=False
            )
        )
        .remote()
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU")
    }
    answers = ray.get([*asked.values()], timeout=_FIRST_SECONDS)
    return _RayExecutor(ray), dict(zip(asked, answers, strict=True))


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


class _RayExecutor(Executor):
    """Submits functions to a Ray cluster, each as a task for one processor."""

    def __init__(self, ray: Any) -> None:
        self._call = ray.remote(_call)

    def submit(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # `shutdown` of Ray ends what is not done

        def tell(done: "Future[Any]") -> None:
            error = done.exception()
            if error is None:
                future.set_result(done.result())
            elif cause := getattr(
                error, "cause", None
            ):  # without the worker's traceback
                future.set_exception(cause)
            else:
                first = str(error).partition("\n")[0]
                future.set_exception(BrokenExecutor(first))

        task = self._call.remote(function, args, kwargs)
        task.future().add_done_callback(tell)
        return future


def _call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    return function(*args, **kwargs)
