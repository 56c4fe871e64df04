"""Windows and macOS, imitated: cleaning, stores and exports without what only Linux has."""

import json
from pathlib import Path

import pytest

from tests.running import python

PREPARE = """
import multiprocessing, os, shutil, signal, sys

shutil._use_fd_functions = False  # Windows opens no folder
shutil._rmtree_impl = getattr(shutil, "_rmtree_unsafe", None)  # Python 3.14 has chosen already
for name in ("fcntl", "resource"):
    sys.modules[name] = None
for module, names in (
    (os, "O_NOFOLLOW O_NONBLOCK O_NOCTTY pread pwrite sched_getaffinity"),
    (signal, "SIGUSR1 SIGPIPE pthread_sigmask"),
):
    for name in names.split():
        delattr(module, name)
multiprocessing.get_all_start_methods = lambda: ["spawn"]
"""

WORK = """
from pathlib import Path

import boilersweep
from boilersweep.cli.main import main
from boilersweep.outputs.locks import only_writer
from boilersweep.errors import BusyError

if __name__ == "__main__":
    assert boilersweep.clean("<p>one two three", "words>=3") == "one two three"
    for line in (
        "segment --input pages --output store --threads 1 --extractors cetr",
        "segment --input pages --output store --threads 1 --extractors ccb",
        "export --store store --keep learned,cetr --output texts",
        "check store",
        "clean pages/a.html --output a.txt",
        "export --features schaefer --store store --output f.csv",
    ):
        assert main(line.split()) == 0, line
    folder = Path("texts")
    try:
        with only_writer(folder), only_writer(folder):
            raise SystemExit(1)
    except BusyError as error:
        print(error, file=sys.stderr)
    main(["doctor"])
"""


@pytest.mark.application("learned")
def test_cleaning_stores_and_exports_need_no_linux(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in "ab":
        text = f"page {name} is about ten apples and two of the ponies in a field"
        (pages / f"{name}.html").write_text(
            f"<nav>Home</nav><p>{text}. {text}.", "utf-8"
        )
    (tmp_path / "work.py").write_text(PREPARE + WORK)
    done = python("work.py", cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert "is being written by another process" in done.stderr
    assert "processors" in done.stdout
    manifest = json.loads((tmp_path / "store" / "manifest.json").read_text())
    assert manifest["facts"]["documents"] == 2
    assert not list((tmp_path / "store").glob("*.lock"))
