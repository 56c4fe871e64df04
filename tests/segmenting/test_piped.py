"""Pages that come through a pipe."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from boilersweep.errors import OutputError, StoreError, UsageError
from boilersweep.segmenting.segment import segment_collection, segment_share
from boilersweep.work.shares import Share
from tests.running import boilersweep

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
    assert names(tmp_path / "out") == ["manifest.json", "shard-00000.parquet"]


def test_what_comes_again_is_known_by_its_content(pipe: Pipe, tmp_path: Path) -> None:
    pipe(LINES)
    segment_collection(PIPE, tmp_path, workers=1)
    before = (tmp_path / "shard-00000.parquet").stat().st_mtime_ns
    pipe(LINES)
    segment_collection(PIPE, tmp_path, workers=1)
    assert (tmp_path / "shard-00000.parquet").stat().st_mtime_ns == before
    other = LINES.replace(b"one", b"eno")
    pipe(other)
    with pytest.raises(StoreError, match="input file stdin has changed"):
        segment_collection(PIPE, tmp_path, workers=1)
    assert names(tmp_path) == ["manifest.json", "shard-00000.parquet"]
    pipe(other)
    again = segment_collection(PIPE, tmp_path, workers=1, overwrite=True)
    assert [columns.texts for columns in again.columns()] == [["eno", "two"]]


def test_what_cannot_be_read_from_a_pipe(pipe: Pipe, tmp_path: Path) -> None:
    pipe(LINES, terminal=True)
    with pytest.raises(UsageError, match="standard input is a terminal"):
        segment_collection(PIPE, tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", None)
        with pytest.raises(UsageError, match="standard input is closed"):
            segment_collection(PIPE, tmp_path / "out", workers=1)
    with pytest.raises(UsageError, match="--input - cannot be used with --share"):
        segment_share(PIPE, tmp_path / "out", Share(1, 2), workers=1)
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
