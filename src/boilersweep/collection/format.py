"""What a collection format is: how to find its files, how to read one, and what its readers yield.

Readers yield records, and records skipped for a named reason. The small fields of a record, docids
and the values of Content-Type headers, are read here for all of them.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import BinaryIO, Literal
from urllib.parse import quote

# Of a docid in UTF-8, as `as_token` writes it: Lucene takes no longer term.
MAX_DOCID_BYTES = 32_766


class Reason(StrEnum):
    """Why a record of the input is not a document of the collection."""

    NO_DOCID = "no docid"
    LONG_DOCID = "docid too long for Lucene"
    NOT_HTML = "not html"
    NOT_A_PAGE = "not a successful response"
    WARCINFO = "warcinfo record"
    REQUEST = "request record"
    METADATA = "metadata record"
    REVISIT = "revisit record"
    CONVERSION = "conversion record"
    CONTINUATION = "continuation record"
    OTHER_RECORD = "record of another type"
    BINARY = "neither HTML nor text"
    EMPTY_PAGE = "empty page"
    TOO_LARGE = "over the size cap"
    TRUNCATED = "truncated record"
    NOT_GZIP = "bytes that are not gzip"
    MALFORMED = "malformed record"
    UNDECODABLE_BODY = "undecodable body"
    UNPARSABLE = "unparsable page"
    OVER_TIME = "over the time cap"
    OVER_MEMORY = "over the memory cap"
    CRASHED = "crashed its worker"
    SET_ASIDE = "file set aside"
    DUPLICATE = "duplicate docid"
    NOT_CHOSEN = "not among the chosen documents"


# Reasons that may lie in the run and not in the record: another run may not lose it.
LOSSES = frozenset(
    {Reason.OVER_TIME, Reason.OVER_MEMORY, Reason.CRASHED, Reason.SET_ASIDE}
)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Where a record is.

    Attributes:
        source: The file's path relative to the collection's root (its name, if the root is a file).
        offset: In bytes; for TREC web and JSONL from the start of the decompressed file, for WARC
            from the start of the file as it is stored, so that tools can seek to it; for Parquet
            the row; otherwise 0.
    """

    source: str
    offset: int

    def __str__(self) -> str:
        return f"{self.source} at byte {self.offset:,}"


@dataclass(frozen=True, slots=True)
class Record:
    """One page in its original bytes.

    Attributes:
        docid: As the collection spells it, stripped of surrounding white space.
        body: The page's bytes, transfer and content encodings of HTTP undone, charset untouched.
        charset: As named by the HTTP header (or "utf-8" where the format fixes it), else None.
        plain: The body is plain text, one block per line, not HTML.
        date: As ISO 8601 text, see `boilersweep.collection.format`.
        title: As the collection has it beside the page; a title of the page's own comes first.
        language: As named by HTTP's Content-Language, else None.
    """

    docid: str
    body: bytes
    place: SourceLocation
    url: str | None = None
    charset: str | None = None
    plain: bool = False
    date: str | None = None
    title: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record of the input that is no document, and why; `detail` says what came."""

    place: SourceLocation
    reason: Reason
    docid: str | None = None
    detail: str = ""


Item = Record | Skipped


def as_token(docid: str) -> str:
    """Return a docid with its white space and NULs percent-encoded.

    Runs and qrels have columns of tokens, and trec_eval's end at a NUL.
    """
    if "\0" not in docid and not any(map(str.isspace, docid)):
        return docid
    return "".join(
        quote(char) if char.isspace() or char == "\0" else char for char in docid
    )


# The most that a reader loads of a page, whatever `Limits.page_bytes` (--max-page-bytes) allows.
#
# A larger page is skipped with Reason.TOO_LARGE: lxml needs up to 20 times a page's bytes.
MAX_PAGE_BYTES = 32 * 2**20


DocidOf = Literal["uri", "record", "uuid", "trec", "name"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How users want the records of a collection to be read; None for the format's usual way.

    Every field belongs to some formats (`Format.options`).

    Attributes:
        plain: Whether the contents of JSONL and Parquet are plain text (True) or HTML (False).
        id_field: Key of the docid in JSONL, or Parquet's column (default: the first that exists of
            id, _id, ClueWeb22-ID). A dot is a level, such as metadata.id.
        text_field: Key of the page or text (default: the first that exists of contents, text,
            Clean-Text, html); a[].b for a page in each element of a list.
        url_field: Key of the address (default: the first that exists of url, URL).
        docid: What names the pages of WARC: WARC-Target-URI, WARC-Record-ID, the same without
            urn:uuid:, or WARC-TREC-ID (default: trec if it exists, else record); name: the pages of
            HTML by their file's name alone, without its folders.
    """

    plain: bool | None = None
    id_field: str | None = None
    text_field: str | None = None
    url_field: str | None = None
    docid: DocidOf | None = None


