"""The demo's pages: who writes what, in what words, what is on a page, and its bytes.

A page's sidebar speaks of other posts, so any post must be known without having been written: each
is worked out from its number alone. That keeps memory small however many pages are made.
"""

import random
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, IntEnum, auto
from functools import cache
from html import escape
from importlib import resources
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject and its own words.

    Attributes:
        title: a plural, and the title of the topic.
        things: plurals.
        parts: singulars that take "the".
        deeds: what one does, as infinitives without "to".
    """

    title: str
    things: tuple[str, ...]
    parts: tuple[str, ...]
    deeds: tuple[str, ...]


def packaged(name: str) -> str:
    """Return the text of a file in this folder."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _subjects(table: str) -> Iterator[Subject]:
    """Four lines a subject: title; things; parts; deeds."""
    lines = table.splitlines()
    for at in range(0, len(lines), 4):
        things, parts, deeds = (
            tuple(line.split(", ")) for line in lines[at + 1 : at + 4]
        )
        yield Subject(lines[at], things, parts, deeds)


# Fifty; topic number n is SUBJECTS[n - 1]. Neighbours share a word, so they are confused.
SUBJECTS = tuple(_subjects(packaged("subjects.txt")))

# Kind -> templates of sentences, or names; the file says which fields they have.
PHRASES: dict[str, list[str]] = tomllib.loads(packaged("phrases.toml"))


class Tone(IntEnum):
    """How a post speaks of its subject, with the grade that BLOGS06 gives it."""

    NEUTRAL = 1
    AGAINST = 2
    MIXED = 3
    FOR = 4


_OPINIONS = {
    Tone.NEUTRAL: PHRASES["plain"],
    Tone.AGAINST: PHRASES["complaint"],
    Tone.MIXED: PHRASES["praise"] + PHRASES["complaint"],
    Tone.FOR: PHRASES["praise"],
}
# Beside the headlines that any post may have.
_HEADLINES = {
    Tone.AGAINST: PHRASES["headlines_against"],
    Tone.FOR: PHRASES["headlines_for"],
}


class Dice:
    """Draws that are the same everywhere.

    Only `random()` is used: of the generator's methods it alone keeps its sequence in every version
    of Python.
    """

    def __init__(self, *seed: int | str) -> None:
        text = " ".join(str(part) for part in seed)
        self._random = random.Random(text).random  # noqa: S311 - nothing here is secret

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        """Return an integer from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[int(self._random() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return this many different items (all of them if there are fewer), in random order."""
        rest = list(items)
        return [
            rest.pop(int(self._random() * len(rest)))
            for _ in range(min(count, len(rest)))
        ]


def sentence(dice: Dice, subject: Subject, templates: Sequence[str]) -> str:
    """One of the templates, filled with the subject's words."""
    things, others = dice.some(subject.things, 2)
    part, piece = dice.some(subject.parts, 2)
    text = dice.pick(templates).format(
        title=subject.title,
        things=things,
        others=others,
        part=part,
        piece=piece,
        deed=dice.pick(subject.deeds),
        name=dice.pick(PHRASES["names"]),
        place=dice.pick(PHRASES["places"]),
        month=dice.pick(PHRASES["months"]),
    )
    return text[0].upper() + text[1:]


def paragraph(
    dice: Dice, subject: Subject, tone: Tone, *, words: int, naming: float
) -> str:
    """Sentences until there are about this many words.

    `naming` is the probability that the paragraph calls the subject by its title; posts do not
    repeat their title in every paragraph, which is what makes them hard to find.
    """
    plain = dice.some(PHRASES["plain"], len(PHRASES["plain"]))
    opinions = dice.some(_OPINIONS[tone], 3)
    fillers = dice.some(PHRASES["filler"], 3)
    sentences = (
        [sentence(dice, subject, PHRASES["naming"])] if dice.chance(naming) else []
    )
    while sum(len(text.split()) for text in sentences) < words - 7:
        kind = dice.number(1, 10)
        stack = plain if kind <= 5 else opinions if kind <= 7 else fillers
        sentences.append(sentence(dice, subject, [(stack or plain).pop()]))
    return " ".join(dice.some(sentences, len(sentences)))


