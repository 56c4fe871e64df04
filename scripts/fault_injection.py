"""Kill a sweep at random moments, run it again, and compare with an undisturbed sweep.

    python scripts/fault_injection.py --kills N [--seed S] [--engine exact] [--work DIR]
                                      [--changes SHARE]
                                      [--input PATH --topics FILE --qrels FILE]

A kill is SIGKILL to the whole process group, to the parent or to one of its children, or SIGTERM
or SIGINT to the parent. The same command then runs to its end; sometimes it is killed a second
time. Its store, runs, scores and the counts of its indexes must equal those of the undisturbed
sweep byte for byte, `boilersweep check` must find nothing, and no temporary file, lock or process
may remain. A differing output is kept. The exit status is 1 unless all are identical.

Sometimes one input changes between the kill and the next run: the topics, or a missing input file.
The result must then equal an undisturbed sweep of the changed inputs; or the command names the
change and stops, and gives that result with --overwrite.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from faults.versions import AS_IS, INPUT, SAYS, TOPICS, VERSIONS, Inputs
from faults.victim import CHILD, KINDS, Victim, orphans, run_to_end
from tabulate import tabulate

from boilersweep.demo.collection import write_demo

# Share of trials in which the run that takes up the work is killed, too.
SECOND_KILL = 0.25

_CHANGES = 0.5
_PAGES = 600
_SWEEPS = ("words=1,5,11,31", "density=5,10.5")
_ALL = "all kills"
_LOOK_EVERY = 0.02


@dataclass(frozen=True, slots=True)
class Kill:
    """What is killed, and how many seconds after the start."""

    kind: str
    moment: float


@dataclass(frozen=True, slots=True)
class Pace:
    """Of the undisturbed run: seconds in all, and between which it had all its workers."""

    seconds: float
    children: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a kill.

    Attributes:
        faults: what differs.
        refused: whether the command rejected the change before --overwrite.
    """

    faults: list[str]
    refused: bool


class Experiment:
    """Runs one command again and again on a fresh output."""

    def __init__(
        self, inputs: Inputs, engine: str, work: Path, chance: np.random.Generator
    ) -> None:
        self._inputs = inputs
        self._output = work / "out"
        self._work = work
        self._chance = chance
        self._references: dict[str, Path] = {}
        self._program = [sys.executable, "-m", "boilersweep"]
        self._command = [*self._program, "sweep", *inputs.arguments, "--engine", engine]
        self._command += [part for sweep in _SWEEPS for part in ("--sweep", sweep)]
        self._command += ["--output", str(self._output), "--threads", "2"]

    def undisturbed(self, version: str = AS_IS) -> Pace:
        """Return the run on a version of the inputs that others are compared with."""
        self._inputs.become(version)
        self._clear()
        log = self._work / "undisturbed.log"
        victim = Victim(self._command, log)
        seen: dict[float, int] = {}
        while victim.is_running:
            seen[victim.seconds] = len(victim.children())
            time.sleep(_LOOK_EVERY)
        seconds = victim.seconds
        if victim.wait():
            raise SystemExit(log.read_text())
        self._references[version] = (
            self._work / f"undisturbed-{VERSIONS.index(version)}"
        )
        self._output.rename(self._references[version])
        # With the most there are all workers; the fork server alone lives to the end.
        full = [moment for moment, count in seen.items() if count == max(seen.values())]
        return Pace(seconds, (full[0], full[-1]))

    def trial(
        self, kill: Kill, again: Kill | None, change: str, log: Path
    ) -> Trial | None:
        """Kill, change, take up, compare; None where the run ended before the moment."""
        if change not in self._references:
            self.undisturbed(change)
        self._inputs.become(AS_IS)
        self._clear()
        groups = []
        for planned in (kill, again):
            if planned is None:
                continue
            victim = Victim(self._command, log)
            groups.append(victim.group)
            time.sleep(planned.moment)
            hit = victim.is_running and victim.kill(planned.kind, self._chance)
            status = victim.wait()
            if planned is kill:
                if not hit:
                    return None
                self._inputs.become(change)
            elif status == 0:
                break
        faults, refused = self._taken_up(change, groups, log)
        if not faults:
            faults = [*orphans(groups), *self._differences(self._references[change])]
        return Trial(faults, refused)

    def _taken_up(
        self, change: str, groups: list[int], log: Path
    ) -> tuple[list[str], bool]:
        """Run to the end, with --overwrite where a change is refused: faults, whether it was."""
        status, said = run_to_end(self._command, groups, log)
        if status == 0:
            return [], False
        if change == AS_IS or not any(word in said for word in SAYS[change]):
            return [f"taken up, it ended with exit status {status}: {said}"], True
        status, said = run_to_end([*self._command, "--overwrite"], groups, log)
        return (
            [f"--overwrite ended with exit status {status}: {said}"] if status else []
        ), True

    def _clear(self) -> None:
        if self._output.exists():
            shutil.rmtree(self._output)

    def keep(self, number: int, log: Path) -> Path:
        """Put a differing output aside."""
        kept = self._work / f"differs-{number:03d}"
        if self._output.exists():
            self._output.rename(kept)
        return kept if kept.exists() else log

    def _differences(self, reference: Path) -> list[str]:
        ours, theirs = _comparable(self._output), _comparable(reference)
        faults = [f"{name} is missing" for name in sorted(theirs.keys() - ours.keys())]
        faults += [
            f"{name} is left over" for name in sorted(ours.keys() - theirs.keys())
        ]
        faults += [
            f"{name} differs"
            for name in sorted(ours.keys() & theirs.keys())
            if ours[name] != theirs[name]
        ]
        check = subprocess.run(
            [*self._program, "check", str(self._output)],
            capture_output=True,
            text=True,
            check=False,
        )
        if check.returncode:
            faults.append(f"boilersweep check says: {check.stdout}{check.stderr}")
        return faults


