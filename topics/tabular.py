"""Topics as a table: TSV or CSV of id and query, or JSON, one object per line or a list."""

import csv
import json
import re
from collections.abc import Iterator, Mapping

from boilersweep.errors import TopicsError
from boilersweep.outputs.typed_files import parse_json
from boilersweep.topics.topic import (
    Topic,
    checked,
    folded,
    named_columns,
    numbered_lines,
)

_TSV_EXAMPLE = "'851<TAB>march of the penguins'"
_JSON_EXAMPLE = '\'{"id": "851", "title": "march of the penguins"}\''
_CSV_EXAMPLE = "'851,march of the penguins'"
IDS = (
    *("id", "qid", "query_id", "query-id", "queryid", "_id"),
    *("topic", "topic_id", "topic-id", "number", "num"),
)
_LIST = re.compile(r"\s*\[\s*[{\]]")
_ID_KEYS = ("id", "qid", "_id")
TITLES = ("title", "query", "text")


def parse_tsv(text: str, source: str) -> list[Topic]:
    """Parse topics with tabs between columns, in file order.

    A first row may name the columns of ids and queries; without one there are two, id and query.

    Args:
        text: The whole file.
        source: The file's name, for messages.

    Raises:
        TopicsError: A line has another number of columns, an id or a query is missing, an id is
            given twice, or there is no topic; the message names source and line.
    """
    return checked(_table_topics(text, source, "\t"), source, _TSV_EXAMPLE)


def parse_csv(text: str, source: str) -> list[Topic]:
    """Parse topics of columns with commas between them, in file order.

    A first row may name the columns of ids and queries; without one there are two, id and query.
    Quotes are CSV's; a row is one line.

    Args:
        text: The whole file.
        source: The file's name, for messages.

    Raises:
        TopicsError: As for `parse_tsv`.
    """
    return checked(_table_topics(text, source, ","), source, _CSV_EXAMPLE)


def parse_jsonl(text: str, source: str) -> list[Topic]:
    """Parse topics of one JSON object per line or in a list, in file order; BEIR's queries, too.

    Keys: `id`, `qid` or `_id` (a string, or an integer, which becomes one), `title`, `query` or
    `text`, and optionally `desc` and `narr`. The first one that is not empty counts.

    Args:
        text: The whole file.
        source: The file's name, for messages.

    Raises:
        TopicsError: A line is no object, a value has another type, an id or a title is missing, an
            id is given twice, or there is no topic; the message names source and line.
    """
    return checked(_json_topics(text, source), source, _JSON_EXAMPLE)


def _table_topics(
    text: str, source: str, separator: str
) -> Iterator[tuple[int, Topic]]:
    """Yield the topics of a table with their lines; only CSV has quotes."""
    is_csv = separator == ","
    between, example, advice = "one tab", _TSV_EXAMPLE, ""
    if is_csv:
        between, example = "commas", _CSV_EXAMPLE
        advice = ", with quotes around a query that has commas"
    width, of_id, of_query = 2, 0, 1
    for row, (number, line) in enumerate(numbered_lines(text)):
        try:
            [columns] = csv.reader([line]) if is_csv else [line.split("\t")]
        except (csv.Error, ValueError) as error:
            raise TopicsError(
                f"{source}:{number}: expected columns with commas between them ({error}), got "
                f"{line[:80]!r}; write it as in {_CSV_EXAMPLE}"
            ) from error
        if row == 0 and (named := named_columns(line, separator, IDS, TITLES)):
            width, (of_id, of_query) = len(columns), named
        elif len(columns) != width:
            came = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
            raise TopicsError(
                f"{source}:{number}: expected {width} columns with "
                f"{between} between them, got {came} in {line[:80]!r}; write it as in "
                f"{example}{advice}"
            )
        else:
            yield (
                number,
                Topic(id=columns[of_id].strip(), title=folded(columns[of_query])),
            )


def _json_topics(text: str, source: str) -> Iterator[tuple[int, Topic]]:
    lines = numbered_lines(text)
    if is_json_list(text):
        lines = enumerate(map(json.dumps, _json_list(text, source)), start=1)
    for number, line in lines:
        where = f"{source}:{number}"
        try:
            value = parse_json(line)
        except ValueError as error:
            raise TopicsError(
                f"{where}: expected one JSON object on the line, got {line[:80]!r} ({error}); "
                f"write it as in {_JSON_EXAMPLE}"
            ) from error
        if not isinstance(value, dict):
            raise TopicsError(
                f"{where}: expected a JSON object, got {line[:80]!r}; "
                f"write it as in {_JSON_EXAMPLE}"
            )
        yield (
            number,
            Topic(
                id=_json_text(value, _ID_KEYS, where),
                title=folded(_json_text(value, TITLES, where)),
                desc=folded(_json_text(value, ("desc",), where)),
                narr=folded(_json_text(value, ("narr",), where)),
            ),
        )


def is_json_list(text: str) -> bool:
    """Return whether a text begins as a JSON list of objects does."""
    return bool(_LIST.match(text.removeprefix("\ufeff")))


def _json_list(text: str, source: str) -> list[object]:
    try:
        records: list[object] = parse_json(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise TopicsError(
            f"{source}: expected a JSON list of topics ({error}); write each as in "
            f"{_JSON_EXAMPLE}"
        ) from error
    return records


def _json_text(value: Mapping[str, object], keys: tuple[str, ...], where: str) -> str:
    """Return the first of some keys' values that is not empty; an id may be an integer."""
    for key in keys:
        found = value.get(key)
        if keys is _ID_KEYS and isinstance(found, int) and not isinstance(found, bool):
            return str(found)
        if not isinstance(found, str | None):
            expected = "a string or an integer" if keys is _ID_KEYS else "a string"
            raise TopicsError(
                f"{where}: expected {expected} for {key!r}, got {json.dumps(found)[:80]}; "
                f"write it as in {_JSON_EXAMPLE}"
            )
        if found and not found.isspace():
            return found
    return ""
