"""Input files that count and hash what is read of them."""

import errno
import hashlib
import io
import os
from pathlib import Path

import pytest

from boilersweep import CollectionError
from boilersweep.segmenting.input_file import DigestedFile

DATA = bytes(range(256)) * 5000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").write_bytes(DATA)
    return tmp_path / "data"


@pytest.mark.parametrize("read", [0, 1, 1000, len(DATA)])
@pytest.mark.parametrize("data", [DATA, b""])
def test_the_hash_is_that_of_the_whole_file_however_much_was_read(
    path: Path, data: bytes, read: int
) -> None:
    path.write_bytes(data)
    with DigestedFile(path) as raw:
        with io.BufferedReader(raw) as buffer:  # closed too early
            assert buffer.read(read) == data[:read]
        assert raw.finish() == hashlib.sha256(data).hexdigest()
        assert raw.count == len(data)


def test_a_missing_file_and_a_disk_that_fails(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(io.FileIO):
        def readinto(self, _: object) -> int:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(CollectionError, match=r"cannot read .*nowhere: No such file"):
        DigestedFile(path.parent / "nowhere")
    monkeypatch.setattr(Path, "open", lambda self, *_, **__: Failing(self))
    failing = pytest.raises(
        CollectionError, match=r"cannot read .*data: Input/output error"
    )
    with DigestedFile(path) as raw, failing:
        raw.read(1)
