import gzip

from boilersweep.collection.format import MAX_PAGE_BYTES
from boilersweep.collection.html_folder import HTML
from boilersweep.collection.record import Reason, Record


def test_finds_html_files_in_order(tmp_path):
    names = [
        "b.html",
        "a/z.HTM",
        "a/y.xhtml.gz",
        "c.txt",
        ".hidden.html",
        ".git/x.html",
        "d.html.bak",
    ]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"<p>x")
    (tmp_path / "e.html").symlink_to(tmp_path / "c.txt")
    (tmp_path / "f.html").symlink_to(tmp_path / "nowhere")
    found = [path.relative_to(tmp_path).as_posix() for path in HTML.find(tmp_path)]
    assert found == ["a/y.xhtml.gz", "a/z.HTM", "b.html", "e.html"]
    assert HTML.find(tmp_path / "b.html") == [tmp_path / "b.html"]


def test_docid_is_the_source_without_its_suffix(items):
    [record] = items(HTML, b"\xff<p>\r\n", "a b/\xfc.html")
    assert isinstance(record, Record)
    assert (record.docid, record.body) == ("a b/\xfc", b"\xff<p>\r\n")
    assert (record.charset, record.url, record.plain) == (None, None, False)


def test_a_name_that_is_not_utf8_gets_a_docid_that_can_be_written(items):
    [record] = items(HTML, b"<p>", "\udce9.html")
    assert record.docid == "\xe9"


def test_gzip_is_undone(items):
    [record] = items(HTML, gzip.compress(b"<p>x"), one_way=True)
    assert record.body == b"<p>x"


def test_what_is_no_page_is_skipped(items):
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
