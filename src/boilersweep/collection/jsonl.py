"""JSON Lines: one object per line with a docid, a text and optionally address, title and date.

The keys are those of pyserini, BEIR or ClueWeb22, or are named by `Reading`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    USUAL,
    Format,
    Item,
    Reading,
    Reason,
    Record,
    Skipped,
    SourceLocation,
    iso_date,
)
from boilersweep.collection.streams import Stream, decompressed
from boilersweep.outputs.typed_files import decode_json, parse_json
from boilersweep.pages.stray_characters import utf8, without_surrogates

# A longer line is skipped unread: JSON may escape a character in up to six bytes.
MAX_LINE_BYTES = 4 * MAX_PAGE_BYTES

_IDS = ("id", "_id", "ClueWeb22-ID")
# Keys of the text, and whether it is plain text.
_TEXTS = {"contents": False, "text": True, "Clean-Text": True, "html": False}
_URLS = ("url", "URL")
_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(r".+\.jsonl?(?:\.gz)?", re.IGNORECASE | re.DOTALL)
_NAMED_KEYS = 10
_SAMPLE = 80


def read_jsonl(raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the records of a JSONL file."""
    stream = decompressed(raw)
    offset = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        if len(line) <= MAX_LINE_BYTES and line.isspace():
            offset += len(line)
            continue
        place = SourceLocation(source, offset)
        if len(line) > MAX_LINE_BYTES:
            offset += len(line) + _skip_line(stream, ended=line.endswith(b"\n"))
            detail = f"a line of more than {MAX_LINE_BYTES:,} bytes"
            yield Skipped(place, Reason.TOO_LARGE, detail=detail)
            continue
        text = line.removeprefix(_BOM) if offset == 0 else line
        offset += len(line)
        if text and not text.isspace():
            item = parse_line(text, place, reading)
            if stream.damage and not line.endswith(b"\n") and isinstance(item, Skipped):
                yield replace(item, reason=Reason.TRUNCATED, detail=stream.damage)
                if stream.loss is Reason.TRUNCATED:
                    return
                continue
            yield item
    if stream.damage:
        yield Skipped(SourceLocation(source, offset), stream.loss, detail=stream.damage)


def _skip_line(stream: Stream, *, ended: bool) -> int:
    """Read to the end of the line, and return the number of bytes read."""
    skipped = 0
    while not ended:
        piece = stream.readline(2**20)
        skipped += len(piece)
        ended = not piece or piece.endswith(b"\n")
    return skipped


def parse_line(line: bytes, place: SourceLocation, reading: Reading = USUAL) -> Item:
    """One line of JSON as a record, or as skipped for a reason; never raises."""
    try:
        value = _decoded(line)
    except UnicodeDecodeError as error:
        return Skipped(place, Reason.MALFORMED, detail=f"not UTF-8: {error.reason}")
    except ValueError as error:
        return Skipped(place, Reason.MALFORMED, detail=f"not JSON: {error}")
    if not isinstance(value, dict):
        detail = f"expected a JSON object, found {_kind(value)}"
        return Skipped(place, Reason.MALFORMED, detail=detail)
    key = reading.id_field or _key(value, _IDS)
    docid = _docid(value.get(key))
    if not docid:
        detail = (
            f'expected "{key}" to be a string or an integer, found {_found(value, key)}'
        )
        return Skipped(place, Reason.NO_DOCID, detail=detail)
    key = reading.text_field or _key(value, _TEXTS)
    contents = value.get(key)
    if not isinstance(contents, str):
        detail = f'expected "{key}" to be a string, found {_found(value, key)}'
        return Skipped(place, Reason.MALFORMED, docid, detail)
    if not contents or contents.isspace():
        return Skipped(place, Reason.EMPTY_PAGE, docid)
    body = utf8(contents)
    if len(body) > MAX_PAGE_BYTES:
        return Skipped(place, Reason.TOO_LARGE, docid, f"{len(body):,} bytes")
    plain = _TEXTS.get(key, False) if reading.plain is None else reading.plain
    date = _text(value, "date")
    return Record(
        docid,
        body,
        place,
        url=_text(value, reading.url_field or _key(value, _URLS)),
        charset="utf-8",
        plain=plain,
        date=iso_date(date) if date else None,
        title=_text(value, "title"),
    )


def _decoded(line: bytes) -> Any:
    """Decode a line of JSON; raises ValueError.

    msgspec takes half of the time of Python's decoder, and accepts no more. What it rejects goes to
    Python's decoder, so that no document is lost to NaN, lone surrogates or huge numbers.
    """
    try:
        return decode_json(line, object)
    except ValueError:
        return parse_json(line.decode("utf-8"))


def _key(value: dict[str, object], known: Iterable[str]) -> str:
    """Return the first known key that the object has, else the first known key."""
    names = list(known)
    return next((name for name in names if name in value), names[0])


def _text(value: dict[str, object], key: str) -> str | None:
    """Return a string without white space around it, None without a string."""
    text = value.get(key)
    return (without_surrogates(text).strip() or None) if isinstance(text, str) else None


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
    return {
        bool: "a truth value",
        int: "an integer",
        float: "a float",
        list: "an array",
    }.get(type(value), "an object")


JSONL = Format(
    name="jsonl",
    summary='*.jsonl files: one object per line with "id", "contents" and optionally "url"; or '
    "with the keys of BEIR or ClueWeb22",
    files="*.jsonl, *.json, the same with .gz",
    reader=read_jsonl,
    wants=_NAME.fullmatch,
    first_bytes=b"{",
    options=("plain", "id_field", "text_field", "url_field"),
    check="--id-field and --text-field",
)
