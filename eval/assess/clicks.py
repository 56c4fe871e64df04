"""Grades from clicks, as one more program that people audit.

A grade is the document's clicks over those that its positions lead to expect: COEC of Zhang and
Jones, "Comparing click logs and editorial labels for training query rewriting", WWW 2007, which
OpenSearch's Search Relevance Workbench has, too. For a query and a document it is the sum of clicks
divided by the sum over impressions of the mean click-through rate at their position. Grade 1 begins
at .5, 2 at 1, 3 at 2; documents with fewer than ten impressions have no grade.

A log is CSV with the columns query, docid, position and clicks, and optionally impressions (1), or
JSON lines with these keys or of User Behavior Insights: lines with query_id, user_query and
query_response_object_ids are impressions, events of the action `click` are clicks.
"""

import csv
import io
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from boilersweep.errors import InputError, reason_of
from boilersweep.outputs.streams import read_input
from boilersweep.outputs.typed_files import decode_json
from boilersweep.topics.query_log import query_topic
from boilersweep.topics.topic import folded

_GRADES = (0.5, 1.0, 2.0)
_FEWEST = 10  # impressions

_Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
_Position = Annotated[int, msgspec.Meta(ge=1, le=10**6)]


class Shown(msgspec.Struct, frozen=True):
    """A document at a position of a query's list.

    Attributes:
        query: The query.
        docid: The document.
        position: Its position, from 1.
        clicks: How often it was clicked there.
        impressions: How often it was shown there.
    """

    query: str
    docid: str
    position: _Position
    clicks: _Count
    impressions: _Count = 1


class _Object(msgspec.Struct, frozen=True):
    object_id: str = ""


class _Attributes(msgspec.Struct, frozen=True):
    object: _Object = _Object()


class _Line(msgspec.Struct, frozen=True):
    """A query or an event of UBI."""

    query_id: str
    user_query: str = ""
    query_response_object_ids: list[str] = []
    action_name: str = ""
    event_attributes: _Attributes = _Attributes()


def click_grades(path: Path) -> Callable[[str, str], int | None]:
    """Read a log; return a function from a query and a docid to a grade, None without one.

    Raises:
        InputError: The file cannot be read, a line is malformed, or nothing was clicked.
    """
    lines = list(_lines(path))
    shown: Counter[int] = Counter()
    clicked: Counter[int] = Counter()
    for one in lines:
        shown[one.position] += one.impressions
        clicked[one.position] += one.clicks
    if not clicked.total():
        raise InputError(f"{path}: expected a log with clicks, found none")
    seen: Counter[tuple[str, str]] = Counter()
    clicks: Counter[tuple[str, str]] = Counter()
    expected: dict[tuple[str, str], float] = {}
    for one in lines:
        pair = _key(one.query), one.docid
        seen[pair] += one.impressions
        clicks[pair] += one.clicks
        rate = clicked[one.position] / max(shown[one.position], 1)
        expected[pair] = expected.get(pair, 0.0) + one.impressions * rate

    def grade(query: str, docid: str) -> int | None:
        pair = _key(query), docid
        if seen[pair] < _FEWEST or not expected[pair]:
            return None
        return bisect_right(_GRADES, clicks[pair] / expected[pair])

    return grade


def _key(query: str) -> str:
    return query_topic(folded(query)).id


def _lines(path: Path) -> Iterator[Shown]:
    try:
        text = read_input(path).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot read the clicks {path}: {reason_of(error)}; expected CSV or JSON lines"
        ) from error
    number = 1
    try:
        if not text.lstrip().startswith("{"):
            rows = csv.DictReader(io.StringIO(text))
            for row in rows:
                number = rows.line_num
                given = {key: value for key, value in row.items() if key and value}
                yield msgspec.convert(given, Shown, strict=False)
            return
        numbered = enumerate(text.split("\n"), start=1)
        events = []
        for number, line in numbered:  # noqa: B007 - named in the error
            if '"query_id"' in line:
                events.append(decode_json(line.encode(), _Line))
            elif line.strip():
                yield decode_json(line.encode(), Shown)
        yield from _shown(events)
    except (ValueError, csv.Error) as error:
        raise InputError(
            f"{path}:{number}: expected query, docid, position and clicks, or a line of UBI "
            f"({error})"
        ) from error


def _shown(lines: Iterable[_Line]) -> Iterator[Shown]:
    """Join the queries of UBI with the clicks on what they returned."""
    lines = list(lines)
    clicked = Counter(
        (line.query_id, line.event_attributes.object.object_id)
        for line in lines
        if line.action_name == "click"
    )
    for one in lines:
        for position, docid in enumerate(one.query_response_object_ids, start=1):
            count = min(clicked[one.query_id, docid], 1)
            yield Shown(one.user_query, docid, position, count)
