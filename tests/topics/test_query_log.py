"""Query logs as topics."""

import json
from pathlib import Path

import pytest

from boilersweep import TopicsError
from boilersweep.topics import read_query_log
from boilersweep.topics.query_log import parse_query_log

SLOW = (
    "[2026-01-01T10:00:00,000][WARN ][i.s.s.query] [node] [pages][0] took[2ms], total_hits[3], "
    "search_type[QUERY_THEN_FETCH], source[%s], id[7],"
)
BREAD = '{"query":{"bool":{"must":[{"match":{"title":{"query":"bread, rye"}}}]}}}'
OVENS = '{"query":{"multi_match":{"query":"ovens","fields":["title"]}}}'
ALL = '{"query":{"match_all":{}}}'

# A log, how it is read, its queries, and the lines without one.
LOGS = {
    "bread ovens\n\nBread  ovens\ncrust, brown\nbread ovens\n": (
        "one query per line",
        {"bread ovens": 3, "crust, brown": 1},
        0,
    ),
    'count,query\r\n5,bread\r\n2,"crust, brown"\r\n1,BREAD\r\n': (
        "a table with a comma between columns, of them query and count",
        {"bread": 6, "crust, brown": 2},
        0,
    ),
    "Search Term\tClicks\nraw materials\t3\n": (
        "a table with a TAB between columns, of them search_term and clicks",
        {"raw materials": 3},
        0,
    ),
    "Top queries;Position\nbread;1.5\n": (
        "a table with a semicolon between columns, of them top_queries",
        {"bread": 1},
        0,
    ),
    "query\nbread\n": ("a column query", {"bread": 1}, 0),
    # Google's Search Console, and Matomo.
    "Top queries,Clicks,Impressions,CTR,Position\nbread,0,7,0%,1.5\n": (
        "a table with a comma between columns, of them top_queries and impressions",
        {"bread": 7},
        0,
    ),
    "label,nb_visits,nb_hits\nbread,2,9\n": (
        "a table with a comma between columns, of them label and nb_visits",
        {"bread": 2},
        0,
    ),
    '{"query":"raw materials"}\n{"q":"bread","clicks":2}\n{"other":1}\n': (
        "JSON lines",
        {"bread": 2, "raw materials": 1},
        1,
    ),
    # User Behavior Insights, as a dump of its index writes it.
    '{"_index":"ubi_queries","_source":{"user_query":"bread","query_id":"1"}}\n': (
        "JSON lines",
        {"bread": 1},
        0,
    ),
    # A list, and the answer of a search engine that has an index of queries.
    '[{"query":"bread"},\n {"query":"bread"}]\n': ("JSON lines", {"bread": 2}, 0),
    '{"took":1,"hits":{"hits":[{"_source":{"user_query":"bread"}},{"_source":{}}]}}': (
        "JSON lines",
        {"bread": 1},
        1,
    ),
    f"{SLOW % BREAD}\n{SLOW % OVENS}\n{SLOW % ALL}\n": (
        "a slow log",
        {"bread, rye": 1, "ovens": 1},
        1,
    ),
    f"{json.dumps({'type': 'index_search_slowlog', 'source': OVENS})}\n"
    f"{json.dumps({'elasticsearch.slowlog.source': BREAD})}\n"
    f"{json.dumps({'elasticsearch': {'slowlog': {'source': BREAD}}})}\n": (
        "JSON lines",
        {"bread, rye": 2, "ovens": 1},
        0,
    ),
    # The first source is the query, up to the last end that something may follow.
    f"source[x] {SLOW % BREAD} source[{{}}]x\n{SLOW % OVENS}": (
        "a slow log",
        {"bread, rye": 1, "ovens": 1},
        0,
    ),
    f'{{"size":{"1" * 10_001},"q":"bread"}}\n': ("JSON lines", {"bread": 1}, 0),
}


