import gzip
import hashlib
import re
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection import trec_web
from boilersweep.collection.files import Tree
from boilersweep.collection.format import MAX_PAGE_BYTES, Item, Reason, Record, Skipped
from boilersweep.collection.trec_web import BLOGS06, TREC_WEB
from tests.collection.conftest import Reader

HEADER = b"http://x/ 1.2.3.4 2005\nHTTP/1.1 200 OK\nContent-Type: text/html; charset=koi8-r\n"


def doc(docno: bytes, body: bytes, header: bytes = HEADER) -> bytes:
    return (
        b"<DOC>\n<DOCNO>"
        + docno
        + b"</DOCNO>\n<DOCHDR>\n"
        + header
        + b"</DOCHDR>\n"
        + body
    ) + b"\n</DOC>\n"


GOOD = doc(b"good", b"<p>good")


def bodies(found: Iterable[Item]) -> list[bytes]:
    return [item.body for item in found if isinstance(item, Record)]


def reasons(found: Iterable[Item]) -> list[Reason]:
    return [item.reason for item in found if isinstance(item, Skipped)]


def test_fields_and_offsets(items: Reader) -> None:
    data = doc(b" a ", b"<p>\xff\r\n") + b"\n" + GOOD
    first, second = items(TREC_WEB, data, "x/y.gz", one_way=True)
    assert (first.docid, first.body) == ("a", b"<p>\xff\r\n")
    assert (first.url, first.charset, first.plain) == ("http://x/", "koi8-r", False)
    assert str(second.place) == f"x/y.gz at byte {data.index(b'<DOC>', 9):,}"
    assert items(TREC_WEB, gzip.compress(data), "x/y.gz") == [first, second]


@pytest.mark.parametrize(
    "head",
    [
        b"<DOC>\r\n<DOCNO>a</DOCNO>\r\n<DOCHDR>\r\nhttp://x/\r\n</DOCHDR>\r\n",
        b"<doc>\n<docno>\na\n</docno>\n<dochdr>\nhttp://x/\n</dochdr>\n",
        b"<DOC><DOCNO>a</DOCNO><DOCHDR>http://x/</DOCHDR>",
        b"\xef\xbb\xbf \n <DOC> \n<DOCNO>a\n<DOCHDR>\nhttp://x/\n</DOCHDR>",
        b"<DOC>\n<DOCNO>a\n<DOCHDR>\nhttp://x/\n</DOCHDR>\n",
        b"<DOC>\n<CRAWLED>\nx\n</CRAWLED>\n<DOCNO>a</DOCNO>\n<DOCOLDNO>b</DOCOLDNO>\n"
        b"<SITE>s</SITE>\n<DOCHDR>\nhttp://x/\n</DOCHDR>\n",
    ],
)
def test_spellings_of_the_head(items: Reader, head: bytes) -> None:
    [record] = items(TREC_WEB, head + b"<p>x</DOC>\n")
    assert (record.docid, record.url, record.body) == ("a", "http://x/", b"<p>x")


MODIFIED = b"Last-Modified: Tue, 06 Dec 2005 12:00:00 GMT\n"


@pytest.mark.parametrize(
    ("tag", "header", "date"),
    [
        (b"2005-12-06T23:34:40+0000", HEADER + MODIFIED, "2005-12-06T23:34:40Z"),
        (b"yesterday", HEADER + MODIFIED, "2005-12-06T12:00:00Z"),
        (b"", HEADER, None),
        (
            b"",
            b"http://x/20051206000000 1.2.3.4 19970115093446 text/html 2\n" + MODIFIED,
            1997,
        ),
        (b"", b"http://x/ 1.2.3.4 19979915093446 text/html 2\n" + MODIFIED, 2005),
        (b"", b"http://x/\nHTTP/1.1 302 x\n" + MODIFIED + b"HTTP/1.1 200 OK\n", None),
    ],
)
def test_dates(
    items: Reader, tag: bytes, header: bytes, date: str | int | None
) -> None:
    data = doc(b"a", b"<p>x", header)
    if tag:
        data = data.replace(b"<DOCHDR>", b"<DATE_XML>" + tag + b"</DATE_XML>\n<DOCHDR>")
    known: dict[object, object] = {
        1997: "1997-01-15T09:34:46Z",
        2005: "2005-12-06T12:00:00Z",
    }
    assert items(TREC_WEB, data)[0].date == known.get(date, date)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (HEADER + b"Content-Language: de-AT \n", "de-AT"),
        (b"http://x/\nHTTP/1.1 302\nContent-Language: fr\n\nHTTP/1.1 200 OK\n", None),
        (HEADER, None),
    ],
)
def test_the_language_that_the_header_names(
    items: Reader, header: bytes, language: str | None
) -> None:
    [record] = items(TREC_WEB, doc(b"a", b"<p>x", header))
    assert isinstance(record, Record)
    assert record.language == language


