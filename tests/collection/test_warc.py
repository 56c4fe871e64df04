import gzip
import io
import time
import tracemalloc
import zipfile
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    DocidOf,
    Item,
    Reading,
    Reason,
    Record,
    Skipped,
)
from boilersweep.collection.formats import named_format
from boilersweep.collection.warc import ARC, WARC
from tests.collection.conftest import Reader

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n"


def record(
    docid: bytes,
    content: bytes,
    kind: bytes = b"response",
    length: int | None = None,
    extra: bytes = b"",
    version: bytes = b"1.0",
) -> bytes:
    return b"".join(
        [
            b"WARC/" + version + b"\r\nWARC-Type: " + kind + b"\r\n",
            b"WARC-Record-ID: <urn:uuid:" + docid + b">\r\n",
            b"WARC-Target-URI: http://x/" + docid + b"\r\n" + extra,
            b"Content-Length: %d\r\n\r\n"
            % (len(content) if length is None else length),
            content + b"\r\n\r\n",
        ]
    )


A, B, C = (record(name, HTTP + b"<p>" + name) for name in (b"a", b"b", b"c"))


def docids(found: Iterable[Item]) -> list[str]:
    return [
        item.docid.removeprefix("urn:uuid:")
        for item in found
        if isinstance(item, Record)
    ]


def losses(found: Iterable[Item]) -> list[Skipped]:
    return [item for item in found if isinstance(item, Skipped)]


@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
def test_fields_and_offsets(items: Reader, version: bytes) -> None:
    http = HTTP.replace(b"\r\n\r\n", b"\r\ncontent-language: de, fr\r\n\r\n")
    data = A + record(b"n", http + b"<p>x\xff\n", version=version)
    first, second = items(WARC, data, "x.warc", one_way=True)
    assert (second.docid, second.body, second.url) == (
        "urn:uuid:n",
        b"<p>x\xff\n",
        "http://x/n",
    )
    assert (second.charset, second.place.offset) == ("koi8-r", len(A))
    assert (first.language, second.language) == (None, "de, fr")


@pytest.mark.parametrize(
    ("docid", "found"),
    [
        (None, "CW-1"),
        ("trec", "CW-1"),
        ("record", "urn:uuid:a"),
        ("uuid", "a"),
        ("uri", "http://x/a"),
    ],
)
def test_what_names_a_page_may_be_chosen(
    items: Reader, docid: DocidOf | None, found: str
) -> None:
    data = record(b"a", HTTP + b"x", extra=b"WARC-TREC-ID: CW-1\r\n")
    assert items(named_format("warc", Reading(docid=docid)), data)[0].docid == found


def test_a_page_without_the_header_asked_for_has_no_docid(items: Reader) -> None:
    [skipped] = items(named_format("warc", Reading(docid="trec")), A)
    assert skipped.reason is Reason.NO_DOCID
    assert skipped.detail == "expected WARC-TREC-ID, found none"


@pytest.mark.parametrize(
    ("date", "modified", "found"),
    [
        (
            b"2012-02-10T22:50:41Z",
            b"Tue, 06 Dec 2005 12:00:00 GMT",
            "2012-02-10T22:50:41Z",
        ),
        (
            b"2009-03-65T08:43:19-0800",
            b"Tue, 06 Dec 2005 12:00:00 GMT",
            "2005-12-06T12:00:00Z",
        ),
        (b"2009-03-65T08:43:19-0800", b"0", None),
    ],
)
def test_dates(items: Reader, date: bytes, modified: bytes, found: str | None) -> None:
    http = HTTP.replace(b"\r\n\r\n", b"\r\nLast-Modified: " + modified + b"\r\n\r\n")
    data = record(b"a", http + b"x", extra=b"WARC-Date: " + date + b"\r\n")
    assert items(WARC, data)[0].date == found


@pytest.mark.parametrize(
    ("named", "charset"), [(b"", "utf-8"), (b"; charset=koi8-r", "koi8-r")]
)
def test_conversions_to_text_are_plain_text(
    items: Reader, named: bytes, charset: str
) -> None:
    extra = b"Content-Type: text/plain%s\r\nWARC-Date: 2012-02-10T22:50:41Z\r\n" % named
    [found] = items(WARC, record(b"a", b"1 < 2\n", b"conversion", extra=extra))
    assert (found.body, found.plain, found.charset) == (b"1 < 2\n", True, charset)
    assert (found.url, found.date) == ("http://x/a", "2012-02-10T22:50:41Z")


