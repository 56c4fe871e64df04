"""Records as files: a suffix for each format, and the same bytes for the same records."""

import contextlib
import gzip
import html
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from boilersweep.cleaners.learned.model import BLOCK_CLASSES
from boilersweep.export.options import ExportOptions
from boilersweep.export.records import Record
from boilersweep.outputs.atomic import short_name
from boilersweep.pages.language import UNKNOWN

_MOST_OF_AN_ID = 512  # bytes that OpenSearch and Elasticsearch take
_LEVEL = 6  # of gzip: 9 is slower by far and gains little


class Format(ABC):
    """A format of files.

    Attributes:
        suffix: Of their names.
    """

    suffix: ClassVar[str]

    @abstractmethod
    def writing(self, path: Path) -> contextlib.AbstractContextManager["Writer"]:
        """Return a file that takes records for as long as the block runs."""


class Writer(ABC):
    """An open file of records."""

    @abstractmethod
    def write(self, records: Sequence[Record]) -> None:
        """Add some records."""


class _LineWriter(Writer):
    def __init__(self, format_: "_Lines", file: gzip.GzipFile) -> None:
        self._format = format_
        self._file = file

    def write(self, records: Sequence[Record]) -> None:
        text = "".join(part for record in records for part in self._format.parts(record))
        self._file.write(text.encode())


class _Lines(Format):
    """A gzipped text in which one record follows the other."""

    @abstractmethod
    def parts(self, record: Record) -> Iterable[str]:
        """Return the text of a record, in pieces."""

    @contextlib.contextmanager
    def writing(self, path: Path) -> Iterator[Writer]:
        """Yield a writer of the file."""
        # Without a name and a time in its head, a file has the same bytes whenever it is made.
        with (
            path.open("wb") as raw,
            gzip.GzipFile(
                filename="", mode="wb", compresslevel=_LEVEL, fileobj=raw, mtime=0
            ) as out,
        ):
            yield _LineWriter(self, out)


class JsonLines(_Lines):
    """One object per line, as pyserini's JsonCollection, Hugging Face datasets and polars read."""

    suffix = ".jsonl.gz"

    def parts(self, record: Record) -> Iterable[str]:
        """Return the pieces of a record."""
        return (_json(record), "\n")


class Bulk(_Lines):
    """The body of a request to OpenSearch's bulk API, or Elasticsearch's: an action, a source.

    A docid of more bytes than these take for `_id` is shortened there, and whole in the source.
    """

    suffix = ".ndjson.gz"

    def parts(self, record: Record) -> Iterable[str]:
        """Return the pieces of a record."""
        action = {"index": {"_id": short_name(record["id"], _MOST_OF_AN_ID)}}
        return (_json(action), "\n", _json(record), "\n")


class TrecWeb(_Lines):
    """TREC web documents; each is a small page with a paragraph for each line of the text."""

    suffix = ".trec.gz"

    def parts(self, record: Record) -> Iterable[str]:
        """Return the pieces of a record."""
        # The order is that of GOV2 and BLOGS06: Anserini wants DOCNO first.
        yield f"<DOC>\n<DOCNO>{record['id']}</DOCNO>\n"
        if record["date"]:
            yield f"<DATE_XML>{record['date']}</DATE_XML>\n"
        yield f"<DOCHDR>\n{_one_word(record['url'])}\n"
        yield "Content-Type: text/html; charset=utf-8\n</DOCHDR>\n<!DOCTYPE html>\n"
        lang = f' lang="{record["language"]}"' if record["language"] != UNKNOWN else ""
        yield f"<html{lang}><head><title>{html.escape(record['title'])}</title></head><body>\n"
        for line in record["contents"].split("\n"):
            if line and not line.isspace():
                yield f"<p>{html.escape(line)}</p>\n"
        yield "</body></html>\n</DOC>\n"


class Text(_Lines):
    """Texts alone, with an empty line between them and none within one."""

    suffix = ".txt.gz"

    def parts(self, record: Record) -> Iterable[str]:
        """Return the pieces of a record."""
        lines = record["contents"].split("\n")
        yield "\n".join(line for line in lines if line and not line.isspace())
        yield "\n\n"


class Parquet(Format):
    """One row per record, compressed with zstd."""

    suffix = ".parquet"

    def __init__(self, options: ExportOptions) -> None:
        text, number = pa.string(), pa.int64()
        passage = {"docid": text, "start": number, "end": number} if options.passages else {}
        about = dict.fromkeys(["url", "title", "date", "language", *options.fields], text)
        if options.classes:
            about |= {"kind": text, "confidence": pa.float64()}
        classes = pa.struct(dict.fromkeys(BLOCK_CLASSES, pa.float64()).items())
        probabilities = {"probabilities": classes} if options.classes else {}
        places = dict.fromkeys(["block", "start", "end"], number)
        block = pa.struct((places | probabilities).items())
        blocks = {"blocks": pa.list_(block)} if options.blocks else {}
        columns = {"id": text, **passage, **about, "contents": text, **blocks}
        if options.distinct:
            columns = {"id": text, "contents": text}
        elif options.vectors:
            vector = pa.list_(pa.float32(), options.vectors.dimension)
            place = {"docid": text, "block": number}
            columns = {"id": text, **place, **about, "contents": text, "vector": vector}
        self._schema = pa.schema(columns)

    @contextlib.contextmanager
    def writing(self, path: Path) -> Iterator[Writer]:
        """Yield a writer of the file."""
        with pq.ParquetWriter(path, self._schema, compression="zstd") as writer:
            yield _ParquetWriter(self._schema, writer)


class _ParquetWriter(Writer):
    def __init__(self, schema: pa.Schema, writer: pq.ParquetWriter) -> None:
        self._schema = schema
        self._writer = writer

    def write(self, records: Sequence[Record]) -> None:
        if records:
            self._writer.write_table(pa.Table.from_pylist(list(records), self._schema))


def format_of(options: ExportOptions) -> Format:
    """Return the format that the options name."""
    if options.format == "parquet":
        return Parquet(options)
    return _LINES[options.format]


_LINES: dict[str, _Lines] = {
    "jsonl": JsonLines(),
    "bulk": Bulk(),
    "trecweb": TrecWeb(),
    "text": Text(),
}

_SUFFIXES = (*(lines.suffix for lines in _LINES.values()), Parquet.suffix)
_NAME = re.compile(rf"[0-9]{{5,}}({'|'.join(map(re.escape, _SUFFIXES))})")


def is_export_name(name: str) -> bool:
    """Return whether a file of an export could have this name."""
    return _NAME.fullmatch(name) is not None


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _one_word(url: str) -> str:
    """Return a URL as a line of a header has it: no white space, and no tag."""
    return "%20".join(url.split()).replace("<", "%3C")
