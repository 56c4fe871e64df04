"""Paths and URLs of input."""

import sys
from pathlib import Path

import pytest

from boilersweep import UsageError
from boilersweep.outputs.locations import is_remote, location


def test_a_path_is_a_path() -> None:
    assert location("some/pages") == Path("some/pages")
    assert not is_remote(location("some/pages"))


def test_a_url_wants_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(
        UsageError, match=r"needs? a driver that is not installed.* install .*s3fs"
    ):
        location("s3://bucket/pages")
