"""BLOGS06: which of its files hold pages, and the tags that it adds to them."""

from pathlib import Path

from boilersweep.collection.files import Tree
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


def test_finds_the_files_of_pages(tmp_path: Path) -> None:
    names = ["20051206/permalinks-001.gz", "20051206/feeds-001.gz", "20051206/homepages-001.gz"]
    names += ["20051205/permalinks-000", "README", ".permalinks-9", ".x/permalinks-3"]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    files, _ = Tree(tmp_path).chosen(BLOGS06.wants)
    found = [path.relative_to(tmp_path).as_posix() for path in files]
    assert found == ["20051205/permalinks-000", "20051206/permalinks-001.gz"]
    assert Tree(tmp_path / "README").chosen(BLOGS06.wants)[0] == [tmp_path / "README"]
