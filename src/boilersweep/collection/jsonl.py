"""JSON Lines: one object per line with "id", "contents" and optionally "url"."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO

from boilersweep.collection.fields import without_surrogates
from boilersweep.collection.format import MAX_PAGE_BYTES, Format
from boilersweep.collection.record import Item, Place, Reason, Record, Skipped
from boilersweep.collection.streams import Stream, decompressed

MAX_LINE_BYTES = 4 * MAX_PAGE_BYTES
"""A longer line is skipped unread: JSON may escape a character in up to six bytes."""

_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(r".+\.jsonl?(?:\.gz)?", re.IGNORECASE | re.DOTALL)
_NAMED_KEYS = 10
_SAMPLE = 80


def is_jsonl_name(name: str) -> bool:
    """Whether a file of this name is *.jsonl or *.json, or one of these with .gz."""
    return _NAME.fullmatch(name) is not None


def read_jsonl(raw: BinaryIO, source: str, *, plain: bool) -> Iterator[Item]:
    """The records of a JSONL file; `plain` says that contents are plain text, not HTML."""
    stream = decompressed(raw)
    offset = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        place = Place(source, offset)
        if len(line) > MAX_LINE_BYTES:
            offset += len(line) + _skip_line(stream, ended=line.endswith(b"\n"))
            detail = f"a line of more than {MAX_LINE_BYTES:,} bytes"
            yield Skipped(place, Reason.TOO_LARGE, detail=detail)
            continue
        text = line.removeprefix(_BOM) if offset == 0 else line
        offset += len(line)
        if text and not text.isspace():
            item = parse_line(text, place, plain=plain)
            if stream.damage and not line.endswith(b"\n") and isinstance(item, Skipped):
                yield replace(item, reason=Reason.TRUNCATED, detail=stream.damage)
                if stream.loss is Reason.TRUNCATED:
                    return
                continue
            yield item
    if stream.damage:
        yield Skipped(Place(source, offset), stream.loss, detail=stream.damage)


def _skip_line(stream: Stream, *, ended: bool) -> int:
    """Reads to the end of the line; the number of bytes that took."""
    skipped = 0
    while not ended:
        piece = stream.readline(2**20)
        skipped += len(piece)
        ended = not piece or piece.endswith(b"\n")
    return skipped


def parse_line(line: bytes, place: Place, *, plain: bool) -> Item:
    """One line of JSON as a record, or as skipped for a reason; never raises."""
    try:
        value: Any = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Skipped(place, Reason.MALFORMED, detail=f"not UTF-8: {error.reason}")
    except (ValueError, RecursionError) as error:
        return Skipped(place, Reason.MALFORMED, detail=f"not JSON: {error}")
    if not isinstance(value, dict):
        detail = f"expected a JSON object, found {_kind(value)}"
        return Skipped(place, Reason.MALFORMED, detail=detail)
    docid = _docid(value.get("id"))
    if not docid:
        detail = f'expected "id" to be a string or an integer, found {_found(value, "id")}'
        return Skipped(place, Reason.NO_DOCID, detail=detail)
    contents = value.get("contents")
    if not isinstance(contents, str):
        detail = f'expected "contents" to be a string, found {_found(value, "contents")}'
        return Skipped(place, Reason.MALFORMED, docid, detail)
    if not contents or contents.isspace():
        return Skipped(place, Reason.EMPTY_PAGE, docid)
    body = without_surrogates(contents).encode("utf-8")
    if len(body) > MAX_PAGE_BYTES:
        return Skipped(place, Reason.TOO_LARGE, docid, f"{len(body):,} bytes")
    url = value.get("url")
    url = without_surrogates(url) if isinstance(url, str) else None
    return Record(docid, body, place, url=url, charset="utf-8", plain=plain)


def _docid(value: object) -> str:
    if isinstance(value, str):
        return without_surrogates(value).strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return ""


def _found(value: dict[str, object], key: str) -> str:
    if key in value:
        return _kind(value[key])
    keys = without_surrogates(", ".join(list(value)[:_NAMED_KEYS]))[:_SAMPLE]
    return f"none among the keys {keys}" if keys else "no keys at all"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "a blank string" if not value.strip() else "a string"
    return {bool: "a truth value", int: "an integer", float: "a float", list: "an array"}.get(
        type(value), "an object"
    )


def jsonl_format(plain: bool) -> Format:
    """The format "jsonl", whose contents are HTML or, if `plain`, plain text."""
    kind = "plain text" if plain else "HTML"
    return Format(
        "jsonl",
        f'*.jsonl files: one object per line with "id", "contents" ({kind}) and optionally "url"',
        is_jsonl_name,
        partial(read_jsonl, plain=plain),
    )
