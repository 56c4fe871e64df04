import codecs
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boilersweep import QrelsError, TopicsError
from boilersweep.outputs import streams
from boilersweep.topics import (
    Qrels,
    Topic,
    describe,
    read_qrels,
    read_topics,
    require_agreement,
)

EXPECTED = [Topic("007", "café penguins"), Topic("8", "b")]
TREC = "<top>\n<num> Number: 007\n<title> café penguins\n</top>\n<top><num>8<title>b\n"
WEB = '<topics><topic number="007"><query>café penguins</query></topic>\n<topic number="8"><query>b'
TSV = "007\tcafé penguins\n8\tb\n"
JSONL = '\n {"id": "007", "title": "café penguins"}\n{"id": 8, "title": "b"}\n'


def write(folder: Path, data: bytes, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [TREC, "Topics of 2006\n" + TREC, '<?xml version="1.0"?>' + WEB, WEB, TSV, JSONL],
)
def test_topics_in_any_format_and_encoding(
    tmp_path: Path, text: str, line_end: str, encoding: str
) -> None:
    data = text.replace("\n", line_end).encode(encoding)
    for name in ("topics.txt", "topics.tsv", "topics.jsonl"):
        assert read_topics(write(tmp_path, data, name)) == EXPECTED
        assert read_topics(str(write(tmp_path, gzip.compress(data), name))) == EXPECTED


@pytest.mark.parametrize("data", [TSV.encode(), gzip.compress(TSV.encode(), mtime=0)])
def test_topics_from_a_process(data: bytes) -> None:
    """As in `--topics <(zcat topics.gz)`: the shell gives a descriptor of this process."""
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    assert read_topics(f"/dev/fd/{reader}") == EXPECTED
    os.close(reader)


@pytest.mark.parametrize("data", [TSV.encode(), gzip.compress(TSV.encode())])
def test_a_file_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(streams, "MOST_INPUT_BYTES", len(TSV.encode()) - 1)
    with pytest.raises(TopicsError, match=r"expected at most \d+ bytes"):
        read_topics(write(tmp_path, data))


@pytest.mark.parametrize(
    "form", ["{0}\tpenguins", '{{"id": "{0}", "title": "penguins"}}']
)
def test_an_id_keeps_its_own_mark_behind_that_of_the_file(
    tmp_path: Path, form: str
) -> None:
    for id_ in ("7", "\ufeff7", "\ufeff\ufeff7"):
        path = write(tmp_path, codecs.BOM_UTF8 + form.format(id_).encode())
        assert read_topics(path) == [Topic(id_, "penguins")]
        path = write(tmp_path, codecs.BOM_UTF8 + f"{id_} 0 \ufeffd 1\n8 0 d 1".encode())
        assert read_qrels(path) == Qrels({id_: {"\ufeffd": 1}, "8": {"d": 1}})


def test_a_query_that_speaks_of_tags_is_no_trec_format(tmp_path: Path) -> None:
    assert read_topics(write(tmp_path, b"1\tthe <top> tag\n")) == [
        Topic("1", "the <top> tag")
    ]
    assert read_topics(write(tmp_path, b'{"id": 1, "title": "a <top> b"}')) == [
        Topic("1", "a <top> b")
    ]