def test_gzip_members_are_the_places(items: Reader) -> None:
    members = [gzip.compress(part) for part in (A, B, C)]
    found = items(WARC, b"".join(members), one_way=True)
    assert [item.place.offset for item in found] == [
        0,
        len(members[0]),
        len(members[0] + members[1]),
    ]
    assert docids(found) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (record(b"n", b"software: x", b"warcinfo"), Reason.WARCINFO),
        (record(b"n", b"GET / HTTP/1.1\r\n\r\n", b"request"), Reason.REQUEST),
        (record(b"n", HTTP, b"Revisit"), Reason.REVISIT),
        (record(b"n", b"<p>", b"metadata"), Reason.METADATA),
        (record(b"n", b"<p>", b"conversion"), Reason.CONVERSION),
        (
            record(b"n", b"<p>", b"conversion", extra=b"Content-Type: image/png\r\n"),
            Reason.CONVERSION,
        ),
        (record(b"n", HTTP, b"continuation"), Reason.CONTINUATION),
        (record(b"n", HTTP, b"screenshot"), Reason.OTHER_RECORD),
        (
            record(b"n", b"1 2", extra=b"Content-Type: text/dns\r\n"),
            Reason.OTHER_RECORD,
        ),
        (
            record(b"n", b"1", extra=b"Content-Type: application/http\r\n"),
            Reason.NOT_A_PAGE,
        ),
        (record(b"n", b"HTTP/1.1 404 Not Found\r\n\r\n<p>x"), Reason.NOT_A_PAGE),
        (record(b"n", b"HTTP/1.1\r\n\r\n<p>x"), Reason.NOT_A_PAGE),
        (record(b"n", b"<p>no header"), Reason.NOT_A_PAGE),
        (
            record(b"n", b"HTTP/1.0 200\r\nContent-Type: image/png\r\n\r\nx"),
            Reason.NOT_HTML,
        ),
        (
            record(b"n", b"<p>", b"resource", extra=b"Content-Type: text/plain\r\n"),
            Reason.NOT_HTML,
        ),
        (record(b"n", HTTP + b" \r\n"), Reason.EMPTY_PAGE),
        (record(b"n", b"HTTP/1.0 200 OK\r\n"), Reason.EMPTY_PAGE),
        (record(b"n", b""), Reason.NOT_A_PAGE),
        (
            record(
                b"n", b"HTTP/1.0 200 OK\r\nContent-Encoding: zstd\r\n\r\n(\xb5/\xfd"
            ),
            Reason.UNDECODABLE_BODY,
        ),
        (
            record(
                b"n",
                b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
                + gzip.compress(bytes(2 * MAX_PAGE_BYTES)),
            ),
            Reason.TOO_LARGE,
        ),
    ],
)
def test_what_is_no_page_is_skipped_and_the_next_is_read(
    items: Reader, data: bytes, reason: Reason
) -> None:
    skipped, found = items(WARC, data + A)
    assert (skipped.reason, skipped.docid) == (reason, "urn:uuid:n")
    assert docids([found]) == ["a"]


def test_resources_are_pages(items: Reader) -> None:
    extra = b"Content-Type: text/html;charset=utf-8\r\n"
    [found] = items(WARC, record(b"a", b"<p>x", b"resource", extra=extra))
    assert (found.body, found.charset) == (b"<p>x", "utf-8")


def test_bodies_are_decoded(items: Reader) -> None:
    body = gzip.compress(b"<p>x")
    http = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    chunks = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    found = items(
        WARC, record(b"a", http + chunks) + record(b"b", http + b"<p>neither")
    )
    assert [item.body for item in found] == [b"<p>x", b"<p>neither"]


PACKED = [pytest.param(False, id="plain"), pytest.param(True, id="gzip")]


