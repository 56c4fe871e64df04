"""A page from a file: plain, gzipped, damaged, missing."""

import gzip
import sys
from pathlib import Path

import pytest

from boilersweep import InputError
from boilersweep.cleaning.cleaned_page import read_page

PAGE = b"<p>one two three"


def test_a_page_is_read_and_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE)
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(PAGE))
    assert read_page(tmp_path / "a.html") == read_page(tmp_path / "a.html.gz") == PAGE


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the page .*none\.html"):
        read_page(tmp_path / "none.html")
    (tmp_path / "half.gz").write_bytes(gzip.compress(PAGE)[:-9])
    with pytest.raises(InputError, match=r"half\.gz is damaged"):
        read_page(tmp_path / "half.gz")


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed; give a file"):
        read_page(Path("-"))


def test_a_page_may_not_expand_without_end(tmp_path: Path) -> None:
    (tmp_path / "large.gz").write_bytes(gzip.compress(bytes(40 * 2**20)))
    with pytest.raises(InputError, match="more than 33,554,432 bytes"):
        read_page(tmp_path / "large.gz")
