"""Topics and qrels that a program holds: each form gives what the file gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from boilersweep import QrelsError, TopicsError, UsageError
from boilersweep.topics import Qrels, Topic, read_qrels, read_topics
from tests.topics.test_irds import Qrel, Query

TOPICS = [Topic("1", "red fish"), Topic("2", "blue fish")]
QRELS = Qrels({"1": {"a": 1, "b": 0}, "2": {"a": 2}})
ROWS = [("1", "a", 1), ("1", "b", 0), ("2", "a", 2)]


@pytest.mark.parametrize(
    "held",
    [
        {"1": "red fish", "2": "blue  fish"},
        {1: "red fish", 2: "blue fish"},
        {1: {"title": "red fish"}, 2: {"query": "blue fish"}},
        {np.int64(1): "red fish", np.float64(2): "blue fish"},
        TOPICS,
        iter(TOPICS),
        [("1", "red fish"), ("2", "blue fish")],
        [["1", "red fish"], [2, "blue fish"]],
        [Query("1", "red fish"), Query("2", "blue fish")],
        (query for query in [Query("1", "red fish"), Query("2", "blue fish")]),
        [{"id": 1, "title": "red fish"}, {"qid": "2", "query": "blue fish"}],
        [{"_id": "1", "text": "red fish"}, {"Topic": 2.0, "Title": "blue fish"}],
        pd.DataFrame({"qid": ["1", "2"], "query": ["red fish", "blue fish"]}),
        pd.DataFrame({"query_id": [1, 2], "text": ["red fish", "blue fish"]}),
        pd.DataFrame({"qid": [1.0, 2.0], "query": ["red fish", "blue fish"]}),
        pa.table({"qid": ["1", "2"], "query": ["red fish", "blue fish"]}),
    ],
)
def test_topics(held: Any) -> None:
    assert read_topics(held) == TOPICS


def test_all_fields_and_missing_ones() -> None:
    frame = pd.DataFrame(
        {
            "num": ["1", "2"],
            "title": ["red fish", "blue fish"],
            "description": ["which fish are red", None],
            "narrative": [None, "b  c"],
        }
    )
    full = [
        Topic("1", "red fish", "which fish are red"),
        Topic("2", "blue fish", "", "b c"),
    ]
    assert read_topics(frame) == full


@pytest.mark.parametrize(
    "held",
    [
        {"1": {"a": 1, "b": 0}, "2": {"a": 2}},
        {1: {"a": np.int64(1), "b": 0.0}, 2: {"a": 2}},
        QRELS,
        ROWS,
        iter(ROWS),
        [(t, "0", d, g) for t, d, g in ROWS],
        [Qrel(*row, "0") for row in ROWS],
        pd.DataFrame(ROWS, columns=["qid", "docno", "label"]),
        pd.DataFrame(ROWS, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(ROWS, columns=["topic", "docid", "grade"]).astype(
            {"grade": float}
        ),
        pa.Table.from_pandas(
            pd.DataFrame(ROWS, columns=["query-id", "corpus-id", "score"])
        ),
    ],
)
def test_qrels(held: Any) -> None:
    assert read_qrels(held) == QRELS


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    assert (
        read_topics(
            polars.DataFrame({"qid": [1, 2], "query": ["red fish", "blue fish"]})
        )
        == TOPICS
    )
    assert (
        read_qrels(polars.DataFrame(ROWS, ["qid", "docno", "label"], orient="row"))
        == QRELS
    )


def test_the_rules_of_files_hold() -> None:
    judged = read_qrels([("1", "a", 1), ("1", "a", 1), ("1", "b", -1)])
    assert judged == Qrels({"1": {"a": 1}}, unjudged=1, repeated=1)


@pytest.mark.parametrize(
    ("held", "error", "message"),
    [
        ([], TopicsError, "topics:1: expected topics, found none"),
        ({}, TopicsError, "topics:1: expected topics, found none"),
        ({"1": ""}, TopicsError, "topics:1: expected a title for topic '1'"),
        (
            {"1": "a", "2": None},
            TopicsError,
            "topics:2: expected a title for topic '2'",
        ),
        (
            [("1", "a"), ("1", "b")],
            TopicsError,
            "topics:2: expected every topic number once",
        ),
        ({"a b": "a"}, TopicsError, "topics:1: expected a topic number without white"),
        (pd.DataFrame({"qid": ["1"]}), TopicsError, "topics:1: expected a title"),
        (pd.DataFrame({"q": ["a"]}), TopicsError, "topics:1: expected a topic number"),
        ([("1", None)], TopicsError, "topics:1: expected a title"),
        (
            ["1", "2"],
            UsageError,
            "expected id and title, or a record with names, got '1'",
        ),
        (
            None,
            UsageError,
            "expected topics as a file, irds:ID, dictionary, frame or list",
        ),
        (7, UsageError, "got int"),
        (b"topics.txt", UsageError, "got bytes"),
    ],
)
def test_wrong_topics(held: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_topics(held)


@pytest.mark.parametrize(
    ("held", "error", "message"),
    [
        ({}, QrelsError, "qrels:1: expected qrels, found no line"),
        (
            [("1", "a", 1), ("1", "a", 2)],
            QrelsError,
            "qrels:2: expected one grade for topic '1'",
        ),
        (
            [("1", "a", "yes")],
            QrelsError,
            "qrels:1: expected an integer as grade, got 'yes'",
        ),
        ([("1", "a", 0.5)], QrelsError, "expected an integer as grade, got '0.5'"),
        (
            [("1", "a", float("inf"))],
            QrelsError,
            "expected an integer as grade, got 'inf'",
        ),
        ([("1", "a b", 1)], QrelsError, "qrels:1: expected 4 columns"),
        ([("1", "a", None)], QrelsError, "qrels:1: expected 4 columns"),
        (
            {"1": "a"},
            UsageError,
            "expected topic id -> docid -> grade, got 'a' for '1'",
        ),
        ({"1": ["a"]}, UsageError, "expected topic id -> docid -> grade"),
        ([("1", "a")], UsageError, "expected topic and docid and grade, or a record"),
        (
            None,
            UsageError,
            "expected qrels as a file, irds:ID, dictionary, frame or list",
        ),
    ],
)
def test_wrong_qrels(held: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_qrels(held)


def test_an_id_of_ir_datasets_needs_no_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ir_datasets")
    seen: list[str] = []
    monkeypatch.setattr("boilersweep.topics.read.irds_topics", seen.append)
    monkeypatch.setattr("boilersweep.topics.read.irds_qrels", seen.append)
    monkeypatch.chdir(tmp_path)
    read_topics("cranfield")
    read_qrels("gov2/trec-tb-2004")
    assert seen == ["cranfield", "gov2/trec-tb-2004"]
    for name in ("cranfeld", "x" * 5000, "a\0b"):
        with pytest.raises(TopicsError, match="expected a file of topics"):
            read_topics(name)
    Path("cranfield").write_text("1\tred fish\n2\tblue fish\n")
    assert read_topics("cranfield") == TOPICS
