"""Every command that writes: files of others, inputs, other requests, damage and kills."""

import contextlib
import json
import pkgutil
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.comparing import comparable, differences
from tests.system.bench import Bench, inside, make_work, run_here
from tests.system.works import commands
from tests.system.writers import FILES, FILES_READ, WRITERS, Writes

pytestmark = [pytest.mark.java, pytest.mark.slow]

OUT = Path("out")
THEIRS = "theirs\n"

MOST_FILES = 4  # tried of a command
KILLS = 4


@pytest.fixture
def writes(bench: Bench, name: str) -> Iterator[Writes]:
    """Yield a command in a world where it has run."""
    found = WRITERS[name]
    lines = (*found.first, found.line)
    bench.restore(f"every {name}", lambda: make_work(commands(*lines)))
    with inside(bench.world):
        yield found


def run(writes: Writes, *, overwrite: bool = False) -> tuple[bool, str]:
    succeeded, output = run_here(((*writes.argv, *["--overwrite"] * overwrite),))
    assert "Traceback" not in output, output
    return succeeded, output


def files() -> list[Path]:
    """Return files of some kinds: many shards, runs and files of an index are each one kind."""
    kinds: dict[object, Path] = {}
    for path in sorted(OUT.rglob("*")):
        if path.is_file() and path.name not in (
            "write.lock",
            "manifest.json",
            "boilersweep.json",
        ):
            kinds.setdefault(
                (path.parent, path.suffix, path.name.partition("-")[0]), path
            )
    found = list(kinds.values())
    return found[:: -(-len(found) // MOST_FILES)]


def contents() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in sorted(OUT.rglob("*"))
        # Which has the states of input files: the world was copied.
        if path.is_file() and path != OUT / "store" / "manifest.json"
    }


def both(writes: Writes) -> list[bool]:
    return [False, True] if writes.takes else [False]


# The demo takes long: its many pages are made anew each time.
NAMES = [
    pytest.param(name, marks=pytest.mark.exhaustive if name == "demo" else ())
    for name in WRITERS
]
ALONE = [one for one in NAMES if not WRITERS[str(one.values[0])].first]


@pytest.mark.parametrize("name", ALONE)
def test_a_file_of_others_is_named_and_stays(writes: Writes) -> None:
    wrong = []
    for path in files():
        shutil.rmtree(OUT)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(THEIRS)
        for overwrite in both(writes):
            succeeded, output = run(writes, overwrite=overwrite)
            if succeeded or path.read_text() != THEIRS or path.name not in output:
                wrong.append(
                    (
                        str(path),
                        overwrite,
                        succeeded,
                        path.read_text()[:20],
                        output[-300:],
                    )
                )
    assert not wrong


@pytest.mark.parametrize("name", ALONE)
def test_a_manifest_of_others_stays(writes: Writes) -> None:
    wrong = []
    content = json.dumps({"name": "an npm package", "files": []})
    manifests = [
        p
        for p in OUT.rglob("*.json")
        if p.name in ("manifest.json", "boilersweep.json")
    ]
    for path in sorted(manifests):
        shutil.rmtree(OUT)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        for overwrite in both(writes):
            succeeded, output = run(writes, overwrite=overwrite)
            if succeeded or path.read_text() != content or path.name not in output:
                wrong.append((str(path), overwrite, succeeded, output[-300:]))
    assert not wrong


@pytest.mark.parametrize("name", NAMES)
def test_no_input_is_replaced(writes: Writes) -> None:
    wrong = []
    found = files()
    before = {one: Path(one).read_bytes() for one in writes.inputs}
    for path in found:
        for one, content in before.items():
            shutil.rmtree(OUT)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            line = writes.line.replace(one, str(path))
            for overwrite in both(writes):
                argv = (*commands(line)[0], *["--overwrite"] * overwrite)
                succeeded, output = run_here((argv,))
                if succeeded or path.read_bytes() != content or path.name not in output:
                    wrong.append((str(path), one, overwrite, succeeded, output[-300:]))
    assert not wrong


@pytest.mark.parametrize(
    "name", [name for name, one in WRITERS.items() if one.other[0]]
)
def test_another_request_is_refused(writes: Writes) -> None:
    before = contents()
    line = writes.line.replace(*writes.other)
    succeeded, output = run_here(commands(line))
    assert not succeeded, output
    assert " was " in output, output
    assert contents() == before


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.application("learned")][: name == "clean"]
        )
        for name in FILES
    ],
)
def test_no_file_replaces_an_input(bench: Bench, name: str) -> None:
    bench.restore("every file", lambda: make_work(commands(*FILES_READ)))
    line, inputs = FILES[name]
    wrong = []
    with inside(bench.world):
        for one in inputs:
            suffix = ".csv" if name == "export --features" else ".txt"
            target = Path(one, f"new{suffix}") if one.endswith("/") else Path(one)
            before = target.read_bytes() if target.exists() else None
            succeeded, output = run_here(commands(line.replace("OUT", str(target))))
            assert "Traceback" not in output, output
            after = target.read_bytes() if target.exists() else None
            if succeeded or after != before or "input" not in output:
                wrong.append((one, succeeded, output[-300:]))
    assert not wrong


# What every command does on the way, each time a moment to be killed at.
STEPS = (
    "atomic._sync",
    "atomic.write_text",
    "plan.Plan.append",
    "plan.Plan.close",
    "writer.write_manifest",
    "writer.place_file",
    "writer.Writer._remove",
)


class Killed(BaseException):
    """The end of a process that no code expects."""


def count_steps(argv: tuple[str, ...], last: int | None = None) -> int:
    """Run a command up to a step; return how many steps it took."""
    steps = 0

    def counted(real: Any) -> Any:
        def step(*args: Any, **named: Any) -> Any:
            nonlocal steps
            steps += 1
            if last is not None and steps > last:
                raise Killed
            return real(*args, **named)

        return step

    with contextlib.ExitStack() as patched, contextlib.suppress(Killed):
        for name in STEPS:
            where = f"boilersweep.outputs.{name}"
            module, _, rest = name.partition(".")
            real = pkgutil.resolve_name(f"boilersweep.outputs.{module}:{rest}")
            patched.enter_context(mock.patch(where, counted(real)))
        succeeded, output = run_here((argv,))
        assert succeeded, output
    return steps


@pytest.mark.parametrize("name", ALONE)
def test_after_a_kill_at_any_step_the_command_gives_what_it_would_have(
    writes: Writes, name: str
) -> None:
    expected = comparable(OUT)
    shutil.rmtree(OUT)
    steps = count_steps(writes.argv)
    wrong = []
    for kill in range(KILLS):
        shutil.rmtree(OUT)
        last = kill * steps // KILLS
        assert count_steps(writes.argv, last) > last
        succeeded, output = run(writes)
        found = differences(comparable(OUT), expected)
        if name == "assess":  # its log has times
            found = [one for one in found if "differs" not in one]
        is_right, said = run_here((("check", writes.checked),))
        if not succeeded or found or not is_right:
            wrong.append((last, succeeded, output[-300:], found, said[-300:]))
    assert not wrong
