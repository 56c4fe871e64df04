import gzip

import pytest

from boilersweep.collection.format import MAX_PAGE_BYTES, Reading, Reason, Record
from boilersweep.collection.formats import named_format
from boilersweep.collection.html_folder import HTML
from tests.collection.conftest import Reader


def test_docid_is_the_source_without_its_suffix(items: Reader) -> None:
    [record] = items(HTML, b"\xff<p>\r\n", "a b/\xfc.html")
    assert isinstance(record, Record)
    assert (record.docid, record.body) == ("a b/\xfc", b"\xff<p>\r\n")
    assert (record.charset, record.url, record.plain) == (None, None, False)


def test_the_name_alone_may_be_the_docid(items: Reader) -> None:
    form = named_format("html", Reading(docid="name"))
    [record] = items(form, b"<html><p>x", "www.site.example/20ef78cf-52ba-4cff")
    assert (record.docid, record.place.source) == (
        "20ef78cf-52ba-4cff",
        "www.site.example/20ef78cf-52ba-4cff",
    )


def test_a_name_that_is_not_utf8_gets_a_docid_that_can_be_written(
    items: Reader,
) -> None:
    [record] = items(HTML, b"<p>", "\udce9.html")
    assert record.docid == "\xe9"


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        (gzip.compress(b"<p>x"), [b"<p>x"]),
        (gzip.compress(b"<p>x") + b"junk", [b"<p>x", Reason.NOT_GZIP]),
        (b"x" * MAX_PAGE_BYTES, [b"x" * MAX_PAGE_BYTES]),
        (b"", [Reason.EMPTY_PAGE]),
        (b" \r\n\t", [Reason.EMPTY_PAGE]),
        (gzip.compress(b""), [Reason.EMPTY_PAGE]),
        (b"x" * (MAX_PAGE_BYTES + 1), [Reason.TOO_LARGE]),
        (gzip.compress(bytes(MAX_PAGE_BYTES * 2)), [Reason.TOO_LARGE]),
        (gzip.compress(b"<p>x")[:-3], [Reason.TRUNCATED]),
    ],
    ids=range(9),
)
def test_a_page_and_what_is_skipped(
    items: Reader, data: bytes, outcome: list[object]
) -> None:
    found = items(HTML, data, "x.html")
    assert [
        one.body if isinstance(one, Record) else one.reason for one in found
    ] == outcome
    assert {one.docid for one in found} == {"x"}
