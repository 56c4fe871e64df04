"""Damage files of finished work by chance; say what `boilersweep check` sees, what a rerun gives.

    python scripts/damage.py --flips N --cuts N --zeros N [--deletes N] [--fifos N] [--links N]
                             [--devices N] [--folders N] [--strays N] [--twins N]
                             [--seed S] [--work DIR] [--sweep DIR] [--study DIR] [--again COMMAND]

Flips a bit of a file, cuts it, zeroes a page of it, deletes it, puts a FIFO, a link, a device or a
folder in its place, or adds a stray file beside it or a copy of its folder; asks `check`, runs the
command that made the work again, compares the result with the first one, and puts the file back.
The work is a store, indexes, an export, a judgement, a trained model, drawn pages (with Chromium),
a sweep of a small made-up collection with either engine, and a study of its store; or folders of
yours, which are checked alone, or run again by --again, such as 'sweep --input PAGES ... --output
DIR'.

Every damage must be seen. Run again, the command must give what it gave before, or refuse. Prints
totals by kind of file, and exits with 1 for a damage that is not seen or a rerun that is wrong.
"""

import argparse
import contextlib
import shlex
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from robustness.calling import called
from robustness.columns import COLUMNS, STORE
from robustness.damaging import (
    IDENTICAL,
    KINDS,
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
    parser.add_argument("--work", type=Path, metavar="DIR", help="(default: a temporary folder)")
    return parser


@contextlib.contextmanager
def subjects(options: argparse.Namespace) -> Iterator[list[Finished]]:
    """The finished work, in the folder from which its commands run again."""
    given = [path.resolve() for path in (options.sweep, options.study) if path]
    if given:
        if options.again and len(given) > 1:
            raise SystemExit("--again goes with --sweep or --study, not with both")
        again = tuple(shlex.split(options.again)) if options.again else None
        yield [Finished(folder, again) for folder in given]
        return
    work = options.work or Path(tempfile.mkdtemp(prefix="damage-"))
    world = work.resolve() / "world"
    write_world(world)
    sys.path.insert(0, str(world / "code"))
    with contextlib.chdir(world):
        yield list(_made())
    if options.work is None:
        shutil.rmtree(work)


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
    # A folder of yours has real pictures, and gets them again.
    with contextlib.nullcontext() if options.sweep or options.study else quick():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    chance = np.random.default_rng(options.seed)
    wanted = Counter({kind: getattr(options, f"{kind}s") for kind in KINDS})
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wrong = 0
    with subjects(options) as finished:
        plan = [kind for kind, count in wanted.items() for _ in range(count)]
        for number, kind in enumerate(chance.permutation(plan)):
            subject = finished[number % len(finished)]
            outcome = None
            while outcome is None:
                outcome = subject.trial(subject.draw(str(kind), chance))
            _count(rows[f"{subject.folder.name}: {kind_of(outcome.damage.file)}"], outcome)
            if not outcome.is_right:
                wrong += 1
                _tell(subject, outcome)
    columns = ("damaged", "seen", IDENTICAL, REFUSED, WRONG)
    total = sum(rows.values(), Counter[str]())
    table = [(name, *(row[c] for c in columns)) for name, row in sorted(rows.items())]
    print(tabulate([*table, ("all", *(total[c] for c in columns))], ("file", *columns)))
    print(
        f"{total['damaged']:,} damages, {total['seen']:,} seen, {total[WRONG]:,} reruns silently "
        "wrong"
    )
    return 1 if wrong else 0


def _count(row: Counter[str], outcome: Outcome) -> None:
    row["damaged"] += 1
    row["seen"] += outcome.seen
    row[outcome.again] += 1


def _tell(subject: Finished, outcome: Outcome) -> None:
    how = "seen" if outcome.seen else "not seen"
    print(f"{subject.folder.name}: {outcome.damage}: {how}; run again: {outcome.again}")
    if outcome.again == WRONG:
        print(f"    {outcome.why[:_SHOWN]}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
