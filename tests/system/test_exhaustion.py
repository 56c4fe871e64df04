"""What runs out: disk, permission, Java's heap, open files, time, and the parent process.

Each is one clear error and exit status 1, and nothing is left that looks complete.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import BoilersweepError, Segmentation, segment_collection
from boilersweep.cli.main import main
from boilersweep.collection.format import Reading
from boilersweep.demo.collection import write_demo
from boilersweep.outputs.atomic import process_space, remove_leftovers
from boilersweep.outputs.plan import PLAN
from boilersweep.work.processes import CONTEXT
from tests.comparing import NOTES
from tests.system.bench import make_work, run_here

pytestmark = [pytest.mark.java, pytest.mark.slow]

PROGRAM = [sys.executable, "-m", "boilersweep"]
# Files that say that what they stand beside is whole.
FINISHED = ("manifest.json", "boilersweep.json", "scores.csv")


def boilersweep(
    *arguments: object,
    open_files: int | None = None,
    limit: str = "",
    folder: Path | None = None,
) -> tuple[int, str]:
    """Run a command, perhaps in a folder; its exit status and the last line it says of errors."""
    command = [*PROGRAM, *map(str, arguments)]
    if open_files:  # the hard limit, too: Java raises the other to it
        limit = f"-n {open_files}"
    if limit:
        command = [
            "/bin/sh",
            "-c",
            f'ulimit {limit}; exec "$@"',
            "sh",
            *command,
        ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=folder,
        # A limit of file sizes would leave incomplete bytecode of our modules behind.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"} if limit else None,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, (done.stderr.splitlines() or [""])[-1]


def finished(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name in FINISHED]


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.name not in (NOTES, PLAN)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    """Return the arguments of each command on a demo, less --output."""
    folder = tmp_path_factory.mktemp("demo")
    made = write_demo(folder, pages=60)
    store = ("--output", str(folder / "store"))
    make_work((("segment", "--input", str(made.trec), *store),))
    experiment = [
        "--topics",
        made.topics,
        "--qrels",
        made.qrels,
        "--sweep",
        "words=1:12",
    ]
    return {
        "check": [],
        "segment": ["segment", "--input", made.trec],
        "index": ["index", "--store", folder / "store", "--sweep", "words=1:12"],
        "one index": ["index", "--store", folder / "store", "--keep", "words>=1"],
        "export": [
            "export",
            "--store",
            folder / "store",
            "--keep",
            KEPT,
            "--format",
            "parquet",
        ],
        "sweep": ["sweep", "--input", made.trec, *experiment],
        "exact sweep": [
            "sweep",
            "--store",
            folder / "store",
            *experiment,
            "--engine",
            "exact",
        ],
    }


@pytest.fixture(scope="module")
def whole(
    demo: dict[str, list[object]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return a folder with the finished output of each command."""
    folder = tmp_path_factory.mktemp("whole")
    for name in ("segment", "export", "index", "exact sweep"):
        make_work(((*map(str, demo[name]), "--output", str(folder / name)),))
    return folder


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a disk of 120 kB, which only root can make."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if mount is None or unmount is None:
        pytest.skip("there is no mount command to make a small disk with")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=120k", "none", folder],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("making a small disk takes root and the right to mount")
    yield folder
    subprocess.run([unmount, "-l", folder], check=True)


KEPT = ",".join(f"words>={number}" for number in range(1, 13))
COMMANDS = ["segment", "index", "one index", "export", "sweep", "exact sweep"]
EXHAUSTIVE = pytest.mark.exhaustive


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(
    demo: dict[str, list[object]], small_disk: Path, name: str
) -> None:
    status, message = boilersweep(*demo[name], "--output", small_disk / "out")
    assert status == 1
    assert message.startswith("boilersweep: ")
    assert "No space left on device" in message
    assert "disk" in message
    # Steps before the one that failed are whole, and stay.
    assert [path for path in finished(small_disk) if path.parent.name != "store"] == []
    assert hidden(small_disk) == []