def headline(dice: Dice, subject: Subject, tone: Tone) -> str:
    """Return the headline of a post."""
    return sentence(dice, subject, PHRASES["headlines"] + _HEADLINES.get(tone, []))


def teaser(dice: Dice, subject: Subject, *, naming: float) -> str:
    """Five to nine of the subject's words, cut off as blogs cut them off."""
    items = dice.some(subject.things + subject.parts, 10)
    if dice.chance(naming):
        items.insert(1, subject.title)
    length = dice.number(5, 8)
    words: list[str] = []
    for item in items:
        words += item.split()
        if len(words) >= length:
            break
        words[-1] += ","
    text = " ".join(words[:9])
    return text[0].upper() + text[1:] + "..."


def comment(dice: Dice, subject: Subject, *, short: float) -> str:
    """Return a comment: a few words with this probability, else a few sentences."""
    if dice.chance(short):
        return sentence(dice, subject, PHRASES["short_comments"])
    tone = dice.pick(tuple(Tone))
    return paragraph(dice, subject, tone, words=dice.number(15, 45), naming=0.1)


_SUBJECTS_PER_BLOG = 6
_POSTS_PER_BLOG = 20
_FEWEST_BLOGS = 7


class Kind(Enum):
    """What a page is; all but POST are the difficult ones."""

    POST = auto()
    EMPTY = auto()
    ONLY_NAVIGATION = auto()
    NO_CLOSING_TAGS = auto()
    UTF_16 = auto()


_DIFFICULT = {
    7: Kind.EMPTY,
    11: Kind.ONLY_NAVIGATION,
    13: Kind.NO_CLOSING_TAGS,
    17: Kind.UTF_16,
}
_DIFFICULT_EVERY = 200


@dataclass(frozen=True, slots=True)
class Blog:
    """One blog and the subjects it writes about."""

    number: int
    name: str
    host: str
    author: str
    place: str
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True)
class Post:
    """One page's plan.

    Attributes:
        second: another subject that takes half of the post, so that it is about both.
    """

    number: int
    blog: Blog
    kind: Kind
    subject: Subject
    second: Subject | None
    tone: Tone
    headline: str
    written: datetime

    @property
    def url(self) -> str:
        """The permalink."""
        return (
            f"http://{self.blog.host}/{self.written:%Y/%m}/post-{self.number:06d}.html"
        )

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """What the post is about."""
        return (self.subject,) if self.second is None else (self.subject, self.second)


