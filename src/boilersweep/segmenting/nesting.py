"""What end tags cost in deep nesting, told from a page's bytes before libxml2 pays it.

libxml2 compares an end tag with every open element down to the one that it closes, or with all of
them if it closes none; so it does with a body tag that is not the first. A page of 100,000
unclosed elements and 100,000 end tags takes it a minute.
"""

import math
import re
from collections import defaultdict

from boilersweep.pages.libxml2 import EMPTY, ENDED, PRIORITIES, PRIORITY

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
