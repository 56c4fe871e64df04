"""The command that explores, in a process of its own: it answers, and ends at once."""

import contextlib
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call

pytestmark = [pytest.mark.java, pytest.mark.slow]


@contextlib.contextmanager
def serving(*words: str | Path) -> Iterator[tuple[str, urllib.request.OpenerDirector]]:
    """Yield the command's address and a browser at it; Ctrl+C ends it with status 0."""
    pytest.importorskip("starlette", reason="the extra `serve` is not installed")
    command = [sys.executable, "-m", "boilersweep", "serve", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            address = process.stdout.readline().strip()
            opener = urllib.request.build_opener()
            opener.open(address, timeout=120).close()
            yield address, opener
            process.send_signal(signal.SIGINT)
            assert process.wait(120) == 0
        finally:
            process.kill()


def test_sweeps_require_a_store(call: Call, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    message = "--sweep and --cleaners require an index or a block store"
    call("serve", tmp_path, "--sweep", "words=1,5").refused(2, message)


def test_store_is_explored(store: Path, tmp_path: Path) -> None:
    with serving(store, "--sweep", "words=1,5", "--output", tmp_path) as (
        address,
        browser,
    ):
        with browser.open(
            f"{address}lists?q=zebra&c=words>=1&c=words>=5", timeout=120
        ) as answer:
            assert b'class="change">left' in answer.read()
        with browser.open(
            f"{address}page?q=zebra&c=words>=1&c=words>=5&docid=GX000-01"
        ) as answer:
            assert b"keeps 1 of 5 blocks" in answer.read()
