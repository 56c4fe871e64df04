"""What a page states of itself: headline, address, language, author, dates, site and image.

Pages state the same fact in several places, and some places are wrong more often than others.
`_PLACES` names the places of each field in the order chosen by measurement: see the manual.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from boilersweep.pages.segmenter import close_title

_DEEPEST_JSON = 8
_LONGEST_NAME = 100
_LONGEST_DATE = 64
_WORD = re.compile(r"\w+")
_NO_SITE = frozenset(("blog", "home", "home page", "homepage", "website"))
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_LAST_FIRST = re.compile(r"^([^,]+),([^,]+)$")
_BEFORE_SITE = re.compile(r"\s+[|\u2013\u2014\u00b7\u00bb:-]+\s+")

_KINDS = (  # of JSON-LD's nodes, by the end of their type
    ("article", ("Article", "Posting", "Report", "Recipe", "HowTo", "Question", "Thesis")),
    ("page", ("Page",)),
    ("site", ("WebSite",)),
    ("work", ("Product", "Course", "Event", "VideoObject", "Book", "Movie", "Episode", "Podcast")),
)

_PLACES: dict[str, tuple[str, ...]] = {
    "headline": (
        "agreed h1",
        "meta headline",
        "only h1",
        "itemprop headline",
        "article headline",
        "meta og:title",
        "meta twitter:title",
        "meta citation_title",
        "meta dc.title",
        "meta dcterms.title",
    ),
    "url": ("link canonical", "meta og:url", "article url", "page url"),
    "language": (
        "html lang",
        "meta content-language",
        "meta language",
        "meta dc.language",
        "meta dcterms.language",
        "article inLanguage",
        "page inLanguage",
        "meta og:locale",
    ),
    "author": (
        "article author",
        "meta sailthru.author",
        "meta parsely-author",
        "meta author",
        "page author",
        "itemprop author",
        "meta dc.creator",
        "meta dcterms.creator",
        "meta citation_author",
        "rel author",
        "meta article:author",
    ),
    "published": (
        "meta article:published_time",
        "page datePublished",
        "article datePublished",
        "meta datepublished",
        "meta parsely-pub-date",
        "meta sailthru.date",
        "meta dc.date.issued",
        "meta dcterms.issued",
        "meta dc.date",
        "meta dcterms.date",
        "meta dcterms.created",
        "meta citation_publication_date",
        "article dateCreated",
        "itemprop datePublished",
        "itemprop dateCreated",
        "meta date",
        "time published",
        "time heading",
    ),
    "modified": (
        "meta article:modified_time",
        "article dateModified",
        "meta datemodified",
        "page dateModified",
        "itemprop dateModified",
        "meta og:updated_time",
        "meta dcterms.modified",
        "meta last-modified",
        "time updated",
    ),
    "site_name": (
        "meta og:site_name",
        "site name",
        "article publisher",
        "page publisher",
        "meta application-name",
        "meta dc.publisher",
        "meta dcterms.publisher",
    ),
    "image": (
        "meta og:image",
        "meta og:image:url",
        "article image",
        "meta twitter:image",
        "meta twitter:image:src",
        "link image_src",
        "work image",
    ),
}


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page states; None for what it does not state.

    url: canonical. language: as the page spells it. author: of several, with ", " between them.
    published, modified: ISO 8601, a date or a moment with or without its time zone.
    """

    headline: str | None = None
    url: str | None = None
    language: str | None = None
    author: str | None = None
    published: str | None = None
    modified: str | None = None
    site_name: str | None = None
    image: str | None = None


def metadata(utf8: bytes, title: str = "", url: str | None = None) -> Metadata:
    """What a page states, given as UTF-8; nothing of a page that cannot be parsed.

    title: the text of its title element. url: its own address, with which it completes relative
    ones.
    """
    places = stated(utf8, title)
    found = {}
    for field, names in _PLACES.items():
        read = _READERS.get(field, _text)
        values = (read(value) for name in names for value in places.get(name, ()))
        found[field] = next(filter(None, values), None)
    found["headline"] = _headline(places, found["site_name"] or "")
    for field in ("url", "image"):
        if url and (address := found[field]):
            found[field] = _joined(url, address)
    return Metadata(**found)


