"""Query logs as topics."""

from pathlib import Path

import pytest

from boilersweep.errors import TopicsError
from boilersweep.topics import read_query_log
from boilersweep.topics.query_log import parse_query_log


def test_lines_and_duplicates() -> None:
    log = "bread ovens\n\nBread  ovens\ncrust, brown\nbread ovens\n"
    assert parse_query_log(log, "log") == {"bread ovens": 3, "crust, brown": 1}


def test_columns_with_counts() -> None:
    log = 'count,query\r\n5,bread\r\n2,"crust, brown"\r\n1,BREAD\r\n'
    assert parse_query_log(log, "log") == {"bread": 6, "crust, brown": 2}


@pytest.mark.parametrize(
    "log", ["query,count\nbread,0\n", "query,count\nbread\n", "a\0b\n", "\n", ""]
)
def test_wrong_logs_are_named(log: str) -> None:
    with pytest.raises(TopicsError, match=r"log:\d: expected"):
        parse_query_log(log, "log")


def test_sample_follows_traffic_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"q{number},{1000 if number < 5 else 1}\n" for number in range(200)]
    path.write_text("query,count\n" + "".join(rows))
    small = read_query_log(path, 10, 3)
    assert {f"q{number}" for number in range(5)} <= {topic.title for topic in small}
    assert read_query_log(path, 30, 3)[:10] == small
    assert read_query_log(path, 10, 4) != small
    assert len(read_query_log(path, 500, 3)) == 200
