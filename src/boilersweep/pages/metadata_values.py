"""The values of what a page states of itself: a language, an address, names, a site, a date; hosts.

A value is what stands in an attribute, an element or JSON; each function returns it as text in one
form, or None for one that cannot be what it should be.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from boilersweep.pages.stray_characters import without_surrogates

DEEPEST = 8  # values of JSON within one another
LONGEST = 4_000  # characters of a value

_LONGEST_NAME = 100
_LONGEST_DATE = 64
_NO_SITE = frozenset(("blog", "home", "home page", "homepage", "website"))
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_TAG = re.compile(r"<[^<>]*>")
_NO_NAME = re.compile(
    r"://|@|[{}<>\[\]%]|^(?:admin(?:istrator)?|author|null|none|undefined|unknown|n/a"
    r"|user|root|webmaster|test|default|first ?name last ?name)$",
    re.IGNORECASE,
)
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)? ([A-Z][a-z]{2})[a-z]*\.?,? (\d{4})\b"
)
_POINTS = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})\b")
_ENGLISH = re.compile(r"([A-Z][a-z]{2})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b")


def text_value(value: Any) -> str | None:
    """Return a value as text with white space folded; None without any, or if it is too long."""
    for _ in range(DEEPEST):
        if isinstance(value, dict):
            value = value.get("name") or value.get("@value") or value.get("url")
        if not isinstance(value, list) or not value:
            break
        value = value[0]
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    text = " ".join(unescape(value).split())
    return without_surrogates(text) or None


def _language(value: Any) -> str | None:
    text = text_value(value)
    return text if text and _LANGUAGE_TAG.fullmatch(text) else None


def _site(value: Any) -> str | None:
    text = text_value(value)
    return text if text and text.lower() not in _NO_SITE else None


def _address(value: Any) -> str | None:
    for _ in range(DEEPEST):
        if not isinstance(value, list) or not value:
            break
        value = value[0]
    if isinstance(value, dict):
        value = value.get("url") or value.get("@id") or value.get("contentUrl")
    text = text_value(value)
    return (
        text
        if text and " " not in text and not text.lower().startswith("data:")
        else None
    )


def _names(value: Any, depth: int = 0) -> str | None:
    if isinstance(value, list):
        parts = value if depth < DEEPEST else ()
        names = (_names(part, depth + 1) for part in parts)
        return ", ".join(dict.fromkeys(filter(None, names))) or None
    name = text_value(value)
    name = name and " ".join(_TAG.sub(" ", name).split())
    if not name or len(name) > _LONGEST_NAME or _NO_NAME.search(name) or _date(name):
        return None
    return re.sub(r"^(?:written\s+)?by:?\s+", "", name, flags=re.IGNORECASE) or None


def _date(value: Any) -> str | None:
    text = text_value(value)
    if text is None or len(text) > _LONGEST_DATE:
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime, _day, _english):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        if moment.year < 1400 or (moment.year, moment.month, moment.day) == (
            1970,
            1,
            1,
        ):
            return None
        is_day = read is _day or read is _english or len(text) <= len("2026-01-31")
        return moment.date().isoformat() if is_day else moment.isoformat()
    return None


def _day(text: str) -> datetime:
    match = _DAY.match(text)
    if match:
        year, month, day = map(int, match.groups())
    elif match := _POINTS.search(text):
        day, month, year = map(int, match.groups())
    else:
        raise ValueError(text)
    return datetime(year, month, day)


def _english(text: str) -> datetime:
    if match := _ENGLISH.search(text):
        return datetime.strptime(" ".join(match.groups()), "%b %d %Y")
    if match := _DAY_FIRST.search(text):
        return datetime.strptime(" ".join(match.groups()), "%d %b %Y")
    raise ValueError(text)


# How a field is read from what is in a place; the others by `text_value`.
READERS: Mapping[str, Callable[[Any], str | None]] = {
    "url": _address,
    "language": _language,
    "author": _names,
    "published": _date,
    "modified": _date,
    "site_name": _site,
    "image": _address,
}


_SECOND_LEVEL = frozenset("ac co com edu gov ltd me mil net nom org plc sch".split())


def host_of(url: str) -> str:
    """Return the host of an address in lower case without "www.", "" without any."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # such as an unclosed [ of IPv6
        return ""
    return host.removeprefix("www.")


def domain_of(site: str) -> str:
    """Return what was registered of a host: two labels, three under the likes of co.uk and com.au.

    A guess without the Public Suffix List; where it is wrong, sites are joined, never split.
    """
    labels = site.split(".")
    if len(labels) < 2 or site.replace(".", "").isdigit():
        return site
    three = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3:] if three else labels[-2:])
