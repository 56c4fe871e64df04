"""No command starts more worker processes than it has tasks; Ctrl-C ends them silently."""

import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cli.main import main
from boilersweep.work import pool
from tests.running import python

pytestmark = pytest.mark.java

PAGES = 2
COMMANDS = (
    ("segment --input pages --output store", PAGES),
    ("segment --input pages --output store --extractors cetr", PAGES),
    ("export --store store --keep words>=1 --output texts", PAGES),
    ("index --store store --keep words>=1 --output index", 0),
    (
        "sweep --store store --topics topics --qrels qrels --engine exact --output swept"
        " --sweep words=1,2,3",
        3,
    ),
    (
        "compare --store store --topics topics --qrels qrels --engine exact --output study"
        " --cleaners words>=1,words>=2",
        2,
    ),
)
CTRL_C = (
    *(
        ("export --input pages --keep words>=1 --output texts", d)
        for d in (0.6, 1.0, 1.4, 1.8)
    ),
    *(
        ("segment --input pages --on-duplicate first --output store", d)
        for d in (0.4, 0.7, 1.0)
    ),
)

INTERRUPTED_IMPORT = """
import os, signal, sys
class Interrupting:
    left = int(sys.argv.pop(1))
    def find_spec(self, *_):
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGINT)
from boilersweep.__main__ import main
sys.meta_path.insert(0, Interrupting())
sys.exit(main())
"""


def test_processes_are_no_more_than_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages").mkdir()
    for number in range(PAGES):
        line = f'{{"id": "d{number}", "contents": "<p>a pony and a zebra number {number}"}}'
        Path("pages", f"{number}.jsonl").write_text(line)
    Path("topics").write_text("1\tpony\n")
    Path("qrels").write_text("1 0 d0 1\n")
    started = 0
    begin = pool._Worker.__init__

    def counted(*arguments: Any, **options: Any) -> None:
        nonlocal started
        started += 1
        begin(*arguments, **options)

    monkeypatch.setattr(pool._Worker, "__init__", counted)
    for command, most in COMMANDS:
        started = 0
        assert main([*command.split(), "--threads", "64"]) == 0, capsys.readouterr().err
        assert started <= most, command


@pytest.mark.parametrize(
    ("command", "imports"),
    [
        *product(("--help", "index"), (1, 20)),
        *product(("sweep --topics",), (2, 80, 300)),
    ],
)
def test_ctrl_c_during_an_import_shows_no_traceback(command: str, imports: int) -> None:
    words = ("-c", INTERRUPTED_IMPORT, imports, *command.split())
    assert "Traceback" not in python(*words, status=128 + signal.SIGINT).stderr


def test_ctrl_c_that_becomes_another_error_shows_no_traceback() -> None:
    code = """
import os, signal, sys
class Compiled:
    def find_spec(self, *_):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise TypeError("takes at least one argument") from None
from boilersweep.__main__ import main
sys.meta_path.insert(0, Compiled())
sys.exit(main())
"""
    done = python("-c", code, "--help", status=128 + signal.SIGINT)
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def many_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of more pages than any machine reads during the longest delay."""
    folder = tmp_path_factory.mktemp("many")
    for number in range(4):
        lines = (
            f'{{"id": "{number}-{n}", "contents": "<p>a pony"}}\n'
            for n in range(100000)
        )
        Path(folder, f"{number}.jsonl").write_text("".join(lines))
    return folder


@pytest.mark.parametrize(("command", "delay"), CTRL_C)
def test_ctrl_c_while_modules_and_workers_start_shows_no_traceback(
    many_pages: Path, tmp_path: Path, command: str, delay: float
) -> None:
    (tmp_path / "pages").symlink_to(many_pages)
    with subprocess.Popen(
        [sys.executable, "-m", "boilersweep", *command.split()],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=300)
    assert "Traceback" not in said
    # By the signal itself where Python has not yet begun, or has ended.
    assert process.returncode in (128 + signal.SIGINT, -signal.SIGINT)
