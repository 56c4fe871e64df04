"""Run the cells of the table of changes: change one thing, run again, compare with an empty folder.

    python -m robustness.cells FOLDER ROW COLUMN...

runs some cells of one row in a process of its own, whose code or environment is another, and
prints the verdicts as JSON.
"""

import argparse
import contextlib
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from robustness.calling import called, forget
from robustness.changes import ROWS, SAME, Row, Source
from robustness.columns import COLUMNS, STORE, Argv, Column
from robustness.comparing import Found, comparable, differences
from robustness.quick import quick
from robustness.world import write_model, write_world

FRESH = "as in an empty folder"
REFUSED = "refused"
OLD = "the old result, in whole or in part"
UNNAMED = "refused, the difference not named"
SPOILT = "refused, but the old work is spoilt"
NOT_REPLACED = "refused, and --overwrite does not give the result of an empty folder"
COMPLAINED = "nothing has changed, and it is refused"
CRASHED = "ended with a traceback"
IDLE = "the row changes nothing"
RIGHT = (FRESH, REFUSED)

_SCRIPTS = Path(__file__).parents[1]
_LEFT_OUT = shutil.ignore_patterns("__pycache__")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a cell, and how that is known."""

    what: str
    detail: str = ""

    @property
    def is_right(self) -> bool:
        return self.what in RIGHT


class Bench:
    """Runs cells one after the other, at one place, so that no path in a result differs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._world = folder / "world"
        self._kept = folder / "kept"
        self._results: dict[Path, Found] = {}

    def cell(self, column: Column, row: Row) -> Verdict:
        """Change one thing, and run the column's commands again."""
        kept = self.prepare(column, row)
        with self._restored(kept):
            _apply(row)
            return self._judged(column, row, kept)

    def cells(self, columns: Sequence[Column], row: Row) -> Iterator[tuple[Column, Verdict]]:
        """The cells of a row, in a process of their own where the row wants one."""
        if columns and row.in_process_of_its_own:
            yield from zip(columns, self._elsewhere(columns, row), strict=True)
        else:
            for column in columns:
                yield column, self.cell(column, row)

    def prepare(self, column: Column, row: Row) -> Path:
        """Where a world is kept in which the column's work is done, before the row's change."""
        name = column.name + (f", {row.name}" if row.before or row.before_options else "")
        kept = self._kept / re.sub(r"\W+", "-", name)
        if not kept.exists():
            with self._restored(self._first()):
                if row.before:
                    row.before(Path())
                self._do(with_options(column.made, row.before_options))
                shutil.copytree(self._world, kept, symlinks=True)
        return kept

    def _elsewhere(self, columns: Sequence[Column], row: Row) -> list[Verdict]:
        for column in columns:
            self.prepare(column, row)
        code = [str(_SCRIPTS), os.environ.get("PYTHONPATH", "")]
        if row.source:
            code.insert(0, str(changed_package(self._folder / "package", row.source)))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, code))}
        environment.update([row.environment] if row.environment else [])
        names = [column.name for column in columns]
        done = subprocess.run(
            [sys.executable, "-m", "robustness.cells", self._folder, row.name, *names],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return [Verdict(**verdict) for verdict in json.loads(done.stdout.splitlines()[-1])]

    def _first(self) -> Path:
        """The world with nothing but its inputs and the store of its pages."""
        kept = self._kept / "inputs"
        if not kept.exists():
            shutil.rmtree(self._world, ignore_errors=True)
            write_world(self._world)
            with _inside(self._world):
                self._do([STORE])
            shutil.copytree(self._world, kept)
        return kept

    @contextlib.contextmanager
    def _restored(self, kept: Path) -> Iterator[None]:
        shutil.rmtree(self._world, ignore_errors=True)
        shutil.copytree(kept, self._world, symlinks=True)
        with _inside(self._world):
            yield

    def _do(self, commands: Sequence[Argv]) -> None:
        failed, said = called(commands)
        if failed is not None:
            raise RuntimeError(f"{' '.join(commands[failed])}: {said}")

    def _judged(self, column: Column, row: Row, kept: Path) -> Verdict:
        again = with_options(column.again, row.options)
        fresh = with_options(column.fresh, row.options)
        before = _files(column)
        failed, said = called(again)
        if "Traceback" in said:
            return Verdict(CRASHED, said)
        if failed is None:
            found = _result(column)
            if row.kind == SAME and found == self._result_of(column, kept):
                return Verdict(FRESH)
            _clear()
            stopped, why = called(fresh)
            if stopped is not None:
                return Verdict(OLD, f"in an empty folder: {why}")
            expected = _result(column)
            if differing := differences(found, expected):
                return Verdict(OLD, "; ".join(differing))
            if not row.kind and expected == self._result_of(column, kept):
                return Verdict(IDLE, said)
            return Verdict(FRESH)
        if row.kind == SAME:
            return Verdict(COMPLAINED, said)
        message = said.partition("\nusage:")[0]
        if not any(_plain(word) in _plain(message) for word in row.says):
            return Verdict(UNNAMED, said)
        if not column.first and failed == 0 and _files(column) != before:
            return Verdict(SPOILT, f"{said}; {'; '.join(differences(_files(column), before))}")
        return self._replaced(column, fresh, said) if row.core else Verdict(REFUSED, said)

    def _replaced(self, column: Column, fresh: Sequence[Argv], said: str) -> Verdict:
        """What --overwrite makes of refused work, where the command has that."""
        if column.first or "--overwrite" not in options_of(column.command):
            return Verdict(REFUSED, said)
        failed, why = called(with_options(fresh, ("--overwrite",)))
        found = _result(column)
        _clear()
        stopped, same = called(fresh)
        if (failed is None) != (stopped is None):
            return Verdict(NOT_REPLACED, f"{said}\n{why}\n{same}")
        if failed is None and (differing := differences(found, _result(column))):
            return Verdict(NOT_REPLACED, f"{said}\n{'; '.join(differing)}")
        return Verdict(REFUSED, said)

    def _result_of(self, column: Column, kept: Path) -> Found:
        if kept not in self._results:
            self._results[kept] = _joined(column, kept)
        return self._results[kept]


def changed_package(folder: Path, source: Source) -> Path:
    """A folder with the package, in which one file says something else. source: see `Row`."""
    import boilersweep

    shutil.rmtree(folder, ignore_errors=True)
    tree = folder / "boilersweep"
    shutil.copytree(Path(boilersweep.__file__).parent, tree, ignore=_LEFT_OUT)
    for name in ("indexer", "eval", "topics"):
        # They stand elsewhere in a checkout, and in the package where that is installed.
        where = Path(str(importlib.import_module(f"boilersweep.{name}").__file__)).parent
        shutil.copytree(where, tree / name, ignore=_LEFT_OUT, dirs_exist_ok=True)
    name, old, new = source
    path = tree / name
    if path.suffix == ".npz":
        write_model(path.parent, words=9)
        path.with_name("model.npz").replace(path)
        return folder
    text = path.read_text() if path.exists() else ""
    if old not in text:
        raise LookupError(f"{name} lacks {old!r}")
    path.write_text(text.replace(old, new))
    return folder


def columns_of(row: Row) -> list[Column]:
    """The columns that have the row."""
    return [column for column in COLUMNS if _has(column, row)]


def _has(column: Column, row: Row) -> bool:
    if row.only and column.name not in row.only:
        return False
    if row.of and row.of not in column.reads:
        return False
    if not row.options:
        return True
    flag = row.options[0]
    if row.change is None and column.few and not row.core and not row.only:
        return False
    commands = [argv for argv in column.again if flag in options_of(argv[0])]
    # An option that is not there yet is to be, and fails until then.
    missing = not commands and flag not in known_options()
    return missing or any(flag in argv or not row.given for argv in commands)


def with_options(commands: Sequence[Argv], options: Argv) -> list[Argv]:
    """The commands with an option in the place of its old value, each that knows it."""
    if not options:
        return list(commands)
    flag = options[0]
    known = flag in known_options()
    return [
        _without(argv, flag) + options if flag in options_of(argv[0]) or not known else argv
        for argv in commands
    ]


def _without(argv: Argv, flag: str) -> Argv:
    """An argument list without an option and its values."""
    if flag not in argv:
        return argv
    start = argv.index(flag)
    end = start + 1
    while end < len(argv) and not argv[end].startswith("--"):
        end += 1
    return argv[:start] + argv[end:]


@cache
def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command, by name."""
    from boilersweep.cli.main import make_parser

    (action,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return dict(action.choices)


@cache
def options_of(command: str) -> frozenset[str]:
    """The long options of a command."""
    actions = parsers()[command]._actions
    return frozenset(s for a in actions for s in a.option_strings if s.startswith("--"))


@cache
def known_options() -> frozenset[str]:
    """The long options of all commands."""
    return frozenset().union(*map(options_of, parsers()))


@contextlib.contextmanager
def _inside(world: Path) -> Iterator[None]:
    """In the world's folder, its code importable."""
    code = str(world / "code")
    sys.path.insert(0, code)
    try:
        with contextlib.chdir(world):
            yield
    finally:
        sys.path.remove(code)
        forget()


def _apply(row: Row) -> None:
    if row.change:
        row.change(Path())
    if row.store:
        output = row.store[row.store.index("--output") + 1]
        shutil.rmtree(output, ignore_errors=True)
        failed, said = called([row.store])
        if failed is not None:
            raise RuntimeError(said)


def _result(column: Column) -> Found:
    return _joined(column, Path())


def _joined(column: Column, world: Path) -> Found:
    return {
        f"{output}/{name}": found
        for output in column.compared
        for name, found in comparable(world / output, numbered=column.numbered).items()
    }


def _files(column: Column) -> Found:
    """Every file of the work, and its bytes."""
    return {
        str(path): path.read_bytes().hex()
        for output in column.compared
        for path in Path(output).rglob("*")
        if path.is_file()
    }


def _clear() -> None:
    for name in ("out", "out.parts"):
        shutil.rmtree(name, ignore_errors=True)


def _plain(text: str) -> str:
    return text.lower().replace("-", " ").replace("_", " ")


def main() -> int:
    folder, name, *names = sys.argv[1:]
    (row,) = (row for row in ROWS if row.name == name)
    bench = Bench(Path(folder))
    columns = [column for column in COLUMNS if column.name in names]
    with quick():
        verdicts = [asdict(bench.cell(column, row)) for column in columns]
    print(json.dumps(verdicts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
