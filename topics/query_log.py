"""A query log as topics: lines, or CSV of queries and counts."""

import csv
import random
from collections import Counter
from collections.abc import Iterable

from boilersweep.errors import TopicsError
from boilersweep.outputs.identity import digest_of
from boilersweep.topics.topic import Topic, checked, named_columns

_COUNTS = ("count", "counts", "n", "freq", "frequency", "hits")
_QUERIES = ("query", "title", "text")
_EXAMPLE = "'march of the penguins,12'"
_DIGITS = 10


def parse_query_log(text: str, source: str) -> dict[str, int]:
    """Query -> count, most frequent first; queries that differ in case or spaces are merged.

    A first line with columns such as `query,count` means CSV; otherwise every line is a query.

    Raises:
        TopicsError: A count is below 1, a query has control characters, or the log is empty.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    counts: Counter[str] = Counter()
    spelled: dict[str, Counter[str]] = {}
    for number, query, count in _queries(lines, source):
        query = " ".join(query.split())
        if not count.isascii() or not count.isdigit() or not 0 < len(count) < 16 or not int(count):
            raise TopicsError(
                f"{source}:{number}: expected a count of at least 1, got {count[:80]!r}; write it "
                f"as in {_EXAMPLE}"
            )
        if not query.isprintable():
            raise TopicsError(
                f"{source}:{number}: expected a query in plain text, got {query[:80]!r}; remove "
                "its control characters"
            )
        if query:
            counts[query.casefold()] += int(count)
            spelled.setdefault(query.casefold(), Counter())[query] += int(count)
    if not counts:
        raise TopicsError(f"{source}:1: expected queries, found none; write one per line")
    return {spelled[key].most_common(1)[0][0]: count for key, count in counts.most_common()}


def _queries(lines: Iterable[str], source: str) -> Iterable[tuple[int, str, str]]:
    columns: list[int] = []
    for number, line in enumerate(lines, start=1):
        if number == 1 and (columns := named_columns(line, ",", _QUERIES, _COUNTS)):
            continue
        if not line.strip():
            continue
        if not columns:
            yield number, line, "1"
            continue
        try:
            [cells] = csv.reader([line.rstrip("\r")])
            yield number, cells[columns[0]], cells[columns[1]].strip()
        except (csv.Error, ValueError, IndexError) as error:
            raise TopicsError(
                f"{source}:{number}: expected columns as in the first line, got {line[:80]!r}; "
                f"write it as in {_EXAMPLE}"
            ) from error


def sample_topics(counts: dict[str, int], source: str, most: int, seed: int) -> list[Topic]:
    """Up to `most` different queries, drawn one after the other by traffic.

    A topic's id depends on the query alone, so that judgements survive a larger sample. The same
    seed gives the same queries; a larger `most` adds queries at the end.
    """
    chance = random.Random(seed)  # noqa: S311
    # Efraimidis and Spirakis 2006: the largest of u^(1/weight) are a weighted sample.
    keys = {query: chance.random() ** (1 / count) for query, count in sorted(counts.items())}
    drawn = sorted(keys, key=lambda query: -keys[query])[:most]
    return checked(enumerate(map(query_topic, drawn), start=1), source, _EXAMPLE)


def query_topic(query: str) -> Topic:
    """Make a topic of a query; its id depends on the query alone."""
    return Topic("q" + digest_of([query.casefold()])[:_DIGITS], query)