def test_qrels_gzipped_or_not(tmp_path: Path) -> None:
    data = codecs.BOM_UTF8 + "851 0 é 2\r\n852\t0\tb\t-1\r".encode()
    expected = Qrels({"851": {"é": 2}, "852": {}}, unjudged=1)
    assert read_qrels(write(tmp_path, data)) == expected
    assert (
        read_qrels(write(tmp_path, gzip.compress(data[:9]) + gzip.compress(data[9:])))
        == expected
    )
    assert read_qrels(write(tmp_path, b"851 0 \xe9 2")) == Qrels({"851": {"é": 2}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\n2\tb\n1\tc\n", r"file\.txt:3: .* '1' again after line 1"),
        (
            '{"id": 1, "text": "a"}\n\n{"id": "1", "text": "b"}',
            r"file\.txt:3: .* after line 1",
        ),
        (
            "<top><num>1<title>a\n<top>\n<num>1<title>b",
            r"file\.txt:3: .* again after line 1",
        ),
        ("", r"file\.txt:1: expected topics, found none"),
        ("[\n", r"file\.txt:1: expected 2 columns"),
        ("<html>404", r"file\.txt:1: expected topics, found none"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TopicsError, match=message):
        read_topics(write(tmp_path, text.encode()))


WHOLE = gzip.compress(TSV.encode() * 100, mtime=0)


@pytest.mark.parametrize(
    "data",
    [
        WHOLE[: len(WHOLE) // 2],
        WHOLE[:-1],
        WHOLE[:2],
        WHOLE[:20] + b"\xff" * 20,
        WHOLE + b"x",
    ],
)
def test_damaged_gzip(tmp_path: Path, data: bytes) -> None:
    both_refuse(write(tmp_path, data), "of {}, got: a truncated or damaged gzip")


def both_refuse(path: Path, message: str) -> None:
    """Assert that no topics and no qrels are read, with a message that has their name."""
    with pytest.raises(TopicsError, match=message.format("topics")):
        read_topics(path)
    with pytest.raises(QrelsError, match=message.format("qrels")):
        read_qrels(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "missing", "No such file or directory"),
        (tmp_path, "expected a regular file, got a folder"),
        (write(tmp_path, b"") / "below", "Not a directory"),
        (tmp_path / "a\0b", "null (byte|character)"),
        (tmp_path / ("a" * 5_000), "File name too long"),
    ):
        both_refuse(path, f"expected a file of {{}}, got: .*{reason}")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_named(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, f"\ufeff{TSV}".encode(encoding))
    both_refuse(path, "expected {} in UTF-8, got UTF-16")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(),
    st.sampled_from([b"", b"\x1f\x8b", b"<top>", b"{", b"1\t"]),
    st.booleans(),
)
def test_any_bytes_give_a_result_or_our_error(
    tmp_path: Path, data: bytes, start: bytes, zipped: bool
) -> None:
    path = write(tmp_path, gzip.compress(start + data) if zipped else start + data)
    try:
        assert read_topics(path)
    except TopicsError as error:
        assert str(path) in str(error)  # noqa: PT017
    try:
        assert read_qrels(path).grades
    except QrelsError as error:
        assert str(path) in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("name", "count", "first", "judgements"),
    [
        ("open", 71, Topic("1001", "zero waste journey"), 1835),
        ("traps", 38, Topic("2001", "license agreement"), 2428),
    ],
)
def test_newsmix(
    outside_data: Callable[[str], Path],
    name: str,
    count: int,
    first: Topic,
    judgements: int,
) -> None:
    newsmix = outside_data("newsmix")
    topics = read_topics(newsmix / f"topics.{name}.txt")
    qrels = read_qrels(newsmix / f"qrels.{name}.txt")
    assert len(topics) == count
    assert (topics[0].id, topics[0].title) == (first.id, first.title)
    assert all(topic.desc.startswith("Find pages") for topic in topics)
    assert all(topic.narr.startswith("Grade 2:") for topic in topics)
    assert sum(map(len, qrels.grades.values())) == judgements
    assert (qrels.unjudged, qrels.repeated) == (0, 0)
    agreement = require_agreement(topics, qrels)
    assert agreement.evaluated == tuple(topic.id for topic in topics)
    assert describe(agreement) == []


RECORDS = [{"id": 7, "title": "a, b"}, {"qid": "007", "query": "c", "desc": "d"}]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("before", ["", "\ufeff", " \n"])
def test_a_json_list_of_topics(tmp_path: Path, indent: int | None, before: str) -> None:
    path = write(tmp_path, (before + json.dumps(RECORDS, indent=indent)).encode())
    assert read_topics(path) == [Topic("7", "a, b"), Topic("007", "c", "d")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"id": 1, "title": "a"}', "expected a JSON list of topics"),
        ('[{"id": 1}]', "expected a title for topic '1'"),
        ('[{"id": 1, "title": "a"}, 2]', "expected a JSON object, got '2'"),
        ("[]", "expected topics, found none"),
        ("[{" * 50_000, "expected a JSON list of topics"),
    ],
)
def test_a_malformed_json_list(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TopicsError, match=message):
        read_topics(write(tmp_path, text.encode()))


def test_an_id_may_begin_with_a_bracket(tmp_path: Path) -> None:
    assert read_topics(write(tmp_path, b"[1]\tpenguins\n")) == [
        Topic("[1]", "penguins")
    ]
