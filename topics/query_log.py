"""Query logs as topics: lines, tables, JSON lines, and the slow logs of search engines."""

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from boilersweep.collection.fields import value_at
from boilersweep.errors import TopicsError
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.typed_files import parse_json
from boilersweep.topics.server_log import is_server_log, parameters_of, requests
from boilersweep.topics.topic import Topic, checked, folded, numbered_lines

# What usual exports call their columns, in lower case with _ for other signs: those of Google's
# Search Console and Analytics, Matomo, Algolia, Solr and User Behavior Insights (UBI) among them.
_QUERIES = (
    "query",
    "user_query",
    "query_text",
    "query_string",
    "search_query",
    "search_term",
    "search_terms",
    "searchterm",
    "search_keyword",
    "search",
    "top_queries",
    "queries",
    "keyword",
    "keywords",
    "term",
    "q",
    "label",
    "title",
    "text",
)
_COUNTS = (
    "count",
    "counts",
    "query_count",
    "searches",
    "num_searches",
    "number_of_searches",
    "total_searches",
    "search_count",
    "searches_count",
    "monthly_searches",
    "avg_monthly_searches",
    "search_volume",
    "volume",
    "frequency",
    "freq",
    "occurrences",
    "times",
    "n",
    "total_unique_searches",
    "unique_searches",
    "event_count",
    "total_events",
    "nb_visits",
    "visits",
    "sessions",
    "impressions",  # before clicks, of which most queries have none
    "clicks",
    "total",
)
# What exports have in the place of a query.
_NO_QUERIES = ("(not set)", "(not provided)", "(other)", "(none)")
# Where log shippers and dumps of an index have the record itself.
_WITHIN = ("_source", "source", "event", "fields", "elasticsearch.slowlog.source")
# The clauses of Elasticsearch's and OpenSearch's query language that have a user's words: as the
# value of a field, or as their own `query`.
_OF_FIELDS = ("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix")
_OF_CLAUSE = ("multi_match", "query_string", "simple_query_string", "combined_fields")

# A slow log's query: where it begins, and all of it.
_SLOW_START = re.compile(r"\bsource\[(?=\{)")
_SLOW_SOURCE = re.compile(r"(\{.*\})\](?:,|\s|$)")
_SEPARATORS = {"\t": "TAB", ",": "comma", ";": "semicolon"}
_EXAMPLE = "'march of the penguins,12' below a first line 'query,count'"
_DIGITS = 10
# The ids of topics that are queries of a log.
QUERY_ID = re.compile(rf"q[0-9a-f]{{{_DIGITS}}}")
_SHOWN = 3
_DEEPEST = 50


_COUNT = re.compile("0*[1-9][0-9]{0,14}")
_ZERO = re.compile("0+")
_WHOLE = re.compile("[0-9]+")
_THOUSANDS = re.compile("[0-9]{1,3}(?:[,' \u00a0\u202f][0-9]{3})+")
_LOOKED_AT = 100  # lines that may tell of a web server's log

_JSON_LINES, _SLOW_LOG, _SERVER_LOG = "JSON lines", "a slow log", "a web server's log"
# Of whose lines some have no query.
_PARTLY_QUERIES = (_JSON_LINES, _SLOW_LOG, _SERVER_LOG)
_SHOWN_PARAMETERS = 10

# A line's number, the query on it, and its count.
_Entry = tuple[int, str, str]
# Column or key -> value.
_Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QueryLog:
    """The queries of a log.

    Attributes:
        source: The file's name, for messages.
        counts: Query -> count, most frequent first; queries that differ in case or spaces are one.
        form: How the file was read, such as "CSV, columns query and clicks".
        left_out: Lines without words of a user, such as a slow log's `match_all`.
        unused: Columns or keys with whole numbers where no count is known, so that each line is 1.
    """

    source: str
    counts: dict[str, int]
    form: str
    left_out: int = 0
    unused: tuple[str, ...] = ()

    def __str__(self) -> str:
        examples = ", ".join(repr(query) for query in list(self.counts)[:_SHOWN])
        which = "the most frequent" if max(self.counts.values()) > 1 else "such as"
        more = (
            f"; {self.left_out:,} lines without a query or a count"
            if self.left_out
            else ""
        )
        if self.unused:
            more += (
                f"; each line counts 1, and numbers in {', '.join(self.unused)} are not used: "
                "`columns` QUERY,COUNT takes one of them as the count"
            )
        return (
            f"{self.source}: read as {self.form}: {len(self.counts):,} different queries, {which} "
            f"{examples}{more}"
        )

    def sample(self, most: int, seed: int) -> list[Topic]:
        """Draw up to `most` different queries by their counts, one after the other.

        A topic's id depends on the query alone, so that judgements survive a larger sample. The
        same seed gives the same queries; a larger `most` adds queries at the end.
        """
        chance = random.Random(seed)  # noqa: S311
        # Efraimidis and Spirakis 2006: the largest of u^(1/weight) are a weighted sample.
        counts = sorted(self.counts.items())
        keys = {query: chance.random() ** (1 / count) for query, count in counts}
        drawn = sorted(keys, key=lambda query: -keys[query])[:most]
        return checked(
            enumerate(map(query_topic, drawn), start=1), self.source, _EXAMPLE
        )


