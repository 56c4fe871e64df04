"""Tasks on the workers of a cluster: results, failures, deaths, and pages that kill."""

import contextlib
import json
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from boilersweep.errors import BoilersweepError, StoreError, UsageError
from boilersweep.outputs.locks import only_writer
from boilersweep.segmenting.extracting import add_extractors
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.segmenting.workers import run_tasks
from boilersweep.work.cluster import ClusterPool, connected_cluster, local_cluster, parse_cluster
from boilersweep.work.progress import Labels

pytestmark = pytest.mark.cluster

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

_PLUGIN = """
import os, signal

def text(page):
    if "poison" in page:
        os.kill(os.getpid(), signal.SIGKILL)
    return page.upper()
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterPool]:
    """Two workers, which can import the plug-in."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "deadlyplugin.py").write_text(_PLUGIN)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.syspath_prepend(str(Path(__file__).parents[2]))  # workers import this module, too
        with local_cluster(2) as cluster:
            yield cluster


def squared(number: int) -> int:
    if number < 0:
        raise StoreError(f"{number} is below zero")
    return number * number


def killed_once(folder: Path, number: int) -> int:
    """Kills its worker the first time it comes to number 3."""
    if number == 3:
        try:
            (folder / "killed").touch(exist_ok=False)
        except FileExistsError:
            return number
        os.kill(os.getpid(), signal.SIGKILL)
    (folder / f"done-{number}").touch()
    return number


def run(cluster: ClusterPool, work: object, items: list[int]) -> list[int]:
    return cluster.run(work, items, Labels("test", "numbers", lambda n: f"number {n}"))  # type: ignore[arg-type]


def test_results_come_in_order(cluster: ClusterPool) -> None:
    assert len(cluster) == 2
    assert run(cluster, squared, [3, 1, 2, 1]) == [9, 1, 4, 1]
    assert run(cluster, squared, []) == []
    with connected_cluster(cluster.client.scheduler.address) as other:
        assert run(other, squared, [2]) == [4]


def test_what_fails_is_named_and_the_rest_is_done(cluster: ClusterPool, tmp_path: Path) -> None:
    def work(number: int) -> None:
        squared(number)
        (tmp_path / str(number)).touch()

    with pytest.raises(
        BoilersweepError,
        match=r"2 of 5 tasks failed: number -1: -1 is below zero; number -2: -2 is below zero\. "
        "Finished tasks are kept",
    ):
        run(cluster, work, [1, -1, 2, -2, 3])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "3"]
    with pytest.raises(BoilersweepError, match="number 0: ZeroDivisionError: "):
        run(cluster, lambda number: 1 // number, [0])


def test_the_work_of_a_killed_worker_is_done_by_another(
    cluster: ClusterPool, tmp_path: Path
) -> None:
    assert run(cluster, partial(killed_once, tmp_path), [1, 2, 3, 4, 5]) == [1, 2, 3, 4, 5]
    assert (tmp_path / "killed").exists()


def test_a_task_that_kills_every_worker_is_named() -> None:
    import dask

    def kills(number: int) -> int:
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        local_cluster(1) as cluster,
        pytest.raises(BoilersweepError, match=r"1 of 5 tasks failed: number 0: every worker"),
    ):
        run(cluster, kills, [1, 2, 0, 3, 4])


def held(folder: Path, number: int) -> int:
    with only_writer(folder):
        return number


def test_a_lock_that_a_lost_worker_holds_is_waited_for(
    cluster: ClusterPool, tmp_path: Path
) -> None:
    with contextlib.ExitStack() as lock:
        lock.enter_context(only_writer(tmp_path))
        release = threading.Timer(1.5, lock.pop_all().close)
        release.start()
        assert run(cluster, partial(held, tmp_path), [1]) == [1]
        release.join()


def test_it_says_so_when_no_worker_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("boilersweep.work.cluster._SECONDS_BETWEEN_LOOKS", 0.05)
    with local_cluster(1) as cluster:
        cluster.client.cluster.scale(0)
        while cluster.client.scheduler_info()["workers"]:
            time.sleep(0.01)
        back = threading.Timer(1, cluster.client.cluster.scale, [1])
        back.start()
        assert run(cluster, abs, [-1]) == [1]
        back.join()
    said = capsys.readouterr().err
    assert said.count("no worker is left at tcp://127.0.0.1:") == 1


