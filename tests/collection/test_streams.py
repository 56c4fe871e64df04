import gzip
import io
from typing import BinaryIO, cast

import pytest

from boilersweep.collection.record import Reason
from boilersweep.collection.streams import FREE_EXPANSION, MAX_EXPANSION, decompressed
from boilersweep.collection.trec_web import TREC_WEB
from tests.collection.conftest import Reader

DATA = bytes(range(256)) * 400


@pytest.mark.parametrize("data", [b"", b"x", DATA, b"\x1f", b"\n\x1f\x8b"])
def test_plain_bytes_pass_unchanged(data: bytes) -> None:
    stream = decompressed(io.BytesIO(data))
    assert stream.read() == data
    assert stream.damage == ""


def test_gzip_members_are_joined() -> None:
    stream = decompressed(
        io.BytesIO(gzip.compress(DATA) + gzip.compress(b"") + gzip.compress(b"y"))
    )
    assert stream.read() == DATA + b"y"
    assert stream.damage == ""


def test_zeros_behind_a_member_are_no_damage() -> None:
    stream = decompressed(io.BytesIO(gzip.compress(DATA) + bytes(600)))
    assert stream.read() == DATA
    assert stream.damage == ""


@pytest.mark.parametrize("padding", [0, 600, 10**6])
def test_garbage_behind_a_member_loses_nothing(padding: int) -> None:
    whole = gzip.compress(b"no line") + gzip.compress(b" end")
    stream = decompressed(io.BytesIO(whole + bytes(padding) + b"garbage"))
    assert stream.readline() == b"no line end"
    expected = f"the {padding + 7:,} bytes stored from byte {len(whole)} on are no gzip"
    assert (stream.damage, stream.loss) == (expected, Reason.NOT_GZIP)


def test_members_behind_garbage_are_spoken_of() -> None:
    stream = decompressed(io.BytesIO(gzip.compress(b"one") + b"\n" + gzip.compress(b"two")))
    assert stream.read() == b"one"
    assert stream.damage.endswith(" are no gzip; the gzip members behind them are not read")
    assert stream.loss is Reason.NOT_GZIP


def test_truncation_ends_the_stream() -> None:
    whole = gzip.compress(DATA)
    stream = decompressed(io.BytesIO(whole[:-20]))
    assert DATA.startswith(stream.read())
    assert (stream.damage, stream.loss) == ("the gzip member ends too early", Reason.TRUNCATED)


def test_truncation_of_the_last_member_loses_no_other() -> None:
    whole = gzip.compress(b"one ") + gzip.compress(b"two ")
    for cut in (1, 9, len(gzip.compress(b"two ")) - 3):
        stream = decompressed(io.BytesIO(whole[:-cut]))
        assert stream.read() in (b"one ", b"one two ")
        assert (stream.damage, stream.loss) == ("the gzip member ends too early", Reason.TRUNCATED)


def test_a_wrong_checksum_is_damage_but_loses_nothing() -> None:
    whole = bytearray(gzip.compress(DATA))
    whole[-8] ^= 1
    stream = decompressed(io.BytesIO(bytes(whole)))
    assert stream.read() == DATA
    assert "incorrect data check" in stream.damage


def test_corrupt_bytes_are_damage() -> None:
    whole = bytearray(gzip.compress(b"".join(b"%d " % i for i in range(200_000)), 1))
    whole[len(whole) // 2 :] = b"\xff" * 2000
    stream = decompressed(io.BytesIO(bytes(whole)))
    assert stream.read().startswith(b"0 1 2 3")
    assert stream.damage
    assert stream.read() == b""


def test_an_error_of_the_file_itself_passes_through() -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:  # noqa: ARG002
            raise OSError("disk on fire")

    with pytest.raises(OSError, match="fire"):
        decompressed(cast(BinaryIO, Broken())).read()


def bomb(start: bytes) -> bytes:
    """128 MiB of spaces in less than 200 kB."""
    packed = gzip.compress(start + b" " * 2 * FREE_EXPANSION)
    assert len(packed) < 200_000
    return packed


def test_a_bomb_ends_the_stream_soon() -> None:
    stream = decompressed(io.BytesIO(bomb(b"start")))
    size = 0
    while data := stream.read(2**20):
        size += len(data)
    assert stream.damage == f"expands more than {MAX_EXPANSION}-fold"
    assert size <= FREE_EXPANSION


def test_what_expands_much_but_is_small_is_no_bomb() -> None:
    stream = decompressed(io.BytesIO(gzip.compress(bytes(FREE_EXPANSION // 4))))
    assert len(stream.read()) == FREE_EXPANSION // 4
    assert stream.damage == ""


def test_what_is_large_but_expands_little_is_no_bomb() -> None:
    page = b"".join(b"%d " % number for number in range(300_000))
    stored = gzip.compress(page, 1) * (FREE_EXPANSION // len(page) + 2)
    stream = decompressed(io.BytesIO(stored))
    size = 0
    while data := stream.read(2**20):
        size += len(data)
    assert size > FREE_EXPANSION
    assert stream.damage == ""


def test_a_bomb_in_a_collection_is_one_truncated_record(items: Reader) -> None:
    [found] = items(TREC_WEB, bomb(b"<DOC>\n<DOCNO>a</DOCNO>\n"))
    assert (found.reason, found.docid) == (Reason.TRUNCATED, "a")
    assert found.detail == f"expands more than {MAX_EXPANSION}-fold"
