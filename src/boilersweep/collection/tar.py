"""Files of any format within tar archives, plain or compressed, read without unpacking them."""

import posixpath
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import BufferedReader
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from boilersweep.collection.files import NotRead
from boilersweep.collection.format import (
    SNIFFED,
    Format,
    Item,
    Reading,
    Reason,
    Skipped,
    SourceLocation,
)
from boilersweep.collection.streams import BLOCK, Stream, decompressed

_NAME = re.compile(
    r".+\.(?:tar(?:\.(?:gz|zst|xz|bz2))?|tgz|tzst|txz|tbz2?)", re.IGNORECASE | re.DOTALL
)
DAMAGE = (tarfile.TarError, EOFError, OSError, ValueError)


def is_tar(name: str) -> bool:
    """Whether a name is that of a tar archive."""
    return _NAME.fullmatch(name) is not None


def with_archives(form: Format) -> Format:
    """Return a format that is also read from tar archives."""
    return replace(
        form, reader=partial(_read, form), wants=partial(_is_wanted, form.wants)
    )


def _is_wanted(wants: Callable[[str], object], name: str) -> bool:
    return is_tar(name) or bool(wants(name))


def _read(form: Format, raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the items of a file, or those of the members of an archive.

    The reader knows a member by its name alone, so that docids are those of the unpacked folder.
    """
    if not is_tar(source):
        yield from form.reader(raw, source, reading)
        return
    stream = decompressed(raw)
    inner = source
    saved: set[str] = set()  # folders of parts of pages
    try:
        for name, file in members(stream):
            inner = f"{source}/{name}".encode("utf-8", "replace").decode()
            kind = _other_kind(form, name, file)
            if form.sniff and not kind:
                saved.add(f"{posixpath.splitext(name)[0]}_files")
                kind = NotRead.PART if saved.intersection(_parents(name)) else ""
            if kind:
                yield Skipped(SourceLocation(inner, 0), Reason.OTHER_RECORD, None, kind)
                continue
            for item in form.reader(file, name, reading):
                yield replace(item, place=SourceLocation(inner, item.place.offset))
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno:  # of the disk
            raise
        detail = stream.damage or f"a damaged tar archive: {error}"
        yield Skipped(SourceLocation(inner, 0), Reason.TRUNCATED, detail=detail)


def members(stream: Stream) -> Iterator[tuple[str, BufferedReader]]:
    """Yield the files of a tar archive by their names, but hidden ones and links.

    Raises one of DAMAGE, also where the archive ends before its bytes do.
    """
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            name = posixpath.normpath(member.name).lstrip("/")
            is_hidden = any(part.startswith(".") for part in name.split("/"))
            if member.isreg() and not member.issparse() and not is_hidden:
                yield name, cast("BufferedReader", archive.extractfile(member))
        rest: Any = archive.fileobj
        while block := rest.read(BLOCK):
            if block.strip(b"\0"):
                raise tarfile.ReadError("bytes behind its last file")
    if stream.damage:
        raise tarfile.ReadError(stream.damage)


def _parents(name: str) -> list[str]:
    return [parent.as_posix() for parent in PurePosixPath(name).parents]


def _other_kind(form: Format, name: str, file: BufferedReader) -> str:
    """Return what a member is that the format does not read; "" for one that it reads."""
    base = posixpath.basename(name)
    if form.wants(base):
        return ""
    return (
        form.sniff(file.peek(SNIFFED)[:SNIFFED]) if form.sniff else NotRead.OTHER_KIND
    )
