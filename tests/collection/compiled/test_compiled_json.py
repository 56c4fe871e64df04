"""The compiled search for a long string of JSON beside Python's decoder."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection import compiled, jsonl
from boilersweep.collection.format import USUAL
from boilersweep.collection.record import Record, SourceLocation

needs_extension = pytest.mark.skipif(not compiled.built, reason="the module is not built")
LONG = b"<p>" + b"x" * 600
PIECES = st.sampled_from(
    [
        *(LONG, b" " * 600, b"a", b"{", b"}", b": 1, ", b'"', b"\\", b"\t"),
        *(b'\\"', b"\\\\", b"\\/\\b\\f\\n\\r\\t", b"\\x"),
        *(b"\xc3\xa9", b"\xc3", b"\xa9", b"\xed\xa0\x80"),
        *(b"\\u00e9", b"\\uD83D\\uDE00", b"\\ud83d", b"\\ude00", b"\\u12", b"\\u002g"),
        *(b"\\u0000", b"\\u3000", b"\\u001c"),
    ]
)
STRINGS = st.lists(PIECES, max_size=5).map(lambda pieces: b'"' + b"".join(pieces) + b'"')
KEYS = st.one_of(
    st.sampled_from([b'"id"', b'"contents"', b'"text"', b'"title"', b'"url"']), STRINGS
)
VALUES = st.one_of(STRINGS, STRINGS.map(lambda s: b'{"contents": ' + s + b"}"), st.just(b"7"))
LINES = st.lists(st.tuples(KEYS, VALUES), max_size=4).map(
    lambda pairs: b'{"id": "d", ' + b", ".join(map(b": ".join, pairs)) + b"}"
)


@needs_extension
@given(LINES)
def test_a_line_is_read_as_by_python(line: bytes) -> None:
    place = SourceLocation("f", 0)
    assert jsonl.parse_line(line, place) == jsonl._item(line, place, USUAL)


@needs_extension
@given(st.text(min_size=600), st.booleans())
def test_a_long_text_is_found(text: str, ascii_only: bool) -> None:
    line = json.dumps({"id": "d", "contents": text}, ensure_ascii=ascii_only).encode()
    begin, end, found = compiled.long_string(line) or (0, 0, b"")
    assert (json.loads(line[begin - 1 : end + 1]), found) == (text, text.encode())
    record = jsonl.parse_line(line, SourceLocation("f", 0))
    assert not isinstance(record, Record) or record.body == text.encode()


@needs_extension
def test_other_long_strings_leave_the_page_as_it_is() -> None:
    line = json.dumps({"id": "d", "title": "t" * 600, "contents": "<p>x"}).encode()
    record = jsonl.parse_line(line, SourceLocation("f", 0))
    assert isinstance(record, Record)
    assert (record.body, record.title) == (b"<p>x", "t" * 600)


def test_the_environment_forces_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    assert compiled.long_string(b'"' + LONG + b'"') is None
