"""The collection of CLEF eHealth 2013 to 2015: pages in `*.dat` files, plain, gzip or in ZIP.

    #UID:docid
    #DATE:the month of the crawl
    #URL:the page's address
    #CONTENT:
    the page
    #EOR

Marks are read in any case, with blanks around them, and the page may begin on the line of
`#CONTENT:`. Two lines between `#UID:` and `#CONTENT:` with other marks, or none, are date and
address. `#EOR` ends a page if the next line has a mark, or the file ends. Any other line `#EOR`
belongs to the page, unless no end follows it. A page without an end is reported, and the next one
is read.

Source: public programs that index the collection, and the track's overview (Palotti et al., CLEF
eHealth Evaluation Lab 2015, Task 2); the files themselves were not seen.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from boilersweep.collection.compiled import hash_mark_finder
from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    Format,
    Item,
    Reading,
    Reason,
    Record,
    Skipped,
    SourceLocation,
    decoded,
    iso_date,
)
from boilersweep.collection.streams import peekable, read_members
from boilersweep.collection.trec_web import (
    Document,
    Mark,
    Marks,
    begins_line,
    read_framed,
)
from boilersweep.pages.content_kind import ZIP

_MAX_HEAD = 64 * 2**10
_BLANKS = rb"[ \t\r\f\v]*+"
_UID_MARK = rb"#[ \t]*+UID[ \t]*+:"
_HEAD_MARK = rb"#[ \t]*+(?:DATE|UR[LI]|CONTENTS?)[ \t]*+(?::|\r?\n)"
_UID = re.compile(_UID_MARK, re.IGNORECASE)
_EOR = rb"#[ \t]*+EOR[ \t]*+:?" + _BLANKS
_END = re.compile(
    _EOR
    + rb"(?:\Z|\n(?=\s*+(?:\Z|#[ \t]*+EOR|"
    + _UID_MARK
    + rb"|"
    + _HEAD_MARK
    + rb")))",
    re.IGNORECASE,
)
_MAYBE_END = re.compile(_EOR + rb"\n", re.IGNORECASE)
# As a line or not
_END_BEFORE_UID = re.compile(
    _EOR + rb"(?:\n\s*+)?(?=" + _UID_MARK + rb")", re.IGNORECASE
)
# The line of a docid before one of the next three lines has another mark
_BEFORE_HEAD = re.compile(
    rb"[^\n]{0,1024}+\n(?:[^\n]{0,1024}+\n){0,2}?[ \t]*+" + _HEAD_MARK, re.IGNORECASE
)
# The line of the docid, those that follow, and the mark before the page
_HEAD = re.compile(
    rb"[^\n]*+\n((?:[^\n<]*+\n){0,8}?)[ \t]*+#[ \t]*+CONTENTS?[ \t]*+"
    rb"(?::" + _BLANKS + rb"\n?|" + _BLANKS + rb"\n)",
    re.IGNORECASE,
)
# A line that is not blank: the name of its mark, and its value
_VALUE = re.compile(
    rb"^(?=[^\n]*\S)[ \t]*(?:#[ \t]*(\w*)[^:\n]*:)?([^\n]*)", re.MULTILINE
)
_PLACES = {b"DATE": 0, b"URL": 1, b"URI": 1}
_FILE = re.compile(r".*\.dat(?:\.gz)?|.*\.zip", re.IGNORECASE | re.DOTALL)
_MEMBER = re.compile(r"(?:.*/)?[^./][^/]*\.dat(?:\.gz)?", re.IGNORECASE | re.DOTALL)


def read_clef_ehealth(raw: BinaryIO, source: str, _reading: Reading) -> Iterator[Item]:
    """Yield the pages of one file; offsets are those of `#UID:` in the decompressed bytes.

    Of a ZIP archive, the pages of its `*.dat` files.
    """
    file = peekable(raw)
    if file.peek(4)[:4] == ZIP:
        return read_members(file, source, _MEMBER.fullmatch, _read_dat, "a ZIP file")
    return _read_dat(file, source)


def _read_dat(raw: BinaryIO, source: str) -> Iterator[Item]:
    marks = Marks("#UID:", hash_mark_finder, _judge)
    return read_framed(raw, source, marks, MAX_PAGE_BYTES + _MAX_HEAD, _item)


def _judge(data: bytes, at: int, at_start: bool) -> tuple[Mark, int, int]:
    if end := _END_BEFORE_UID.match(data, at):
        return "close", at, end.end()
    if not begins_line(data, at, at_start=at_start, after=(b"#eor",)):
        return "text", at, at + 1
    if end := _END.match(data, at):
        return "close", at, end.end()
    if end := _MAYBE_END.match(data, at):
        return "maybe close", at, end.end()
    if not (uid := _UID.match(data, at)):
        return "text", at, at + 1
    has_head = _BEFORE_HEAD.match(data, uid.end())
    return "anew" if has_head else "open", at, uid.end()


def _item(document: Document, place: SourceLocation) -> Item:
    text = document.text
    head = _HEAD.match(text, 0, _MAX_HEAD)
    docid = decoded(text[:_MAX_HEAD].partition(b"\n")[0])
    if not docid:
        return Skipped(
            place, Reason.NO_DOCID, detail="expected a docid behind #UID:, found none"
        )
    if not document.ended:
        detail = "expected #EOR behind the page, found " + (
            "the next #UID:" if document.closed else "the end of the file"
        )
        return Skipped(place, Reason.TRUNCATED, docid, detail)
    if not head:
        return Skipped(
            place,
            Reason.MALFORMED,
            docid,
            "expected #CONTENT: before the page, found none",
        )
    if (size := document.size - head.end()) > MAX_PAGE_BYTES:
        return Skipped(
            place,
            Reason.TOO_LARGE,
            docid,
            f"{size:,} bytes, the cap is {MAX_PAGE_BYTES:,}",
        )
    body = text[head.end() :].rstrip(b" \t").removesuffix(b"\n").removesuffix(b"\r")
    if not body or body.isspace():
        return Skipped(place, Reason.EMPTY_PAGE, docid)
    values: dict[int, str] = {}
    for line, (name, value) in enumerate(_VALUE.findall(head[1])):
        values.setdefault(_PLACES.get(name.upper(), line), decoded(value))
    return Record(
        docid,
        body,
        place,
        url=values.get(_PLACES[b"URL"]) or None,
        date=iso_date(values.get(_PLACES[b"DATE"], "")),
    )


CLEF_EHEALTH = Format(
    name="clef-ehealth",
    summary="CLEF eHealth 2013 to 2015: *.dat files, plain, gzip or in *.zip",
    files="*.dat, *.dat.gz, *.zip",
    reader=read_clef_ehealth,
    wants=_FILE.fullmatch,
    first_bytes=re.compile(rb"#UID:", re.IGNORECASE),
    named=False,
)
