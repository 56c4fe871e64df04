"""No command starts more worker processes than it has tasks; Ctrl-C ends them silently."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boilersweep.cli.main import main
from boilersweep.work import worker_pool

pytestmark = pytest.mark.java

PAGES = 2
COMMANDS = (
    ("segment --input pages --output store", PAGES),
    ("extract --input pages --store store --extractors cetr", PAGES),
    ("export --store store --keep words>=1 --output texts", PAGES),
    ("index --store store --keep words>=1 --output index", 0),
    (
        "sweep --store store --topics topics --qrels qrels --engine exact --output swept"
        " --sweep words=1,2,3",
        3,
    ),
)


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
    new = worker_pool._Worker.__init__

    def counted(*arguments: object) -> None:
        nonlocal started
        started += 1
        new(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(worker_pool._Worker, "__init__", counted)
    for command, expected in COMMANDS:
        started = 0
        assert main([*command.split(), "--threads", "64"]) == 0, capsys.readouterr().err
        assert started == expected, command


@pytest.mark.parametrize("delay", [0.2, 0.4, 0.7, 1.0])
def test_ctrl_c_while_modules_and_workers_start_shows_no_traceback(
    tmp_path: Path, delay: float
) -> None:
    Path(tmp_path, "pages").mkdir()
    for number in range(4):
        line = f'{{"id": "d{number}", "contents": "<p>a pony"}}\n' * 2000
        Path(tmp_path, "pages", f"{number}.jsonl").write_text(line)
    command = (*("segment", "--input", "pages", "--on-duplicate", "first"), "--output", "store")
    with subprocess.Popen(
        [sys.executable, "-m", "boilersweep", *command],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    assert process.returncode == 128 + signal.SIGINT
