"""`--cluster` on real clusters of Dask and of Ray, in processes of their own, one for all tests."""

import contextlib
import importlib.machinery
import os
import platform
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep import BoilersweepError, UsageError
from boilersweep.cli.main import main
from boilersweep.pages.words import ESTIMATED, dictionary
from boilersweep.work import cluster as cluster_module
from boilersweep.work.cluster import cluster_executor, parse_cluster
from tests.clusters import Cluster, Dask, Ray, free_port, kill_session
from tests.comparing import comparable
from tests.running import PROGRAM, boilersweep, python
from tests.segmenting.conftest import jsonl
from tests.stores import contents, contents_of_sweep

SEGMENT = ("segment", "--input", "pages", "--extractors", "slowly:text", "--output")
EXPORT = ("export", "--keep", "bte,slowly:text")
JUDGED = ("--topics", "topics.tsv", "--qrels", "qrels.txt")
SWEEP = ("sweep", *JUDGED, "--sweep", "words=1,3", "--engine")

SLOW = """
import multiprocessing, os, signal, time
def text(html):
    time.sleep(0.5)
    return html
def die(html):
    # The worker whose child this process is ends, as on a machine that is out of memory.
    os.kill(multiprocessing.parent_process().pid, signal.SIGKILL)
    time.sleep(60)
"""