def test_a_scheduler_that_is_lost() -> None:
    with local_cluster(1) as cluster, connected_cluster(cluster.client.scheduler.address) as other:
        lost = threading.Timer(1, cluster.client.cluster.close)
        lost.start()
        with pytest.raises(BoilersweepError, match=r"test: the scheduler at tcp://\S+ is gone"):
            run(other, time.sleep, [60])
        lost.join()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tls://127.0.0.1:9", r"tls\.client\.cert is \S+mine\.pem, which is no file"),
        ("tcp://127.0.0.1:9", r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
    ],
)
def test_no_certificate_or_scheduler_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, message: str
) -> None:
    import dask

    monkeypatch.setattr("boilersweep.work.cluster._SECONDS_TO_CONNECT", 1)
    certificate = tmp_path / "mine.pem"
    if address.startswith("tcp"):
        certificate.touch()
    with (
        dask.config.set({"distributed.comm.tls.client.cert": str(certificate)}),
        pytest.raises(BoilersweepError, match=message),
        connected_cluster(address),
    ):
        pass


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    root.mkdir()
    for number in range(4):
        pages = [(f"d{number}{n}", f"<p>{n} words") for n in range(3)]
        if number == 2:
            pages[1] = ("bad", "<p>poison")
        lines = [json.dumps({"id": docid, "contents": page}) for docid, page in pages]
        (root / f"{number}.jsonl").write_text("\n".join(lines) + "\n")
    return root


def test_a_page_that_kills_costs_no_worker_and_is_named(
    cluster: ClusterPool, root: Path, tmp_path: Path
) -> None:
    name = "deadlyplugin:text"
    cluster.client.wait_for_workers(2)  # one that was killed may not be back yet
    before = cluster.client.run(os.getpid)
    store = segment_collection(
        root,
        tmp_path / "out",
        Segmentation(extractors=[name]),
        cluster=cluster,
    )
    assert cluster.client.run(os.getpid) == before
    assert store.documents == 11
    assert store.skipped == {"crashed its worker": 1}
    (sample,) = store.manifest.skipped_samples["crashed its worker"]
    assert (sample["docid"], sample["place"].split()[0]) == ("bad", "2.jsonl")
    single = segment_collection(
        root, tmp_path / "single", Segmentation(extractors=[name]), workers=1
    )
    assert single.fingerprint == store.fingerprint
    for shard in (tmp_path / "single").iterdir():
        assert (tmp_path / "out" / shard.name).read_bytes() == shard.read_bytes()


def test_texts_are_added_by_the_workers_wherever_they_stand(
    cluster: ClusterPool, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["deadlyplugin:text"]
    monkeypatch.chdir(tmp_path)
    segment_collection(root, tmp_path / "store", workers=1)
    add_extractors(root, Path("store"), names, cluster=cluster)
    segment_collection(root, tmp_path / "single", Segmentation(extractors=names), workers=1)
    for path in (tmp_path / "single").iterdir():
        assert (tmp_path / "store" / path.name).read_bytes() == path.read_bytes()


def test_finished_shards_are_not_made_again(
    cluster: ClusterPool, root: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    segment_collection(root, output, cluster=cluster)
    shards = sorted(output.glob("shard-*"))
    before = [shard.stat().st_mtime_ns for shard in shards]
    shards[1].unlink()
    segment_collection(root, output, cluster=cluster)
    after = [shard.stat().st_mtime_ns for shard in shards]
    assert [one == other for one, other in zip(before, after, strict=True)] == [1, 0, 1, 1]


def test_only_names_travel(
    cluster: ClusterPool, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes through the scheduler does not grow with the pages."""
    sizes = []

    def run_watched(tasks: Any, options: Any, workers: int, cluster: Any) -> None:
        sizes.append(len(pickle.dumps((tasks, options))))
        run_tasks(tasks, options, workers, cluster)

    monkeypatch.setattr("boilersweep.segmenting.segment.run_tasks", run_watched)
    segment_collection(root, tmp_path / "one", cluster=cluster)
    for path in root.iterdir():
        path.write_text(path.read_text().replace("words", "words " * 1000))
    segment_collection(root, tmp_path / "two", cluster=cluster)
    assert sizes[0] == pytest.approx(sizes[1], abs=20)


@pytest.mark.parametrize("text", ["", "local", "local:0", "local:-1", "4", "ray:4", "local:x"])
def test_what_is_no_cluster(text: str) -> None:
    with pytest.raises(UsageError, match="expected local:N"):
        parse_cluster(text)
    assert parse_cluster("local:4") == 4
