"""Records as files: a suffix for each format, and the same bytes for the same records."""

import contextlib
import gzip
import html
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from boilersweep.cleaners.page_model import BLOCK_CLASSES
from boilersweep.cleaners.selection import Kept, Selection
from boilersweep.export.options import ExportOptions
from boilersweep.outputs.atomic import short_name
from boilersweep.pages.language import UNKNOWN

# `id`, of a passage also `docid`, `start` and `end`, then `url`, `title`, `date`, `language`, the
# fields that are asked for, `kind`, `confidence` and `blocks` where they are asked for, and
# `contents`.
Record = dict[str, Any]


class Document(NamedTuple):
    """A document of a store, as its records need it.

    Attributes:
        docid: The docid.
        blocks: The number of its blocks.
        about: What every record says of it: `url`, `title`, `date` if it is known, `language`, the
            metadata that are asked for, None where the page does not state them; and `kind` and
            `confidence`, if they are asked for.
    """

    docid: str
    blocks: int
    about: Record


def blocks_of(
    kept: Kept,
    selected: Selection,
    document: Document,
    classes: Sequence[Record],
) -> list[Record]:
    """Return the blocks that make a kept text; none where an extractor took it.

    Each has its number in the document, `block`, and its `start` and `end` in the kept text.

    Args:
        kept: What a cleaner keeps of the document.
        selected: The selection that it is from.
        document: The document.
        classes: What records of the document's blocks say of classes; empty if not asked for.
    """
    first = int(selected.starts[kept.document])
    blocks = []
    at = 0
    for place in kept.blocks:
        number, end = place - first, at + len(selected.texts[place])
        if number < document.blocks:
            block: Record = {"block": number, "start": at, "end": end}
            blocks.append(block | classes[number] if classes else block)
        at = end + 1
    return blocks


def records_of(
    document: Document, text: str, blocks: Sequence[Record], options: ExportOptions
) -> Iterator[Record]:
    """Yield the records of a kept text.

    Args:
        document: The document.
        text: The kept text.
        blocks: The text's blocks, see `blocks_of`, if the options ask for them.
        options: How documents are exported.
    """
    if options.passages is None:
        record: Record = {"id": document.docid, **document.about, "contents": text}
        if options.blocks:
            record["blocks"] = blocks
        yield record
        return
    for index, (start, end) in enumerate(options.passages.cut(text)):
        record = {
            "id": f"{document.docid}#{index}",
            "docid": document.docid,
            "start": start,
            "end": end,
            **document.about,
            "contents": text[start:end],
        }
        if options.blocks:
            record["blocks"] = [
                {
                    **block,
                    "start": max(block["start"], start) - start,
                    "end": min(block["end"], end) - start,
                }
                for block in blocks
                if block["start"] < end and block["end"] > start
            ]
        yield record


_MOST_OF_AN_ID = 512  # bytes that OpenSearch and Elasticsearch take
_LEVEL = 6  # of gzip: 9 is slower by far and gains little


# Adds some records to a file.
Write = Callable[[Sequence[Record]], object]


def _json_line(record: Record) -> Iterator[str]:
    """Write an object per line, as pyserini, Hugging Face datasets and polars read them."""
    yield f"{_json(record)}\n"


def _bulk_lines(record: Record) -> Iterator[str]:
    """Write the body of a request to the bulk API of OpenSearch or Elasticsearch.

    That is an action and a source. A docid of more bytes than these take for `_id` is shortened
    there, and whole in the source.
    """
    action = {"index": {"_id": short_name(record["id"], _MOST_OF_AN_ID)}}
    yield f"{_json(action)}\n{_json(record)}\n"


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _trec_web(record: Record) -> Iterator[str]:
    """Write TREC web documents; each is a small page with a paragraph for each line of the text."""
    # A line of a header has no white space, and no tag.
    url = "%20".join(record["url"].split()).replace("<", "%3C")
    # The order is that of GOV2 and BLOGS06: Anserini wants DOCNO first.
    yield f"<DOC>\n<DOCNO>{record['id']}</DOCNO>\n"
    if "date" in record:
        yield f"<DATE_XML>{record['date']}</DATE_XML>\n"
    yield f"<DOCHDR>\n{url}\n"
    yield "Content-Type: text/html; charset=utf-8\n</DOCHDR>\n<!DOCTYPE html>\n"
    lang = f' lang="{record["language"]}"' if record["language"] != UNKNOWN else ""
    yield f"<html{lang}><head><title>{html.escape(record['title'])}</title></head><body>\n"
    for line in record["contents"].split("\n"):
        if line and not line.isspace():
            yield f"<p>{html.escape(line)}</p>\n"
    yield "</body></html>\n</DOC>\n"


def _text(record: Record) -> Iterator[str]:
    """Write texts alone, with an empty line between them and none within one."""
    lines = record["contents"].split("\n")
    yield "\n".join(line for line in lines if line and not line.isspace())
    yield "\n\n"


_SUFFIXES = {
    "jsonl": ".jsonl.gz",
    "bulk": ".ndjson.gz",
    "trecweb": ".trec.gz",
    "text": ".txt.gz",
    "parquet": ".parquet",
}
# The formats of gzipped text -> a function from a record to its text, in pieces.
_LINES: dict[str, Callable[[Record], Iterable[str]]] = {
    "jsonl": _json_line,
    "bulk": _bulk_lines,
    "trecweb": _trec_web,
    "text": _text,
}


def suffix_of(options: ExportOptions) -> str:
    """Return the suffix of the files' names."""
    return _SUFFIXES[options.format]


@contextlib.contextmanager
def writing(path: Path, options: ExportOptions) -> Iterator[Write]:
    """Yield what adds records to a file, for as long as the block runs."""
    if options.format == "parquet":
        schema = _schema(options)
        with pq.ParquetWriter(path, schema, compression="zstd") as table:
            yield (
                lambda records: (
                    records
                    and table.write_table(pa.Table.from_pylist(list(records), schema))
                )
            )
        return
    parts = _LINES[options.format]
    # Without a name and a time in its head, a file has the same bytes whenever it is made.
    with (
        path.open("wb") as raw,
        gzip.GzipFile(
            filename="", mode="wb", compresslevel=_LEVEL, fileobj=raw, mtime=0
        ) as out,
    ):
        yield lambda records: out.write(
            "".join(chain.from_iterable(map(parts, records))).encode()
        )


def _schema(options: ExportOptions) -> pa.Schema:
    text, number = pa.string(), pa.int64()
    passage = (
        {"docid": text, "start": number, "end": number} if options.passages else {}
    )
    about = dict.fromkeys(["url", "title", "date", "language", *options.fields], text)
    if options.classes:
        about |= {"kind": text, "confidence": pa.float64()}
    block = dict.fromkeys(["block", "start", "end"], number)
    if options.classes:
        probabilities = dict.fromkeys(BLOCK_CLASSES, pa.float64())
        block["classes"] = pa.list_(text)
        block["probabilities"] = pa.struct(probabilities.items())
    blocks = {"blocks": pa.list_(pa.struct(block.items()))} if options.blocks else {}
    return pa.schema({"id": text, **passage, **about, "contents": text, **blocks})