def _headline(places: Mapping[str, list[Any]], site: str) -> str | None:
    """The first headline but a heading that is the site's name, without that name at its end."""

    def is_site(text: str) -> bool:
        return bool(site) and _words(text) == _words(site)

    for place in _PLACES["headline"]:
        for value in filter(None, map(_text, places.get(place, ()))):
            if place.endswith("h1") and is_site(value):
                continue
            marks = list(_BEFORE_SITE.finditer(value))
            return (
                value[: marks[-1].start()] if marks and is_site(value[marks[-1].end() :]) else value
            )
    return None


def stated(utf8: bytes, title: str = "") -> dict[str, list[Any]]:
    """Kind and name of a place, such as `meta author` -> what is there, as JSON or text."""
    places: defaultdict[str, list[Any]] = defaultdict(list)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        root = etree.fromstring(close_title(utf8), parser)
    except etree.ParseError:
        return places
    if root is None:
        return places
    headings: list[str] = []
    for element in root.iter("html", "meta", "link", "script", "a", "h1", "time"):
        attributes = element.attrib
        if element.tag == "meta":
            for key in ("property", "name", "itemprop", "http-equiv"):
                if names := attributes.get(key):
                    place, content = names.strip().lower(), attributes.get("content", "")
                    if place == "citation_author":
                        content = _LAST_FIRST.sub(r"\2 \1", content)
                    places[f"meta {place}"].append(content)
                    break
        elif element.tag == "script":
            if "ld+json" in attributes.get("type", "").lower():
                _add_json(places, element.text or "")
        elif element.tag == "html":
            places["html lang"] += [
                value for name, value in attributes.items() if str(name).endswith("lang")
            ]
        elif element.tag == "time":
            _add_time(places, element)
        elif element.tag == "h1":
            headings.append(_text_of(element))
            _add_times_at(places, element)
        else:
            for relation in attributes.get("rel", "").lower().split():
                if element.tag == "link":
                    places[f"link {relation}"].append(attributes.get("href", ""))
                elif relation == "author":
                    places["rel author"].append(_text_of(element))
    for element in root.iterfind(".//*[@itemprop]"):
        if element.tag != "meta":
            _add_property(places, element)
    _add_headings(places, [heading for heading in headings if heading], title)
    return places


def _add_time(places: dict[str, list[Any]], element: Any) -> None:
    moment = element.get("datetime") or _text_of(element)
    marks = element.get("class", "").lower()
    if "updated" in marks or "modified" in marks:
        places["time updated"].append(moment)
    if element.get("pubdate") is not None or "publish" in marks or "entry-date" in marks:
        places["time published"].append(moment)


def _add_times_at(places: dict[str, list[Any]], heading: Any) -> None:
    """`time heading`: in the heading's article or header, else in its parent."""
    around = next(heading.iterancestors("article", "header"), heading.getparent())
    for element in () if around is None else around.iter("time"):
        places["time heading"].append(element.get("datetime") or _text_of(element))


def _add_property(places: dict[str, list[Any]], element: Any) -> None:
    for name in element.get("itemprop").split():
        inner = element.find(".//*[@itemprop='name']") if name == "author" else None
        holder = element if inner is None else inner
        value = holder.get("content") or holder.get("datetime") or _text_of(holder)
        places[f"itemprop {name}"].append(value)


def _add_headings(places: dict[str, list[Any]], headings: list[str], title: str) -> None:
    """`agreed h1`: the title or another place says the same, or the title says it and more."""
    others = [title, *places["meta og:title"], *places["article headline"]]
    agreed = [h for h in headings if any(_words(h) in _words(str(other)) for other in others)]
    places["agreed h1"] += sorted(agreed, key=len, reverse=True)  # not the site's name
    if len(headings) == 1:
        places["only h1"] += headings