APACHE = '10.0.0.1 - - [10/Oct/2023:13:55:36 +0000] "%s %s HTTP/1.1" 200 2326 "-" "Mozilla"\n'
SOLR_LINE = (
    "2024-01-01 10:00:00.000 INFO [x:pages] webapp=/solr path=/select params={%s}%s\n"
)
LOGS |= {
    # Google Analytics: comments before the table, another table behind it.
    "# -----\n# Search Terms\n# 20240101-20240131\n# -----\n\n"
    "Search term,Total unique searches,Results page views / search\n"
    'bread ovens,"1,204",1.2\n"crust, brown",88,1.0\n(not set),12,1.0\n,"1,304",1.1\n\n'
    "Day Index,Total unique searches\n1/1/24,40\n": (
        "a table with a comma between columns, of them search_term and total_unique_searches",
        {"bread ovens": 1204, "crust, brown": 88},
        1,
    ),
    "# a line\n#breadtok\nbread\n": (
        "one query per line",
        {"# a line": 1, "#breadtok": 1, "bread": 1},
        0,
    ),
    # Search Console without impressions, and a frame of pandas.
    'Query,Clicks\nbread,"1,500"\novens,0\ncrust,12.0\n': (
        "a table with a comma between columns, of them query and clicks",
        {"bread": 1500, "crust": 12},
        1,
    ),
    (APACHE % ("GET", "/search?page=2&q=bread+ovens"))
    + (APACHE % ("GET", "/style.css"))
    + (APACHE % ("POST", "/search?query=bread%20ovens#x"))
    + (APACHE % ("GET", "/?q=caf%E9&q=second"))
    + (APACHE % ("GET", "/?q=caf%C3%A9"))
    + (APACHE % ("GET", "/?q=%00bot"))
    + "no request\n": (
        "a web server's log",
        {"bread ovens": 2, "caf\xe9": 2},
        3,
    ),
    (SOLR_LINE % ("q=bread+ovens&rows=10", " hits=3 status=0 QTime=4"))
    + (SOLR_LINE % ("q=bread&isShard=true", " hits=3"))
    + (SOLR_LINE % ("q={!edismax}+rye&fq={!x}", " hits=3 status=0"))
    + (SOLR_LINE % ("q=*:*", "")): (
        "a web server's log",
        {"bread ovens": 1, "{!edismax} rye": 1},
        2,
    ),
}


@pytest.mark.parametrize("log", LOGS)
def test_usual_logs(log: str) -> None:
    form, counts, left_out = LOGS[log]
    found = parse_query_log(log, "log")
    assert (found.form, found.counts, found.left_out) == (form, counts, left_out)
    which = "the most frequent" if max(counts.values()) > 1 else "such as"
    assert f"read as {form}: {len(counts)} different queries, {which} '" in str(found)


def test_asked_columns() -> None:
    table = "Anfrage,Treffer\nbread,2\n"
    assert parse_query_log(table, "log", "anfrage", "Treffer").counts == {"bread": 2}
    assert parse_query_log("bread\t7\n", "log", "1", "2").counts == {"bread": 7}
    requests = APACHE % ("GET", "/?for=bread&q=1")
    assert parse_query_log(requests, "log", "for").counts == {"bread": 1}
    lines = '{"a":{"b":"bread"},"n":{"m":4}}\n'
    assert parse_query_log(lines, "log", "a.b", "n.m").counts == {"bread": 4}


@pytest.mark.parametrize(
    ("log", "columns", "message"),
    [
        (
            "query,count\nbread,0\n",
            (),
            r"log:2: expected a count of at least 1, got '0'",
        ),
        ("query,count\nbread\n", (), r"log:2: expected columns as in the first line"),
        ("a\0b\n", (), r"log:1: expected a query in plain text"),
        ("\n", (), r"log:1: expected queries, found none"),
        ("", (), r"log:1: expected queries, found none"),
        (
            "raw materials,3\nbread,2\n",
            (),
            r"most lines have a comma: 'raw materials,3', 'bread",
        ),
        (
            "3\traw materials\n2\tbread\n",
            (),
            r"most lines have a TAB.*`columns` N",
        ),
        (
            "query,count\nbread,2\n",
            ("q",),
            r"log:1: expected a column 'q', got the columns 'query",
        ),
        (
            "query,count\nbread,2\n",
            ("query", "n"),
            r"expected a column 'n'.*`columns` QUERY,COUNT",
        ),
        ("bread,2\n", ("3",), r"expected a column '3'"),
        ('{"a":1}\n', (), r"JSON lines, which has no queries.*--columns"),
        (
            '{"q":"bread"}\n{"q":\n',
            (),
            r"log:2: expected a JSON object as on the first line",
        ),
        (
            '{"q":"bread","n":1.5}\n',
            (),
            r"log:1: expected a count of at least 1, got '1.5'",
        ),
        (f"{SLOW % ALL}\n", (), r"a slow log, which has no queries"),
        (
            (APACHE % ("GET", "/?for=bread&page=1"))
            + (APACHE % ("GET", "/?page=2&id=4")),
            (),
            r"a web server's log, which has no queries; its requests have the parameters for, "
            r"page, id; name one with --columns",
        ),
    ],
)
def test_wrong_logs_are_named(log: str, columns: tuple[str, ...], message: str) -> None:
    with pytest.raises(TopicsError, match=message):
        parse_query_log(log, "log", *columns)