def _comparable(output: Path) -> dict[str, bytes | None]:
    """Every file below the output, hidden ones, too, and its bytes where these must be equal.

    Lucene draws random segment ids: of an index only the manifest, with its counts, is compared,
    and of manifests that list its files all but the digests.
    """
    found: dict[str, bytes | None] = {}
    for path in output.rglob("*"):
        name = path.relative_to(output).as_posix()
        within_index = name.startswith("indexes/") and name.count("/") >= 2
        if (
            within_index
            and path.name != "boilersweep.json"
            and not name.startswith("indexes/.")
        ):
            continue
        found[name] = path.read_bytes() if path.is_file() else None
        if path.name == "manifest.json" or (
            within_index and path.name == "boilersweep.json"
        ):
            found[name] = _said(path)
    return found


def _said(manifest: Path) -> bytes:
    """Return a manifest without its digest, its files' times, and what differs in each index."""
    said = json.loads(manifest.read_text("utf-8"), object_hook=_without_times)
    said.pop("digest", None)
    for entry in (said, *said.get("parts", {}).values()):
        if "files" in entry:
            entry["files"] = bool(entry["files"])
    return json.dumps(said).encode()


def _without_times(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "state"}


def planned_kill(kind: str, pace: Pace, chance: np.random.Generator) -> Kill:
    """Return a kill at a random moment of the run; of a child, while there are any."""
    first, last = pace.children if kind == CHILD else (0.0, pace.seconds * 0.98)
    return Kill(kind, float(chance.uniform(first, last)))


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Kill a sweep at random moments and compare what comes of it."
    )
    parser.add_argument("--kills", type=int, required=True, metavar="N")
    parser.add_argument(
        "--seed", type=int, default=2010, metavar="S", help="(default: 2010)"
    )
    parser.add_argument(
        "--changes",
        type=float,
        default=_CHANGES,
        metavar="SHARE",
        help=f"of the kills after which one thing changes (default: {_CHANGES})",
    )
    parser.add_argument("--engine", choices=("indexes", "exact"), default="indexes")
    parser.add_argument(
        "--input", type=Path, metavar="PATH", help="(default: a demo collection)"
    )
    parser.add_argument("--topics", type=Path, metavar="FILE")
    parser.add_argument("--qrels", type=Path, metavar="FILE")
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="(default: a temporary folder)"
    )
    return parser


def _given(options: argparse.Namespace, work: Path) -> tuple[Path, Path, Path]:
    """Pages, topics and qrels: those asked for, else of a demo collection."""
    given = (options.input, options.topics, options.qrels)
    if not all(given):
        if any(given):
            raise SystemExit("--input, --topics and --qrels go together")
        demo = write_demo(work / "demo", pages=_PAGES)
        given = (demo.trec, demo.topics, demo.qrels)
    pages, topics, qrels = (path.resolve() for path in given)
    return pages, topics, qrels


def main() -> int:
    options = make_parser().parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="fault-injection-"))
    work.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(options.seed)
    inputs = Inputs(work, *_given(options, work))
    experiment = Experiment(inputs, options.engine, work, chance)
    pace = experiment.undisturbed()
    first, last = pace.children
    print(
        f"undisturbed: {pace.seconds:.1f} s, workers from {first:.1f} to {last:.1f} s; {work}",
        flush=True,
    )
    counts: Counter[str] = Counter()
    identical: Counter[str] = Counter()
    log = work / "runs.log"
    while counts[_ALL] < options.kills:
        kill = planned_kill(str(chance.choice(KINDS)), pace, chance)
        again = None
        if chance.random() < SECOND_KILL:
            again = planned_kill(str(chance.choice(KINDS)), pace, chance)
        changes = chance.random() < options.changes
        change = str(chance.choice((TOPICS, INPUT))) if changes else AS_IS
        log.unlink(missing_ok=True)
        trial = experiment.trial(kill, again, change, log)
        if trial is None:
            continue
        kinds = [_ALL, kill.kind, f"then changed: {change}"]
        kinds += ["killed twice"] if again else []
        kinds += ["refused, then --overwrite"] if trial.refused else []
        counts.update(kinds)
        number = counts[_ALL]
        also = ", and the next run, too" if again else ""
        print(
            f"{number:>4}  {kill.kind} at {kill.moment:.2f} s{also}; {kinds[2]}"
            f"{', refused' if trial.refused else ''}",
            flush=True,
        )
        if trial.faults:
            print(
                f"      kept in {experiment.keep(number, log)}",
                *trial.faults,
                sep="\n      ",
            )
            log.rename(work / f"differs-{number:03d}.log")
        else:
            identical.update(kinds)
    rows = [(kind, counts[kind], identical[kind]) for kind in sorted(counts)]
    print(tabulate(rows, ("kill", "count", "identical")))
    print(f"{identical[_ALL]} of {counts[_ALL]} identical")
    if identical[_ALL] < counts[_ALL]:
        return 1
    if options.work is None:
        shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
