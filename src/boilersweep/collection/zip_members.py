"""The members of a ZIP archive among a collection's files, read without unpacking the archive."""

import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from os import SEEK_CUR
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO, cast
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from boilersweep.collection.record import Item, Reason, Skipped, SourceLocation
from boilersweep.collection.streams import (
    BLOCK,
    FREE_EXPANSION,
    MAX_EXPANSION,
    BytesFile,
    decompressed,
    peekable,
)
from boilersweep.pages.content_kind import GZIP

_LOCAL_LENGTHS = 26  # in a local header, where the lengths of its last two fields are

_DAMAGED = (
    BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    OSError,  # bz2's
)


def read_members(
    file: BinaryIO,
    source: str,
    wants: Callable[[str], object],
    read: Callable[[BinaryIO, str], Iterator[Item]],
    what: str,
) -> Iterator[Item]:
    """Yield the items of an archive's members, in the order of their names.

    Args:
        file: The archive, which may be a pipe: it is copied, compressed as it is.
        source: The archive's name; a member's is this name, a slash and its own.
        wants: True or a match for the name of a member to read.
        read: Gives the items of a member and its name.
        what: The archive, for messages, such as "a WACZ file".
    """
    with TemporaryFile() as copy:  # the directory of a ZIP archive is at its end
        copyfileobj(file, copy)
        try:
            archive = ZipFile(copy)
        except (BadZipFile, ValueError, NotImplementedError) as error:
            yield Skipped(
                SourceLocation(source, 0),
                Reason.TRUNCATED,
                detail=f"{what} that is no whole ZIP archive: {error}",
            )
            return
        members = [one for one in archive.infolist() if wants(one.filename)]
        for member in sorted(members, key=lambda member: member.filename):
            inner = f"{source}/{member.filename}"
            try:
                yield from _read_member(archive, copy, member, inner, read)
            except _DAMAGED as error:
                if isinstance(error, OSError) and error.errno:  # of the disk
                    raise
                yield Skipped(
                    SourceLocation(inner, 0),
                    Reason.TRUNCATED,
                    detail=f"a damaged member of {what}: {error}",
                )
        if not members:
            yield Skipped(
                SourceLocation(source, 0),
                Reason.MALFORMED,
                detail=f"{what} without a file of this format",
            )


def _read_member(
    archive: ZipFile,
    copy: BinaryIO,
    member: ZipInfo,
    name: str,
    read: Callable[[BinaryIO, str], Iterator[Item]],
) -> Iterator[Item]:
    """Yield the items of a member; raises one of _DAMAGED behind what could be read."""
    # No more is read of a member than its size in the directory
    if member.file_size > max(FREE_EXPANSION, MAX_EXPANSION * member.compress_size):
        raise BadZipFile(f"it expands more than {MAX_EXPANSION}-fold")
    # By its name alone, which opens the last of that name
    with archive.open(member) as part:
        if member.compress_type != ZIP_DEFLATED:
            yield from read(cast(BinaryIO, part), name)
            return
    as_gzip = cast(BinaryIO, BytesFile(_as_gzip(copy, member)))
    inflated = decompressed(peekable(as_gzip))
    yield from read(inflated, name)
    if inflated.damage:
        raise BadZipFile(inflated.damage)


def _as_gzip(archive: BinaryIO, member: ZipInfo) -> Iterator[bytes]:
    """Yield a deflated member as gzip, which is inflated twice as fast.

    Source: RFC 1952, section 2.3, and APPNOTE.TXT of the ZIP format, section 4.3.7.
    """
    yield GZIP + b"\x08" + bytes(7)
    archive.seek(member.header_offset + _LOCAL_LENGTHS)
    archive.seek(sum(struct.unpack("<HH", archive.read(4))), SEEK_CUR)
    left = member.compress_size
    while left and (data := archive.read(min(left, BLOCK))):
        left -= len(data)
        yield data
    yield struct.pack("<LL", member.CRC, member.file_size & 0xFFFFFFFF)
