"""What the readers of collections yield: records, and records skipped for a named reason."""

from dataclasses import dataclass
from enum import StrEnum
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
            from the start of the file as it is stored, so that tools can seek to it; otherwise 0.
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
        date: As ISO 8601 text, see `boilersweep.collection.fields`.
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
