"""Segment and sweep a large made-up collection, and watch the memory of all processes.

    python scripts/soak.py --pages N [--threads N] [--work DIR] [--every SECONDS]

Writes N demo pages, then runs `boilersweep sweep --engine exact` on them, and samples the resident
memory of the command and of each of its workers. Prints a row for every tenth of the way through
each step: the largest sum of all processes, the largest parent, the largest worker, in MiB. Memory
of a step is called flat where the second half of the way needs at most 1.25 times what the first
half needed; exits with 1 where segmenting is not flat. The exact sweep holds rows of all documents
and grows with them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from boilersweep.demo.collection import write_demo

FLAT = 1.25
_PARTS = 10
_MEBIBYTE = 2**20
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SWEEPS = ("words=1,5,11,31", "density=5,10.5")


@dataclass(frozen=True, slots=True)
class Sample:
    """Resident bytes at a moment. largest_child: of the processes but the first."""

    seconds: float
    total: int
    parent: int
    largest_child: int


def descendants(root: int) -> Iterator[int]:
    """A process and all below it."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += parents.get(pid, [])


def resident(pid: int) -> int:
    """Resident bytes of a process, 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def watched(command: Sequence[str], every: float) -> list[Sample]:
    """Run a command to its end, and sample it."""
    started = time.monotonic()
    samples = []
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            sizes = [resident(pid) for pid in descendants(process.pid)]
            if sizes and sizes[0]:
                seconds = time.monotonic() - started
                samples.append(Sample(seconds, sum(sizes), sizes[0], max(sizes[1:], default=0)))
            time.sleep(every)
    if process.returncode:
        raise SystemExit(f"{command[3]} ended with exit status {process.returncode}")
    return samples


def rows(step: str, samples: Sequence[Sample]) -> Iterator[tuple[str, str, float, int, int, int]]:
    """The largest of every tenth of the time."""
    for part in range(_PARTS):
        start, stop = (len(samples) * edge // _PARTS for edge in (part, part + 1))
        if some := samples[start:stop]:
            total, parent, child = (
                max(getattr(sample, name) for sample in some) // _MEBIBYTE
                for name in ("total", "parent", "largest_child")
            )
            yield step, f"{10 * (part + 1)} %", some[-1].seconds, total, parent, child


def growth(samples: Sequence[Sample]) -> float:
    """The peak of the second half over that of the first, its first tenth left out."""
    totals = [sample.total for sample in samples[len(samples) // _PARTS :]]
    half = len(totals) // 2
    return max(totals[half:]) / max(totals[:half]) if half else 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description="Watch the memory of a long run.")
    parser.add_argument("--pages", type=int, required=True, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="(default: 2)")
    parser.add_argument("--every", type=float, default=0.2, metavar="SECONDS")
    parser.add_argument("--work", type=Path, metavar="DIR", help="(default: a temporary folder)")
    options = parser.parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="soak-"))
    started = time.monotonic()
    demo = write_demo(work / "demo", pages=options.pages)
    print(f"wrote {options.pages:,} pages in {time.monotonic() - started:.0f} s", flush=True)
    program = [sys.executable, "-m", "boilersweep"]
    threads = ["--threads", str(options.threads)]
    store = str(work / "store")
    segmenting = watched(
        [*program, "segment", "--input", str(demo.trec), "--output", store, *threads],
        options.every,
    )
    sweep = ["--store", store, "--topics", str(demo.topics), "--qrels", str(demo.qrels)]
    sweep += [part for text in _SWEEPS for part in ("--sweep", text)]
    sweeping = watched(
        [*program, "sweep", *sweep, "--engine", "exact", "--output", str(work / "out"), *threads],
        options.every,
    )
    subprocess.run([*program, "check", store], check=True)
    heads = ("step", "of the way", "seconds", "all", "parent", "largest worker")
    table = [*rows("segment", segmenting), *rows("exact sweep", sweeping)]
    print(tabulate(table, heads, floatfmt=".1f", intfmt=","))
    grown = growth(segmenting)
    flat = grown <= FLAT
    print(f"segmenting {options.pages:,} pages: {'flat' if flat else 'not flat'}, x {grown:.2f}")
    if options.work is None:
        shutil.rmtree(work)
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
