"""Pages that browsers save as one file (MHTML, RFC 2557): the page within, without its pictures."""

import email
import email.errors
import re
from dataclasses import dataclass
from email.message import Message

# A head of MIME whose Content-Type says that its parts belong together.
_HEAD = re.compile(
    rb"\s*+(?:[\w-]++:[^\n]*+\n(?:[ \t][^\n]*+\n)*+){0,40}?"
    rb"Content-Type:\s*+multipart/related",
    re.IGNORECASE,
)
_LONGEST_HEAD = 16 * 2**10
_MOST_PARTS = 100_000
_PAGES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class SavedPage:
    """The page in a file of MHTML.

    Attributes:
        body: Its bytes; none if the file has no page.
        charset: As its part names it.
        url: Where it was.
        is_whole: Whether the file has its end.
    """

    body: bytes
    charset: str | None
    url: str | None
    is_whole: bool


def is_mhtml(start: bytes) -> bool:
    """Whether a file that begins so is MHTML."""
    return _HEAD.match(start, 0, _LONGEST_HEAD) is not None


def saved_page(content: bytes) -> SavedPage | None:
    """Return the page in a file of MHTML, None for other content; frames and pictures are left."""
    if not is_mhtml(content):
        return None
    if content.count(b"\n--") > _MOST_PARTS:
        return SavedPage(b"", None, None, is_whole=True)
    try:
        message = email.message_from_bytes(content.lstrip())
    except RecursionError:  # parts within parts
        return SavedPage(b"", None, None, is_whole=True)
    pages = [part for part in message.walk() if part.get_content_type() in _PAGES]
    root = str(message.get_param("start") or "")
    pages.sort(key=lambda part: part["Content-ID"] != root)
    part = pages[0] if pages else Message()
    body = part.get_payload(decode=True)
    return SavedPage(
        body if isinstance(body, bytes) else b"",
        part.get_content_charset(),
        _address(message["Snapshot-Content-Location"] or part["Content-Location"]),
        not any(isinstance(defect, _CUT) for defect in message.defects),
    )


_CUT = (
    email.errors.CloseBoundaryNotFoundDefect,
    email.errors.StartBoundaryNotFoundDefect,
    email.errors.NoBoundaryInMultipartDefect,
)


def _address(value: object) -> str | None:
    return "".join(str(value).split()) if value else None
