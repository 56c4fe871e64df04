"""Topics and qrels as ir_datasets gives them; tests/system/test_irds.py asks the package itself."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from boilersweep import QrelsError, TopicsError
from boilersweep.collection import irds
from boilersweep.topics import Topic, read_qrels, read_topics


class TrecQuery(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str


class WebQuery(NamedTuple):
    query_id: str
    query: str
    description: str


class Query(NamedTuple):
    query_id: str
    text: str


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Prel(NamedTuple):
    query_id: str
    doc_id: str
    rel: int


class Dataset:
    def __init__(self, entries: Any) -> None:
        self._entries = entries

    def has_queries(self) -> bool:
        return self._entries is not None

    has_qrels = has_queries

    def queries_iter(self) -> Any:
        if isinstance(self._entries, Exception):
            raise self._entries
        return iter(self._entries)

    qrels_iter = queries_iter


Given = Callable[[Any], None]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Given:
    def give(entries: Any) -> None:
        monkeypatch.setattr(irds, "load_dataset", lambda _: Dataset(entries))

    return give


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        (TrecQuery("7", " a\n b", "d", "n"), Topic("7", "a b", "d", "n")),
        (TrecQuery("7", "", "d", ""), None),
        (WebQuery("007", "a", "d"), Topic("007", "a", "d")),
        (Query("q", "a"), Topic("q", "a")),
    ],
)
def test_topics(
    given: Given, query: TrecQuery | WebQuery | Query, topic: Topic | None
) -> None:
    given([query])
    if topic:
        assert read_topics("irds:made") == [topic]
    else:
        with pytest.raises(
            TopicsError, match=r"^irds:made:1: expected a title for topic '7'"
        ):
            read_topics("irds:made")


def test_qrels(given: Given) -> None:
    given([Qrel("1", "a", 2, "0"), Qrel("1", "b", -2, "Q0"), Prel("2", "a", 0)])
    qrels = read_qrels("irds:made")
    assert (qrels.grades, qrels.unjudged) == ({"1": {"a": 2}, "2": {"a": 0}}, 1)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (None, "irds:made has no (topics|qrels)"),
        (
            ConnectionError("no way"),
            "cannot give the (topics|qrels) of irds:made: no way",
        ),
        ([], "^irds:made:1: expected (topics|qrels)"),
    ],
)
def test_what_cannot_be_had(given: Given, entries: object, message: str) -> None:
    given(entries)
    with pytest.raises(TopicsError, match=message):
        read_topics("irds:made")
    with pytest.raises(QrelsError, match=message):
        read_qrels("irds:made")
