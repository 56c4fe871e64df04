import gzip

from boilersweep.collection.format import MAX_PAGE_BYTES
from boilersweep.collection.html_folder import HTML
from boilersweep.collection.record import Reason, Record
from tests.collection.conftest import Reader


def test_names_of_html_files() -> None:
    assert all(map(HTML.wants, ["b.html", "z.HTM", "y.xhtml.gz", "a b\n.html"]))
    assert not any(map(HTML.wants, ["html", ".html", "a.html.bak", "a.html5", "a.html.bz2"]))


def test_docid_is_the_source_without_its_suffix(items: Reader) -> None:
    [record] = items(HTML, b"\xff<p>\r\n", "a b/\xfc.html")
    assert isinstance(record, Record)
    assert (record.docid, record.body) == ("a b/\xfc", b"\xff<p>\r\n")
    assert (record.charset, record.url, record.plain) == (None, None, False)


def test_a_name_that_is_not_utf8_gets_a_docid_that_can_be_written(items: Reader) -> None:
    [record] = items(HTML, b"<p>", "\udce9.html")
    assert record.docid == "\xe9"


def test_gzip_is_undone(items: Reader) -> None:
    [record] = items(HTML, gzip.compress(b"<p>x"), one_way=True)
    assert record.body == b"<p>x"


def test_what_is_no_page_is_skipped(items: Reader) -> None:
    cases = {
        Reason.EMPTY_PAGE: [b"", b" \r\n\t", gzip.compress(b"")],
        Reason.TOO_LARGE: [b"x" * (MAX_PAGE_BYTES + 1), gzip.compress(bytes(MAX_PAGE_BYTES * 2))],
        Reason.TRUNCATED: [gzip.compress(b"<p>x")[:-3]],
    }
    for reason, contents in cases.items():
        for data in contents:
            [skipped] = items(HTML, data, "x.html")
            assert (skipped.reason, skipped.docid) == (reason, "x")
    record, skipped = items(HTML, gzip.compress(b"<p>x") + b"junk", "x.html")
    assert (record.body, skipped.reason) == (b"<p>x", Reason.NOT_GZIP)
    [record] = items(HTML, b"x" * MAX_PAGE_BYTES)
    assert isinstance(record, Record)
