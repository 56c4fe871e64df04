"""The values of what a page states of itself: a language, an address, names, a site, a date; hosts.

A value is what stands in an attribute, an element or JSON; each function returns it as text in one
form, or None for one that cannot be what it should be.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any
from unicodedata import combining, normalize
from urllib.parse import urljoin, urlsplit

from boilersweep.pages.stray_characters import without_surrogates

DEEPEST = 8  # values of JSON within one another
LONGEST = 4_000  # characters of a value

_SCHEMES = frozenset({"", "http", "https"})
_NO_ADDRESS = re.compile(
    r"[\s{}<>\"`\\^]|^#|^(?:%|\[)|^(?:null|none|undefined|false|true|n/a)$",
    re.IGNORECASE,
)
_HOST = re.compile(r"[^\W_](?:[\w.-]*\w)?\.?|[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)
_ORGANISATIONS = (
    "Organization Corporation Business NGO Airline Library Consortium Team Brand "
    "Institution School University Project WebSite"
).split()

_LONGEST_NAME = 100
_LONGEST_DATE = 64
_NO_SITE = frozenset(("blog", "home", "home page", "homepage", "website"))
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_TAG = re.compile(r"<[^<>]*>")
_NO_NAME = re.compile(
    r"://|@|[{}<>\[\]%]|^(?:www\.|/)|\w\.\w+/|^(?:admin(?:istrator)?|author|null|none|undefined|unknown|n/a"
    r"|user|root|webmaster|test|default|first ?name last ?name)$",
    re.IGNORECASE,
)
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)? ([A-Z][a-z]{2})[a-z]*\.?,? (\d{4})\b"
)
_NO_DAY = re.compile(r"(?:[-/.]0{1,2}){1,2}$")
_PARTS_OF_DATES = "%Y|%Y-%m|%Y/%m|%Y.%m|%m/%Y|%m-%Y|%b %Y|%B %Y|%Y %b|%Y %B".split("|")
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
    return text if text and _is_address(text) else None


def _is_address(text: str) -> bool:
    """Whether a text may be the address of a page or an image, whole or relative."""
    if _NO_ADDRESS.search(text):
        return False
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # such as an unclosed [ of IPv6, or a port that is no number
        return False
    if parts.scheme not in _SCHEMES or port == 0:
        return False
    is_whole = bool(parts.scheme) or text.startswith("//")
    return ".." not in host and bool(_HOST.fullmatch(host)) if is_whole else True


def base_address(url: str | None, stated: Iterable[str | None]) -> str | None:
    """Return the address that completes a page's relative ones, None without any.

    Source: HTML Standard, section 4.2.3: the first base element with an address counts.

    Args:
        url: The page's own address.
        stated: What the attribute `href` of its base elements states, in their order.
    """
    href = next((one for one in stated if one is not None), "").strip()
    if not href or not _is_address(href):
        return url
    return completed(href, url)


def completed(address: str, base: str | None) -> str:
    """Return an address, completed if it is relative and there is a base that allows it."""
    try:
        return urljoin(base, address) if base else address
    except ValueError:
        return address


def names(value: Any, site: str = "") -> tuple[list[str], list[str]]:
    """Return the names of people, and those of organisations, each once.

    Args:
        value: A name, or a tree of them.
        site: The name of the site, which is an organisation.
    """
    people: list[str] = []
    organisations: list[str] = []
    for name, is_organisation in _each_name(value):
        is_site = bool(site) and _name_key(name) == _name_key(site)
        (organisations if is_organisation or is_site else people).append(name)
    return _distinct(people), _distinct(organisations)


def _each_name(value: Any, depth: int = 0) -> Iterator[tuple[str, bool]]:
    """Yield each name, and whether it is an organisation's."""
    if isinstance(value, list):
        for part in value if depth < DEEPEST else ():
            yield from _each_name(part, depth + 1)
        return
    if isinstance(value, dict) and not value.get("name"):
        both = (text_value(value.get(part)) for part in ("givenName", "familyName"))
        value = {**value, "name": " ".join(filter(None, both))}
    kind = value.get("@type") if isinstance(value, dict) else None
    kinds = kind if isinstance(kind, list) else [kind]
    is_organisation = any(
        isinstance(one, str) and one.endswith(tuple(_ORGANISATIONS)) for one in kinds
    )
    if name := _name(value):
        parts = [part.strip() for part in name.split(",")]
        several = parts if all(" " in part for part in parts) else [name]
        yield from ((one, is_organisation) for one in several)


def _name_key(name: str) -> tuple[str, ...]:
    """Return what the spellings of one name share: "Lee, Ann" is "ANN LEE"."""
    plain = normalize("NFKD", name.casefold())
    letters = "".join(one for one in plain if not combining(one))
    return tuple(sorted(re.findall(r"\w+", letters)))


def _distinct(names: Iterable[str]) -> list[str]:
    """Return each name once: in its first spelling that is not of one case."""
    spellings: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        spellings.setdefault(_name_key(name), []).append(name)
    return [
        min(spelling, key=lambda name: name in (name.upper(), name.lower()))
        for spelling in spellings.values()
    ]


def _name(value: Any) -> str | None:
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
    return _part_of_date(text)


def _part_of_date(text: str) -> str | None:
    """Return a year or a month in ISO 8601; None for another text."""
    text = _NO_DAY.sub("", text)
    for form in _PARTS_OF_DATES:
        with suppress(ValueError):
            moment = datetime.strptime(text, form)
            is_date = 1400 <= moment.year <= 2100
            return (
                moment.strftime("%Y" if form == "%Y" else "%Y-%m") if is_date else None
            )
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
