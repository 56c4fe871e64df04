"""The date of a document, as ISO 8601 writes it, from the ways in which collections write it."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DAY = re.compile(r"\d{4}(-?)\d\d\1\d\d", re.ASCII)
_STAMP = re.compile(r"(?:19|20)\d{12}", re.ASCII)
_LONGEST = 64


def iso_date(text: str) -> str | None:
    """A date of ISO 8601, of 14 digits or of an HTTP header as ISO 8601; None if it is none.

    With a time zone it becomes UTC, such as `2005-12-06T23:34:40Z`; HTTP headers and 14 digits are
    UTC. A date without one, or of a day alone, says no more than it did.
    """
    text = text.strip()
    try:
        if not text or len(text) > _LONGEST:
            return None
        if _DAY.fullmatch(text):
            return datetime.fromisoformat(text).date().isoformat()
        if _STAMP.fullmatch(text):
            # What strptime takes beside digits the expression has excluded.
            return _in_utc(datetime.strptime(text + "+0000", "%Y%m%d%H%M%S%z"))
        return _in_utc(_of_iso(text) or _of_http(text))
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _of_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _of_http(text: str) -> datetime:
    found = parsedate_to_datetime(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _in_utc(moment: datetime) -> str:
    if moment.tzinfo is None:
        return moment.isoformat()
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
