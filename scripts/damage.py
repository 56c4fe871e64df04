"""Damage files of finished work by chance; say what `boilersweep check` sees, what a rerun gives.

    python scripts/damage.py --flips N --cuts N --zeros N [--deletes N] [--forges N] [--fifos N]
                             [--links N] [--devices N] [--folders N] [--strays N] [--twins N]
                             [--seed S] [--workers N] [--rerun SHARE]
                             [--sweep DIR] [--study DIR] [--again COMMAND]

Flips a bit of a file, cuts it, zeroes a page of it, deletes it, forges its manifest, puts a FIFO, a
link, a device or a folder in its place, or adds a stray file beside it or a copy of its folder;
asks `check`, runs the command that made the work again (after a SHARE of the damages), compares the
result with the first one, and puts the file back. Workers damage works of their own.
The work is a store, indexes, an export, a judgement, a trained model, drawn pages (with Chromium),
a sweep of a small made-up collection with either engine, and a study of its store; or folders of
yours, which are checked alone, or run again by --again, such as 'sweep --input PAGES ... --output
DIR'.

Every damage must be seen. A forged manifest has the right digest: `check` sees a forged value only
if commands read it. Run again, the command must give what it gave before, or refuse. A command that
hangs for two minutes is ended, and counts as wrong. Prints totals by kind of file, and exits with 1
for a damage that is not seen or a rerun that is wrong.
"""

import argparse
import contextlib
import multiprocessing
import shlex
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from robustness.calling import called
from robustness.columns import COLUMNS, STORE
from robustness.damaging import (
    FORGE,
    IDENTICAL,
    KINDS,
    NOT_RUN,
    REFUSED,
    WRONG,
    Finished,
    Outcome,
    kind_of,
)
from robustness.quick import quick
from robustness.world import write_world
from tabulate import tabulate

from boilersweep.rendering.chromium import missing_for_rendering

_MADE = (
    *("segment", "extract", "index", "index --keep", "export", "judge"),
    *("sweep", "sweep exact", "sweep --grid", "compare"),
)
_TRAIN = (
    *("train", "--dataset", "folder=judged", "--dataset", "snippets=strings"),
    *("--leave-out", "source", "--model", "1r", "--features", "kohlschuetter"),
    *("--output", "train/model.npz"),
)
_RENDER = ("render", "--store", "render", "--input", "pages", "--no-sandbox", "--threads", "1")
_SHOWN = 300  # characters of a message


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Damage finished work, check it, run it again.")
    for kind in KINDS:
        parser.add_argument(f"--{kind}s", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=2010, metavar="S", help="(default: 2010)")
    parser.add_argument("--sweep", type=Path, metavar="DIR", help="a finished sweep")
    parser.add_argument("--study", type=Path, metavar="DIR", help="a finished study")
    parser.add_argument("--again", metavar="COMMAND", help="what made that sweep or study")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="(default: 1)")
    parser.add_argument(
        "--rerun", type=float, default=1.0, metavar="SHARE", help="(default: 1, after every damage)"
    )
    return parser


@contextlib.contextmanager
def subjects(options: argparse.Namespace, work: str) -> Iterator[list[Finished]]:
    """The finished work, in the folder from which its commands run again."""
    given = [path.resolve() for path in (options.sweep, options.study) if path]
    if given:
        if options.again and len(given) > 1:
            raise SystemExit("--again goes with --sweep or --study, not with both")
        again = tuple(shlex.split(options.again)) if options.again else None
        yield [Finished(folder, again) for folder in given]
        return
    world = Path(tempfile.mkdtemp(dir=work), "world")
    write_world(world)
    sys.path.insert(0, str(world / "code"))
    with contextlib.chdir(world):
        yield list(_made())


def _made() -> Iterator[Finished]:
    _call(STORE)
    for column in COLUMNS:
        if column.name in _MADE:
            folder = column.name.replace(" ", "-")
            made = (*column.first, *column.again)
            commands = [tuple(folder if word == "out" else word for word in argv) for argv in made]
            _call(*commands)
            yield Finished(Path(folder), commands[-1])
    _call(_TRAIN)
    yield Finished(Path("train"), _TRAIN, Path("train/model.npz"))
    if not missing_for_rendering():
        _call((*STORE[:-1], "render"), _RENDER)
        yield Finished(Path("render"), _RENDER)


