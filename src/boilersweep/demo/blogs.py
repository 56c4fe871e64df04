"""Who writes what: the blogs and their posts, each worked out from its number alone.

A page's sidebar speaks of other posts, so any post must be known without having been written;
that keeps memory small however many pages are made.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from boilersweep.demo.prose import PHRASES, SUBJECTS, Dice, Subject, Tone, headline

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
