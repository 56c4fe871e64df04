"""Worker processes of an export: killed with their parent, and what is finished is kept."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.errors import StoreError
from boilersweep.export.export import export_store
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work import worker_pool
from boilersweep.work.processes import CONTEXT
from tests.conftest import ended

pytestmark = pytest.mark.slow

SECONDS = 60


def command(store: BlockStore, output: Path, threads: int) -> list[str]:
    asked = ("--store", store.path, "--keep", "learned,words>=1", "--output", output)
    return [
        sys.executable,
        "-m",
        "boilersweep",
        "export",
        *map(str, (*asked, "--threads", threads)),
    ]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive)],
)
def test_what_ends_the_command_ends_its_workers(
    store: BlockStore, tmp_path: Path, number: signal.Signals
) -> None:
    output = tmp_path / "out"
    # A process group of its own, by which its workers are known.
    with subprocess.Popen(
        command(store, output, 2), stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        while process.poll() is None and not (output / "unfinished" / "plan.json").exists():
            time.sleep(0.01)
        time.sleep(0.5)  # its workers are being started
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=SECONDS)
    assert "Traceback" not in said
    deadline = time.monotonic() + SECONDS
    while not ended(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert ended(process.pid)
    subprocess.run(command(store, output, 1), check=True, capture_output=True)
    subprocess.run(command(store, tmp_path / "whole", 1), check=True, capture_output=True)
    for name in ("manifest.json", "learned/00001.jsonl.gz", "words-001/00000.jsonl.gz"):
        assert (output / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert (
        sorted(path.name for path in output.iterdir()) == "learned manifest.json words-001".split()
    )


def test_an_export_that_fails_ends_its_own_workers_alone(
    store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = Path(shutil.copytree(store.path, tmp_path / "store"))
    opened = open_store(damaged)
    last = sorted(damaged.glob("shard-*.parquet"))[-1]
    last.write_bytes(last.read_bytes()[: last.stat().st_size // 2])
    mine = CONTEXT.Process(target=time.sleep, args=(SECONDS,))

    give = worker_pool._Worker.give

    def starting(worker: Any, job: Any) -> None:
        give(worker, job)
        if mine.pid is None:
            mine.start()  # the calling program's own, while the export is at work

    monkeypatch.setattr(worker_pool._Worker, "give", starting)
    try:
        with pytest.raises(StoreError):
            export_store(opened, collect_variants((), ["learned"]), tmp_path / "out", workers=2)
        assert multiprocessing.active_children() == [mine]
    finally:
        mine.kill()
        mine.join()
