"""What a page states of itself: headline, address, language, author, dates, site and image.

Pages state the same fact in several places, and some places are wrong more often than others.
`_PLACES` names the places of each field in the order chosen by measurement: see the manual.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any, cast

from lxml import etree

from boilersweep.pages.json_ld import statements
from boilersweep.pages.limits import NO_DEADLINE, Deadline
from boilersweep.pages.metadata_values import (
    LONGEST,
    READERS,
    base_address,
    completed,
    names,
    text_value,
)
from boilersweep.pages.repairs import close_title

_MOST_VALUES = 100  # of a place: the first valid one counts
_MOST_SEARCHED = 10  # elements in which others are searched
_MOST_IN_HEAD = 200  # elements
_MOST_IN_CARD = 20
_LONGEST_LINE = 120  # characters of a line on the article
_WHOLE = frozenset(("html", "body", "main"))
_MARKED = etree.XPath("descendant::*[@class or @id or @itemtype]")
# Classes and ids of what is not the page's own.
_OF_OTHERS = re.compile(
    r"(?:^|[\s_-])(?:comments?|commentlist|disqus\w*|responses|replies|reviews?|related|"
    r"recommended|similar|more-stories|recent-posts|most-read|events?|history|timeline)"
    r"(?:$|\s|[_-](?:list|area|section|thread|items?|posts?|articles?|stories|content|"
    r"container|wrap(?:per)?|box|body|author|meta|date)(?![\w-]))",
    re.IGNORECASE,
)
_KINDS_OF_OTHERS = ("Comment", "Comments", "Review", "Answer", "Event", "ItemList")
_BYLINE = re.compile(
    r"(?:^|[\s_-])(?:by-?line|date-?line|date|pub-?date|published|posted|entry-?meta|"
    r"post-?meta|article-?meta|timestamp)(?![a-z])",
    re.IGNORECASE,
)
_BEFORE_DATE = re.compile(
    r"(?:by|published|posted|written|updated|first|last|date|von|vom|veröffentlicht|par|"
    r"publié|por|publicado|di|pubblicato)\b",
    re.IGNORECASE,
)
_DATE_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])[/-]?(0[1-9]|[12]\d|3[01])(?!\d)"
)
# Classes of an author's card, and of the name in it, in hAtom (WordPress) and microformats2.
_AUTHOR = frozenset({"author", "p-author"})
_CARDS = frozenset({"vcard", "h-card"})
_NAME_CLASSES = frozenset({"fn", "p-name"})
# What is beside the article, unless it is on the author.
_ASIDE = frozenset({"aside", "nav", "article"})
_CARD = re.compile(
    r"(?:^|[\s_-])(?:cards?|teasers?|promos?|popular|trending|latest|more|sidebar|widget)"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)
_OF_AUTHOR = re.compile(
    r"author(?!s)|by-?line|(?:^|[\s_-])(?:bio|meta|post-?info)(?:$|[\s_-])",
    re.IGNORECASE,
)
# Places that have an element for each author.
_ALL_AUTHORS = frozenset(
    {"meta author", "meta citation_author", "meta dc.creator", "meta dcterms.creator"}
)
_NAME_WITHIN = etree.XPath("descendant::*[@itemprop='name'][1]")
_WORD = re.compile(r"\w+")
_LAST_FIRST = re.compile(r"^([^,]+),([^,]+)$")
_BEFORE_SITE = re.compile(r"\s+[|\u2013\u2014\u00b7\u00bb:-]+\s+")

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
        "body lang",
        "article lang",
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
        "class author",
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
        "meta citation_date",
        "meta citation_online_date",
        "article dateCreated",
        "itemprop datePublished",
        "itemprop dateCreated",
        "meta date",
        "time published",
        "time heading",
        "head date",
        "address date",
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

    Attributes:
        url: canonical.
        language: As the page spells it.
        author: Of several, with ", " between them.
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


def metadata(
    utf8: bytes,
    title: str = "",
    url: str | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> Metadata:
    """Read what a page states of itself; nothing of a page that cannot be parsed.

    The time is linear in the size of the page: of each place only the first values count, and no
    value may be long (`_MOST_VALUES`, `LONGEST`).

    Args:
        utf8: The page's HTML as UTF-8.
        title: The text of its title element.
        url: The page's own address, which completes relative ones.
        deadline: When the work must have ended.

    Returns:
        The first valid value of each field, in the order of `_PLACES`.

    Raises:
        PageError: The deadline has passed.
    """
    places = _places_of(utf8, title, deadline)
    base = base_address(url, places.bases)
    own = filter(None, map(READERS["url"], [url, *places["link canonical"]]))
    for match in filter(None, map(_DATE_IN_ADDRESS.search, own)):
        places.add("address date", "-".join(match.groups()))
    fields = {}
    for field, sources in _PLACES.items():
        read = READERS.get(field, text_value)
        values = filter(None, (read(one) for name in sources for one in places[name]))
        value = next(values, None)
        if (
            value
            and field in ("published", "modified")
            and len(value) < len("2011-05-03")
        ):
            value = next((one for one in values if one.startswith(value)), value)
        fields[field] = value
    fields["headline"] = _headline(places, fields["site_name"] or "")
    fields["author"] = _author(places, fields["site_name"] or "")
    for field in ("url", "image"):
        if address := fields[field]:
            fields[field] = completed(address, base)
    return Metadata(**fields)


def _author(places: "_Values", site: str) -> str | None:
    """Return the people whom the first place with one names, else the organisations."""
    authors = []
    for place in _PLACES["author"]:
        values = places[place]
        if place in _ALL_AUTHORS:
            authors.append(names(values, site))
        else:
            authors += (names(value, site) for value in values)
    people, organisations = zip(*authors, strict=True) if authors else ((), ())
    return ", ".join(next(filter(None, [*people, *organisations]), ())) or None


def _headline(places: "_Values", site: str) -> str | None:
    """Return the first headline that is not the site's name, without that name at its end."""
    site_words = _words(site)

    def is_site(text: str) -> bool:
        return bool(site) and _words(text) == site_words

    for place in _PLACES["headline"]:
        for value in filter(None, map(text_value, places[place])):
            if place.endswith("h1") and is_site(value):
                continue
            marks = list(_BEFORE_SITE.finditer(value))
            if marks and is_site(value[marks[-1].end() :]):
                return value[: marks[-1].start()]
            return value
    return None


