"""What end tags cost in deep nesting, told from a page's bytes before libxml2 pays it.

libxml2 compares an end tag with every open element down to the one that it closes, or with all of
them if it closes none; so it does with a body tag that is not the first. A page of 100,000
unclosed elements and 100,000 end tags takes it a minute.
"""

import math
import re
from collections import defaultdict

import numpy as np

_TAG = re.compile(rb"<(/?)([A-Za-z][^\s/>]*)")

_VOID = frozenset(
    b"area base basefont br col embed frame hr img input isindex link meta param source track "
    b"wbr".split()
)

_ENDED = {
    new: frozenset(ended.split())
    for starts, ended in (
        (b"a", b"a"),
        (b"blockquote caption dir div h1 h2 h3 h4 h5 h6 hr title", b"p"),
        (b"address menu pre", b"p ul"),
        (b"center", b"b font i p"),
        (b"col", b"caption p"),
        (b"colgroup", b"caption colgroup p"),
        (b"dd", b"address dir dt menu p pre"),
        (b"dt", b"address dd dir menu p pre"),
        (b"dl", b"address dir dt menu p pre"),
        (b"fieldset", b"a h1 h2 h3 h4 h5 h6 legend p pre"),
        (b"form", b"address dir dl form h1 h2 h3 h4 h5 h6 menu ol p pre ul"),
        (b"li", b"address dl h1 h2 h3 h4 h5 h6 li p pre"),
        (b"ol", b"p"),
        (b"optgroup option", b"option"),
        (b"p", b"b big h1 h2 h3 h4 h5 h6 i p s small strike tt u"),
        (b"table", b"a h1 h2 h3 h4 h5 h6 p pre"),
        (b"tbody", b"caption colgroup p tbody td tfoot th thead tr"),
        (b"td th", b"a b font i p span td th u"),
        (b"tfoot", b"caption colgroup p tbody td th thead tr"),
        (b"thead", b"caption colgroup"),
        (b"tr", b"caption colgroup p td th tr"),
        (b"ul", b"address dir menu p pre"),
    )
    for new in starts.split()
}
"""What the start of an element ends where it is the innermost: libxml2's htmlStartClose."""

_PRIORITIES = {
    b"div": 150,
    b"td": 160,
    b"th": 160,
    b"tr": 170,
    b"tbody": 180,
    b"tfoot": 180,
    b"thead": 180,
    b"table": 190,
    b"head": 200,
    b"body": 200,
    b"html": 220,
}
"""An end tag closes no element of a higher priority on its way: libxml2's htmlEndPriority."""

_OTHER = 100


class TooDeepError(ValueError):
    """A page whose end tags would keep the parser busy for too long."""


def require_shallow(utf8: bytes, most: int) -> None:
    """Raises TooDeepError for a page whose tags cost more than so many comparisons."""
    # The worst is that half of the tags open elements and half close none of them: <i> and </b>.
    if len(utf8) ** 2 < 2 * 3 * 2 * 4 * most or _count(utf8, b"<") < 2 * math.isqrt(most):
        return
    if closing_steps(utf8, most) > most:
        raise TooDeepError(
            f"more than {most:,} comparisons of end tags with the elements that are open"
        )


def _count(utf8: bytes, character: bytes) -> int:
    # As bytes.count, in two fifths of the time.
    return int(np.count_nonzero(np.frombuffer(utf8, np.uint8) == ord(character)))


def closing_steps(utf8: bytes, most: int) -> int:
    """How many comparisons of names the tags of a page cost, about; counted until over `most`."""
    steps = 0
    opened: list[bytes] = []
    places: defaultdict[bytes, list[int]] = defaultdict(list)  # in opened, by name
    for tag in _TAG.finditer(utf8):
        name = tag[2].lower()
        if not tag[1]:
            ended = _ENDED.get(name, ())
            while opened and opened[-1] in ended:
                places[opened.pop()].pop()
            if name == b"body":
                steps += len(opened)
            if name not in _VOID:
                places[name].append(len(opened))
                opened.append(name)
        elif places[name]:
            place = places[name][-1]
            steps += len(opened) - place - 1
            if not _is_held(name, place, places):
                for closed in opened[place:]:
                    places[closed].pop()
                del opened[place:]
        else:
            steps += len(opened)
        if steps > most:
            break
    return steps


def _is_held(name: bytes, place: int, places: defaultdict[bytes, list[int]]) -> bool:
    """Whether something between the element at that place and the innermost keeps it open."""
    own = _PRIORITIES.get(name, _OTHER)
    return any(
        priority > own and places[stronger] and places[stronger][-1] > place
        for stronger, priority in _PRIORITIES.items()
    )
