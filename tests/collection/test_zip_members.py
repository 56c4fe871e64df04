"""ZIP archives whose members are read: damage, bombs and archives without a page are counted."""

import io
import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

import pytest

from boilersweep.collection.format import Item, Reason, Record, Skipped, SourceLocation
from boilersweep.collection.streams import FREE_EXPANSION, read_members

METHODS = [
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
    zipfile.ZIP_BZIP2,
    zipfile.ZIP_LZMA,
]


def read(part: BinaryIO, name: str) -> Iterator[Item]:
    yield Record("x", part.read(), SourceLocation(name, 0))


def found(archive: bytes) -> list[Item]:
    wants = lambda name: name.endswith(".dat")  # noqa: E731
    return list(read_members(io.BytesIO(archive), "z.zip", wants, read, "a ZIP file"))


def made(method: int, **members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.dat", data)
    return file.getvalue()


def bodies(items: list[Item]) -> dict[str, bytes]:
    return {one.place.source: one.body for one in items if isinstance(one, Record)}


CONTENT = bytes(range(256)) * 4000


@pytest.mark.parametrize("method", METHODS)
def test_members_are_read_in_the_order_of_their_names(method: int) -> None:
    items = found(made(method, b=CONTENT, a=b"small", e=b""))
    assert list(bodies(items).items()) == [
        ("z.zip/a.dat", b"small"),
        ("z.zip/b.dat", CONTENT),
        ("z.zip/e.dat", b""),
    ]
    assert len(items) == 3


@pytest.mark.parametrize("method", METHODS)
def test_any_damaged_byte_leaves_the_other_member(method: int) -> None:
    data = made(method, a=b"<p>one</p>" * 40, b=b"<p>two</p>" * 40)
    first = data.index(b"a.dat")
    for at in range(first + 5, data.index(b"b.dat") - 30):
        items = found(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        assert bodies(items)["z.zip/b.dat"] == b"<p>two</p>" * 40
        lost = [one for one in items if isinstance(one, Skipped)]
        if not lost:  # a byte of the compressor's settings
            assert bodies(items)["z.zip/a.dat"] == b"<p>one</p>" * 40
            continue
        assert [one.reason for one in lost] == [Reason.TRUNCATED], at
        assert lost[0].place.source == "z.zip/a.dat"


@pytest.mark.parametrize("end", [0, 3, 10, 50, -1, -10])
def test_an_archive_that_is_cut_is_counted(end: int) -> None:
    [lost] = found(made(zipfile.ZIP_DEFLATED, a=CONTENT)[:end])
    assert isinstance(lost, Skipped)
    assert lost.reason is Reason.TRUNCATED
    assert lost.detail.startswith("a ZIP file that is no whole ZIP archive")


def test_a_bomb_is_not_inflated() -> None:
    bomb = made(zipfile.ZIP_DEFLATED, a=bytes(FREE_EXPANSION + 1), b=b"x")
    lost, good = found(bomb)
    assert isinstance(lost, Skipped)
    assert "expands more than 200-fold" in lost.detail
    assert isinstance(good, Record)


def test_a_bomb_that_lies_about_its_size_is_not_inflated() -> None:
    bomb = made(zipfile.ZIP_DEFLATED, a=bytes(2 * FREE_EXPANSION))
    size = (2 * FREE_EXPANSION).to_bytes(4, "little")
    items = found(bomb.replace(size, (1000).to_bytes(4, "little")))
    assert sum(len(body) for body in bodies(items).values()) <= FREE_EXPANSION + 2**16
    assert isinstance(items[-1], Skipped)


def overlapping(count: int, size: int, stated: int) -> bytes:
    """Return an archive whose directory names the same bytes so many times."""
    whole = made(zipfile.ZIP_DEFLATED, a=bytes(size))
    directory = whole.index(b"PK\1\2")
    entry, end = whole[directory:-22], whole[-22:]
    entry = entry[:24] + stated.to_bytes(4, "little") + entry[28:]
    entries = entry * count
    lengths = struct.pack("<HHLL", count, count, len(entries), directory)
    return whole[:directory] + entries + end[:8] + lengths + end[20:]


@pytest.mark.parametrize("stated", [2**24, 2**20, 1000])
def test_members_that_share_their_bytes_expand_no_more_than_other_archives(
    stated: int,
) -> None:
    items = found(overlapping(9, 2**24, stated))
    read = [one for one in items if isinstance(one, Record)]
    assert sum(len(one.body) for one in read) <= FREE_EXPANSION
    assert isinstance(items[-1], Skipped)  # Pythons since 3.11.8 open only one of them


def test_an_encrypted_member_and_an_archive_without_a_page_are_counted() -> None:
    data = made(zipfile.ZIP_STORED, a=b"x")
    directory = data.index(b"PK\1\2")
    locked = data[:6] + b"\1" + data[7 : directory + 8] + b"\1" + data[directory + 9 :]
    [lost] = found(locked)
    assert isinstance(lost, Skipped)
    assert "encrypted" in lost.detail
    [lost] = found(made(zipfile.ZIP_STORED))
    assert isinstance(lost, Skipped)
    assert (lost.reason, lost.detail) == (
        Reason.MALFORMED,
        "a ZIP file without a file of this format",
    )