def parse_query_log(
    text: str,
    source: str,
    query_column: str | None = None,
    count_column: str | None = None,
) -> QueryLog:
    """Read a query log.

    JSON lines are read by their keys, and so are a list and the answer of a search in JSON; slow
    logs of Elasticsearch and OpenSearch by the query in their source; logs of web servers and Solr
    by the parameter of their requests; tables with tabs, commas or semicolons by the names in their
    first line, before which an export may have lines with `#`. Otherwise every line is a query.

    Args:
        text: The whole file.
        source: The file's name, for messages.
        query_column: The name of the column or key with the query, or a column's number from 1 in a
            table without names; of a web server's log, the parameter; None for the usual names.
        count_column: Likewise of the count.

    Raises:
        TopicsError: A column is missing, most lines look like a table without names, a count is
            below 1, a query has control characters, or the log is empty.
    """
    lines = list(numbered_lines(text))
    whole = _parsed(text)
    # The answer of a search in an index of queries has them in hits.hits.
    records = value_at(whole, "hits.hits") if isinstance(whole, dict) else whole
    if isinstance(records, list):
        lines = [
            (number, json.dumps(record))
            for number, record in enumerate(records, start=1)
        ]
    if not lines:
        raise TopicsError(
            f"{source}:1: expected queries, found none; write one per line"
        )
    uncounted: Iterable[_Record] = ()
    first = lines[0][1]
    if first.lstrip().startswith("{"):
        form, entries = (
            _JSON_LINES,
            _json_entries(lines, source, query_column, count_column),
        )
        uncounted = () if count_column else _uncounted(lines)
    elif _slow_source(first):
        form, entries = _SLOW_LOG, _slow_entries(lines)
    elif is_server_log(line for _, line in lines[:_LOOKED_AT]):
        form, entries = _SERVER_LOG, requests(lines, query_column)
    elif table := _export(lines, source, query_column, count_column):
        form, entries, uncounted = table
    else:
        _require_lines(lines, source)
        form, entries = "one query per line", ((*line, "1") for line in lines)
    log = _counted(entries, source, form, lines)
    return replace(log, unused=_numbers(uncounted))


def query_topic(query: str) -> Topic:
    """Make a topic of a query; its id depends on the query alone."""
    return Topic("q" + digest_of([query.casefold()])[:_DIGITS], query)


def _counted(
    entries: Iterator[_Entry], source: str, form: str, lines: Sequence[tuple[int, str]]
) -> QueryLog:
    counts: Counter[str] = Counter()
    spelled: dict[str, Counter[str]] = {}
    used, zeros = 0, 0
    for number, query, count in entries:
        query, count = folded(query), _whole(count)
        used += 1
        if _ZERO.fullmatch(count) or query.casefold() in _NO_QUERIES:
            zeros += 1
            continue
        if not _COUNT.fullmatch(count):
            raise _uncountable(source, number, count)
        if not query.isprintable():
            raise TopicsError(
                f"{source}:{number}: expected a query in plain text, got {query[:80]!r}; remove "
                "its control characters"
            )
        if query:
            counts[query.casefold()] += int(count)
            spelled.setdefault(query.casefold(), Counter())[query] += int(count)
    if not counts and zeros:
        raise _uncountable(source, lines[-1][0], "0")
    if not counts:
        raise TopicsError(
            f"{source}: read as {form}, which has no queries; {_advice(form, lines)}"
        )
    by_count = {
        spelled[key].most_common(1)[0][0]: count for key, count in counts.most_common()
    }
    left_out = len(lines) - used if form in _PARTLY_QUERIES else 0
    return QueryLog(source, by_count, form, left_out + zeros)


