"""Executors of clusters, by their addresses."""

import contextlib
import importlib
import logging
import platform
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.extras import require
from boilersweep.outputs.identity import __version__

_DASK = ("tcp://", "tls://")

# The loggers of what tells of a lost connection with tracebacks.
_CHATTY = ("distributed", "tornado", "asyncio")

_SECONDS = 20  # for a scheduler, and then for a first worker, to answer


def parse_cluster(text: str) -> str:
    """Return the address of a cluster unchanged; raises UsageError for any other text."""
    if not text.startswith(_DASK):
        raise UsageError(
            f"expected the address of a Dask scheduler, such as tcp://host:8786, got {text!r}"
        )
    return text


@contextlib.contextmanager
def cluster_executor(address: str | None) -> Iterator[Executor | None]:
    """Yield the executor of a cluster, None without an address.

    Args:
        address: The address of a Dask scheduler.

    Raises:
        UsageError: Dask is not installed.
        BoilersweepError: The scheduler does not answer, has no workers, or they have other
            versions.
    """
    if address is None:
        yield None
        return
    require("distributed")
    dask = importlib.import_module("distributed")
    for name in [*logging.root.manager.loggerDict]:
        if name.startswith(_CHATTY):  # several have levels of their own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # our error says it
    with contextlib.ExitStack() as stack:
        try:
            # It warns of other versions: we compare those that matter
            with warnings.catch_warnings(action="ignore"):
                client = stack.enter_context(dask.Client(address, timeout=_SECONDS))
            client.wait_for_workers(1, timeout=_SECONDS)
            found: dict[str, Any] = client.run(versions)
        except Exception as error:  # foreign code raises what it likes
            raise BoilersweepError(
                f"no Dask workers with boilersweep at {address} ({error}); check that its "
                "scheduler and workers run, and that boilersweep is installed there"
            ) from error
        for worker, theirs in found.items():
            if theirs != versions():
                raise BoilersweepError(
                    f"the Dask worker {worker} has {theirs}, this process {versions()}; install "
                    "the same versions"
                )
        yield stack.enter_context(client.get_executor(pure=False))


def versions() -> str:
    """Return the versions that must be the same in all processes of one work."""
    names = ("pyarrow", "lxml", "numpy")
    modules = [f"{name} {importlib.import_module(name).__version__}" for name in names]
    python = ".".join(platform.python_version_tuple()[:2])
    return ", ".join([f"boilersweep {__version__}", f"Python {python}", *modules])