# What a worker finds before its own modules: a package that is not there; another Python.
LACKING = {"icu4py/__init__.py": "raise ImportError('not here')"}
OTHER = {
    "sitecustomize.py": "import platform; platform.python_version_tuple = lambda: ('3', '9', '0')"
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with pages, an extractor, topics and judgements, and a store of the pages."""
    folder = tmp_path_factory.mktemp("place")
    for name in "abcd":
        documents = [(f"{name}{n}", f"<p>text {n} of {name}") for n in range(2)]
        jsonl(folder / "pages" / f"{name}.jsonl", *documents)
    (folder / "code").mkdir()
    (folder / "code" / "slowly.py").write_text(SLOW)
    (folder / "topics.tsv").write_text("1\ttext of a\n2\ttext 1 of c\n")
    (folder / "qrels.txt").write_text("1 0 a0 1\n1 0 b0 0\n2 0 c1 1\n2 0 d0 0\n")
    boilersweep(*SEGMENT, "store", "--threads", 2, **inside(folder))
    return folder


@pytest.fixture(scope="module", params=[Dask, Ray])
def cluster(place: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Yield a cluster; Ray's wants a token, which is not that of this machine's user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(place))
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
        found = request.param(place)
        yield found
        found.end()


def inside(folder: Path) -> dict[str, Any]:
    """Return how a command runs that finds the extractor."""
    return {"cwd": folder, "env": {"PYTHONPATH": str(folder / "code")}}


@pytest.mark.slow
def test_a_worker_that_dies_costs_nothing(cluster: Cluster, place: Path) -> None:
    output = f"killed-{type(cluster).__name__}"
    with killing(place, output, cluster.address) as running:
        cluster.kill_a_worker()
        _, error = running.communicate()
    assert running.returncode == 0, error
    assert contents(place / output) == contents(place / "store")


@pytest.mark.slow
def test_a_node_that_dies_costs_nothing(cluster: Cluster, place: Path) -> None:
    """Its workers and what replaces them end at once; those of the other node do their work."""
    output = f"node-{type(cluster).__name__}"
    node = cluster.add_a_node()
    with node, killing(place, output, cluster.address) as running:
        kill_session(node.pid)
        _, error = running.communicate()
    assert running.returncode == 0, error
    assert contents(place / output) == contents(place / "store")
    if isinstance(cluster, Dask):
        cluster.add_workers()


@pytest.mark.slow
def test_ctrl_c_cancels_the_tasks(cluster: Cluster, place: Path) -> None:
    output = f"stopped-{type(cluster).__name__}"
    with killing(place, output, cluster.address) as running:
        running.send_signal(signal.SIGINT)
        _, error = running.communicate()
    assert running.returncode == 130, error
    assert "Traceback" not in error
    if isinstance(cluster, Dask):
        assert cluster.has_no_tasks()
    boilersweep(*SEGMENT, output, *cluster.options, **inside(place))
    assert contents(place / output) == contents(place / "store")


RAY_IF_EXHAUSTIVE = [Dask, pytest.param(Ray, marks=pytest.mark.exhaustive)]


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.parametrize("cluster", RAY_IF_EXHAUSTIVE, indirect=True, scope="module")
def test_a_cluster_builds_the_same_indexes(
    cluster: Cluster, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = ("index", "--sweep", "words=1:40")  # three tasks on two workers
    made = made_twice(index, cluster, place, tmp_path, monkeypatch)
    there, alone = map(comparable, made)
    assert there == alone


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.parametrize(
    ("cluster", "work"),
    [
        pytest.param(Dask, EXPORT, id="Dask-export", marks=pytest.mark.exhaustive),
        pytest.param(Dask, (*SWEEP, "exact"), id="Dask-exact"),
        pytest.param(Ray, EXPORT, id="Ray-export"),
        pytest.param(
            Ray, (*SWEEP, "exact"), id="Ray-exact", marks=pytest.mark.exhaustive
        ),
    ],
    indirect=["cluster"],
    scope="module",
)
def test_a_cluster_makes_the_same(
    cluster: Cluster,
    work: tuple[str, ...],
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    drawn_figures: None,
) -> None:
    there, alone = made_twice(work, cluster, place, tmp_path, monkeypatch)
    if "exact" in work:
        [rows] = (there / ".tasks").iterdir()
        assert rows.suffix == ".npz"
        shutil.rmtree(there / ".tasks")
    assert contents_of_sweep(there) == contents_of_sweep(alone)


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.parametrize("cluster", [Dask], indirect=True)
def test_a_sweep_by_indexes_of_a_cluster_is_the_same(
    cluster: Cluster,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    drawn_figures: None,
) -> None:
    work = (*SWEEP, "indexes")
    there, alone = made_twice(work, cluster, place, tmp_path, monkeypatch)
    assert contents_of_sweep(there) == contents_of_sweep(alone)


def made_twice(
    work: tuple[str, ...],
    cluster: Cluster,
    place: Path,
    folder: Path,
    patch: pytest.MonkeyPatch,
) -> tuple[Path, Path]:
    """Return what a command makes of the store on a cluster, and what in this process."""
    there, alone = folder / "there", folder / "alone"
    work = (*work, "--store", "store", "--output")
    boilersweep(*work, there, *cluster.options, **inside(place))
    patch.chdir(place)
    patch.syspath_prepend(place / "code")
    assert main([*work, str(alone)]) == 0
    return there, alone


@pytest.mark.slow
@pytest.mark.skipif(dictionary() == ESTIMATED, reason="needs ICU")
@pytest.mark.parametrize("cluster", [Dask], indirect=True)
def test_workers_of_other_versions_do_nothing(
    cluster: Dask, place: Path, tmp_path: Path
) -> None:
    """They join late, one with four threads; the others do all, to the same bytes."""
    cluster.add_a_worker(LACKING, "--nthreads", 4)
    cluster.add_a_worker(OTHER)
    there = tmp_path / "there"
    boilersweep(*SEGMENT, there, *cluster.options, **inside(place))
    cluster.end_workers(2)
    assert contents(there) == contents(place / "store")


# Settings of modules -> what is said then.
SHORT = "workers._LOOK_AFTER, workers._PATIENCE, workers._LONGEST = .1, .5, 3"


@pytest.mark.slow
def test_work_that_ends_all_its_workers(
    cluster: Cluster, place: Path, tmp_path: Path
) -> None:
    """As work does for which a machine has too little memory."""
    segment = ("segment", "--input", "pages", "--extractors", "slowly:die", "--output")
    said = failed(place, cluster, *segment, tmp_path / "out", settings=SHORT)
    if isinstance(cluster, Dask):
        assert "the cluster has had no worker for 0 s; the work goes on" in said[0]
        assert "no worker for 3 s; start workers, and run the same" in said[-1]
        cluster.add_workers()
    else:
        assert "the executor lost a worker" in said[-1]
    boilersweep(*SEGMENT, tmp_path / "out", *cluster.options, **inside(place))


@pytest.mark.slow
@pytest.mark.skipif(dictionary() == ESTIMATED, reason="needs ICU")
@pytest.mark.parametrize("cluster", [Dask], indirect=True)
def test_a_cluster_whose_workers_are_all_unfit(
    cluster: Dask, place: Path, tmp_path: Path
) -> None:
    try:
        cluster.end_workers()
        cluster.add_a_worker(None, "--memory-limit", "20MB")
        segment = (*SEGMENT, tmp_path / "out")
        [line] = failed(place, cluster, *segment, settings="cluster._FIRST_SECONDS = 3")
        assert "paused as their memory is full: tcp://127.0.0.1:" in line
        cluster.end_workers()
        cluster.add_a_worker(LACKING, "--nthreads", 4)
        [line] = failed(place, cluster, *segment)
        other = f"the worker on {socket.gethostname()} has other versions than this"
        assert other in line
        assert "dictionary was" in line
    finally:
        cluster.end_workers()
        cluster.add_workers()


def failed(
    place: Path, cluster: Cluster, *words: object, settings: str = ""
) -> list[str]:
    """Return the lines of a command that fails on a cluster, with settings changed.

    Without the one that says that there is no compiled code.
    """
    code = (
        "import sys; from boilersweep.cli.main import main; "
        f"from boilersweep.work import cluster, workers; {settings}\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ("-c", code, *words, *cluster.options)
    said = python(*words, status=1, **inside(place)).stderr
    assert "Traceback" not in said
    lines = [one for one in said.splitlines() if "pure Python" not in one]
    assert [one.startswith("boilersweep: ") for one in lines].count(True) == 1, said
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("cluster", [Ray], indirect=True)
def test_a_cluster_of_another_version_of_ray(cluster: Cluster) -> None:
    facts = {"num_clients": 1, "ray_version": "2.0.1", "ray_commit": ""}
    facts["python_version"] = platform.python_version()
    other = f"Worker.connection_info = lambda _: {facts}"
    before = f"from ray.util.client.worker import Worker; {other}"
    said = asked(cluster.address, before=before).splitlines()[-1]
    assert re.search(r"no Ray workers .*Version mismatch.* Ray: 2\.0\.1", said), said


@pytest.mark.slow
@pytest.mark.parametrize("cluster", [Ray], indirect=True)
def test_a_cluster_that_wants_a_token(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    said = r"no Ray workers .* token.*RAY_AUTH_TOKEN"
    assert re.search(said, asked(cluster.address))


def test_a_scheduler_that_is_not_there() -> None:
    said = asked(f"tcp://127.0.0.1:{free_port()}", "_SECONDS = 1")
    assert "no Dask workers with boilersweep" in said


@pytest.mark.parametrize("failures", [0, 2, 3])
def test_a_head_that_loses_what_it_starts_for_a_client_is_asked_thrice(
    failures: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As Ray's does at times, by a race: https://github.com/ray-project/ray/issues/63202."""
    outcomes: Iterator[Any] = iter([ConnectionAbortedError] * failures + [None])
    ray = mock.Mock(init=mock.Mock(side_effect=outcomes))
    ray.__spec__ = importlib.machinery.ModuleSpec("ray", None)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(cluster_module, "_CHATTY", ())  # loggers of other tests
    expected = (
        pytest.raises(BoilersweepError, match=r"no Ray workers .*ConnectionAborted")
        if failures == 3
        else contextlib.nullcontext()
    )
    with expected, cluster_executor("ray://head:1") as executor:
        assert executor
    assert capfd.readouterr().err.count("trying again\n") == min(failures, 2)
    assert ray.shutdown.called == (failures < 3)


@pytest.mark.slow
def test_a_scheduler_that_dies_costs_one_line(cluster: Cluster, place: Path) -> None:
    """The last test of a cluster: the next has another."""
    output = place / f"ended-{type(cluster).__name__}"
    with killing(place, output.name, cluster.address) as running:
        made = {path.name for path in output.glob("*.parquet")}
        cluster.kill_the_scheduler()
        _, error = running.communicate()
    assert running.returncode == 1
    assert "Traceback" not in error, error
    [line] = [one for one in error.splitlines() if one.startswith("boilersweep: ")]
    assert "lost" in line, error
    assert "run the same command again" in line
    boilersweep(*SEGMENT, output, "--threads", 2, **inside(place))
    assert made <= {path.name for path in output.iterdir()}
    assert contents(output) == contents(place / "store")


def asked(address: str, setting: str = "", before: str = "pass") -> str:
    """Return what a process says that does not get an executor, with a setting changed or none."""
    code = f"{before}; from boilersweep.work import cluster; "
    code += f"cluster.{setting}; " if setting else ""
    code += f"cluster.cluster_executor({address!r}).__enter__()"
    return python("-c", code, status=1).stderr


@contextlib.contextmanager
def killing(folder: Path, output: str, address: str) -> Iterator[subprocess.Popen[str]]:
    """Start to segment on a cluster; yield the process once a first text is there."""
    command = (*SEGMENT, output, "--cluster", address)
    with subprocess.Popen(
        [*PROGRAM, *command],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(folder / "code"),
            "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "1",  # seconds
        },
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        while not any((folder / output).glob("texts-*")):
            assert running.poll() is None, running.communicate()
            time.sleep(0.02)
        yield running


@pytest.mark.parametrize("text", ["host:8786", "http://host", "Auto", "ray:/h", ""])
def test_addresses(text: str) -> None:
    with pytest.raises(UsageError, match="the address of a Dask scheduler"):
        parse_cluster(text)


@pytest.mark.parametrize(
    "text", ["tcp://host:8786", "tls://host:1", "ray://h:1", "auto"]
)
def test_good_addresses(text: str) -> None:
    assert parse_cluster(text) == text