class _Values(dict[str, list[Any]]):
    """What a page states in each place of `_PLACES`, such as `meta author`: JSON or text."""

    def __init__(self) -> None:
        super().__init__((place, []) for places in _PLACES.values() for place in places)
        self.articles: list[dict[str, Any]] = []  # of JSON-LD
        self.bases: list[str | None] = []

    def add(self, place: str, value: Any, element: Any = None) -> None:
        """Add a value unless the place is unknown or full.

        Args:
            place: Where the page states the value.
            value: The value, or nothing.
            element: The element whose text is the value if `value` is nothing.
        """
        values = self.get(place)
        if values is not None and len(values) < _MOST_VALUES:
            values.append(
                _text_of(element) if element is not None and not value else value
            )


def _places_of(utf8: bytes, title: str, deadline: Deadline) -> _Values:
    places = _Values()
    root = _root_of(utf8)
    if root is None:
        return places
    own = _around(root)
    _leave_out_others(root, own)
    headings: list[Any] = []
    articles: list[Any] = []
    authors: list[Any] = []
    for element in cast("list[Any]", _STATING(root)):
        deadline.check()
        if element.tag != "meta" and _is_author(element):
            authors.append(element)
            continue
        if element.tag == "h1":
            headings.append(element)
        elif element.tag == "article":
            articles.append(element)
        elif element.tag in _ADDING:
            _ADDING[element.tag](places, element)
        if element.tag != "meta" and element.get("itemprop"):
            _add_properties(places, element)
    for heading in headings[:_MOST_SEARCHED]:
        _add_dates_at(places, heading)
    _add_authors(places, authors[:_MOST_VALUES], own)
    _add_languages(places, articles, own)
    _keep_own_articles(places, [title, *map(_text_of, headings[:_MOST_SEARCHED])])
    _add_headings(places, headings[:_MOST_VALUES], title)
    return places


