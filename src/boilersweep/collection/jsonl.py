"""JSON Lines: one object per line; also a JSON array of objects, and objects on several lines.

What the keys mean, `fields.py` knows.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from boilersweep.collection.fields import items_of
from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    USUAL,
    Format,
    Item,
    Reading,
    Reason,
    Skipped,
    SourceLocation,
)
from boilersweep.collection.streams import BLOCK, Stream, decompressed
from boilersweep.outputs.typed_files import decode_json, parse_json

# A longer line is skipped unread: JSON may escape a character in up to six bytes.
MAX_LINE_BYTES = 4 * MAX_PAGE_BYTES

_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(
    r".+\.(?:jsonl?|ndjson)(?:\.(?:gz|zst|xz|bz2))?", re.IGNORECASE | re.DOTALL
)
# An array of objects, or an object whose first key is on a line of its own.
_SPREAD = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:\[\s*+\{|\{[ \t\r]*+\n\s*+")')
_TO_QUOTE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_TO_SIGN = re.compile(rb'[^"{}]*+')
_OPENING = ord("{")
_BETWEEN = b" \t\r\n,[]\xef\xbb\xbf"


def read_jsonl(raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the records of a JSONL file."""
    stream = decompressed(raw)
    if _SPREAD.match(stream.peek(1)):
        yield from _read_spread(stream, source, reading)
        return
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
            items = list(parse_line(text, place, reading))
            is_cut = stream.damage and not line.endswith(b"\n")
            if is_cut and items and isinstance(items[0], Skipped):
                yield replace(items[0], reason=Reason.TRUNCATED, detail=stream.damage)
                if stream.loss is Reason.TRUNCATED:
                    return
                continue
            yield from items
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


def _read_spread(stream: Stream, source: str, reading: Reading) -> Iterator[Item]:
    for offset, text, is_whole in _objects(stream):
        place = SourceLocation(source, offset)
        if len(text) > MAX_LINE_BYTES:
            detail = f"an object of more than {MAX_LINE_BYTES:,} bytes"
            yield Skipped(place, Reason.TOO_LARGE, detail=detail)
        elif is_whole:
            yield from parse_line(text, place, reading)
        else:
            detail = stream.damage or "the file ends within an object"
            yield Skipped(place, Reason.TRUNCATED, detail=detail)
            return
    if stream.damage:
        yield Skipped(SourceLocation(source, 0), stream.loss, detail=stream.damage)


def _objects(stream: Stream) -> Iterator[tuple[int, bytes, bool]]:
    """Yield the outermost objects of a JSON text, and what else there is but brackets and commas.

    Returns:
        For each its place, its bytes (of one that is too long the first ones), and whether it ends.
    """
    held = bytearray()
    depth = offset = start = 0
    for block, braces in _braces(stream):
        begin = 0
        for at in braces:
            is_first = not depth
            depth = max(0, depth + (1 if block[at] == _OPENING else -1))
            if is_first == (not depth):
                continue
            end = at if is_first else at + 1
            part = bytes(held + block[begin:end])
            if part := part.strip(_BETWEEN) if is_first else part:
                yield start, part, True
            held.clear()
            start, begin = offset + end, end
        if len(held) <= MAX_LINE_BYTES:
            held += block[begin:]
        offset += len(block)
    if rest := held.strip(_BETWEEN):
        yield start, bytes(rest), not depth


def _braces(stream: Stream) -> Iterator[tuple[bytes, list[int]]]:
    """Yield the blocks of a JSON text, each with the places of braces outside of its strings."""
    in_string = False
    carried = b""
    while block := carried + stream.read(BLOCK):
        braces: list[int] = []
        at = 0
        while at < len(block):
            run = (_TO_QUOTE if in_string else _TO_SIGN).match(block, at)
            at = run.end() if run else len(block)
            sign = block[at : at + 1]
            if sign == b"\\" and len(block) > 1:  # its character is in the next block
                break
            if sign == b'"':
                in_string = not in_string
            elif sign in (b"{", b"}"):
                braces.append(at)
            at += 1
        block, carried = block[:at], block[at:]
        yield block, braces


def parse_line(
    line: bytes, place: SourceLocation, reading: Reading = USUAL
) -> Iterator[Item]:
    """Yield the records of one line of JSON, or why it is skipped; never raises."""
    try:
        value = _decoded(line)
    except UnicodeDecodeError as error:
        yield Skipped(place, Reason.MALFORMED, detail=f"not UTF-8: {error.reason}")
    except ValueError as error:
        yield Skipped(place, Reason.MALFORMED, detail=f"not JSON: {error}")
    else:
        yield from items_of(value, place, reading)


def _decoded(line: bytes) -> Any:
    """Decode a line of JSON; raises ValueError.

    msgspec takes half of the time of Python's decoder, and accepts no more. What it rejects goes to
    Python's decoder, so that no document is lost to NaN, lone surrogates or huge numbers.
    """
    try:
        return decode_json(line, object)
    except ValueError:
        return parse_json(line.decode("utf-8"))


JSONL = Format(
    name="jsonl",
    summary='*.jsonl files: one object per line with "id", "contents" and optionally "url"; or '
    "with the keys of BEIR or ClueWeb22",
    files="*.jsonl, *.ndjson, *.json, the same with .gz, .zst, .xz or .bz2",
    reader=read_jsonl,
    wants=_NAME.fullmatch,
    first_bytes=re.compile(rb"\{|\[\s*\{"),
    options=("plain", "id_field", "text_field", "url_field"),
    check="--id-field and --text-field",
)

# Questions with up to 50 pages each; facebookresearch/CRAG, docs/dataset.md.
_CRAG = Reading(
    id_field="interaction_id",
    text_field="search_results[].page_result",
    url_field="search_results[].page_url",
)


def read_crag(raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the pages of CRAG's questions; a docid is a question's id, a hyphen and a number."""
    return read_jsonl(raw, source, replace(_CRAG, plain=reading.plain))


CRAG = Format(
    name="crag",
    summary="CRAG: *.jsonl.bz2 files of questions, each with the pages of a search",
    files=JSONL.files,
    reader=read_crag,
    wants=_NAME.fullmatch,
    named=False,
    options=("plain",),
)