def _whole(count: str) -> str:
    """Return a count without separators of thousands, and without a fraction that is zero."""
    if _THOUSANDS.fullmatch(count):
        return re.sub("[^0-9]", "", count)
    whole, _, fraction = count.partition(".")
    return whole if fraction and not fraction.strip("0") else count


def _uncountable(source: str, number: int, count: str) -> TopicsError:
    return TopicsError(
        f"{source}:{number}: expected a count of at least 1, got {count[:80]!r}; write it "
        f"as {_EXAMPLE}, or name another column with `columns` QUERY,COUNT"
    )


def _advice(form: str, lines: Sequence[tuple[int, str]]) -> str:
    if form != _SERVER_LOG:
        return "name their column or key with --columns, or write one query per line"
    names = ", ".join(parameters_of(line for _, line in lines)[:_SHOWN_PARAMETERS])
    return (
        f"its requests have the parameters {names or 'none'}; name one with --columns"
    )


def _numbers(records: Iterable[_Record]) -> tuple[str, ...]:
    """Return the columns or keys whose values are all whole numbers."""
    whole: dict[str, bool] = {}
    for record in records:
        for name, value in record.items():
            is_whole = bool(_WHOLE.fullmatch(str(value).strip()))
            whole[name] = whole.get(name, True) and is_whole
    return tuple(name for name, numbers in whole.items() if numbers and name)


def _uncounted(lines: Sequence[tuple[int, str]]) -> list[_Record]:
    """Return the records of JSON lines; none if any has a count by its usual names."""
    records: list[_Record] = [
        record for _, line in lines if isinstance(record := _parsed(line), dict)
    ]
    is_counted = any(_json_value(record, _COUNTS) is not None for record in records)
    return [] if is_counted else records


def _export(
    lines: Sequence[tuple[int, str]], source: str, query: str | None, count: str | None
) -> tuple[str, Iterator[_Entry], Iterator[_Record]] | None:
    """Return how a table is read as `_table`; before it may be comments, and behind it another.

    Google Analytics writes so: a blank line ends the table.
    """
    body = list(dropwhile(lambda line: line[1].startswith("#"), lines))
    if not body or len(body) == len(lines):
        return _table(lines, source, query, count)
    first = body[0][0]
    table = [line for index, line in enumerate(body) if line[0] == first + index]
    return _table(table, source, query, count)


def _table(
    lines: Sequence[tuple[int, str]], source: str, query: str | None, count: str | None
) -> tuple[str, Iterator[_Entry], Iterator[_Record]] | None:
    """Return how a table is read, its queries, and rows without a count; None if it is none."""
    number, first = lines[0][0], lines[0][1].rstrip("\r")
    separator = max(_SEPARATORS, key=first.count)
    heads = _cells(first, separator)
    names = list(map(_name, heads))
    of_query, of_count = _place(names, query, _QUERIES), _place(names, count, _COUNTS)
    for name, place in ((query, of_query), (count, of_count)):
        if name and place is None:
            raise TopicsError(
                f"{source}:{number}: expected a column {name!r}, got the columns {first[:80]!r}; "
                "give `columns` QUERY,COUNT some of them, or numbers from 1"
            )
    if of_query is None:
        return None
    has_names = not (query and query.isdigit())
    used = [place for place in (of_query, of_count) if place is not None]
    columns = " and ".join(names[n] if has_names else f"number {n + 1}" for n in used)
    form = f"a column {columns}"
    if len(names) > 1:
        form = f"a table with a {_SEPARATORS[separator]} between columns, of them {columns}"
    body = lines[has_names:]
    if not has_names:
        heads = [str(place + 1) for place in range(len(names))]
    heads[of_query] = ""
    cells = (_cells(line, separator) for _, line in body)
    uncounted = (dict(zip(heads, row, strict=False)) for row in cells)
    rows = _rows(body, source, separator, (of_query, of_count))
    return form, rows, iter(()) if of_count is not None else uncounted


def _cells(line: str, separator: str) -> list[str]:
    """Return the cells of a line; none if it is longer than the csv module reads."""
    try:
        return next(csv.reader([line], delimiter=separator))
    except csv.Error:
        return []


