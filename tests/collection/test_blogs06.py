"""BLOGS06: which of its files hold pages, and the tags that it adds to them."""

from boilersweep.collection.trec_web import BLOGS06
from tests.collection.conftest import Reader

HEADER = b"<DOCHDR>\nhttp://x/ 1.2.3.4 2005\nHTTP/1.1 200 OK\n</DOCHDR>\n"


def test_its_tags_never_become_content(items: Reader) -> None:
    tags = (
        b"<DATE_XML>2005</DATE_XML>\n<FEEDNO>f</FEEDNO>\n<FEEDURL>\nhttp://f\n</FEEDURL>\n"
        b"<BLOGHPNO></BLOGHPNO>\n<BLOGHPURL>h</BLOGHPURL>\n<permalink> http://p </permalink>\n"
    )
    for header in (HEADER, b""):
        data = b"<DOC>\n<DOCNO>a</DOCNO>\n" + tags + header + b"<p>x</p>\n</DOC>\n"
        [record] = items(BLOGS06, data)
        assert (record.body, record.url) == (b"<p>x</p>", "http://p")