QUOTING = (
    b"<code></DOC></code> </DOC> x\n<DOC>\n<p>not a docno\ntext <DOC>\n<DOCNO>q</DOCNO>"
)
OPEN = doc(b"a", b"<p>x").removesuffix(b"</DOC>\n")
HEAD = b"<DOC>\n<DOCNO>a</DOCNO>\n<DOCHDR>\n</DOCHDR>\n<p>x"
LARGE = b"x" * MAX_PAGE_BYTES
PACKED = gzip.compress(GOOD.strip())


@pytest.mark.parametrize(
    ("data", "pages", "skipped"),
    [
        pytest.param(
            doc(b"a", b"<p>x").replace(b"\n", b"\r\n"), [b"<p>x"], [], id="CRLF"
        ),
        pytest.param(
            doc(b"a", QUOTING) + GOOD, [QUOTING, b"<p>good"], [], id="quoted marks"
        ),
        *(
            (HEAD + end, [b"<p>x"], [])
            for end in (b"\n  </doc> \t\n", b"</DOC>\n", b"\n</DOC>")
        ),
        pytest.param(
            HEAD + b"</DOC>  ", [b"<p>x"], [], id="white space behind the end"
        ),
        pytest.param(
            OPEN + GOOD, [b"<p>x", b"<p>good"], [], id="no end before another"
        ),
        pytest.param(GOOD + OPEN, [b"<p>good", b"<p>x\n"], [], id="no end at the end"),
        pytest.param(GOOD.strip() + GOOD, [b"<p>good"] * 2, [], id="no line break"),
        pytest.param(
            b"<DOC>\n<DOCNO>a</DOCNO>\n<h1>T</h1>\n<p>x\n</DOC>",
            [b"<h1>T</h1>\n<p>x"],
            [],
            id="unknown tags without DOCHDR",
        ),
        pytest.param(
            b"<DOC>\n<DOCNO>a\n<html>x\n</DOC>", [b"<html>x"], [], id="an open DOCNO"
        ),
        pytest.param(doc(b"a", LARGE), [LARGE], [], id="as large as may be"),
        pytest.param(doc(b"a", LARGE + b"x"), [], [Reason.TOO_LARGE], id="too large"),
        pytest.param(gzip.compress(GOOD) + bytes(100), [b"<p>good"], [], id="padding"),
        pytest.param(PACKED + b"junk", [b"<p>good"], [Reason.NOT_GZIP], id="garbage"),
        pytest.param(
            gzip.compress(GOOD + OPEN) + b"two\n</DOC>\n" + doc(b"c", b"<p>three"),
            [b"<p>good"],
            [Reason.TRUNCATED, Reason.NOT_GZIP],
            id="a document that runs on into what is no gzip",
        ),
    ],
)
def test_pages_and_what_is_skipped(
    items: Reader, data: bytes, pages: list[bytes], skipped: list[Reason]
) -> None:
    found = items(TREC_WEB, data)
    assert bodies(found) == pages
    assert reasons(found) == skipped


def test_truncated_file(items: Reader) -> None:
    pages = b"".join(
        doc(b"d%d" % i, hashlib.sha512(b"%d" % i).hexdigest().encode())
        for i in range(999)
    )
    found = items(TREC_WEB, gzip.compress(pages, 1)[:-1000])
    assert [item.docid for item in found] == [f"d{i}" for i in range(len(found))]
    assert reasons(found) == [Reason.TRUNCATED]
    assert found[-1].reason == Reason.TRUNCATED
    assert found[-1].detail == "the gzip member ends too early"


def test_a_head_of_many_tags_takes_no_longer_than_others(items: Reader) -> None:
    names = b"".join(b"<a%d></a%d>" % (number, number) for number in range(60_000))
    before = time.process_time()
    [skipped] = items(TREC_WEB, b"<DOC>\n" + names + b"\n</DOC>\n")
    assert skipped.reason == Reason.NO_DOCID
    # 12 seconds when every name was a pattern of its own
    assert time.process_time() - before < 3


@pytest.mark.parametrize(
    ("data", "reason", "docid"),
    [
        (b"<DOC>\n<p>x\n</DOC>\n", Reason.NO_DOCID, None),
        (doc(b" ", b"x"), Reason.NO_DOCID, None),
        (doc(b"a", b" \r\n"), Reason.EMPTY_PAGE, "a"),
        (b"<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n", Reason.EMPTY_PAGE, "a"),
        (doc(b"a", b"x", b"u\nHTTP/1.0 404 Not Found\n"), Reason.NOT_A_PAGE, "a"),
        (
            doc(b"a", b"x", b"u\nHTTP/1.0 200 OK\n\nHTTP/1.0 301 Moved\n"),
            Reason.NOT_A_PAGE,
            "a",
        ),
        (doc(b"a", b"x", b"u\nContent-type: text/plain\n"), Reason.NOT_HTML, "a"),
        (b"<DOC>\n<DOCNO>a</DOCNO>\n<DOCHDR>\nx\n</DOC>\n", Reason.MALFORMED, "a"),
        (b"stray \xff\n\nmore\n", Reason.MALFORMED, None),
        (b"</DOC>\n", Reason.MALFORMED, None),
    ],
)
def test_what_is_no_page_is_skipped_and_the_next_is_read(
    items: Reader, data: bytes, reason: Reason, docid: str | None
) -> None:
    skipped, record = items(TREC_WEB, data + GOOD)
    assert (skipped.reason, skipped.docid) == (reason, docid)
    assert (record.docid, record.place.offset) == ("good", len(data))