def _rows(
    lines: Sequence[tuple[int, str]],
    source: str,
    separator: str,
    columns: tuple[int, int | None],
) -> Iterator[_Entry]:
    of_query, of_count = columns
    for number, line in lines:
        try:
            [cells] = csv.reader([line.rstrip("\r")], delimiter=separator)
            count = "1" if of_count is None else cells[of_count].strip()
            yield number, cells[of_query], count
        except (csv.Error, ValueError, IndexError) as error:
            raise TopicsError(
                f"{source}:{number}: expected columns as in the first line, got {line[:80]!r}; "
                f"write it as {_EXAMPLE}"
            ) from error


def _place(names: Sequence[str], asked: str | None, usual: Sequence[str]) -> int | None:
    """Return the place of a column; None if there is none."""
    if asked and asked.isascii() and asked.isdigit():
        return int(asked) - 1 if 0 < int(asked) <= len(names) else None
    wanted = (_name(asked),) if asked else usual
    return next((names.index(name) for name in wanted if name in names), None)


def _name(cell: str) -> str:
    return re.sub(r"\W+", "_", cell.strip().lower())


def _require_lines(lines: Sequence[tuple[int, str]], source: str) -> None:
    """Raise TopicsError if most lines seem to have columns."""
    for separator, name in _SEPARATORS.items():
        if (
            sum(separator in line for _, line in lines) * 2 > len(lines)
            and len(lines) > 1
        ):
            examples = ", ".join(repr(line[:40]) for _, line in lines[:_SHOWN])
            raise TopicsError(
                f"{source}:{lines[0][0]}: expected one query per line, but most lines have a "
                f"{name}: {examples}; write a first line with the names of the columns, such as "
                "query and count, or give the query's column by `columns` N (from 1)"
            )


def _json_entries(
    lines: Sequence[tuple[int, str]], source: str, query: str | None, count: str | None
) -> Iterator[_Entry]:
    for number, line in lines:
        try:
            record = parse_json(line)
        except ValueError as error:
            raise TopicsError(
                f"{source}:{number}: expected a JSON object as on the first line, got "
                f"{line[:80]!r} ({error})"
            ) from error
        words = _json_query(record, query)
        if words is not None:
            value = _json_value(record, (count,) if count else _COUNTS)
            yield number, words, "1" if value is None else str(value)


def _slow_entries(lines: Sequence[tuple[int, str]]) -> Iterator[_Entry]:
    for number, line in lines:
        words = _words_of(_parsed(_slow_source(line)))
        if words is not None:
            yield number, words, "1"


def _slow_source(line: str) -> str:
    """Return the JSON in the line of a slow log, "" without one."""
    start = _SLOW_START.search(line)
    # Where the first one does not end, no later one does.
    source = _SLOW_SOURCE.match(line, start.end()) if start else None
    return source[1] if source else ""


def _json_query(record: Any, asked: str | None, depth: int = 0) -> str | None:
    """Return the query of a record; None if it has none."""
    if isinstance(record, str):
        record = _parsed(record)
    if not isinstance(record, dict) or depth > _DEEPEST:
        return None
    value = _json_value(record, (asked,) if asked else _QUERIES)
    if isinstance(value, str):
        return value
    if asked:
        return None
    inner = (_json_query(value_at(record, name), asked, depth + 1) for name in _WITHIN)
    return next((query for query in inner if query is not None), None) or _words_of(
        record
    )


def _json_value(record: Any, names: Sequence[str]) -> Any:
    """Return the first of some keys' values that is no object and no list."""
    for name in names:
        value = value_at(record, name)
        if value is not None and not isinstance(value, dict | list):
            return value
    return None


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _words_of(clause: Any, depth: int = 0) -> str | None:
    """Return the first words of a user in a query of Elasticsearch's or OpenSearch's language."""
    if depth > _DEEPEST or not isinstance(clause, dict | list):
        return None
    for name, value in (
        clause.items() if isinstance(clause, dict) else enumerate(clause)
    ):
        of_fields = [value] if name in _OF_CLAUSE else []
        if name in _OF_FIELDS and isinstance(value, dict):
            of_fields = list(value.values())
        for inner in of_fields:
            words = inner.get("query") if isinstance(inner, dict) else inner
            if isinstance(words, str):
                return words
        if (words := _words_of(value, depth + 1)) is not None:
            return words
    return None
