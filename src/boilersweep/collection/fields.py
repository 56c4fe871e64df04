"""The small fields of a record: docids and the values of Content-Type headers."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DAY = re.compile(r"\d{4}(-?)\d\d\1\d\d", re.ASCII)
_STAMP = re.compile(r"(?:19|20)\d{12}", re.ASCII)
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
    if _STAMP.fullmatch(text):
        # What strptime takes beside digits the expression has excluded.
        return datetime.strptime(text + "+0000", "%Y%m%d%H%M%S%z")
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
