"""The front door: help, versions, exit statuses, and what importing it costs."""

import errno
import itertools
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import JavaError, UsageError, __version__
from boilersweep.cli.app import COMMANDS, COMPLETE, GROUPS, parse
from boilersweep.cli.commands import doctor
from boilersweep.indexer.manifest import versions
from boilersweep.work import progress
from tests.cli.conftest import Call
from tests.running import boilersweep, python, run

HEAVY = (
    "pyserini",
    "jnius",
    "pyarrow",
    "vl_convert",
    "pandas",
    "ir_measures",
    "lxml",
    "torch",
)


def test_python_m_shows_every_command() -> None:
    done = boilersweep("--help")
    assert done.stderr == ""
    for name in COMMANDS:
        assert f"\n│ {name} " in done.stdout
    for name in set(COMPLETE).difference(COMMANDS):
        assert f"\n│ {name} " not in done.stdout
        assert f" boilersweep {name}" not in done.stdout
    for title, listed in GROUPS.items():
        shown = f"\n╭─ {title} ─" in done.stdout
        assert shown == bool(set(listed.split()).intersection(COMMANDS))
    stripped = python("-OO", "-m", "boilersweep", "--help")  # without docstrings
    listed, begin, _ = done.stdout.partition("╭─ options ─")
    assert stripped.stdout.startswith(f"{listed}{begin}")


@pytest.mark.slow
def test_python_m_shows_the_version() -> None:
    assert boilersweep("--version").stdout == f"boilersweep {__version__}\n"


@pytest.mark.parametrize(
    "module",
    [
        "boilersweep",
        "boilersweep.cli.main",
        "boilersweep.indexer",
        "boilersweep.topics",
    ],
)
def test_importing_loads_nothing_heavy(module: str) -> None:
    script = f"import sys, {module}; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = python("-c", script)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_the_list_of_commands_imports_no_command() -> None:
    script = (
        "import sys; from boilersweep.cli.main import main\n"
        "main(['--help'])\n"
        "print([name for name in sys.modules if 'cli.commands.' in name])"
    )
    assert python("-c", script).stdout.endswith("\n[]\n")


def test_the_command_of_a_deleted_application_says_so(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.cli.app.COMPLETE", [*COMPLETE, "gone"])
    call("gone", "--output", "o").refused(
        2, "`gone` requires `cli.commands.gone`, which this copy of boilersweep lacks"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(call: Call, name: str) -> None:
    assert call(name, "--help").ok().out.startswith(f"Usage: boilersweep {name}")


def test_no_option_is_guessed_from_its_beginning() -> None:
    words = "index --store s --output o --keep words>2"
    do, _ = parse(words.split(), "index")
    assert str(do.keywords["keep"]) == "words>2"
    with pytest.raises(UsageError, match="Unknown option: --kee"):
        parse(words.replace("--keep", "--kee").split(), "index")


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (JavaError("no Java"), 1, "boilersweep: no Java\n"),
        (UsageError("wrong"), 2, "boilersweep: wrong\n"),
        (KeyboardInterrupt(), 130, "finished files are kept"),
        (
            OSError(errno.ENOSPC, "No space left", "out/x"),
            1,
            "out/x: No space left; free some",
        ),
        (
            ModuleNotFoundError(name="jnius"),
            2,
            "this needs jnius, which is not installed; run: ",
        ),
        (ZeroDivisionError(), None, ""),
        (OSError(errno.ENOTTY, "Not a terminal"), None, ""),
        (ModuleNotFoundError(name="ours"), None, ""),
    ],
)
def test_errors_become_a_line_and_a_status_but_faults_of_ours_are_raised(
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int | None,
    message: str,
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(doctor, "run", fail)
    with nullcontext() if status else pytest.raises(type(error)):
        outcome = call("doctor")
        assert (outcome.status, outcome.out) == (status, "")
        assert message in outcome.err


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    script = (
        "import sys; from boilersweep.cli.commands import doctor\n"
        "from boilersweep.cli.main import main\n"
        "doctor.run = lambda: print('x' * 10**6) or 0\n"
        "sys.exit(main(['doctor']))"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=300,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize(
    ("script", "status", "message"),
    [
        (
            "boilersweep --list cleaners >&-",
            2,
            "standard output is closed; redirect it",
        ),
        ("boilersweep --list cleaners 2>&-", 0, ""),
        (
            "mkdir gone; cd gone; rmdir ../gone; boilersweep check .",
            1,
            "current folder was deleted",
        ),
    ],
)
def test_closed_streams_and_a_deleted_folder(
    tmp_path: Path, script: str, status: int, message: str
) -> None:
    script = script.replace("boilersweep", f"{sys.executable} -m boilersweep")
    done = run("/bin/sh", "-c", script, cwd=tmp_path, status=status)
    assert message in done.stderr
    assert done.stderr.count("\n") == bool(message)


@pytest.mark.java
def test_doctor_finds_everything_here(call: Call) -> None:
    outcome = call("doctor").ok()
    for text in (
        "Python 3.",
        f"pyserini {version('pyserini')}",
        "Java 2",
        f"Lucene {versions()['lucene']}",
        "of disk free",
        "processors",
    ):
        assert text in outcome.out
    assert "wrong" not in outcome.out


@pytest.mark.java
def test_doctor_says_how_to_mend_java(
    call: Call,
) -> None:
    none = JavaError("Lucene needs Java 21; none was found:\n  install one")
    with mock.patch("boilersweep.cli.commands.doctor.find_java", side_effect=none):
        call("doctor").failed("wrong  Lucene needs Java 21; none was found:\n")


def test_long_commands_say_now_and_then_how_far_they_are(
    call: Call, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count()
    monkeypatch.setattr(progress, "monotonic", lambda: next(seconds))
    export = ("export", "--store", store, "--features", "kohlschuetter")
    features = (*export, "--output", tmp_path / "features.csv")
    assert call(*features).err.count("documents") == 0
    said = call("--log-every", 1, *features).err
    assert "Writing features: 30 of 30 documents in 00:0" in said
    assert call("--log-every=0", *features).status == 2
    assert "before the name of the command" in call(*features, "--log-every", 1).err
