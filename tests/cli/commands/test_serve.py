"""The command that explores, in a process of its own: it answers, and ends at once."""

import contextlib
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs

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
            opener.open(address, timeout=30).close()
            yield address, opener
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_store_and_indexes_are_explored(
    call: Call, inputs: Inputs, store: Path, tmp_path: Path
) -> None:
    indexes, judged = tmp_path / "indexes", tmp_path / "judged"
    call("index", "--store", store, "--sweep", "words=1,5", "--output", indexes).ok()
    pages = []
    for folders in ((store, "--sweep", "words=1,5"), (indexes, "--store", store)):
        with serving(*folders, "--output", judged) as (address, browser):
            with browser.open(f"{address}lists?q=zebra&c=0&c=1", timeout=30) as answer:
                pages.append(answer.read().decode())
            with browser.open(f"{address}page?q=zebra&c=0&c=1&docid=GX000-01") as answer:
                assert b"keeps 1 of 5 blocks" in answer.read()
    assert 'class="change">left' in pages[0]
    assert pages[0] == pages[1]
