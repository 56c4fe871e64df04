"""What one page may cost: a page that costs more is skipped and counted, and the run goes on.

The cost of deep nesting is told from a page's bytes before libxml2 pays it. libxml2 compares an end
tag with every open element down to the one that it closes, or with all of them if it closes none;
so it does with a body tag that is not the first. A page of 100,000 unclosed elements and 100,000
end tags takes it a minute.
"""

import math
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields

from boilersweep.errors import PageError, UsageError

_MIB = 2**20
_LONG = 64 * 2**10
_LONG_TAG = re.compile(rb"<[A-Za-z][^<>]{%d,}" % _LONG)
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps with room for every honest page.

    Attributes:
        page_bytes: Bytes of a page (16 MiB).
        page_blocks: Blocks of a page, and elements with text; the largest of 7,171 pages of the web
            had 4,205 and 7,508.
        attributes: Attributes of one tag; libxml2 needs time quadratic in their number.
        nesting: Comparisons of end tags with open elements (see `require_shallow`); 8,118 pages of
            the web needed at most 11,962.
        seconds: Seconds to read and segment a page, not counting time in which the process is
            stopped or waits for a processor or a disk.
        worker_bytes: The address space of each worker process.
    """

    page_bytes: int = 16 * _MIB
    page_blocks: int = 500_000
    attributes: int = 10_000
    nesting: int = 1_000_000_000
    seconds: float = 60.0
    worker_bytes: int = 8192 * _MIB

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise UsageError(
                    f"expected a number above 0, got {value:g}", parameter=field.name
                )


def over_limit(body: bytes, limits: Limits) -> str | None:
    """Return what is too large in a page to parse it, and its limit; None if it may be."""
    if len(body) > limits.page_bytes:
        return f"{len(body):,} bytes, at most {limits.page_bytes:,}"
    for tag in _long_tags(body):
        attributes = len(_QUOTED.sub(b"", tag[0]).split()) - 1  # without the tag's name
        if attributes > limits.attributes:
            return f"{attributes:,} attributes, at most {limits.attributes:,}"
    return None


def _long_tags(body: bytes) -> Iterator[re.Match[bytes]]:
    """Yield tags as `_LONG_TAG` has them: each fills one of these steps, of half its length."""
    step = _LONG // 2
    seen = 0
    for start in range(0, len(body) - step + 1, step):
        if (
            body.find(b">", start, start + step) < 0
            and body.find(b"<", start, start + step) < 0
        ):
            place = body.rfind(b"<", seen, start)
            seen = start
            if place >= 0 and (tag := _LONG_TAG.match(body, place)):
                yield tag


# What libxml2 2.14 knows of elements (HTMLparser.c):
# Elements that end with their start tag.
EMPTY = frozenset(
    "area base basefont br col frame hr img input isindex link meta param".split()
)

# An end tag closes no element of a higher priority on its way.
PRIORITIES = {
    "div": 150,
    **dict.fromkeys(("td", "th"), 160),
    "tr": 170,
    **dict.fromkeys(("thead", "tbody", "tfoot"), 180),
    "table": 190,
    **dict.fromkeys(("head", "body"), 200),
    "html": 220,
}

# Of every element that is not in PRIORITIES.
PRIORITY = 100

_ENDS_HEAD = (
    "a abbr acronym address b bdo big blockquote body br center cite code dd dfn dir div dl dt em "
    "fieldset font form frameset h1 h2 h3 h4 h5 h6 hr i iframe img kbd li listing map menu ol p "
    "pre q s samp small span strike strong sub sup table tt u ul var xmp"
)

# The starts of elements -> the elements that they end, where one of these is the innermost.
ENDED = (
    (_ENDS_HEAD, "head"),
    ("a", "a"),
    ("address menu pre", "p ul"),
    ("blockquote caption dir div h1 h2 h3 h4 h5 h6 head hr listing ol title xmp", "p"),
    ("body frameset", "link p style title"),
    ("center", "b font i p"),
    ("col", "caption col p"),
    ("colgroup", "caption col colgroup p"),
    ("dd dl", "address dir dt listing menu p pre xmp"),
    ("dt", "address dd dir listing menu p pre xmp"),
    ("fieldset", "a h1 h2 h3 h4 h5 h6 legend listing p pre xmp"),
    ("form", "address dir dl form h1 h2 h3 h4 h5 h6 hr listing menu ol p pre ul xmp"),
    ("li", "address dl h1 h2 h3 h4 h5 h6 li listing p pre xmp"),
    ("noscript", "script"),
    ("optgroup option", "option"),
    ("p", "b big h1 h2 h3 h4 h5 h6 i p s small strike tt u"),
    ("table", "a h1 h2 h3 h4 h5 h6 listing p pre xmp"),
    ("tbody", "caption col colgroup p tbody td tfoot th thead tr"),
    ("td th", "a b font i p span td th u"),
    ("tfoot", "caption col colgroup p tbody td th thead tr"),
    ("thead", "caption col colgroup"),
    ("tr", "caption col colgroup p td th tr"),
    ("ul", "address dir listing menu p pre xmp"),
)


_TAG = re.compile(rb"<(/?)([A-Za-z][^\s/>]*)")

_ENDED: defaultdict[str, set[str]] = defaultdict(set)
for _starts, _ends in ENDED:
    for _start in _starts.split():
        _ENDED[_start].update(_ends.split())


class TooDeepError(ValueError):
    """A page whose end tags would keep the parser busy for too long."""


def require_shallow(utf8: bytes, most: int) -> None:
    """Raise TooDeepError for a page whose tags cost more than so many comparisons."""
    # The worst is that half of the tags open elements and half close none of them: <i> and </b>.
    if len(utf8) ** 2 < 2 * 3 * 2 * 4 * most or _tags(utf8) < 2 * math.isqrt(most):
        return
    if closing_steps(utf8, most) > most:
        raise TooDeepError(
            f"more than {most:,} comparisons of end tags with the elements that are open"
        )


def _tags(utf8: bytes) -> int:
    import numpy as np  # the command line knows limits without it

    # A seventh of the time of bytes.count
    return int(np.count_nonzero(np.frombuffer(utf8, np.uint8) == ord("<")))


def closing_steps(utf8: bytes, most: int) -> int:
    """Estimate how many name comparisons the tags of a page cost; stop above `most`."""
    steps = 0
    opened: list[str] = []
    indexes: defaultdict[str, list[int]] = defaultdict(list)  # in opened, by name
    for tag in _TAG.finditer(utf8):
        name = tag[2].lower().decode("latin-1")
        if not tag[1]:
            ended = _ENDED.get(name, ())
            while opened and opened[-1] in ended:
                indexes[opened.pop()].pop()
            if name == "body":
                steps += len(opened)
            if name not in EMPTY:
                indexes[name].append(len(opened))
                opened.append(name)
        elif indexes[name]:
            index = indexes[name][-1]
            steps += len(opened) - index - 1
            if not _is_held(name, index, indexes):
                for closed in opened[index:]:
                    indexes[closed].pop()
                del opened[index:]
        else:
            steps += len(opened)
        if steps > most:
            break
    return steps


def _is_held(name: str, index: int, indexes: defaultdict[str, list[int]]) -> bool:
    """Return whether an element within the one at that index keeps it open."""
    own = PRIORITIES.get(name, PRIORITY)
    return any(
        priority > own and indexes[stronger] and indexes[stronger][-1] > index
        for stronger, priority in PRIORITIES.items()
    )


class Deadline:
    """The moment at which work on a page must have ended.

    Work that takes long calls `check` now and then, at least every tenth of a second.
    """

    __slots__ = ("_end", "_seconds")

    def __init__(self, seconds: float) -> None:
        """Begin to count.

        Args:
            seconds: Wall-clock time from now on; infinity for no limit.
        """
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise PageError if the time is over."""
        if time.monotonic() > self._end:
            raise PageError(
                f"the page takes more than {self._seconds:g} s; allow more seconds, or leave it out"
            )


# A deadline that never comes.
NO_DEADLINE = Deadline(math.inf)