def joined(parts: Iterable[bytes], packed: bool) -> bytes:
    return b"".join(map(gzip.compress, parts) if packed else parts)


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("length", [0, 9, 75, 400, 10**12, 10**30, -5])
def test_a_wrong_length_costs_one_record(
    items: Reader, length: int, packed: bool
) -> None:
    bad = record(b"bad", HTTP + b"<p>" + b"bad " * 20, length=length)
    found = items(WARC, joined([A, bad, B, C], packed))
    assert docids(found) == ["a", "b", "c"]
    [loss] = losses(found)
    assert (loss.reason, loss.docid) == (Reason.MALFORMED, "urn:uuid:bad")


JUNK = [b"junk\r\n" * 9, A, b"more\r\n" * 50_000, B]
QUOTING = record(b"q", HTTP + b"<pre>" + B + b"</pre>")
PACKED_A, PACKED_B, PACKED_C = map(gzip.compress, (A, B, C))


@pytest.mark.parametrize(
    ("data", "kept", "reasons"),
    [
        pytest.param(b"", "", [], id="nothing"),
        pytest.param(b"<html>" * 99_999, "", [Reason.MALFORMED], id="no WARC"),
        pytest.param(
            A.replace(b"WARC-Rec", b"X-Rec"), "", [Reason.NO_DOCID], id="no docid"
        ),
        pytest.param(
            gzip.compress(A + B + C), "abc", [], id="one member for the whole file"
        ),
        pytest.param(
            A.strip() + b"\n" + B.strip() + C.strip(), "abc", [], id="no line breaks"
        ),
        pytest.param(A + QUOTING + C, "aqc", [], id="a page may quote a record"),
        pytest.param(
            joined(JUNK, packed=False), "ab", [Reason.MALFORMED] * 2, id="junk"
        ),
        pytest.param(
            joined(JUNK, packed=True), "ab", [Reason.MALFORMED] * 2, id="packed junk"
        ),
        pytest.param(
            PACKED_A + bytes(99_999) + PACKED_B + bytes(9), "ab", [], id="padding"
        ),
        pytest.param(
            PACKED_A + B + C, "a", [Reason.NOT_GZIP], id="records behind members"
        ),
        pytest.param(
            PACKED_A + gzip.compress(B[:-20]) + b"junk" + PACKED_C,
            "ac",
            [Reason.TRUNCATED, Reason.NOT_GZIP],
            id="a record that runs on into what is no gzip",
        ),
        pytest.param(A + B[:-20], "a", [Reason.TRUNCATED], id="truncated page"),
        pytest.param(A + B[:30], "a", [Reason.TRUNCATED], id="truncated head"),
        pytest.param(
            PACKED_A + PACKED_B[:-12], "a", [Reason.TRUNCATED], id="truncated member"
        ),
    ],
)
def test_damage_is_counted_and_the_other_records_are_read(
    items: Reader, data: bytes, kept: str, reasons: list[Reason]
) -> None:
    found = items(WARC, data)
    assert docids(found) == [*kept]
    assert [loss.reason for loss in losses(found)] == reasons


@pytest.mark.parametrize("size", [3, 100_000])
def test_garbage_between_members_costs_none(items: Reader, size: int) -> None:
    found = items(WARC, PACKED_A + b"x" * size + PACKED_B + b"tail")
    assert docids(found) == ["a", "b"]
    assert [loss.reason for loss in losses(found)] == [Reason.NOT_GZIP] * 2
    places = [len(PACKED_A), len(PACKED_A + PACKED_B) + size]
    assert [loss.place.offset for loss in losses(found)] == places
    expected = f"the {size:,} bytes stored from byte {places[0]} on are no gzip"
    assert losses(found)[0].detail == expected


def test_many_heads_without_an_end_take_no_longer_than_others(items: Reader) -> None:
    before = time.process_time()
    found = items(WARC, b"WARC/1.0\r\nA:\r\n" * 20_000 + A)
    assert docids(found) == ["a"]
    # 24 seconds when each was searched to its limit
    assert time.process_time() - before < 5


@pytest.mark.parametrize("at", [3, 40, -6])
def test_a_corrupt_member_costs_one_record(items: Reader, at: int) -> None:
    bad = bytearray(gzip.compress(B))
    bad[at] ^= 0xFF
    found = items(WARC, gzip.compress(A) + bytes(bad) + gzip.compress(C))
    assert docids(found) == ["a", "c"]
    assert losses(found)