@pytest.mark.parametrize(
    "name",
    [
        "segment",
        "sweep",
        *(pytest.param(name, marks=EXHAUSTIVE) for name in COMMANDS[1:4]),
    ],
)
def test_an_output_that_may_not_be_written(
    demo: dict[str, list[object]], small_disk: Path, name: str
) -> None:
    mount = str(shutil.which("mount"))
    subprocess.run([mount, "-o", "remount,ro", small_disk], check=True)
    status, message = boilersweep(*demo[name], "--output", small_disk / "out")
    assert status == 1
    assert message.startswith(f"boilersweep: cannot write {small_disk}")
    assert "choose an output you may write to" in message
    assert list(small_disk.iterdir()) == []


def write_heavy_store(folder: Path) -> Path:
    """Return a block store of long pages of which no two words are alike."""
    dice = random.Random(24)  # noqa: S311
    with (folder / "heavy.jsonl").open("w") as file:
        for number in range(24):
            words = " ".join(f"w{dice.randrange(10**9):x}" for _ in range(40_000))
            file.write(json.dumps({"id": f"d{number}", "contents": words}) + "\n")
    segment_collection(
        folder / "heavy.jsonl",
        folder / "heavy",
        Segmentation(reading=Reading(plain=True)),
        workers=1,
    )
    return folder / "heavy"


@pytest.mark.parametrize(
    "what",
    [["--keep", "words>=1"], pytest.param(["--sweep", "words=1,5"], marks=EXHAUSTIVE)],
)
def test_javas_heap_exhausted(tmp_path: Path, what: list[str]) -> None:
    store = write_heavy_store(tmp_path)
    output = tmp_path / "out"
    status, message = boilersweep(
        "index",
        "--store",
        store,
        *what,
        "--output",
        output,
        "--heap",
        "16m",
        folder=tmp_path,
    )
    assert finished(output) == []
    if status == -signal.SIGABRT:
        # Rarely the heap is full to the last byte, and pyjnius cannot even make its exception.
        return
    assert status == 1
    assert "Java heap space" in message
    assert "--heap 4g" in message
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("segment", 12),
        ("sweep", 30),
        pytest.param("index", 30, marks=EXHAUSTIVE),
        pytest.param("sweep", 12, marks=EXHAUSTIVE),
    ],
)
def test_too_many_open_files(
    demo: dict[str, list[object]], tmp_path: Path, name: str, most: int
) -> None:
    status, message = boilersweep(
        *demo[name], "--output", tmp_path / "out", open_files=most
    )
    assert status == 1
    assert "Too many open files" in message
    assert "ulimit -n" in message
    assert [path for path in finished(tmp_path) if path.parent.name != "store"] == []
    assert hidden(tmp_path) == []


# What a message names of a resource that ran out.
RESOURCES = ("ulimit -n", "ulimit -v", "ulimit -u")
LIMITS = ("-n 6", "-n 8", "-n 12", "-v 300000", "-v 350000", "-v 450000")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    ("limit", "name"),
    [
        pytest.param(limit, name, marks=EXHAUSTIVE if turn % 5 else ())
        for turn, (limit, name) in enumerate(
            (limit, name)
            for limit in LIMITS
            for name in ("segment", "export", "index", "exact sweep", "check")
        )
    ],
)
def test_resources_that_run_out_are_no_damage(
    demo: dict[str, list[object]],
    whole: Path,
    tmp_path: Path,
    limit: str,
    name: str,
) -> None:
    """With and without finished work, which stays as it is."""
    for output in (whole / name, tmp_path / "out"):
        command = [*demo[name], "--output", output]
        if name == "check":
            command = ["check", whole / "export"]
        before = {path: path.stat().st_mtime_ns for path in output.rglob("*.parquet")}
        status, message = boilersweep(*command, limit=limit, folder=tmp_path)
        assert "damaged" not in message
        assert "no longer lists" not in message
        # A library in C++ that gets no memory ends the process itself.
        aborted = status == -signal.SIGABRT and "bad_alloc" in message
        named = any(one in message for one in RESOURCES)
        assert status == 0 or named or aborted, message
        for path, time_of_change in before.items():
            assert path.stat().st_mtime_ns == time_of_change