def test_deep_records_end() -> None:
    deep = '{"_source":' * 400 + "1" + "}" * 400
    assert parse_query_log(f'{{"q":"bread"}}\n{deep}\n', "log").left_out == 1


def test_each_line_has_an_encoding(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes("query,clicks\ncaf\xe9,1\n".encode() + b"na\xefve,2\n")
    assert read_query_log(str(path)).counts == {"na\xefve": 2, "caf\xe9": 1}


def test_sample_follows_traffic_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"q{number},{1000 if number < 5 else 1}\n" for number in range(200)]
    path.write_text("query,count\n" + "".join(rows))
    log = read_query_log(path)
    small = log.sample(10, 3)
    assert {f"q{number}" for number in range(5)} <= {topic.title for topic in small}
    assert log.sample(30, 3)[:10] == small
    assert log.sample(10, 4) != small
    assert len(log.sample(500, 3)) == 200


@pytest.mark.parametrize(
    "name",
    [
        *("num_searches", "volume", "Total", "Number of searches"),
        *("avg_monthly_searches", "Avg. monthly searches", "Search Volume", "SEARCHES"),
        *("occurrences", "Total events", "sessions", "search count"),
    ],
)
def test_usual_names_of_counts_are_used(name: str) -> None:
    table = parse_query_log(f"query,{name}\nbread,7\novens,20\n", "log.csv")
    assert (table.counts, table.unused) == ({"ovens": 20, "bread": 7}, ())
    key = name.lower().replace(". ", "_").replace(" ", "_")
    lines = parse_query_log(f'{{"query": "bread", "{key}": 7}}\n', "log.jsonl")
    assert (lines.counts, lines.unused) == ({"bread": 7}, ())


@pytest.mark.parametrize(
    ("log", "unused"),
    [
        ("query,weight,rank,day\nbread,7,0,Mon\novens,20,3,Tue\n", ("weight", "rank")),
        ("query\tweight\nbread\t7\n12\t20\n", ("weight",)),
        ("query,hits\nbread,7\n", ("hits",)),
        ("query,share\nbread,7.5\n", ()),
        ("query,weight\nbread,7\novens,\n", ()),
        (
            '{"query": "bread", "weight": 7, "ok": true}\n{"query": "ovens"}\n',
            ("weight",),
        ),
        ('[{"query": "bread", "w": "7"}]', ("w",)),
        ("query,weight,count\nbread,7,2\n", ()),
        ('{"query": "bread", "weight": 7, "count": 2}\n', ()),
        ("bread\novens\n", ()),
    ],
)
def test_unused_columns_of_numbers_are_named(log: str, unused: tuple[str, ...]) -> None:
    found = parse_query_log(log, "log")
    assert found.unused == unused
    assert ("each line counts 1" in str(found)) == bool(unused)
    assert all(name in str(found) for name in unused)
    if unused:
        named = parse_query_log(log, "log", None, unused[0])
        assert named.unused == ()
        assert named.counts["bread"] == 7


def test_columns_without_names_are_numbered() -> None:
    found = parse_query_log("7,bread,x\n9,ovens,y\n", "log", "2")
    assert found.unused == ("1",)
    assert parse_query_log("7,bread,x\n9,ovens,y\n", "log", "2", "1").counts == {
        "ovens": 9,
        "bread": 7,
    }


def test_queries_that_occur_once_each_are_not_called_frequent() -> None:
    assert "different queries, such as 'bread'" in str(
        parse_query_log("bread\novens\n", "log")
    )
    assert "the most frequent 'bread'" in str(
        parse_query_log("ovens\nbread\nbread\n", "log")
    )


def test_a_quote_that_never_ends_spoils_no_other_line() -> None:
    lines = "".join(f"query {number},7\n" for number in range(20_000))
    found = parse_query_log(f'query,weight\n"bread",1\n{lines}"rye,2\n', "log")
    assert found.unused == ("weight",)
    assert len(found.counts) == 20_002


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000 + ",clicks\nfoo,2\n", '"a,clicks\nfoo,2\n', "a\0b,c\nfoo,2\n"],
)
def test_a_first_line_that_is_no_row_is_a_query(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(TopicsError, match="columns"):
        read_query_log(path)
