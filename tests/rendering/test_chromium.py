"""Chromium's sandbox: who needs it, who may go without it, and drawing as another user."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from boilersweep.errors import UsageError
from boilersweep.rendering import chromium
from boilersweep.rendering.chromium import (
    Found,
    allow_no_sandbox,
    find_chromium,
    has_sandbox,
    in_container,
)

ROOT, USER = 0, 1000
_DRAWS_AS_NOBODY = """
import os
from pathlib import Path
from boilersweep.rendering.browser import Browser
from boilersweep.rendering.drawing import draw
from boilersweep.rendering.marking import MarkingSegmenter

page = MarkingSegmenter(structure=True).html(b"<p>one two three")

def flags_of(profile):
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            flags = path.read_bytes().split(b"\\0")
        except OSError:
            continue
        if f"--user-data-dir={profile}".encode() in flags:
            yield from flags

def drawn():
    with Browser() as browser:
        found = draw(page, browser)
        assert not found.outcome and found.blocks.shown.all(), found
        flags = list(flags_of(browser._profile.name))
        assert flags
        return b"--no-sandbox" in flags

as_root = drawn()  # imports everything that the other user may not be able to read
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
print(as_root, drawn())
"""


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Return a machine outside a container that has Chromium."""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(chromium, "selenium_version", lambda: "4")
    monkeypatch.setattr(chromium, "_CONTAINER_FILES", ())
    monkeypatch.setattr(chromium, "_allowed", False)
    for name in chromium._CONTAINER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("uid", "container", "allowed", "found", "sandbox"),
    [
        (USER, False, False, True, True),
        (USER, False, True, True, False),
        (USER, True, False, True, True),
        (ROOT, False, False, False, False),
        (ROOT, False, True, True, False),
        (ROOT, True, False, True, False),
    ],
)
def test_root_outside_a_container_needs_permission(
    user: pytest.MonkeyPatch,
    uid: int,
    container: bool,
    allowed: bool,
    found: bool,
    sandbox: bool,
) -> None:
    user.setattr(os, "geteuid", lambda: uid)
    if container:
        user.setenv("container", "podman")
    allow_no_sandbox(allowed)
    assert has_sandbox() == sandbox
    if found:
        assert find_chromium() == Found("/usr/bin/chromium", "/usr/bin/chromedriver")
    else:
        with pytest.raises(UsageError, match=r"another user or in a container.*--no-sandbox"):
            find_chromium()


def test_a_container_is_known_by_its_files_too(user: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not in_container()
    user.setattr(chromium, "_CONTAINER_FILES", (str(tmp_path),))
    assert in_container()


@pytest.mark.skipif(os.geteuid() != ROOT, reason="only root can become another user")
def test_another_user_draws_in_the_sandbox(needs_chromium: None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DRAWS_AS_NOBODY],
        env={**os.environ, "HOME": tempfile.gettempdir()},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("True False\n", 0), done.stderr
