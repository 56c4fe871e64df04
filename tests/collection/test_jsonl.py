import bz2
import contextlib
import gzip
import json
import lzma
from collections.abc import Callable
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    Reading,
    Reason,
    Record,
    Skipped,
)
from boilersweep.collection.formats import named_format
from boilersweep.collection.jsonl import JSONL, MAX_LINE_BYTES
from tests.collection.conftest import Reader

Packing = Callable[[bytes], bytes]

GOOD = b'{"id": "a", "contents": "<p>x", "url": "http://x/"}\n'


def test_fields(items: Reader) -> None:
    [record] = items(JSONL, GOOD)
    assert (record.docid, record.body, record.url) == ("a", b"<p>x", "http://x/")
    assert (record.charset, record.plain, record.place.offset) == ("utf-8", False, 0)
    [record] = items(named_format("jsonl", Reading(plain=True)), GOOD)
    assert record.plain


@pytest.mark.parametrize(
    ("line", "reading", "plain"),
    [
        (
            {"_id": "a", "title": "T", "text": "x < y", "metadata": {"url": 3}},
            Reading(),
            True,
        ),
        (
            {"ClueWeb22-ID": "a", "URL": "http://x/\n", "Clean-Text": "x < y"},
            Reading(),
            True,
        ),
        ({"id": "a", "contents": "x < y", "text": "z", "_id": "b"}, Reading(), False),
        ({"id": "a", "html": "x < y"}, Reading(), False),
        ({"id": "a", "text": "x < y"}, Reading(plain=False), False),
        (
            {"id": "b", "nr": "a", "body": "x < y"},
            Reading(id_field="nr", text_field="body"),
            False,
        ),
        ({"id": "a", "text": "x < y", "contents": 7}, Reading(text_field="text"), True),
    ],
)
def test_names_of_fields(
    items: Reader,
    line: dict[str, object],
    reading: Reading,
    plain: bool,
) -> None:
    [record] = items(named_format("jsonl", reading), json.dumps(line).encode())
    assert (record.docid, record.body, record.plain) == ("a", b"x < y", plain)
    assert (record.title, record.url) == (
        line.get("title"),
        line.get("URL") and "http://x/",
    )


def test_the_field_of_the_address_may_be_named(items: Reader) -> None:
    line = b'{"id": "a", "contents": "x", "url": "http://x/", "link": "http://y/"}'
    assert (
        items(named_format("jsonl", Reading(url_field="link")), line)[0].url
        == "http://y/"
    )


@pytest.mark.parametrize(
    ("date", "found"),
    [
        ('"2005-12-06T23:34:40+0100"', "2005-12-06T22:34:40Z"),
        ('"lately"', None),
        ("2005", None),
    ],
)
def test_dates(items: Reader, date: str, found: str | None) -> None:
    [record] = items(JSONL, b'{"id": "a", "contents": "x", "date": %s}' % date.encode())
    assert record.date == found


def test_a_field_that_was_named_and_is_not_there_is_named(items: Reader) -> None:
    reading = Reading(id_field="nr", text_field="body")
    first, second = items(
        named_format("jsonl", reading), b'{"id": "a", "body": "x"}\n{"nr": 1}'
    )
    assert (first.reason, second.reason) == (Reason.NO_DOCID, Reason.MALFORMED)
    assert first.detail.startswith(
        'expected "nr" to be a string or an integer, found none among'
    )
    assert (
        second.detail == 'expected "body" to be a string, found none among the keys nr'
    )


