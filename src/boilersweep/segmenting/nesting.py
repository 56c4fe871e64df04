"""What end tags cost in deep nesting, told from a page's bytes before libxml2 pays it.

libxml2 compares an end tag with every open element down to the one that it closes, or with all of
them if it closes none; so it does with a body tag that is not the first. A page of 100,000
unclosed elements and 100,000 end tags takes it a minute.
"""

import math
import re
from collections import defaultdict

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
    if len(utf8) ** 2 < 2 * 3 * 2 * 4 * most or utf8.count(b"<") < 2 * math.isqrt(most):
        return
    if closing_steps(utf8, most) > most:
        raise TooDeepError(
            f"more than {most:,} comparisons of end tags with the elements that are open"
        )


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
