"""What a command writes, what becomes of existing results, and how the work is done."""

from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from boilersweep.applications import required
from boilersweep.cli.options.values import Count, parsed, section
from boilersweep.errors import UsageError
from boilersweep.work.processes import default_workers

_CLUSTER = section("several machines")


def _address(text: str) -> str:
    """Return the address of a cluster; raise UsageError."""
    address: str = required("boilersweep.work.cluster:parse_cluster", "--cluster")(text)
    return address


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title:
        raise UsageError("expected a title, got an empty text")
    return title


def _heap(text: str) -> str:
    # `segment` has no Java, and starts faster without this.
    from boilersweep.indexer.jvm import checked_heap

    return checked_heap(text)


Title = Annotated[str, parsed(_title, "TEXT")]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Workers:
    """Processes and threads.

    Attributes:
        threads: Number of worker processes and threads (default: one per processor).
    """

    threads: Count | None = None

    @property
    def count(self) -> int:
        """The number of workers to use."""
        return self.threads or default_workers()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class JavaWorkers(Workers):
    """Processes and threads, and Java's memory.

    Attributes:
        heap: Java's maximum heap, such as 4g (default: a quarter of the memory).
    """

    heap: Annotated[str | None, parsed(_heap, "SIZE")] = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Existing:
    """What becomes of existing results.

    Attributes:
        overwrite: Rebuild --output if it doesn't match this request (default: list the differences
            and stop).
    """

    overwrite: bool = False


@Parameter(name="*", group=_CLUSTER)
@dataclass(frozen=True, slots=True)
class Cluster:
    """Other machines.

    Attributes:
        cluster: Do the work on a cluster: a Dask scheduler, such as tcp://host:8786, or a Ray
            cluster, ray://host:10001, or auto for the one of this machine. Its workers need the
            same versions, and input and output at the same paths.
    """

    cluster: Annotated[str | None, parsed(_address, "ADDRESS")] = None

    def executor(self) -> AbstractContextManager[Executor | None]:
        """Return the context of the cluster's executor, of None without a cluster."""
        if self.cluster is None:
            return nullcontext()
        context: AbstractContextManager[Executor] = required(
            "boilersweep.work.cluster:cluster_executor", "--cluster"
        )(self.cluster)
        return context