def test_bom_blank_lines_and_crlf_are_tolerated(items: Reader) -> None:
    data = b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n") + b"\r\n  \n" + GOOD.strip()
    first, second = items(JSONL, data, one_way=True)
    assert first.body == second.body == b"<p>x"
    assert data[second.place.offset :] == GOOD.strip()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", Reason.MALFORMED),
        (b"[]", Reason.MALFORMED),
        (b"null", Reason.MALFORMED),
        (b"\xff", Reason.MALFORMED),
        (b"[" * 100_000, Reason.MALFORMED),
        (b"1" * 5000, Reason.MALFORMED),
        (b'{"id": "a"}', Reason.MALFORMED),
        (b'{"id": "a", "contents": 7}', Reason.MALFORMED),
        (b'{"contents": "x"}', Reason.NO_DOCID),
        (b'{"id": " ", "contents": "x"}', Reason.NO_DOCID),
        (b'{"id": true, "contents": "x"}', Reason.NO_DOCID),
        (b'{"id": 1.5, "contents": "x"}', Reason.NO_DOCID),
        (b'{"id": "a", "contents": " \\n"}', Reason.EMPTY_PAGE),
    ],
)
def test_a_bad_line_is_skipped_and_the_next_is_read(
    items: Reader, line: bytes, reason: Reason
) -> None:
    skipped, record = items(JSONL, line + b"\n" + GOOD)
    assert skipped.reason == reason
    assert isinstance(record, Record)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"{}", "no keys at all"),
        (b'{"contents": "x"}', "none among the keys contents"),
        (b'{"id": null}', "null"),
        (b'{"id": {}}', "an object"),
        (b'{"a\\ud800": 1}', "none among the keys a\ufffd"),
        (b'{"%s": 1}' % (b"x" * 999), "none among the keys " + "x" * 80),
    ],
)
def test_what_stands_where_the_docid_should_is_named(
    items: Reader, line: bytes, found: str
) -> None:
    [skipped] = items(JSONL, line)
    assert (
        skipped.detail == f'expected "id" to be a string or an integer, found {found}'
    )


def test_integers_and_lone_surrogates(items: Reader) -> None:
    [record] = items(JSONL, b'{"id": 17, "contents": "x", "url": 3}')
    assert (record.docid, record.url) == ("17", None)
    [record] = items(
        JSONL, b'{"id": "a\\udc00", "contents": "x\\ud800 \\ud83d\\ude00"}'
    )
    assert (record.docid, record.body.decode()) == ("a\ufffd", "x\ufffd \U0001f600")


@pytest.mark.parametrize(
    "more",
    [
        b"NaN",
        b"-Infinity",
        b"1e400",
        b"1" * 4000,
        b"1" * 10_001,
        b"-" + b"1" * 10_001,
        b'{"a": [%s, 1]}' % (b"1" * 10_001),
        b'"\\ud800"',
        b"[" * 900 + b"]" * 900,
    ],
)
def test_what_msgspec_rejects_costs_no_document(items: Reader, more: bytes) -> None:
    [record] = items(
        JSONL, b'{"id": "z", "more": %s, "id": "a", "contents": "x"}' % more
    )
    assert (record.docid, record.body) == ("a", b"x")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    max_leaves=20,
)


@given(
    st.dictionaries(st.text(), JSON_VALUES), st.binary(max_size=2), st.integers(0, 99)
)
def test_msgspec_accepts_nothing_that_python_reads_differently(
    value: dict[str, object], noise: bytes, at: int
) -> None:
    line = json.dumps(value).encode()
    line = line[:at] + noise + line[at:]
    with contextlib.suppress(msgspec.MsgspecError, ValueError):
        assert msgspec.json.decode(line) == json.loads(line.decode())


def test_too_large(items: Reader) -> None:
    long_line = b'{"id": "a", "contents": "' + b"x" * MAX_LINE_BYTES + b'"}\n'
    line, page, record = items(
        JSONL, long_line + GOOD.replace(b"<p>", b"x" * MAX_PAGE_BYTES) + GOOD
    )
    assert (line.reason, page.reason) == (Reason.TOO_LARGE, Reason.TOO_LARGE)
    assert (line.docid, page.docid) == (None, "a")
    assert isinstance(record, Record)


LINES = b"".join(GOOD.replace(b'"a"', b'"%d"' % i) for i in range(3000))


@pytest.mark.parametrize(
    ("data", "least", "reasons"),
    [
        (gzip.compress(LINES, 1)[:-500], 100, [Reason.TRUNCATED]),
        (gzip.compress(GOOD.strip()) + b"junk", 1, [Reason.NOT_GZIP]),
        (
            gzip.compress(GOOD + GOOD[:9]) + GOOD[9:],
            1,
            [Reason.TRUNCATED, Reason.NOT_GZIP],
        ),
    ],
    ids=[
        "truncated",
        "garbage behind a member",
        "a line that runs on into what is no gzip",
    ],
)
def test_damaged_gzip(
    items: Reader, data: bytes, least: int, reasons: list[Reason]
) -> None:
    found = items(JSONL, data)
    whole = found[: -len(reasons)]
    assert len(whole) >= least
    assert all(isinstance(item, Record) for item in whole)
    assert [item.reason for item in found[len(whole) :]] == reasons


ROWS = [
    {"id": f"d{n}", "contents": '<p>{"}\\ \\" é\n' * 7 * n + "}"} for n in range(1, 200)
]