def test_threads_that_do_not_start_are_no_damage(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse = mock.Mock(side_effect=RuntimeError("can't start new thread"))
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert main(["check", str(whole / "export")]) == 1
    message = capsys.readouterr().err
    assert "Resource temporarily unavailable" in message
    assert "ulimit -u" in message


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="zombies are seen in /proc"
)
def test_leftovers_of_a_process_that_none_has_waited_for_are_removed(
    tmp_path: Path,
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as ended:
        assert ended.stdout is not None
        ended.stdout.read()  # until it has ended; it is not yet waited for
        left = tmp_path / f".x.partial-{process_space()}-{ended.pid}-{0:016}"
        left.touch()
        deadline = time.monotonic() + 120
        while left.exists() and time.monotonic() < deadline:
            remove_leftovers(tmp_path)
        assert not left.exists()
        assert ended.returncode is None


def test_workers_that_cannot_be_started_are_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "contents": "<p>one two"}\n')

    fail = mock.Mock(side_effect=OSError(11, "Resource temporarily unavailable"))
    monkeypatch.setattr(CONTEXT, "Pipe", fail)
    with pytest.raises(
        BoilersweepError, match=r"cannot start a worker .*unavailable.*ulimit"
    ):
        segment_collection(tmp_path / "a.jsonl", tmp_path / "out", workers=1)
    assert hidden(tmp_path / "out") == []


@pytest.mark.parametrize(
    "name", ["segment", "index", "one index", "export", "exact sweep"]
)
def test_a_limit_of_file_sizes(
    demo: dict[str, list[object]], tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    status, message = boilersweep(*demo[name], "--output", out, limit="-f 1")
    assert status == 1
    assert "File too large; " in message
    assert "the limit of file sizes (ulimit -f)" in message
    assert "processes" not in message
    assert finished(out) == []


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("name", ["index", "one index", "exact sweep"])
@pytest.mark.parametrize("kilobytes", [1_500_000, 2_000_000])
def test_a_limit_of_address_space(
    demo: dict[str, list[object]], tmp_path: Path, name: str, kilobytes: int
) -> None:
    out = tmp_path / "out"
    status, message = boilersweep(
        *demo[name], "--output", out, limit=f"-v {kilobytes}", folder=tmp_path
    )
    assert status == 1
    assert message.startswith("boilersweep: Java does not start with the ")
    assert "(ulimit -v)" in message
    assert [path.name for path in tmp_path.glob("hs_err*")] == []
    assert finished(out) == []


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["sweep", "--help"], ["--print-completion", "bash"]],
)
def test_help_that_cannot_be_written(words: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Yield a function that makes a folder read-only, also for root, which only root can."""
    mounted: list[Path] = []
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if mount is None or unmount is None:
        pytest.skip("there is no mount command to make a folder read-only with")

    def make(folder: Path) -> None:
        bind = ["--bind", str(folder), str(folder)]
        for options in (bind, ["-o", "remount,ro,bind", str(folder)]):
            if subprocess.run(
                [mount, *options], capture_output=True, check=False
            ).returncode:
                pytest.skip(
                    "making a folder read-only takes root and the right to mount"
                )
            if folder not in mounted:
                mounted.append(folder)

    yield make
    for folder in mounted:
        subprocess.run([unmount, "-l", folder], check=True)


def test_results_in_read_only_folders_are_read(
    demo: dict[str, list[object]],
    tmp_path: Path,
    read_only: Callable[[Path], None],
) -> None:
    given = [str(word) for word in demo["exact sweep"][1:-4]]
    topics = given[: given.index("--qrels")]
    study, judged = tmp_path / "study", tmp_path / "judged"
    compare = ("compare", *given, "--cleaners", "bte", "--output", str(study))
    assess = ("assess", *topics, "--cleaners", "bte,words>=1", "--output", str(judged))
    make_work((compare, (*assess, "--write", str(tmp_path / "pool.csv"))))
    before = {path: path.stat().st_mtime_ns for path in judged.rglob("*")}
    for folder in (study, judged):
        read_only(folder)
    page, archive = tmp_path / "page.html", tmp_path / "study.zip"
    report = ("report", str(study))
    make_work(((*report, "--output", str(page), "--archive", str(archive)),))
    assert (page.exists(), archive.exists()) == (True, True)
    succeeded, message = run_here((report,))
    assert not succeeded
    assert "permission" in message.lower()
    make_work(((*assess, "--status"),))
    assert {path: path.stat().st_mtime_ns for path in judged.rglob("*")} == before
