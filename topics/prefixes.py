"""Topic ids that one side writes with another beginning: `clef2015.test.1`, `qtest.1` and `1`.

Nothing is matched unless users say so: a hint names both forms and the option that makes them one.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import product, takewhile
from operator import eq

from boilersweep.errors import UsageError

_COMPARED = 200  # ids of each side
_LONGEST = 100  # characters of an end that are compared
_LAST_PART = re.compile(r"[0-9A-Za-z]*\Z")


def renamed(ids: Iterable[str], prefixes: Mapping[str, str]) -> dict[str, str]:
    """Map ids of topics or runs to the ids of the qrels.

    The longest old prefix counts. An id that begins with its new prefix already stays.

    Args:
        ids: The ids.
        prefixes: How ids begin -> how those of the qrels begin instead.

    Raises:
        UsageError: An id would be empty, or two would be one.
    """
    longest = sorted(prefixes.items(), key=lambda one: -len(one[0]))
    old_ids: dict[str, str] = {}
    for id_ in ids:
        fitting = [pair for pair in longest if id_.startswith(pair[0])]
        new_id = id_
        if fitting and not (fitting[0][1] and id_.startswith(fitting[0][1])):
            new_id = fitting[0][1] + id_.removeprefix(fitting[0][0])
        other = old_ids.setdefault(new_id, id_)
        if not new_id or other != id_:
            raise UsageError(
                "--topic-prefix: expected prefixes that leave an id of its own to every topic, got "
                f"{new_id!r} for {id_!r}{(other != id_ and f' and {other!r}') or ''}"
            )
    return {old: new for new, old in old_ids.items()}


def prefix_hint(ids: Sequence[str], judged: Sequence[str], whose: str) -> str:
    """Say that ids differ from those of the qrels by their beginning alone, "" if they do not.

    Args:
        ids: Ids that the qrels lack.
        judged: Ids of the qrels that are not among the others.
        whose: What has the ids, such as "the topics".
    """
    examples: dict[tuple[str, str], list[tuple[str, str]]] = {("", ""): []}
    for ours, theirs in product(ids[:_COMPARED], judged[:_COMPARED]):
        core = _shared_end(ours, theirs)
        pair = ours.removesuffix(core), theirs.removesuffix(core)
        inside = any(f"{one[-1:]}{core[:1]}".isdigit() and one for one in pair)
        if core and ours != theirs and not inside:
            examples.setdefault(pair, []).append((ours, theirs))
    pair, found = max(examples.items(), key=lambda one: len(one[1]))
    if 2 * len(found) <= min(len(ids), len(judged), _COMPARED):
        return ""
    option = shlex.quote("=".join(pair) if pair[1] else pair[0])
    return (
        f"{whose} have {found[0][0]!r} where the qrels have {found[0][1]!r}: if these are the "
        f"same topics, --topic-prefix {option} reads them so"
    )


def _shared_end(one: str, other: str) -> str:
    """Return the letters and digits with which both end."""
    alike = map(eq, reversed(one[-_LONGEST:]), reversed(other[-_LONGEST:]))
    count = sum(takewhile(bool, alike))
    found: str = _LAST_PART.findall(one[len(one) - count :])[0]
    return found
