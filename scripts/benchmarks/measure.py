"""Run a job in a process of its own and measure it, with all the processes that it starts."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCRIPTS = Path(__file__).resolve().parent.parent
_PR_SET_CHILD_SUBREAPER = 36
_PROCESS_ENDED_AFTER = 0.02  # seconds between two looks whether the job has ended
_LOOKS_A_MEMORY_SAMPLE = 10  # /proc is read as a whole, which takes milliseconds
_RUSAGE_BLOCK = 512
_MAXRSS_UNIT = 1024 if sys.platform == "linux" else 1
_LOG_LINES_SHOWN = 20


class JobError(Exception):
    """A job that failed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a job took.

    Attributes:
        wall: seconds from its start to its end, those of Python and Java included.
        cpu: seconds of all its processes.
        largest: peak bytes of the largest one.
        together: peak of the sum over all, sampled, shared pages counted in each; None off Linux.
        left: bytes of the files in its output folder.
        written: bytes sent to the disk.
        phases: in order, each with name, wall, cpu and the job's own peak bytes so far.
        result: what the job itself says.
    """

    job: str
    wall: float
    cpu: float
    largest: int
    together: int | None
    left: int
    written: int
    phases: list[dict[str, Any]]
    result: dict[str, Any]

    def phase(self, name: str) -> dict[str, Any]:
        """Return the phase of that name."""
        return next(phase for phase in self.phases if phase["name"] == name)


def run_job(
    job: str,
    arguments: dict[str, Any],
    output: Path,
    *,
    shows: bool = False,
) -> Measured:
    """Run `benchmarks.jobs` with a job that writes into `output`.

    Args:
        job: a name in `jobs.JOBS`.
        arguments: of the job.
        output: a folder.
        shows: the job draws its own progress on stderr.

    Raises:
        JobError: it fails.
    """
    output.mkdir(parents=True, exist_ok=True)
    # Beside the output, whose size is measured.
    log, answer = (
        output.with_name(f"{output.name}.log"),
        output.with_name(f"{output.name}.json"),
    )
    _adopt_orphans()
    arguments = {**arguments, "output": str(output)}
    with log.open("wb") as out:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "benchmarks.jobs",
                job,
                json.dumps(arguments),
                str(answer),
            ],
            stdout=out,
            stderr=None if shows else subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": _python_path()},
            process_group=0,  # so that it is told from other children of this process
        )
        wall, usages, together = _watch(process, begun)
    if process.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        last = "\n".join(lines[-_LOG_LINES_SHOWN:])
        raise JobError(f"{job} ended with status {process.returncode}:\n{last}")
    said = json.loads(answer.read_text(encoding="utf-8"))
    return Measured(
        job=job,
        wall=wall,
        cpu=sum(usage.ru_utime + usage.ru_stime for usage in usages),
        largest=max(usage.ru_maxrss for usage in usages) * _MAXRSS_UNIT,
        together=together or None,
        left=sum(path.stat().st_size for path in output.rglob("*") if path.is_file()),
        written=sum(usage.ru_oublock for usage in usages) * _RUSAGE_BLOCK,
        phases=said["phases"],
        result=said["result"],
    )


def _python_path() -> str:
    return os.pathsep.join(filter(None, [str(_SCRIPTS), os.environ.get("PYTHONPATH")]))


def _adopt_orphans() -> None:
    """Let processes whose parent ends become children of this one, so that all are counted."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _watch(
    process: "subprocess.Popen[bytes]", begun: float
) -> tuple[float, list[Any], int]:
    """Seconds until the process ended, the usage of all that ended, and their peak together.

    Each usage holds that of the children the process waited for itself, so none counts twice.
    """
    usages = []
    wall, together, looks = 0.0, 0, 0
    try:
        while True:
            ended, status, usage = os.wait4(-process.pid, os.WNOHANG)
            if not ended:
                if looks % _LOOKS_A_MEMORY_SAMPLE == 0:
                    together = max(together, _resident(process.pid))
                looks += 1
                time.sleep(_PROCESS_ENDED_AFTER)
                continue
            if ended == process.pid:
                wall = time.perf_counter() - begun
                process.returncode = os.waitstatus_to_exitcode(status)
            usages.append(usage)
    except ChildProcessError:  # none is left
        return wall, usages, together
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def _resident(root: int) -> int:
    """Resident bytes of a process and its descendants; 0 where there is no /proc."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
    tree = {root}
    while more := {pid for pid, parent in parents.items() if parent in tree} - tree:
        tree |= more
    pages = 0
    for pid in tree:
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
