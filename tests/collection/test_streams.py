import gzip
import io

import pytest

from boilersweep.collection.streams import decompressed

DATA = bytes(range(256)) * 400


@pytest.mark.parametrize("data", [b"", b"x", DATA, b"\x1f", b"\n\x1f\x8b"])
def test_plain_bytes_pass_unchanged(data):
    stream = decompressed(io.BytesIO(data))
    assert stream.read() == data
    assert stream.damage == ""


def test_gzip_members_are_joined():
    stream = decompressed(
        io.BytesIO(gzip.compress(DATA) + gzip.compress(b"") + gzip.compress(b"y"))
    )
    assert stream.read() == DATA + b"y"
    assert stream.damage == ""


def test_zeros_behind_a_member_are_no_damage():
    stream = decompressed(io.BytesIO(gzip.compress(DATA) + bytes(600)))
    assert stream.read() == DATA
    assert stream.damage == ""


def test_garbage_behind_a_member_loses_nothing():
    stream = decompressed(io.BytesIO(gzip.compress(b"no line end") + b"garbage"))
    assert stream.readline() == b"no line end"
    assert "gzip" in stream.damage


def test_truncation_ends_the_stream():
    whole = gzip.compress(DATA)
    stream = decompressed(io.BytesIO(whole[:-20]))
    assert DATA.startswith(stream.read())
    assert "end-of-stream" in stream.damage


def test_a_wrong_checksum_is_damage_but_loses_nothing():
    whole = bytearray(gzip.compress(DATA))
    whole[-8] ^= 1
    stream = decompressed(io.BytesIO(bytes(whole)))
    assert stream.read() == DATA
    assert "CRC" in stream.damage


def test_corrupt_bytes_are_damage():
    whole = bytearray(gzip.compress(b"".join(b"%d " % i for i in range(200_000)), 1))
    whole[len(whole) // 2 :] = b"\xff" * 2000
    stream = decompressed(io.BytesIO(bytes(whole)))
    assert stream.read().startswith(b"0 1 2 3")
    assert stream.damage
    assert stream.read() == b""


def test_an_error_of_the_file_itself_passes_through():
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):  # noqa: ARG002
            raise OSError("disk on fire")

    with pytest.raises(OSError, match="fire"):
        decompressed(Broken())