USUAL = Reading()


# So many bytes of a file tell what it is.
SNIFFED = 2048


def any_name(_name: str) -> bool:
    """Want a file whatever its name is."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One collection format: all that is known of it.

    Attributes:
        name: The word after `--collection`.
        summary: One line for `--help`.
        files: The names of its files, as messages describe them.
        reader: Gives the items of one file in order. It gets the file opened for reading bytes as
            it is stored (compressed or not; not necessarily seekable), its name (see
            `SourceLocation`) and how to read it. It holds at most one record in memory and never
            raises for what is in the file: it yields unusable records as Skipped. OSError from the
            file itself passes through.
        wants: True or a match for a name of its files. Files of other names may lie
            beside its own. `any_name`: names do not tell the format.
        first_bytes: How its files begin, behind white space; None if that tells nothing.
        sniff: Tells by the first SNIFFED bytes what a file is whose name `wants` does not know: ""
            for one of its own. None to leave such files out.
        named: Whether names of files tell the format; others have such names, too.
        options: The fields of `Reading` that it reads, beside docid.
        docids: What its pages may be named by, if users may say.
        check: The options of `boilersweep segment` to check if no record has a document, for a
            message.
        files_per_task: The number of files that a worker takes at a time; a task makes one shard.
        reading: How users want the records to be read.
    """

    name: str
    summary: str
    files: str
    reader: Callable[[BinaryIO, str, Reading], Iterator[Item]]
    wants: Callable[[str], object] = any_name
    first_bytes: re.Pattern[bytes] | None = None
    sniff: Callable[[bytes], str] | None = None
    named: bool = True
    options: tuple[str, ...] = ()
    docids: tuple[DocidOf, ...] = ()
    check: str = "--collection"
    files_per_task: int = 1
    reading: Reading = USUAL

    def read(self, raw: BinaryIO, source: str) -> Iterator[Item]:
        """Return the items of one file; see `reader`."""
        return self.reader(raw, source, self.reading)


_DAY = re.compile(r"\d{4}(-?)\d\d\1\d\d", re.ASCII)
_STAMP = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)", re.ASCII)
_LONGEST = 64


def iso_date(text: str) -> str | None:
    """Rewrite a date of ISO 8601, of 14 digits or of an HTTP header as ISO 8601; None for others.

    With a time zone it becomes UTC, such as `2005-12-06T23:34:40Z`; HTTP headers and 14 digits are
    UTC. A date without one, or of a day alone, says no more than it did.
    """
    text = text.strip()
    try:
        if not text or len(text) > _LONGEST:
            return None
        if _DAY.fullmatch(text):
            return datetime.fromisoformat(text).date().isoformat()
        moment = _moment(text)
        if moment.tzinfo is None:
            return moment.isoformat()
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _moment(text: str) -> datetime:
    if stamp := _STAMP.fullmatch(text):
        year, month, day, hour, minute, second = map(int, stamp.groups())
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    moment = parsedate_to_datetime(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_MEDIA_TYPE = re.compile(r"""[\s"']*([\w.+-]+/[\w.+-]+)""", re.ASCII)
_CHARSET = re.compile(r"""(?<![\w-])charset\s*=[\s"']*([^\s"';,<>]+)""", re.IGNORECASE)
_HTML = frozenset({"text/html", "application/xhtml+xml"})


def decoded(value: bytes) -> str:
    """Return a field, UTF-8 or otherwise Latin-1, without the white space around it."""
    try:
        return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        return value.decode("latin-1").strip()


def media_type(content_type: str) -> str | None:
    """Return the `type/subtype` of a Content-Type header in lower case, None without any."""
    match = _MEDIA_TYPE.match(content_type)
    return match[1].lower() if match else None


def names_html(content_type: str | None) -> bool:
    """Return whether a Content-Type header allows HTML, as a missing or malformed one does."""
    media = media_type(content_type or "")
    return media is None or media in _HTML


def charset_of(content_type: str | None) -> str | None:
    """Return the charset of a Content-Type header, as it is spelled; None without any."""
    match = _CHARSET.search(content_type or "")
    return match[1] if match else None