@pytest.mark.parametrize(
    "header",
    [
        b"u\nHTTP/1.1 302 Found\n\nHTTP/1.1 200 OK\n",
        b"u\nHTTP/1.1 OK\n",
        b"u\nContent-Type:\n",
        b"",
    ],
)
def test_headers_that_are_tolerated(items: Reader, header: bytes) -> None:
    assert bodies(items(TREC_WEB, doc(b"a", b"x", header))) == [b"x"]


@pytest.mark.parametrize("line", [b"x" * 2**20, b"x" * (2**20 - 1) + b"\n"])
def test_too_large_pages_are_passed_with_bounded_memory(
    tmp_path: Path, line: bytes
) -> None:
    """100 MB of a page, then a good one."""
    with (tmp_path / "x").open("wb") as file:
        file.write(doc(b"big", b"").removesuffix(b"\n</DOC>\n"))
        file.writelines([line] * 100)
        file.write(b"\n</DOC>\n" + GOOD)
    tracemalloc.start()
    with (tmp_path / "x").open("rb") as file:
        skipped, record = TREC_WEB.read(file, "x")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(skipped, Skipped)
    assert (skipped.reason, skipped.docid) == (Reason.TOO_LARGE, "big")
    assert bodies([record]) == [b"<p>good"]
    assert peak < 2 * MAX_PAGE_BYTES


@pytest.mark.parametrize("shift", [*range(-20, 20), -4096, -4097, -4098, -4090, -4094])
def test_marks_at_the_border_of_a_block(items: Reader, shift: int) -> None:
    size = 2**20 - len(doc(b"a", b"")) + shift
    data = doc(b"a", b"x" * size) + GOOD
    assert bodies(items(TREC_WEB, data)) == [b"x" * size, b"<p>good"]


PARTS = [
    b"<DOC>",
    b"</DOC>",
    b"<DOCNO>",
    b"</DOCNO>",
    b"<DOCHDR>",
    b"</DOCHDR>",
    b"\n",
    b" ",
    b"a",
]


@given(st.lists(st.sampled_from(PARTS) | st.binary(max_size=3)).map(b"".join))
def test_any_bytes_end_without_an_error(items: Reader, data: bytes) -> None:
    for item in items(TREC_WEB, data) + items(TREC_WEB, b"\x1f\x8b" + data):
        assert isinstance(item, Record | Skipped)


FIELDS = [*PARTS, b"<docno>", b"</docno >", b"<URL>", b"</URL>", b"x" * 4090]


@given(st.lists(st.sampled_from(FIELDS)).map(b"".join))
def test_usual_fields_are_read_as_any_others(items: Reader, head: bytes) -> None:
    data = b"<DOC>\n<DOCNO>" + head + b"\n</DOC>\n"
    usual = items(TREC_WEB, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_web, "_FIELD", re.compile(b"(?!)"))
        assert items(TREC_WEB, data) == usual


@given(st.lists(st.binary().filter(lambda body: b"doc>" not in body.lower())))
def test_what_is_written_is_read(items: Reader, pages: list[bytes]) -> None:
    data = b"".join(doc(b"d%d" % i, body) for i, body in enumerate(pages))
    found = items(TREC_WEB, data)
    assert len(found) == len(pages)
    assert bodies(found) == [body for body in pages if body.strip()]


BLOG_HEADER = b"<DOCHDR>\nhttp://x/ 1.2.3.4 2005\nHTTP/1.1 200 OK\n</DOCHDR>\n"


def test_its_tags_never_become_content(items: Reader) -> None:
    tags = (
        b"<DATE_XML>2005</DATE_XML>\n<FEEDNO>f</FEEDNO>\n<FEEDURL>\nhttp://f\n</FEEDURL>\n"
        b"<BLOGHPNO></BLOGHPNO>\n<BLOGHPURL>h</BLOGHPURL>\n<permalink> http://p </permalink>\n"
    )
    for header in (BLOG_HEADER, b""):
        data = b"<DOC>\n<DOCNO>a</DOCNO>\n" + tags + header + b"<p>x</p>\n</DOC>\n"
        [record] = items(BLOGS06, data)
        assert (record.body, record.url) == (b"<p>x</p>", "http://p")


def test_newsmix_is_read_byte_for_byte(outside_data: Callable[[str], Path]) -> None:
    newsmix = outside_data("newsmix")
    lines = (newsmix / "docs.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    docid, sha1 = rows[0].index("docid"), rows[0].index("sha1")
    expected = {row[docid]: row[sha1] for row in rows[1:]}
    found = {}
    for path in Tree(newsmix).chosen(BLOGS06.wants)[0]:
        with path.open("rb") as raw:
            for item in BLOGS06.read(raw, path.name):
                assert isinstance(item, Record)
                found[item.docid] = hashlib.sha1(item.body).hexdigest()  # noqa: S324
    assert len(found) == 2183
    assert found == expected