@pytest.mark.parametrize(
    "pack",
    [
        bytes,
        gzip.compress,
        partial(lzma.compress, preset=0),
        partial(bz2.compress, compresslevel=1),
    ],
    ids=["plain", "gzip", "xz", "bzip2"],
)
@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_arrays_and_objects_on_several_lines(
    items: Reader, pack: Packing, indent: int | str | None, ascii_only: bool
) -> None:
    array = json.dumps(ROWS, indent=indent, ensure_ascii=ascii_only)
    objects = "\n".join(json.dumps(row, indent=indent or 1) for row in ROWS)
    for text in (array, objects, "\ufeff" + array):
        data = text.encode()
        found = items(JSONL, pack(data))
        assert [one.body for one in found] == [r["contents"].encode() for r in ROWS]
        assert all(data[one.place.offset :].startswith(b"{") for one in found)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"[%s,%s]" % (GOOD, GOOD[:20]), ["a", Reason.TRUNCATED]),
        (b"[%s, 3, %s]" % (GOOD, GOOD), ["a", Reason.MALFORMED, "a"]),
        (
            b'[%s, {"id": "b"}, {x}, %s]' % (GOOD, GOOD),
            ["a", *[Reason.MALFORMED] * 2, "a"],
        ),
        (
            b'[{"id": "b", "contents": "' + b"x" * (MAX_LINE_BYTES + 9) + b'"}]',
            [Reason.TOO_LARGE],
        ),
        (b'[{"id": "' + b"\\" * 99_999, [Reason.TRUNCATED]),
        (
            gzip.compress(b"[" + GOOD * 3 + GOOD[:9])[:-9],
            ["a"] * 3 + [Reason.TRUNCATED],
        ),
        (b"[" + b"{" * 99_999, [Reason.TRUNCATED]),
    ],
)
def test_damaged_arrays(items: Reader, data: bytes, found: list[str]) -> None:
    assert [getattr(one, "reason", one.docid) for one in items(JSONL, data)] == found


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("m.id", "m.page.html", "m.u"), ("7", b"<p>x", "http://x/")),
        (("a.b", "m.page.html", None), ("dotted", b"<p>x", None)),
        (("m.id", "hits[].html", "hits[].u"), ("7-1", b"<p>1", "http://1/")),
        (("hits[].id", "hits[].html", "m.u"), ("h", b"<p>1", "http://x/")),
    ],
)
def test_nested_keys(
    items: Reader,
    names: tuple[str, str, str | None],
    found: tuple[str, bytes, str | None],
) -> None:
    hits = [{"id": "h", "html": "<p>1", "u": "http://1/"}]
    row = {
        "a.b": "dotted",
        "a": {"b": "nested"},
        "m": {"id": 7, "page": {"html": "<p>x"}, "u": "http://x/"},
        "hits": hits,
    }
    reading = Reading(id_field=names[0], text_field=names[1], url_field=names[2])
    [one] = items(named_format("jsonl", reading), json.dumps(row).encode())
    assert (one.docid, one.body, one.url) == found


def test_the_pages_of_crag(items: Reader) -> None:
    pages = [
        {"page_result": page, "page_url": "http://x/"} for page in ("<p>1", "", "<p>3")
    ]
    line = json.dumps({"interaction_id": "q", "query": "why", "search_results": pages})
    first, second, third = items(named_format("crag"), bz2.compress(line.encode()))
    assert (first.docid, first.body, first.url) == ("q-1", b"<p>1", "http://x/")
    assert (second.docid, second.reason, third.docid) == (
        "q-2",
        Reason.EMPTY_PAGE,
        "q-3",
    )
    [odd] = items(named_format("crag"), b'{"interaction_id": "q", "query": "why"}')
    assert odd.detail == (
        'expected "search_results" to be an array, found none among the keys interaction_id, query'
    )


@given(st.binary())
def test_any_bytes_end_without_an_error(items: Reader, data: bytes) -> None:
    packed = gzip.compress(GOOD) + data
    for item in items(JSONL, data) + items(JSONL, packed) + items(JSONL, b"[{" + data):
        assert isinstance(item, Record | Skipped)


@given(st.lists(st.tuples(st.text(), st.text())))
def test_what_is_written_is_read(items: Reader, pages: list[tuple[str, str]]) -> None:
    data = "".join(json.dumps({"id": f"d{i}", "contents": x}) + "\n" for i, x in pages)
    found = [
        item.body.decode()
        for item in items(JSONL, data.encode())
        if isinstance(item, Record)
    ]
    assert found == [text for _, text in pages if text.strip()]