class World:
    """All blogs and posts of one demo collection."""

    def __init__(self, pages: int, seed: int) -> None:
        self.pages = pages
        self.seed = seed
        self.blogs = max(_FEWEST_BLOGS, pages // _POSTS_PER_BLOG)
        self._order = Dice(seed, "subjects").some(SUBJECTS, len(SUBJECTS))

    def blog(self, number: int) -> Blog:
        """Return the blog with this number, from 0."""
        dice = Dice(self.seed, "blog", number)
        adjective, noun = (
            dice.pick(PHRASES["blog_adjectives"]),
            dice.pick(PHRASES["blog_nouns"]),
        )
        first = number * _SUBJECTS_PER_BLOG
        return Blog(
            number=number,
            name=f"The {adjective} {noun}"
            if number % 3
            else f"{adjective} {noun} & Sons",
            host=f"{adjective}-{noun}-{number}.example".lower(),
            author=dice.pick(PHRASES["names"]),
            place=dice.pick(PHRASES["places"]),
            subjects=tuple(
                self._order[(first + step) % len(SUBJECTS)]
                for step in range(_SUBJECTS_PER_BLOG)
            ),
        )

    def post(self, number: int) -> Post:
        """Return the post with this number, from 0."""
        dice = Dice(self.seed, "post", number)
        blog = self.blog(number % self.blogs)
        turn = number // self.blogs % _SUBJECTS_PER_BLOG
        subject = blog.subjects[turn]
        tone = dice.pick(tuple(Tone))
        second = dice.pick([other for other in blog.subjects if other != subject])
        return Post(
            number=number,
            blog=blog,
            kind=_DIFFICULT.get(number % _DIFFICULT_EVERY, Kind.POST),
            subject=subject,
            second=second if dice.chance(0.2) else None,
            tone=tone,
            headline=headline(dice, subject, tone),
            written=datetime(2005, 11, 1)
            + timedelta(minutes=dice.number(0, 34 * 24 * 60)),
        )


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a blog's pages are encoded, and what they say of it.

    Attributes:
        codec: the encoding.
        header: the label in the HTTP header; None for no label.
        meta: the label in the page; None for no label.
        curly: quotation marks and apostrophes are typographic.
    """

    codec: str
    header: str | None
    meta: str | None
    curly: bool


ENCODINGS = (
    Encoding("utf-8", header="utf-8", meta="utf-8", curly=True),
    Encoding("iso-8859-1", header="iso-8859-1", meta="iso-8859-1", curly=False),
    Encoding("windows-1252", header="windows-1252", meta=None, curly=True),
    # Called Latin-1 but holding curly quotes: the commonest wrong label of the time.
    Encoding("windows-1252", header="ISO-8859-1", meta="iso-8859-1", curly=True),
    Encoding("utf-8", header=None, meta="utf-8", curly=False),
    Encoding("windows-1252", header=None, meta="windows-1252", curly=True),
    Encoding("utf-8", header=None, meta=None, curly=True),
)
UTF_16 = Encoding("utf-16-le", header=None, meta=None, curly=True)

# Macros of templates.jinja; blogs take them in turn.
TEMPLATES = ("tables", "divs", "fonts", "lists")

_CLOSING_TAG = re.compile(r"</(?!title|script|style)\w+>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is stored.

    Attributes:
        post: The post that it shows.
        body: The page's bytes.
        charset: The label of its encoding in the HTTP header; None without one.
        about: The subjects the page is relevant to.
        mentioned: Other subjects that it names, most of them in its sidebar; they mislead a search.
    """

    post: Post
    body: bytes
    charset: str | None
    about: tuple[Subject, ...] = ()
    mentioned: tuple[Subject, ...] = ()


def write_page(world: World, number: int) -> Page:
    """Return the page of one post."""
    post = world.post(number)
    encoding = ENCODINGS[post.blog.number % len(ENCODINGS)]
    if post.kind is Kind.UTF_16:
        encoding = UTF_16
    if post.kind is Kind.EMPTY:
        return Page(post, b"", encoding.header)
    content, named = _content(world, post, encoding)
    macros = _templates().make_module(content)
    if post.kind is Kind.ONLY_NAVIGATION:
        body = macros.only_navigation().encode(encoding.codec, "xmlcharrefreplace")
        return Page(post, body, encoding.header)
    html = getattr(macros, TEMPLATES[post.blog.number % len(TEMPLATES)])()
    if post.kind is Kind.NO_CLOSING_TAGS:
        html = _CLOSING_TAG.sub("", html)
    if encoding is UTF_16:
        html = "\N{BYTE ORDER MARK}" + html
    body = html.encode(encoding.codec, "xmlcharrefreplace")
    mentioned = tuple(s for s in SUBJECTS if s in named and s not in post.subjects)
    return Page(post, body, encoding.header, post.subjects, mentioned)


@cache
def _templates() -> Any:
    # `check` imports this module where no jinja2 is installed
    from jinja2 import Environment

    environment = Environment(trim_blocks=True)  # noqa: S701 - the values are HTML
    return environment.from_string(packaged("templates.jinja"))


def _content(
    world: World, post: Post, encoding: Encoding
) -> tuple[dict[str, Any], list[Subject]]:
    """Return what a page says, as HTML by name, and the subjects that it names besides its own."""
    dice = Dice(world.seed, "page", post.number)
    blog = post.blog
    home = f"http://{blog.host}/"
    linked = _linked_posts(dice, world, post)
    advertised = dice.some(SUBJECTS, 2)
    passing = dice.pick(SUBJECTS)
    paragraphs = _paragraphs(dice, post, passing)
    comments = [_comment(dice, post) for _ in range(dice.number(0, 6))]
    when = post.written
    weekday, month = PHRASES["weekdays"][when.weekday()], _month(when.month)
    named = [*(other.subject for other in linked), *blog.subjects, *advertised]
    if any(passing.title in text for text in paragraphs):
        named.append(passing)
    content = {
        "blog": _html(blog.name),
        "home": home,
        "author": _html(blog.author),
        "charset": encoding.meta,
        "headline": _html(post.headline),
        "date": f"{weekday}, {month} {when.day}, {when.year}",
        "time": f"{when:%H:%M}",
        "navigation": [
            _link(home + name.split()[0].lower(), name)
            for name in ("Home", "About me", "Archive", "Contact", "RSS feed")
        ],
        "paragraphs": _marked(
            (_html(_typeset(text, encoding)) for text in paragraphs),
            _html(post.subject.title),
            home,
        ),
        "comments": [
            (_html(who), _html(_typeset(text, encoding))) for who, text in comments
        ],
        "teasers": [_teaser(world, other) for other in linked],
        "about": _html(
            f"{blog.author} lives in {blog.place} and writes about {blog.subjects[0].title},"
            f" {blog.subjects[1].title} and {blog.subjects[2].title} whenever the kettle is on."
        ),
        "tags": [_html(subject.title) for subject in blog.subjects],
        "ads": [
            _html(sentence(dice, subject, PHRASES["ads"])) for subject in advertised
        ],
        "blogroll": [
            _link(f"http://{other.host}/", other.name)
            for other in map(world.blog, dice.some(range(world.blogs), 6))
        ],
        "archives": [
            _link(f"{home}2005/{number:02d}/", f"{_month(number)} 2005")
            for number in range(11, 5, -1)
        ],
    }
    return content, named


def _month(number: int) -> str:
    """Return the name of a month, from 1."""
    return PHRASES["months"][number - 1]


def _comment(dice: Dice, post: Post) -> tuple[str, str]:
    """Return who comments on a post, and what."""
    who = dice.pick(PHRASES["names"])
    return who, comment(dice, dice.pick(post.subjects), short=0.5)


def _paragraphs(dice: Dice, post: Post, passing: Subject) -> list[str]:
    """Return the post: about its subject, its second subject if it has one, and asides."""
    count = dice.number(3, 7)
    turn = count if post.second is None else (count + 1) // 2
    paragraphs = []
    for position in range(count):
        subject = (
            post.subject if position < turn or post.second is None else post.second
        )
        words = dice.number(25, 90)
        text = paragraph(dice, subject, post.tone, words=words, naming=0.4)
        if dice.chance(0.1):
            text = f"{text} {sentence(dice, passing, PHRASES['asides'])}"
        paragraphs.append(text)
    if dice.chance(0.15):
        paragraphs.append(paragraph(dice, passing, post.tone, words=28, naming=0.5))
    return paragraphs


def _linked_posts(dice: Dice, world: World, post: Post) -> list[Post]:
    """Return the posts that the sidebar links to: mostly the blog's own, some from elsewhere."""
    count = dice.number(8, 15)
    of_blog = range(post.blog.number, world.pages, world.blogs)
    numbers = dice.some(
        [number for number in of_blog if number != post.number], count - 3
    )
    numbers += [dice.number(0, world.pages - 1) for _ in range(count - len(numbers))]
    return [
        world.post(number) for number in dict.fromkeys(numbers) if number != post.number
    ]


def _teaser(world: World, post: Post) -> tuple[str, str]:
    """Return a link to a post and its first words, the same on every page that has it."""
    text = teaser(Dice(world.seed, "teaser", post.number), post.subject, naming=0.7)
    return _link(post.url, post.headline), _html(text)


def _marked(paragraphs: Iterable[str], title: str, home: str) -> list[str]:
    """Return the post's paragraphs; in some its subject's title is a link or bold."""
    link = f'<a href="{home}tags">{title}</a>'
    marks = (title, link, title, title, link, f"<b>{title}</b>")
    return [
        text.replace(title, marks[at % len(marks)])
        for at, text in enumerate(paragraphs)
    ]


def _typeset(text: str, encoding: Encoding) -> str:
    if not encoding.curly:
        return text
    return re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text).replace("'", "\u2019")


def _link(url: str, text: str) -> str:
    return f'<a href="{url}">{_html(text)}</a>'


def _html(text: str) -> str:
    return escape(text, quote=False)