def _add_json(places: dict[str, list[Any]], text: str) -> None:
    """The nodes of a JSON-LD script; nothing of one that is damaged."""
    text = re.sub(r"^\s*(?:/[/*]\s*)?(?:<!\[CDATA\[|<!--)|[\s*/]*(?:\]\]>|-->)[\s*/]*$", "", text)
    try:
        nodes = list(_nodes(json.loads(text, strict=False)))
    except (ValueError, RecursionError):
        return
    by_id = {
        node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and len(node) > 1
    }

    def resolved(value: Any) -> Any:
        """The node itself for a reference to one."""
        is_reference = isinstance(value, dict) and len(value) == 1
        return by_id.get(str(value.get("@id")), value) if is_reference else value

    for node in nodes:
        types = node.get("@type")
        types = types if isinstance(types, list) else [types]
        kind = next(
            (kind for kind, ends in _KINDS for one in types if str(one).endswith(ends)), None
        )
        for name, value in node.items() if kind else ():
            values = value if isinstance(value, list) else [value]
            places[f"{kind} {name}"].append([resolved(one) for one in values])


def _nodes(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The objects of a JSON value, outer ones first."""
    if depth > _DEEPEST_JSON:
        return
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _nodes(part, depth + 1)


def _text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _text(value: Any) -> str | None:
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or value.get("url")
    if isinstance(value, list) and value:
        return _text(value[0])
    return " ".join(unescape(value).split()) or None if isinstance(value, str) else None


def _language(value: Any) -> str | None:
    text = _text(value)
    return text if text and _LANGUAGE_TAG.fullmatch(text) else None


def _site(value: Any) -> str | None:
    text = _text(value)
    return text if text and text.lower() not in _NO_SITE else None


def _address(value: Any) -> str | None:
    if isinstance(value, list) and value:
        return _address(value[0])
    if isinstance(value, dict):
        value = value.get("url") or value.get("@id") or value.get("contentUrl")
    text = _text(value)
    return text if text and " " not in text and not text.lower().startswith("data:") else None


def _names(value: Any) -> str | None:
    if isinstance(value, list):
        return ", ".join(dict.fromkeys(filter(None, map(_names, value)))) or None
    name = _text(value)
    if name is None or len(name) > _LONGEST_NAME or "://" in name or "@" in name:
        return None
    return re.sub(r"^(?:written\s+)?by:?\s+", "", name, flags=re.IGNORECASE) or None


_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_ENGLISH = re.compile(r"([A-Z][a-z]{2})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b")


def _date(value: Any) -> str | None:
    text = _text(value)
    if text is None or len(text) > _LONGEST_DATE:
        return None
    for read in (_iso, _mail, _day, _english):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        if moment.year < 1400 or (moment.year, moment.month, moment.day) == (1970, 1, 1):
            return None
        is_day = read is _day or read is _english or len(text) <= len("2026-01-31")
        return moment.date().isoformat() if is_day else moment.isoformat()
    return None


_iso = datetime.fromisoformat
_mail = parsedate_to_datetime


def _day(text: str) -> datetime:
    found = _DAY.match(text)
    if found is None:
        raise ValueError(text)
    year, month, day = map(int, found.groups())
    return datetime(year, month, day)


def _english(text: str) -> datetime:
    found = _ENGLISH.search(text)
    if found is None:
        raise ValueError(text)
    return datetime.strptime(" ".join(found.groups()), "%b %d %Y")


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


_READERS: Mapping[str, Callable[[Any], str | None]] = {
    "url": _address,
    "language": _language,
    "author": _names,
    "published": _date,
    "modified": _date,
    "site_name": _site,
    "image": _address,
}
"""How a field is read from what is in a place; the others as `_text`."""