def _root_of(utf8: bytes) -> Any | None:
    """Return the root of a page's tree; None for a page without any."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    with suppress(etree.ParseError):
        return etree.fromstring(close_title(utf8), parser)
    return None


def _add_language(places: _Values, element: Any) -> None:
    for name, value in element.attrib.items():
        if str(name).endswith("lang"):
            places.add(f"{element.tag} lang", value)


def _add_languages(places: _Values, articles: Sequence[Any], own: set[Any]) -> None:
    """Add the language of the only article, or of those around a heading."""
    for article in articles:
        if len(articles) == 1 or article in own:
            _add_language(places, article)


def _add_meta(places: _Values, element: Any) -> None:
    for key in ("property", "name", "itemprop", "http-equiv"):
        if names := element.get(key):
            place, content = names.strip().lower(), element.get("content", "")
            if place == "citation_author":
                content = _LAST_FIRST.sub(r"\2 \1", content)
            places.add(f"meta {place}", content)
            return


def _add_link(places: _Values, element: Any) -> None:
    for relation in element.get("rel", "").lower().split():
        places.add(f"link {relation}", element.get("href", ""))


def _add_base(places: _Values, element: Any) -> None:
    places.bases.append(element.get("href"))


def _add_time(places: _Values, element: Any) -> None:
    marks = element.get("class", "").lower()
    if "updated" in marks or "modified" in marks:
        places.add("time updated", element.get("datetime"), element)
    if (
        element.get("pubdate") is not None
        or "publish" in marks
        or "entry-date" in marks
    ):
        places.add("time published", element.get("datetime"), element)


def _add_script(places: _Values, element: Any) -> None:
    if "ld+json" not in element.get("type", "").lower():
        return
    for kind, properties in statements(element.text or ""):
        if kind == "article":
            places.articles.append(properties)
            continue
        for name, value in properties.items():
            places.add(f"{kind} {name}", value)


# What takes the values from an element, by its name.
_ADDING: Mapping[str, Callable[[_Values, Any], None]] = {
    "html": _add_language,
    "body": _add_language,
    "meta": _add_meta,
    "link": _add_link,
    "script": _add_script,
    "base": _add_base,
    "time": _add_time,
}

# The elements that may state something, in document order.
_STATING_NAMES = " or ".join(f"self::{name}" for name in (*_ADDING, "h1", "article"))
_STATING = etree.XPath(
    f"descendant-or-self::*[{_STATING_NAMES} or @itemprop or @rel "
    "or contains(@class, 'author')]"
)


def _is_author(element: Any) -> bool:
    """Whether an element in the body names an author: a link, microdata or a visiting card."""
    return (
        (element.tag == "a" and "author" in element.get("rel", "").lower().split())
        or "author" in element.get("itemprop", "").split()
        or _card_name(element) is not None
    )


def _card_name(element: Any) -> Any | None:
    """Return the element of the name in an author's card; None for another element."""
    classes = element.get("class", "").split()
    if _AUTHOR.isdisjoint(classes):
        return None
    within = list(islice(element.iter(etree.Element), _MOST_IN_CARD))
    for inner in within:
        if not _NAME_CLASSES.isdisjoint(inner.get("class", "").split()):
            return inner
    is_card = not _CARDS.isdisjoint(classes)
    return (
        next((inner for inner in within if inner.tag == "a"), element)
        if is_card
        else None
    )


def _add_authors(places: _Values, elements: Sequence[Any], own: set[Any]) -> None:
    """Add the authors that the body names; those in the article of the heading come first.

    Args:
        places: Gets the values.
        elements: Those that name an author.
        own: The elements around the headings.
    """
    ranked = [(_rank(element, own), element) for element in elements]
    for rank in (0, 1):
        for element in (one for of, one in ranked if of == rank):
            if element.get("itemprop"):
                _add_properties(places, element)
            if (name := _card_name(element)) is not None:
                places.add("class author", "", name)
            if element.get("rel"):
                places.add("rel author", "", element)


def _rank(element: Any, own: set[Any]) -> int | None:
    """Return 0 for an author in the heading's article, 1 elsewhere, None for one of others."""
    has_article = any(one.tag == "article" for one in own)
    for outer in element.iterancestors():
        if outer in own:
            return int(has_article and outer.tag in _WHOLE)
        marks = f"{outer.get('class', '')} {outer.get('id', '')}"
        if outer.tag == "address" or (outer.tag == "article" and not has_article):
            return 1
        is_other = outer.tag in _ASIDE or bool(_CARD.search(marks))
        if outer.tag == "footer":  # of the page, not of an article
            is_other = next(outer.iterancestors("article"), None) is None
        if outer.tag == "li":
            is_other = _links_elsewhere(outer)
            marks += " " + outer.getparent().get("class", "")
        if is_other and not _OF_AUTHOR.search(marks):
            return None
    return 1


