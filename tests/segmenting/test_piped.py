"""Pages that come through a pipe."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from boilersweep import OutputError, UsageError, segment_collection
from tests.running import boilersweep
from tests.segmenting.conftest import shards

PIPE = Path("-")
LINES = b'{"id": "a", "contents": "<p>one"}\n{"id": "b", "contents": "<p>two"}\n'
WARC = (
    b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <w>\r\nContent-Type: text/html\r\n"
    b"Content-Length: 6\r\n\r\n<p>one\r\n\r\n"
)

Pipe = Callable[..., None]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Pipe:
    """Has bytes come through standard input."""

    def through(data: bytes, *, terminal: bool = False) -> None:
        stdin = SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: terminal)
        monkeypatch.setattr(sys, "stdin", stdin)

    return through


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "data", [LINES, gzip.compress(LINES), WARC, gzip.compress(WARC)]
)
def test_a_pipe_is_read_as_a_file(pipe: Pipe, tmp_path: Path, data: bytes) -> None:
    pipe(data)
    store = segment_collection(PIPE, tmp_path / "out", workers=1)
    (tmp_path / "stdin").write_bytes(data)
    file = segment_collection(tmp_path / "stdin", tmp_path / "of-file", workers=1)
    assert (list(store.docids()), store.fingerprint) == (
        list(file.docids()),
        file.fingerprint,
    )
    assert store.manifest.input == "-"
    assert names(tmp_path / "out") == [
        "manifest.json",
        store.manifest.shards[0]["file"],
    ]


def test_what_comes_again_is_known_by_its_content(pipe: Pipe, tmp_path: Path) -> None:
    pipe(LINES)
    segment_collection(PIPE, tmp_path, workers=1)
    before = shards(tmp_path)
    pipe(LINES)
    segment_collection(PIPE, tmp_path, workers=1)
    assert shards(tmp_path) == before
    pipe(LINES.replace(b"one", b"eno"))
    again = segment_collection(PIPE, tmp_path, workers=1)
    assert [columns.texts for columns in again.columns()] == [["eno", "two"]]
    assert not shards(tmp_path).keys() & before.keys()


def test_what_cannot_be_read_from_a_pipe(pipe: Pipe, tmp_path: Path) -> None:
    pipe(LINES, terminal=True)
    with pytest.raises(UsageError, match="standard input is a terminal"):
        segment_collection(PIPE, tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", None)
        with pytest.raises(UsageError, match="standard input is closed"):
            segment_collection(PIPE, tmp_path / "out", workers=1)
    (tmp_path / "file").write_text("")
    pipe(LINES)
    with pytest.raises(OutputError):
        segment_collection(PIPE, tmp_path / "file", workers=1)


@pytest.mark.slow
def test_a_real_pipe(tmp_path: Path) -> None:
    page = json.dumps({"id": "a", "contents": "<p>one two"})
    done = boilersweep(
        "segment", "--input", "-", "--output", "out", stdin=page, cwd=tmp_path
    )
    assert done.stdout == "out/manifest.json\n"
