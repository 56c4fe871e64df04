"""Stop segment and sweeps for longer than a record may take, and see that no page is lost.

    python scripts/pauses.py [--seconds 65] [--seed S] [--work DIR]
                             [--input PATH --topics FILE --qrels FILE]

Stopped, at a random moment while pages are cut, are all processes of the command, its parent alone,
or the one of its workers that has worked most. The cap on a record's time is the default one, 60
seconds. Afterwards the store must have the fingerprint of one that no one stopped, and a sweep the
same scores. Exits with 1 unless all are the same.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from robustness.victim import Victim
from tabulate import tabulate

from boilersweep.demo.collection import write_demo
from boilersweep.store.store import BlockStore, open_store

_PAGES = 2000
_LOOK_EVERY = 0.02
_LATEST = 0.3  # seconds from the first half shard to the pause

Command = tuple[str, Callable[[Path], Sequence[str]], str]
"""What it is called, its arguments for an output, and where that has the store."""


def commands(pages: str, topics: str, qrels: str) -> list[Command]:
    """Whatever cuts pages."""

    def segment(output: Path) -> list[str]:
        return ["segment", "--input", pages, "--output", str(output)]

    def sweep(engine: str) -> Callable[[Path], list[str]]:
        experiment = ["--topics", topics, "--qrels", qrels, "--sweep", "words=1,5"]
        return lambda output: ["sweep", *segment(output)[1:], *experiment, "--engine", engine]

    return [
        ("segment", segment, "."),
        ("sweep, indexes", sweep("indexes"), "store"),
        ("sweep, exact", sweep("exact"), "store"),
        ("segment, Dask", lambda output: [*segment(output), "--cluster", "local:2"], "."),
    ]


def run(arguments: Sequence[str], log: Path) -> Victim:
    command = [sys.executable, "-m", "boilersweep", *arguments, "--threads", "2", "--strict"]
    return Victim(command, log)


def pause(victim: Victim, whom: str, store: Path, after: float, seconds: float) -> bool:
    """Stop whom for some seconds, while shards are made; False where it was done by then."""
    while victim.is_running and not any(store.glob(".shard-*")):
        time.sleep(_LOOK_EVERY)
    time.sleep(after)
    pid = victim.group
    if whom == "worker":
        pid = max(victim.children(), key=cpu_time, default=pid)
    if whom == "group":
        os.killpg(pid, signal.SIGSTOP)
    else:
        os.kill(pid, signal.SIGSTOP)
    begun = not (store / "manifest.json").exists()
    time.sleep(seconds if begun else 0)
    os.killpg(victim.group, signal.SIGCONT)
    return begun


def cpu_time(pid: int) -> int:
    """Of a process, in clock ticks; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def outcome(output: Path, store: str) -> tuple[BlockStore, bytes]:
    """The store, and the scores where there are any."""
    scores = output / "scores.csv"
    return open_store(output / store), scores.read_bytes() if scores.exists() else b""


def main() -> int:
    parser = argparse.ArgumentParser(description="Stop commands for long and see what is lost.")
    parser.add_argument("--seconds", type=float, default=65.0, metavar="N", help="(default: 65)")
    parser.add_argument("--seed", type=int, default=2010, metavar="S", help="(default: 2010)")
    parser.add_argument("--input", type=Path, metavar="PATH", help="(default: a demo collection)")
    parser.add_argument("--topics", type=Path, metavar="FILE")
    parser.add_argument("--qrels", type=Path, metavar="FILE")
    parser.add_argument("--work", type=Path, metavar="DIR", help="(default: a temporary folder)")
    options = parser.parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="pauses-"))
    work.mkdir(parents=True, exist_ok=True)
    given = (options.input, options.topics, options.qrels)
    if not all(given):
        if any(given):
            parser.error("--input, --topics and --qrels go together")
        demo = write_demo(work / "demo", pages=_PAGES)
        given = (demo.trec, demo.topics, demo.qrels)
    chance = np.random.default_rng(options.seed)
    rows = []
    for name, arguments, place in commands(*(str(path.resolve()) for path in given)):
        undisturbed = work / f"{name} undisturbed"
        if run(arguments(undisturbed), work / "log").wait():
            raise SystemExit((work / "log").read_text())
        expected, scores = outcome(undisturbed, place)
        for whom in ("group", "parent", "worker"):
            output = work / f"{name} {whom}"
            victim = run(arguments(output), work / "log")
            after = float(chance.uniform(0, _LATEST))
            hit = pause(victim, whom, output / place, after, options.seconds)
            status, seconds = victim.wait(), victim.seconds
            if not hit:
                raise SystemExit(f"{name} was done before it could be stopped: take more pages")
            found = outcome(output, place) if status == 0 else None
            same = found is not None and found[0].fingerprint == expected.fingerprint
            same = same and found is not None and found[1] == scores
            documents = found[0].documents if found else None
            rows.append((name, whom, f"{seconds:.0f} s", expected.documents, documents, same))
            print(*rows[-1], flush=True)
    print(tabulate(rows, ("command", "stopped", "took", "documents", "found", "same")))
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