def test_a_huge_record_is_passed_with_bounded_memory(items: Reader) -> None:
    data = gzip.compress(
        record(b"n", HTTP + bytes(4 * MAX_PAGE_BYTES)), 1
    ) + gzip.compress(A)
    tracemalloc.start()
    skipped, found = items(WARC, data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert skipped.reason == Reason.TOO_LARGE
    assert docids([found]) == ["a"]
    assert peak < 4 * MAX_PAGE_BYTES


PARTS = [
    A,
    A[:40],
    HTTP,
    b"WARC/1.0\r\n",
    b"a: b\r\n",
    b"\r\n",
    b"Content-Length: 3\r\n",
]


@given(
    st.lists(st.sampled_from([*PARTS, gzip.compress(A)]) | st.binary(max_size=9)),
    st.booleans(),
)
def test_any_bytes_end_without_an_error(
    items: Reader, parts: list[bytes], packed: bool
) -> None:
    for item in items(WARC, joined(parts, packed)):
        assert isinstance(item, Record | Skipped)


@pytest.fixture(scope="module")
def zstd() -> Any:
    return pytest.importorskip(
        "backports.zstd", reason="reading zstd needs backports.zstd"
    )


@pytest.mark.parametrize("dictionary", ["none", "plain", "compressed"])
def test_zstd_with_and_without_a_dictionary(
    items: Reader, zstd: Any, dictionary: str
) -> None:
    trained = zstd.train_dict([A * 3, B * 3, C * 3] * 10, 800)
    options = {} if dictionary == "none" else {"zstd_dict": trained}
    packed = [zstd.compress(one, **options) for one in (A, B, C)]
    content = trained.dict_content
    content = zstd.compress(content) if dictionary == "compressed" else content
    head = (
        b""
        if dictionary == "none"
        else b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little")
    )
    head += content if head else b""
    found = items(WARC, head + b"".join(packed), "x.warc.zst")
    assert docids(found) == ["a", "b", "c"]
    assert [one.place.offset for one in found] == [
        len(head),
        len(head) + len(packed[0]),
        len(head) + len(packed[0] + packed[1]),
    ]


def test_damaged_zstd_costs_one_record(items: Reader, zstd: Any) -> None:
    a, b, c = (bytearray(zstd.compress(one)) for one in (A, B, C))
    b[6:20] = bytes(14)
    found = items(WARC, bytes(a + b + c), "x.warc.zst")
    assert docids(found) == ["a", "c"]
    assert len(losses(found)) >= 1
    found = items(WARC, bytes(a + c[:-9]), "x.warc.zst")
    assert (docids(found), losses(found)[0].reason) == (["a"], Reason.TRUNCATED)
    found = items(WARC, bytes(a + b"junk that is no zstd" + c), "x.warc.zst")
    assert (docids(found), len(losses(found))) == (["a", "c"], 1)
    found = items(WARC, b"\x5d\x2a\x4d\x18\x05\0\0\0wrong" + bytes(a), "x.warc.zst")
    assert "the dictionary cannot be read" in losses(found)[0].detail


@given(st.data())
def test_no_damage_of_zstd_raises(data: st.DataObject) -> None:
    zstd = pytest.importorskip("backports.zstd")
    packed = bytearray(b"".join(zstd.compress(one) for one in (A, B, C)))
    for at in data.draw(st.lists(st.integers(0, len(packed) - 1), max_size=4)):
        packed[at] ^= data.draw(st.integers(1, 255))
    list(WARC.read(io.BytesIO(bytes(packed)), "x.warc.zst"))


def test_a_body_in_zstd_is_decoded(items: Reader, zstd: Any) -> None:
    head = HTTP.replace(b"\r\n\r\n", b"\r\nContent-Encoding: zstd\r\n\r\n")
    packed = zstd.compress(b"<p>one")
    first, second = items(
        WARC, record(b"n", head + packed) + record(b"m", head + packed[:-3])
    )
    assert first.body == b"<p>one"
    assert second.reason is Reason.UNDECODABLE_BODY
    bomb = zstd.compress(bytes(MAX_PAGE_BYTES + 1))
    assert items(WARC, record(b"n", head + bomb))[0].reason is Reason.TOO_LARGE


def wacz(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        for name, content in members.items():
            archive.writestr(f"archive/{name}.warc.gz", content)
    return file.getvalue()


def test_wacz(items: Reader) -> None:
    data = wacz(a=gzip.compress(A) + gzip.compress(B), b=C)
    found = items(WARC, data, "x.wacz", one_way=True)
    assert docids(found) == ["a", "b", "c"]
    assert [(one.place.source, one.place.offset) for one in found] == [
        ("x.wacz/archive/a.warc.gz", 0),
        ("x.wacz/archive/a.warc.gz", len(gzip.compress(A))),
        ("x.wacz/archive/b.warc.gz", 0),
    ]


def test_wacz_with_two_members_of_one_name(items: Reader) -> None:
    file = io.BytesIO(wacz(a=A))
    with (
        zipfile.ZipFile(file, "a") as archive,
        pytest.warns(UserWarning, match="Duplicate name"),
    ):
        archive.writestr("archive/a.warc.gz", B)
    assert docids(items(WARC, file.getvalue(), "x.wacz", one_way=True)) == ["a", "b"]


def test_damaged_wacz_is_counted(items: Reader) -> None:
    data = wacz(a=A, b=B)
    found = items(WARC, data[:-30], "x.wacz", one_way=True)
    assert [one.reason for one in found] == [Reason.TRUNCATED]
    at = data.index(B)
    found = items(WARC, data[:at] + b"X" + data[at + 1 :], "x.wacz", one_way=True)
    assert docids(found) == ["a"]
    assert losses(found)
    # Is not read within
    assert losses(items(WARC, wacz(a=data), "x.wacz", one_way=True))


def arc_record(
    url: bytes, content: bytes, kind: bytes = b"text/html", length: int | None = None
) -> bytes:
    size = len(content) if length is None else length
    return b"%s 10.0.0.1 20060102030405 %s %d\n%s\n" % (url, kind, size, content)


ARC_HEAD = arc_record(b"filedesc://a.arc", b"1 0 IA\nURL IP-address\n", b"text/plain")
ARC_A, ARC_B = (arc_record(b"http://x/" + n, HTTP + b"<p>" + n) for n in (b"a", b"b"))


@pytest.mark.parametrize("is_packed", [False, True])
def test_arc(items: Reader, is_packed: bool) -> None:
    members = [ARC_HEAD, ARC_A, ARC_B]
    data = b"".join(map(gzip.compress, members) if is_packed else members)
    skipped, first, second = items(ARC, data, "x.arc", one_way=True)
    assert isinstance(skipped, Skipped)
    assert skipped.reason is Reason.WARCINFO
    assert (first.docid, first.body, first.url) == ("http://x/a", b"<p>a", "http://x/a")
    assert (first.date, first.charset) == ("2006-01-02T03:04:05Z", "koi8-r")
    assert second.place.offset == len(
        b"".join(map(gzip.compress, members[:2])) if is_packed else ARC_HEAD + ARC_A
    )


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (arc_record(b"http://x/c", HTTP + b"<p>c", length=9), Reason.MALFORMED),
        (arc_record(b"http://x/c", HTTP + b"<p>c", length=10**6), Reason.MALFORMED),
        (b"no record\n", Reason.MALFORMED),
        (arc_record(b"http://x/c", b"GIF89a", b"image/gif"), Reason.NOT_HTML),
        (arc_record(b"dns:x", b"20060102 x 1.2.3.4", b"text/dns"), Reason.NOT_HTML),
        (arc_record(b"http://x/c", b"HTTP/1.0 404 No\r\n\r\n"), Reason.NOT_A_PAGE),
    ],
)
def test_what_is_no_page_of_arc(items: Reader, damaged: bytes, reason: Reason) -> None:
    found = items(ARC, ARC_A + damaged + ARC_B, "x.arc", one_way=True)
    assert docids(found) == ["http://x/a", "http://x/b"]
    assert [one.reason for one in losses(found)] == [reason]


def test_a_page_of_arc_without_http(items: Reader) -> None:
    line = b"http://x/a 1.2.3.4 20060102 text/html 200 - - 0 a.arc 4\n<p>a"  # version 2
    (page,) = items(ARC, line, "x.arc", one_way=True)
    assert (page.body, page.date) == (b"<p>a", "2006-01-02")
