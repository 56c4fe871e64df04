"""Pages of a store drawn, on the command line, and pictures of a page."""

import shutil
import struct
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.stores import write_pages

PAGE = "<p>menu</p><div><p>one two three four five six seven eight nine ten eleven twelve</div>"


@pytest.fixture
def pages(call: Call, tmp_path: Path) -> Path:
    """Write a file of three pages and, beside it, their store."""
    path = write_pages(tmp_path / "pages.jsonl", dict.fromkeys("abc", PAGE))
    arguments = ("--input", path, "--threads", "1")
    call("segment", *arguments, "--output", tmp_path / "store").ok()
    return path


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path / "page.html"


def test_a_store_is_drawn_and_vips_reads_it(
    call: Call, pages: Path, tmp_path: Path, needs_chromium: None
) -> None:
    store = tmp_path / "store"
    export = ("export", "--store", store, "--keep", "vips", "--output", tmp_path / "x")
    call(*export).refused(2, f"run `boilersweep render --store {store} --input PAGES`")
    arguments = ("render", "--store", store, "--input", pages, "--threads", "1", "--strict")
    outcome = call(*arguments)
    assert (outcome.status, outcome.out) == (0, f"{store / 'boxes.json'}\n")
    assert "3 of 3 pages drawn by Chromium " in outcome.err
    assert "of 6 blocks 0 are hidden; the browser lacks 0 blocks and " in outcome.err
    call(*export).ok()
    call("check", store).ok()


def test_shares(call: Call, pages: Path, tmp_path: Path, needs_chromium: None) -> None:
    arguments = ("render", "--store", tmp_path / "store", "--input", pages)
    call(*arguments, "--share", "1/2").ok().noted("share 1/2 is done; other shares are unfinished")


def test_without_chromium_the_command_that_installs_it_is_named(
    call: Call, pages: Path, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    outcomes = (
        call("render", "--store", tmp_path / "store", "--input", pages),
        call("explain", "--page", page, "--cleaners", "vips"),
        call("explain", "--page", page, "--cleaners", "bte", "--picture", tmp_path / "p.png"),
    )
    for outcome in outcomes:
        assert outcome.status == 2
        assert "apt-get install chromium chromium-driver" in outcome.err
    # What needs no browser needs none.
    call("explain", "--page", page).ok()


def test_one_page_is_drawn_where_vips_is_asked(
    call: Call, page: Path, needs_chromium: None
) -> None:
    call("explain", "--page", page, "--cleaners", "vips").ok(" vips ")
    assert " vips " not in call("explain", "--page", page).out


def test_a_picture(call: Call, page: Path, tmp_path: Path, needs_chromium: None) -> None:
    picture = tmp_path / "new" / "page.png"
    for cleaners, width in (("words>=5", 1), ("words>=5,bte", 2)):
        assert (
            call("explain", "--page", page, "--cleaners", cleaners, "--picture", picture)
            .ok()
            .err.endswith(f"{picture}\n")
        )
        content = picture.read_bytes()
        assert content.startswith(b"\x89PNG")
        assert struct.unpack(">I", content[16:20])[0] == width * 914 + 14
