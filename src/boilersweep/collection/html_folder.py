"""A folder of HTML files, one page per file; the docid is the relative path without the suffix.

Files of other names are read if they begin as HTML does, or as a page saved as MHTML.
"""

import os
import re
from collections.abc import Iterator
from typing import BinaryIO

from boilersweep.collection.files import NotRead
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
)
from boilersweep.collection.streams import decompressed, read_whole
from boilersweep.pages.content_kind import HTML_START, foreign_kind, is_page
from boilersweep.pages.mhtml import saved_page

_NAME = re.compile(
    r"(.+)\.(?:html?|xhtml|mht(?:ml)?)(?:\.(?:gz|zst|xz|bz2))?",
    re.IGNORECASE | re.DOTALL,
)


def read_html(raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the one page of an HTML file; `source` without its suffix is the docid, as in qrels."""
    place = SourceLocation(source, 0)
    named = _NAME.fullmatch(source)
    docid = named[1] if named else source
    if reading.docid == "name":
        docid = docid.rpartition("/")[2]
    try:
        docid.encode("utf-8")
    except UnicodeEncodeError:  # a file name that is not UTF-8 comes with surrogates
        docid = decoded(os.fsencode(docid))
    stream = decompressed(raw)
    body = read_whole(stream, MAX_PAGE_BYTES + 1)
    if len(body) > MAX_PAGE_BYTES:
        yield Skipped(
            place, Reason.TOO_LARGE, docid, f"more than {MAX_PAGE_BYTES:,} bytes"
        )
    elif stream.damage and stream.loss is Reason.TRUNCATED:
        yield Skipped(place, Reason.TRUNCATED, docid, stream.damage)
    elif not body or body.isspace():
        yield Skipped(place, Reason.EMPTY_PAGE, docid)
    else:
        saved = saved_page(body)
        yield Record(docid, body, place, url=saved.url if saved else None)
    if stream.damage and stream.loss is not Reason.TRUNCATED:
        yield Skipped(place, stream.loss, docid, stream.damage)


def other_kind(start: bytes) -> str:
    """Return what a file is by its first bytes, "" for a page."""
    if is_page(start):
        return ""
    return foreign_kind(start) or NotRead.OTHER_KIND


HTML = Format(
    name="html",
    summary="a folder of *.html, *.htm, *.xhtml, *.mhtml or *.mht files, and of others that begin "
    "as HTML; the docid is the relative path without suffix",
    files="*.html, *.htm, *.xhtml, *.mhtml, *.mht, the same with .gz, and what begins as HTML",
    reader=read_html,
    wants=_NAME.fullmatch,
    sniff=other_kind,
    docids=("name",),
    first_bytes=HTML_START,
    files_per_task=500,
)
