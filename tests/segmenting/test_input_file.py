"""Input files that count and hash what is read of them."""

import errno
import hashlib
import io
import os
from pathlib import Path

import pytest

from boilersweep.errors import CollectionError
from boilersweep.segmenting.input_file import InputFile

DATA = bytes(range(256)) * 5000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").write_bytes(DATA)
    return tmp_path / "data"


@pytest.mark.parametrize("read", [0, 1, 1000, len(DATA)])
def test_the_hash_is_that_of_the_whole_file_however_much_was_read(path: Path, read: int) -> None:
    raw = InputFile(path)
    assert raw.read(read) == DATA[:read]
    assert raw.count == read
    assert raw.finish() == hashlib.sha256(DATA).hexdigest()
    assert raw.count == len(DATA)
    raw.release()


def test_a_buffer_above_it_may_be_closed_before_the_end(path: Path) -> None:
    raw = InputFile(path)
    with io.BufferedReader(raw) as buffer:
        assert buffer.read(10) == DATA[:10]
    assert raw.finish() == hashlib.sha256(DATA).hexdigest()
    raw.release()


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    raw = InputFile(tmp_path / "empty")
    assert raw.read() == b""
    assert raw.finish() == hashlib.sha256(b"").hexdigest()
    raw.release()


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=r"cannot read .*nowhere: No such file"):
        InputFile(tmp_path / "nowhere")


def test_a_disk_that_fails(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.FileIO):
        def readinto(self, _: object) -> int:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "open", lambda self, *_, **__: Failing(self))
    raw = InputFile(path)
    with pytest.raises(CollectionError, match=r"cannot read .*data: Input/output error"):
        raw.read(1)
    raw.release()
