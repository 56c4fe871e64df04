"""No reader of our own files waits for a FIFO that somebody put in a file's place."""

import contextlib
import os
import stat
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from boilersweep import BoilersweepError, IndexingError, InputError, open_store
from boilersweep.cleaners.learned.model import load_model
from boilersweep.eval.assess import exchange
from boilersweep.eval.experiment import finished as check
from boilersweep.eval.ranking.exact import divided
from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.study.study_json import read_study
from boilersweep.indexer import start_jvm
from boilersweep.indexer.lucene import count_index
from boilersweep.outputs.identity import file_digest
from boilersweep.outputs.manifest_file import faults, read_manifest
from boilersweep.outputs.plan import PLAN, read_plan
from boilersweep.store.shard import read_docids
from boilersweep.topics import read_qrels, read_query_log, read_topics

READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a manifest": ("manifest.json", read_manifest),
    "a store": ("manifest.json", lambda path: open_store(path.parent)),
    "a listed file": (
        "x",
        lambda path: faults(path.parent, {"x": {"bytes": 0, "sha256": ""}}),
    ),
    "a digest": ("x", file_digest),
    "docids of a shard": ("shard-00000.parquet", read_docids),
    "a plan": (PLAN, lambda path: read_plan(path.parent, "export")),
    "a run": ("words-001.trec", read_run),
    "a run to evaluate": ("run.trec", lambda path: read_run(path, streams=True)),
    "topics": ("topics.tsv", read_topics),
    "a query log": ("log.csv", lambda path: read_query_log(path)),
    "qrels": ("qrels.txt", read_qrels),
    "graded answers": ("pool.csv", lambda path: list(exchange._answers(path))),
    "a study": ("study.json", read_study),
    "a table of scores": ("scores.csv", check._rows),
    "rows of a sweep": ("x.npz", lambda path: divided.read_rows(path, "x")),
    "a model": ("model.npz", load_model),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_fifo_is_not_opened(tmp_path: Path, reader: str) -> None:
    name, read = READERS[reader]
    (tmp_path / name).parent.mkdir(exist_ok=True)
    assert not opened_by(tmp_path / name, read)


@pytest.mark.java
def test_lucene_opens_no_fifo(tmp_path: Path) -> None:
    start_jvm()

    def count(path: Path) -> None:
        with pytest.raises(
            IndexingError, match=r"_0\.cfe: expected a regular file, got a FIFO"
        ):
            count_index(path.parent)

    assert not opened_by(tmp_path / "_0.cfe", count)


@pytest.mark.parametrize(
    "read", [read_topics, read_qrels, lambda path: exchange._answers(path)]
)
def test_a_device_is_not_read(
    read: Callable[[Path], Iterable[object]], tmp_path: Path
) -> None:
    device = tmp_path / "zeros"
    try:
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except OSError:
        pytest.skip("this user cannot make devices")
    with pytest.raises(InputError, match="expected a regular file, got a device"):
        list(read(device))


def opened_by(path: Path, read: Callable[[Path], object]) -> bool:
    """Whether a reader opens a FIFO at `path`.

    It finds the FIFO empty, so that nothing hangs.
    """
    os.mkfifo(path)
    ended = threading.Event()
    found: list[bool] = []

    def watch() -> None:
        while not ended.wait(0.01):
            with contextlib.suppress(OSError):  # nobody reads
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                found.append(True)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with contextlib.suppress(BoilersweepError, OSError, ValueError):
            read(path)
    finally:  # an unexpected error must not leave the thread running
        ended.set()
        watcher.join()
    return bool(found)
