"""Queries in the requests of a search page, as web servers and Solr log them.

Apache's and nginx's lines have the request in quotes, `"GET /search?q=bread HTTP/1.1"`; Solr's have
`params={q=bread&rows=10}`.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl

from boilersweep.topics.topic import decoded_line

# What usual search pages call the parameter of the query.
_PARAMETERS = (
    *("q", "query", "search_query", "search", "s", "searchterm", "search_term"),
    *("keyword", "keywords", "term", "terms", "wd"),
)
_REQUEST = re.compile(r'"(?:GET|POST|HEAD) ([^"\s]*+)(?: HTTP/[\d.]+)?"')
_SOLR = re.compile(r"\bparams=\{(.*)\}(?=\s|$)")
# Requests between the parts of one index, and for all documents, have no words of a user.
_BETWEEN_PARTS = "isShard"
_EVERYTHING = ("*:*", "*")


def is_server_log(lines: Iterable[str]) -> bool:
    """Whether one of some lines is of a web server's log or Solr's."""
    return any(_parameters(line) is not None for line in lines)


def requests(
    lines: Iterable[tuple[int, str]], parameter: str | None
) -> Iterator[tuple[int, str, str]]:
    """Yield the queries of a log with the numbers of their lines, each with the count 1.

    Args:
        lines: The lines with their numbers.
        parameter: The parameter of the query; None for the usual ones, the first that a line has.
    """
    names = (parameter,) if parameter else _PARAMETERS
    for number, line in lines:
        values = _parameters(line) or {}
        query = next((values[name] for name in names if values.get(name)), "")
        is_word = query.isprintable() and query not in _EVERYTHING
        if query.strip() and is_word and _BETWEEN_PARTS not in values:
            yield number, query, "1"


def parameters_of(lines: Iterable[str]) -> list[str]:
    """Return the names of all parameters in a log, for messages."""
    return list(
        dict.fromkeys(name for line in lines for name in _parameters(line) or {})
    )


def _parameters(line: str) -> dict[str, str] | None:
    """Return the parameters of a line's request, None for a line without a request."""
    if request := _REQUEST.search(line):
        query = request[1].partition("?")[2].partition("#")[0]
    elif request := _SOLR.search(line):
        query = request[1]
    else:
        return None
    # Percent-encoded bytes may be in any encoding: Latin-1 keeps them
    pairs = parse_qsl(query, encoding="latin-1", max_num_fields=1000)
    values: dict[str, str] = {}
    for name, value in pairs:
        values.setdefault(name, _decoded(value))
    return values


def _decoded(value: str) -> str:
    try:
        return decoded_line(value.encode("latin-1"))
    except UnicodeEncodeError:  # it was not percent-encoded
        return value
