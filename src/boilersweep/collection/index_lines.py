"""Lines that name single records of WARC files: Common Crawl's index, and lists of judged pages.

A line is JSON (of Common Crawl's index server, or with the columns of its columnar index), CDXJ,
CDX of 11 fields, a row of a table whose first line names its columns, or file, offset, length and
docid.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from boilersweep.collection.format import MAX_PAGE_BYTES
from boilersweep.collection.range_source import FetchError
from boilersweep.collection.streams import decompressed
from boilersweep.errors import CollectionError, reason_of
from boilersweep.outputs.locations import open_regular
from boilersweep.outputs.typed_files import decode_json

# What columns and keys are called, the columnar index's names last.
_NAMES = {
    "filename": ("filename", "file", "warc", "warc_filename"),
    "offset": ("offset", "warc_record_offset"),
    "length": ("length", "warc_record_length"),
    "digest": ("digest", "content_digest"),
    "docid": ("docid", "doc_id", "id"),
}
_UNNAMED = ("filename", "offset", "length", "docid")
# Of CDX with 11 fields: N b a m s k r M S V g
_CDX = {"digest": 5, "length": 8, "offset": 9, "filename": 10}
_CDX_FIELDS = 11


class IndexLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of an index: where a record is.

    Attributes:
        filename: The WARC file, relative to the crawl's base.
        offset: The first byte of the record's gzip member.
        length: The member's number of bytes.
        digest: SHA-1 of the payload in base32, "" if the index has none.
        docid: What the page shall be called, "" for what the record says.
    """

    filename: str
    offset: int
    length: int
    digest: str = ""
    docid: str = ""

    @property
    def end(self) -> int:
        """The byte behind the member."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class IndexLines:
    """The lines of an index.

    Attributes:
        texts: All lines in their order, whose places are the lines' numbers.
        usable: Number -> line.
        failures: Number -> why a line cannot be used.
    """

    texts: list[str] = field(default_factory=list)
    usable: dict[int, IndexLine] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)


def index_files(index: Path) -> list[Path]:
    """Return the files of an index, a file or a folder; raise CollectionError without any."""
    if not index.exists():
        raise CollectionError(
            f"{index} does not exist: expected a file or a folder of index lines"
        )
    if not index.is_dir():
        return [index]
    files = [
        path
        for path in sorted(index.iterdir())
        if path.is_file() and not path.name.startswith(".")
    ]
    if not files:
        raise CollectionError(
            f"{index} has no file: expected files of index lines, plain or gzip"
        )
    return files


def read_index(files: Sequence[Path]) -> IndexLines:
    """Read the lines of an index; raises CollectionError."""
    lines = IndexLines()
    seen: set[tuple[str, int]] = set()
    for path in files:
        texts = _texts(path)
        names = _named_columns(texts[0]) if texts else ()
        for text in texts[1:] if names else texts:
            number = len(lines.texts)
            lines.texts.append(text)
            try:
                line = _parsed(text, names)
            except FetchError as error:
                lines.failures[number] = str(error)
                continue
            place = (line.filename, line.offset)
            if place in seen:
                lines.failures[number] = "repeated index line"
            else:
                lines.usable[number] = line
            seen.add(place)
    return lines


def _texts(path: Path) -> list[str]:
    try:
        with open_regular(path) as raw:
            stream = decompressed(raw)
            texts = [line.decode("utf-8", "replace").strip() for line in stream]
    except OSError as error:
        raise CollectionError(f"{path} cannot be read: {reason_of(error)}") from error
    if stream.damage:
        raise CollectionError(f"{path} cannot be read: {stream.damage}")
    return [text.removeprefix("\ufeff") for text in texts if text]


def _named_columns(text: str) -> tuple[str, ...]:
    """Return the columns that a first line names, none if it is a line of a record."""
    names = tuple(name.lower() for name in _cells(text))
    needed = ("filename", "offset", "length")
    is_head = all(not set(_NAMES[name]).isdisjoint(names) for name in needed)
    return names if is_head and "{" not in text else ()


def _cells(text: str) -> list[str]:
    for separator in ("\t", ","):
        if separator in text:
            try:
                return [
                    cell.strip()
                    for cell in next(csv.reader([text], delimiter=separator))
                ]
            except csv.Error:
                return []
    return text.split()


def _parsed(text: str, names: Sequence[str]) -> IndexLine:
    """Read a line; raises FetchError."""
    try:
        values = _fields(text, names)
        named = {
            name: next(
                (values[key] for key in known if values.get(key) is not None), ""
            )
            for name, known in _NAMES.items()
        }
        named["docid"] = str(named["docid"])
        line = msgspec.convert(named, IndexLine, strict=False)
    except ValueError:
        raise FetchError("index line without filename, offset and length") from None
    if (
        line.offset < 0
        or line.length <= 0
        or not line.filename
        or ".." in line.filename
    ):
        raise FetchError("index line with an impossible filename, offset or length")
    if line.length > MAX_PAGE_BYTES:
        raise FetchError("over the size cap")
    return line


def _fields(text: str, names: Sequence[str]) -> Mapping[str, Any]:
    """Return the values of a line by their names; raises ValueError."""
    if "{" in text and not names:
        return decode_json(text[text.find("{") :], dict)
    cells = _cells(text)
    if names:
        return dict(zip(names, cells, strict=False))
    if len(cells) == _CDX_FIELDS:
        return {name: cells[place] for name, place in _CDX.items()}
    return dict(zip(_UNNAMED, cells, strict=False))