def _call(*commands: tuple[str, ...]) -> None:
    failed, said = called(commands)
    if failed is not None:
        raise SystemExit(said)


def main() -> int:
    options = make_parser().parse_args()
    wanted = Counter({kind: getattr(options, f"{kind}s") for kind in KINDS})
    plan = [kind for kind, count in wanted.items() for _ in range(count)]
    jobs = list(enumerate(map(str, np.random.default_rng(options.seed).permutation(plan))))
    workers = 1 if options.sweep or options.study else options.workers
    with tempfile.TemporaryDirectory(prefix="damage-") as work, ThreadPoolExecutor(workers) as pool:
        shares = [jobs[first::workers] for first in range(workers)]
        return _tell_all(chain.from_iterable(pool.map(partial(_trials, options, work), shares)))


def _trials(
    options: argparse.Namespace, work: str, jobs: list[tuple[int, str]]
) -> list[tuple[str, Outcome]]:
    """The name of what was damaged and the outcome of each job, done in a process of their own.

    A process that ends has hung, or crashed: another one does the jobs after that.
    """
    found: list[tuple[str, Outcome]] = []
    context = multiprocessing.get_context("spawn")
    while len(found) < len(jobs):
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, options, work, jobs[len(found) :]))
        process.start()
        theirs.close()
        begun = None
        try:
            while len(found) < len(jobs):
                name, done = ours.recv()
                begun = name, done
                if isinstance(done, Outcome):
                    found.append((name, done))
                    begun = None
                    if not done.is_right:
                        _tell(name, done)
        except EOFError:
            if begun is None:
                raise SystemExit("a worker process ended outside a trial") from None
            name, damage = begun
            found.append((name, Outcome(damage, False, "", WRONG, "a command hung or crashed")))
            _tell(*found[-1])
        process.join()
    return found


def _work(
    connection: Connection, options: argparse.Namespace, work: str, jobs: list[tuple[int, str]]
) -> None:
    """Run in a worker process: send each damage before its trial, and the outcome after it."""
    # A folder of yours has real pictures, and gets them again.
    own = options.sweep or options.study
    with contextlib.nullcontext() if own else quick(), subjects(options, work) as finished:
        for number, kind in jobs:
            chance = np.random.default_rng((options.seed, number))
            subject = finished[number % len(finished)]
            again = kind == FORGE or bool(chance.random() < options.rerun)
            outcome = None
            while outcome is None:
                damage = subject.draw(kind, chance)
                connection.send((subject.folder.name, damage))
                outcome = subject.trial(damage, again=again)
            connection.send((subject.folder.name, outcome))


def _tell_all(outcomes: Iterable[tuple[str, Outcome]]) -> int:
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wrong = 0
    for name, outcome in outcomes:
        row = rows[f"{name}: {kind_of(outcome.damage.file)}"]
        is_forged = outcome.damage.kind == FORGE
        done, seen = ("forged", "forged seen") if is_forged else ("damaged", "seen")
        row.update({done: 1, seen: outcome.seen, outcome.again: 1})
        wrong += not outcome.is_right
    columns = ("damaged", "seen", "forged", "forged seen", IDENTICAL, REFUSED, WRONG, NOT_RUN)
    total = sum(rows.values(), Counter[str]())
    table = [(name, *(row[c] for c in columns)) for name, row in sorted(rows.items())]
    print(tabulate([*table, ("all", *(total[c] for c in columns))], ("file", *columns)))
    print(
        f"{total['damaged']:,} damages, {total['seen']:,} seen; {total['forged']:,} forged, "
        f"{total['forged seen']:,} seen; {total[WRONG]:,} reruns wrong, {wrong:,} faults"
    )
    return 1 if wrong else 0


def _tell(name: str, outcome: Outcome) -> None:
    how = "seen" if outcome.seen else f"not seen: {outcome.said[-_SHOWN:]}"
    print(f"{name}: {outcome.damage}: {how}; run again: {outcome.again}")
    if outcome.again == WRONG:
        print(f"    {outcome.why[-_SHOWN:]}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
