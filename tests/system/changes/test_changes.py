"""Change one thing and run a command again.

The result equals that of an empty folder, or the command fails, names the difference and leaves
the finished work as it was. Every row of `CHANGES` meets one of the works that depend on it, in
turn, unless another row proves the same; with `--exhaustive` every row meets all.
"""

import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

import boilersweep
from tests.comparing import NOTES, Found, comparable, differences
from tests.system.bench import Bench, inside, make_work, run_here
from tests.system.changes.change import CHANGED, SAME, Change
from tests.system.changes.matching import CHANGES, options_of, with_options, works_of
from tests.system.works import Argv, Work
from tests.system.world import write_model

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.application("learned"),
]

OUTPUT = Path("out")


def parameters() -> Iterator[ParameterSet]:
    """Yield every work of every change; one of each change is in every run."""
    for number, change in enumerate(CHANGES):
        works = works_of(change)
        for turn, work in enumerate(works):
            in_turn = turn == number % len(works) and not change.exhaustive
            marks = () if in_turn else (pytest.mark.exhaustive,)
            yield pytest.param(
                work, change, id=f"{work.name} | {change.name}", marks=marks
            )


# Runs command lines, a JSON list of them a line, and answers with what `run_here` returns.
RUN = """
import json, os, sys
import jnius_config
from tests.quick import quick
from tests.system.bench import run_here

jnius_config.add_options("-XX:TieredStopAtLevel=1")
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # nothing else is an answer
with quick():
    for line in sys.stdin:
        print(json.dumps(run_here(json.loads(line))), file=answers, flush=True)
"""


@contextlib.contextmanager
def runner(
    change: Change, folder: Path
) -> Iterator[Callable[[tuple[Argv, ...]], tuple[bool, str]]]:
    """Yield a function that runs commands with the code and environment of the change."""
    if change.source is None and change.environment is None:
        yield run_here
        return
    places = [str(Path(__file__).parents[3]), str(Path("code").absolute())]
    if change.source:
        places.insert(0, str(changed_package(folder, change.source)))
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    variables.update([change.environment] if change.environment else [])
    with subprocess.Popen(
        [sys.executable, "-c", RUN],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def run(argvs: tuple[Argv, ...]) -> tuple[bool, str]:
            assert process.stdin
            assert process.stdout
            print(json.dumps(argvs), file=process.stdin, flush=True)
            succeeded, output = json.loads(process.stdout.readline())
            return succeeded, output

        yield run


def changed_package(folder: Path, source: tuple[str, str, str]) -> Path:
    """Copy the package, also as Python has compiled it, and change one file of it.

    Returns:
        The folder to import it from.
    """
    tree = folder / "boilersweep"
    shutil.copytree(Path(boilersweep.__file__).parent, tree)
    for name in ("indexer", "eval", "topics"):
        place = Path(
            str(importlib.import_module(f"boilersweep.{name}").__file__)
        ).parent
        shutil.copytree(place, tree / name, dirs_exist_ok=True)
    name, old, new = source
    path = tree / name
    if path.suffix == ".npz":
        write_model(path, words=9)
    else:
        text = path.read_text() if path.exists() else ""
        assert old in text, f"{name} lacks {old!r}"
        path.write_text(text.replace(old, new, 1))
    return folder


def result(world: Path = Path()) -> Found:
    return comparable(world / OUTPUT)


def files() -> dict[Path, bytes]:
    """Return the content of every file of the output but of its notes.

    A store within the output of a sweep follows its pages, whatever becomes of the sweep.
    """
    left_out = {NOTES, "store"}
    return {
        path: path.read_bytes()
        for path in OUTPUT.rglob("*")
        if path.is_file() and not left_out.intersection(path.parts)
    }


def clear() -> None:
    shutil.rmtree(OUTPUT, ignore_errors=True)


def plain(text: str) -> str:
    """Return a text for comparing names of options in messages."""
    return text.lower().replace("-", " ").replace("_", " ")


@pytest.mark.parametrize(("work", "change"), list(parameters()))
def test_a_change_is_followed_or_named(
    bench: Bench, tmp_path: Path, work: Work, change: Change
) -> None:
    before = f", before {change.name}" if change.before or change.before_options else ""

    def make() -> None:
        if change.before:
            change.before()
        make_work(with_options(work.first or work.again, change.before_options))

    kept = bench.restore(work.name + before, make)
    again = with_options(work.again, change.options)
    fresh = with_options((*work.first, *work.again), change.options)
    with contextlib.ExitStack() as stack:
        stack.enter_context(inside(bench.world))
        if change.edit:
            change.edit()
        run = stack.enter_context(runner(change, tmp_path))
        finished = files()
        succeeded, output = run(again)
        assert "Traceback" not in output, output
        if not succeeded:
            assert change.expected != SAME, output
            message = plain(output.partition("\nusage:")[0])
            assert any(plain(word) in message for word in change.named), output
            assert work.first or len(again) > 1 or files() == finished
            if work.first or "--overwrite" not in options_of(again[0][0]):
                return
            succeeded, output = run(with_options(fresh, ("--overwrite",)))
        found = result()
        stayed = differences(found, result(kept))
        if change.expected == SAME and not stayed:
            return
        clear()
        possible, reason = run(fresh)
        assert succeeded == possible, f"{output}\nin an empty folder: {reason}"
        if not possible:
            return
        expected = result()
        assert differences(found, expected) == [], f"as it was, but for {stayed}"
        assert change.expected != CHANGED or expected != result(kept)
