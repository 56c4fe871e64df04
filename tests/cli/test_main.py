"""The front door: help, versions, exit statuses, and what importing it costs."""

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from boilersweep import __version__
from boilersweep.cli.commands import doctor
from boilersweep.cli.main import COMMANDS, main, make_parser
from boilersweep.errors import JavaError, UsageError
from boilersweep.work import progress
from tests.cli.conftest import Call

HEAVY = ("pyserini", "jnius", "pyarrow", "matplotlib", "pandas", "ir_measures", "lxml", "torch")


def python(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def test_python_m_shows_every_command() -> None:
    done = python("-m", "boilersweep", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name in COMMANDS:
        assert f"\n    {name} " in done.stdout


@pytest.mark.slow
def test_python_m_shows_the_version() -> None:
    done = python("-m", "boilersweep", "--version")
    assert (done.returncode, done.stdout) == (0, f"boilersweep {__version__}\n")


@pytest.mark.parametrize(
    "module", ["boilersweep", "boilersweep.cli.main", "boilersweep.indexer", "boilersweep.topics"]
)
def test_importing_loads_nothing_heavy(module: str) -> None:
    script = f"import sys, {module}; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = python("-c", script)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


@pytest.mark.slow
def test_no_module_of_the_command_line_loads_java_or_tables() -> None:
    heavy = tuple(name for name in HEAVY if name != "lxml")
    folder = Path(doctor.__file__).parent
    modules = [f"boilersweep.cli.commands.{path.stem}" for path in folder.glob("[!_]*.py")]
    assert len(modules) > 8
    script = f"import sys, {', '.join(modules)}; print(*[m for m in {heavy!r} if m in sys.modules])"
    done = python("-c", script)
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(call: Call, name: str) -> None:
    outcome = call(name, "--help")
    assert outcome.status == 0
    assert outcome.out.startswith(f"usage: boilersweep {name}")


def test_options_are_not_guessed_from_their_beginnings_alone() -> None:
    options = make_parser().parse_args(
        ["index", "--store", "s", "--output", "o", "--keep", "words>2"]
    )
    assert str(options.keep) == "words>2"


@pytest.mark.parametrize(("error", "status"), [(JavaError("no Java"), 1), (UsageError("wrong"), 2)])
def test_errors_become_a_line_and_a_status(
    call: Call, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def fails(_options: Any) -> int:
        raise error

    monkeypatch.setattr(doctor, "run", fails)
    outcome = call("doctor")
    assert (outcome.status, outcome.out, outcome.err) == (status, "", f"boilersweep: {error}\n")


def test_an_interruption_says_that_work_is_kept(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_options: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "run", interrupted)
    outcome = call("doctor")
    assert outcome.status == 130
    assert "completed work is kept" in outcome.err


def test_a_mistake_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_options: Any) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(doctor, "run", broken)
    with pytest.raises(ZeroDivisionError):
        main(["doctor"])


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    script = (
        "import sys; from boilersweep.cli.commands import doctor\n"
        "from boilersweep.cli.main import main\n"
        "doctor.run = lambda options: print('x' * 10**6) or 0\n"
        "sys.exit(main(['doctor']))"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.java
def test_doctor_finds_everything_here(call: Call) -> None:
    outcome = call("doctor")
    assert outcome.status == 0, outcome.out
    for text in ("Python 3.", "pyserini 1.6", "Java 2", "Lucene 9", "of disk free", "processors"):
        assert text in outcome.out
    assert "wrong" not in outcome.out


@pytest.mark.java
def test_doctor_says_how_to_mend_java(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise JavaError("Lucene needs Java 21 or newer; none was found:\n  install one")

    monkeypatch.setattr("boilersweep.indexer.java_runtime.find_java", none)
    outcome = call("doctor")
    assert outcome.status == 1
    assert "wrong  Lucene needs Java 21 or newer; none was found:\n" in outcome.out


def test_long_commands_say_now_and_then_how_far_they_are(
    call: Call, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count()
    monkeypatch.setattr(progress, "monotonic", lambda: next(seconds))
    features = ("features", "--store", store, "--output", tmp_path / "features.csv")
    assert call(*features).err.count("documents") == 0
    said = call(*features, "--log-every", 1).err
    assert "Writing features: 30 of 30 documents in 00:0" in said
    assert call(*features, "--log-every", 0).status == 2
