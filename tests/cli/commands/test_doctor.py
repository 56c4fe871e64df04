"""What `boilersweep doctor` says of the segmenter; the rest depends on the machine."""

import shutil

import pytest

from boilersweep.cli.commands.doctor import _languages, _rendering, _segmenter, _words
from boilersweep.pages import compiled, language, words
from boilersweep.rendering import chromium


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOILERSWEEP_PURE", raising=False)
    monkeypatch.setattr(compiled, "built", True)
    monkeypatch.setattr(compiled, "available", True)


def test_the_compiled_segmenter() -> None:
    assert list(_segmenter()) == [("ok", "the compiled segmenter cuts the pages")]


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"built": False, "available": False}, "install a C compiler and Python's headers"),
        ({"available": False, "CHECKED_LIBXML2": {(2, 9, 1)}}, "is checked with libxml2 2.9.1, "),
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
    assert line.startswith("the segmenter in pure Python cuts the pages, half as fast: ")
    assert why in line


def test_what_cuts_scripts_without_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_breaker", lambda: None)
    ((verdict, line),) = _words()
    assert verdict == "lacks"
    assert "pip install 'boilersweep[words]'" in line


def test_what_reads_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_detector", lambda: None)
    ((verdict, line),) = _languages()
    assert verdict == "lacks"
    assert "pip install 'boilersweep[languages]'" in line


def test_what_draws_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(chromium, "selenium_version", lambda: None)
    ((verdict, line),) = _rendering()
    assert verdict == "lacks"
    assert "Chromium is not on PATH; run: apt-get install chromium chromium-driver" in line
    assert "selenium is not installed; run: pip install 'boilersweep[render]'" in line


def test_root_has_no_sandbox(needs_chromium: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "has_sandbox", lambda: False)
    (found, sandbox) = _rendering()
    assert found[0] == "ok"
    assert "draw pages" in found[1]
    assert sandbox[0] == "low"
    assert "without its own sandbox" in sandbox[1]
