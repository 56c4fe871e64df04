"""Files of collections, plain and gzip, whole and damaged."""
# ruff: noqa: S311

import bz2
import gzip
import io
import lzma
import random
import re
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO, cast

import pytest

from boilersweep.collection import streams
from boilersweep.collection.format import Reason
from boilersweep.collection.streams import (
    FREE_EXPANSION,
    MAX_EXPANSION,
    decompressed,
    pieces,
    read_whole,
)
from boilersweep.collection.trec_web import TREC_WEB
from tests.collection.conftest import Reader

DATA = bytes(range(256)) * 400


PACKED = gzip.compress(DATA)
CHECKSUM_WRONG = PACKED[:-8] + bytes([PACKED[-8] ^ 1]) + PACKED[-7:]
BEHIND = r"the 1 bytes .* are no gzip; the gzip members behind them are not read"


@pytest.mark.parametrize("stored", [DATA, PACKED])
@pytest.mark.parametrize("most", [1, len(DATA) - 1, len(DATA), 2**40])
def test_a_stream_is_read_up_to_a_limit_without_room_for_it(
    stored: bytes, most: int
) -> None:
    assert read_whole(decompressed(io.BytesIO(stored)), most) == DATA[:most]


@pytest.mark.parametrize(
    ("stored", "content", "damage"),
    [
        *((data, data, "") for data in (b"", b"x", DATA, b"\x1f", b"\n\x1f\x8b")),
        (PACKED + gzip.compress(b"") + gzip.compress(b"y"), DATA + b"y", ""),
        (PACKED + bytes(600), DATA, ""),
        (gzip.compress(b"one") + b"\n" + gzip.compress(b"two"), b"one", BEHIND),
        (CHECKSUM_WRONG, DATA, ".*incorrect data check"),
        (gzip.compress(bytes(FREE_EXPANSION // 4)), bytes(FREE_EXPANSION // 4), ""),
    ],
)
def test_what_is_read_and_what_is_damage(
    stored: bytes, content: bytes, damage: str
) -> None:
    stream = decompressed(io.BytesIO(stored))
    assert stream.read() == content
    assert re.fullmatch(damage, stream.damage)
    assert stream.read() == b""


@pytest.mark.parametrize("padding", [0, 600, 10**6])
def test_garbage_behind_a_member_loses_nothing(padding: int) -> None:
    whole = gzip.compress(b"no line") + gzip.compress(b" end")
    stream = decompressed(io.BytesIO(whole + bytes(padding) + b"garbage"))
    assert stream.readline() == b"no line end"
    expected = f"the {padding + 7:,} bytes stored from byte {len(whole)} on are no gzip"
    assert (stream.damage, stream.loss) == (expected, Reason.NOT_GZIP)


@pytest.mark.parametrize("cut", [1, 9, 20])
@pytest.mark.parametrize("before", [b"", gzip.compress(b"one ")])
def test_truncation_of_the_last_member_loses_no_other(before: bytes, cut: int) -> None:
    stream = decompressed(io.BytesIO(before + PACKED[:-cut]))
    content = stream.read()
    assert (b"one " * bool(before) + DATA).startswith(content)
    assert content.startswith(b"one " * bool(before))
    assert (stream.damage, stream.loss) == (
        "the gzip member ends too early",
        Reason.TRUNCATED,
    )


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
    assert length(stream) <= FREE_EXPANSION
    assert stream.damage == f"expands more than {MAX_EXPANSION}-fold"


def length(stream: BinaryIO) -> int:
    return sum(map(len, iter(lambda: stream.read(2**20), b"")))


def test_what_is_large_but_expands_little_is_no_bomb() -> None:
    page = b"".join(b"%d " % number for number in range(300_000))
    stored = gzip.compress(page, 1) * (FREE_EXPANSION // len(page) + 2)
    stream = decompressed(io.BytesIO(stored))
    assert length(stream) > FREE_EXPANSION
    assert stream.damage == ""


def test_a_bomb_in_a_collection_is_one_truncated_record(items: Reader) -> None:
    [found] = items(TREC_WEB, bomb(b"<DOC>\n<DOCNO>a</DOCNO>\n"))
    assert (found.reason, found.docid) == (Reason.TRUNCATED, "a")
    assert found.detail == f"expands more than {MAX_EXPANSION}-fold"


PAGES = random.Random(1).choices(
    ["<p>words ", "of a page</p>", "\n", "é", "0123456789"], k=40_000
)


def found(stored: bytes, *, salvage: bool) -> list[tuple[Any, ...]]:
    return [
        (piece.offset, piece.data, piece.end, bool(piece.damage), piece.is_foreign)
        for piece in pieces(io.BytesIO(stored), salvage=salvage)
    ]


@pytest.mark.parametrize("salvage", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_those_of_pythons_zlib(
    seed: int, salvage: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(seed)
    whole = "".join(PAGES).encode()
    size = dice.randrange(10_000, 100_000)
    members = [
        gzip.compress(whole[start : start + size], dice.choice([1, 6, 9]))
        for start in range(0, len(whole), size)
    ]
    assert (
        b"".join(piece[1] for piece in found(b"".join(members), salvage=salvage))
        == whole
    )
    damaged = bytearray(b"".join(members))
    for _ in range(dice.choice([1, 1, 3])):
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
    del damaged[len(damaged) - dice.choice([0, 0, 0, 1, 9, 5000]) :]
    ours = found(bytes(damaged), salvage=salvage)
    monkeypatch.setattr(streams, "zlib_ng", zlib)
    assert ours == found(bytes(damaged), salvage=salvage)


@pytest.mark.parametrize(
    "pack",
    [partial(lzma.compress, preset=0), bz2.compress],
    ids=["xz", "bzip2"],
)
def test_xz_and_bzip2(pack: Callable[[bytes], bytes]) -> None:
    content = bytes(range(256)) * 2000
    whole = pack(content)
    for stored in (whole, whole + pack(b"more"), whole + bytes(4) + pack(b"more")):
        stream = decompressed(io.BytesIO(stored))
        more = b"" if stored is whole else b"more"
        assert (stream.read(), stream.damage) == (content + more, "")
    for damaged in (
        whole[:-20],
        whole + b"junk",
        whole[:-90] + b"\xa5" * 60 + whole[-30:],
    ):
        stream = decompressed(io.BytesIO(damaged))
        assert len(stream.read()) <= len(content)
        assert stream.damage
    bomb = decompressed(io.BytesIO(pack(bytes(2**27))))
    assert len(bomb.read()) < 2**27
    assert bomb.damage.startswith("expands more than")