def _links_elsewhere(item: Any) -> bool:
    """Whether an item has a heading, or a link with a text that is not the author's."""
    for element in islice(item.iter("a", "h2", "h3", "h4", "h5", "h6"), _MOST_IN_HEAD):
        if not _is_author(element) and _text_of(element):
            return not any(map(_is_author, element.iterancestors()))
    return False


def _around(root: Any) -> set[Any]:
    """Return the elements around the first headings."""
    headings = islice(root.iter("h1"), _MOST_SEARCHED)
    return {one for heading in headings for one in heading.iterancestors()}


def _leave_out_others(root: Any, own: set[Any]) -> None:
    """Empty the elements that state what is of others: readers, related pages, events."""
    for element in cast("list[Any]", _MARKED(root)):
        marks = f"{element.get('class', '')} {element.get('id', '')}"
        kind = element.get("itemtype", "").strip()
        if element not in own and (
            (_OF_OTHERS.search(marks) and element.tag not in _WHOLE)
            or kind.endswith(_KINDS_OF_OTHERS)
        ):
            element.clear(keep_tail=True)


def _add_dates_at(places: _Values, heading: Any) -> None:
    """Add `time heading` and `head date`, up to the first paragraph behind the heading.

    They are sought in the heading's article or header, else in its parent.
    """
    around = next(heading.iterancestors("article", "header"), heading.getparent())
    is_behind = False
    for element in islice(around.iter(etree.Element), _MOST_IN_HEAD):
        is_behind |= element is heading
        text = _text_of(element) if element.tag in ("p", "time") else ""
        if element.tag == "time":
            if not _in_prose(element):
                places.add("time heading", element.get("datetime") or text)
        elif is_behind and element.tag == "p" and len(text) > _LONGEST_LINE:
            return
        elif _BYLINE.search(f"{element.get('class', '')} {element.get('id', '')}"):
            places.add("head date", "", element)


def _in_prose(time: Any) -> bool:
    """Whether a time is a part of a sentence, and not of a line on the article."""
    text = _text_of(time.getparent())
    before = text.partition(_text_of(time) or "\0")[0]
    return len(_WORD.findall(before)) > 2 and not _BEFORE_DATE.match(before)


def _keep_own_articles(places: _Values, titles: Sequence[str]) -> None:
    """Keep of several articles in JSON-LD the one whose headline is the page's."""
    articles = places.articles
    headlines = [_words(text_value(one.get("headline")) or "") for one in articles]
    page = "\n".join(map(_words, titles))
    if len(set(headlines)) > 1:
        own = [headline.strip() and headline in page for headline in headlines]
        articles = list(compress(articles, own))
    for article in articles[:_MOST_VALUES]:
        for name, value in article.items():
            places.add(f"article {name}", value)


def _add_properties(places: _Values, element: Any) -> None:
    for name in dict.fromkeys(element.get("itemprop").split()):
        place = f"itemprop {name}"
        if place not in places:
            continue
        holder = element
        if name == "author" and len(places[place]) < _MOST_SEARCHED:
            holder = next(iter(cast("list[Any]", _NAME_WITHIN(element))), element)
        places.add(place, holder.get("content") or holder.get("datetime"), holder)


def _add_headings(places: _Values, elements: Sequence[Any], title: str) -> None:
    """Add `agreed h1`: the title or another place says the same, or says it and more."""
    headings = list(filter(None, map(_text_of, elements)))
    others = [title, *places["meta og:title"], *places["article headline"]]
    words = "\n".join(_words(text_value(other) or "") for other in others)
    agreed = [heading for heading in headings if _words(heading) in words]
    places["agreed h1"] += sorted(agreed, key=len, reverse=True)  # not the site's name
    if len(headings) == 1:
        places["only h1"] += headings


def _text_of(element: Any) -> str:
    """Return an element's text with white space folded; "" for one that is too long."""
    pieces: list[str] = []
    size = 0
    for piece in element.itertext():
        pieces.append(piece)
        size += len(piece)
        if size > LONGEST:
            return ""
    return " ".join("".join(pieces).split())


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "
