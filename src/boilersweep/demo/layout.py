"""The BLOGS06 layout: records of permalinks, feeds and home pages, in gzipped files."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, cast

from boilersweep.demo.blogs import Blog
from boilersweep.demo.pages import Page
from boilersweep.demo.prose import PHRASES
from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.streams import make_folder_of

# What every docid begins with, where BLOGS06 has BLOG06.
COLLECTION = "DEMO06"

# Kind of a blog's record -> its page, media type, item for a subject, and the whole.
_OF_BLOGS = {
    "feed": (
        "index.rdf",
        "text/xml",
        "<item><title>{}</title></item>\n",
        '<?xml version="1.0"?>\n<rss version="2.0"><channel>\n{}</channel></rss>\n',
    ),
    "bloghp": (
        "",
        "text/html",
        "<li>{}</li>\n",
        "<html><body>\n<ul>\n{}</ul>\n</body></html>\n",
    ),
}


@contextmanager
def written_gzip(path: Path) -> Iterator[BinaryIO]:
    """Provide a gzipped file to write, without the time and the name that gzip would note in it.

    Raises:
        OutputError: the file cannot be written.
    """
    make_folder_of(path)
    with (
        whole_file(path) as temporary,
        temporary.open("wb") as file,
        gzip.GzipFile(
            filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0
        ) as zipped,
    ):
        yield cast(BinaryIO, zipped)


def docid(crawled: datetime, file_number: int, offset: int) -> str:
    """Return the name of a permalink document: day, file, and byte offset in the unzipped file."""
    return f"{COLLECTION}-{crawled:%Y%m%d}-{file_number:03d}-{offset:010d}"


def permalink_record(name: str, page: Page, crawled: datetime) -> bytes:
    """One page as a permalinks file holds it."""
    url = page.post.url
    lines = [
        f"<DOCNO>{name}</DOCNO>",
        f"<DATE_XML>{page.post.written:%Y-%m-%dT%H:%M:%S}+0000</DATE_XML>",
        *_blog_lines(page.post.blog),
        f"<PERMALINK>{url}</PERMALINK>",
        *_header_lines(url, "text/html", page.charset, len(page.body), crawled),
    ]
    return _record(lines, page.body)


def blog_record(kind: str, blog: Blog, crawled: datetime) -> bytes:
    """Return a blog's feed or home page; they name its subjects, and would disturb a search."""
    page, media_type, item, whole = _OF_BLOGS[kind]
    body = whole.format(
        "".join(item.format(each.title) for each in blog.subjects)
    ).encode()
    lines = [
        f"<DOCNO>{COLLECTION}-{kind}-{blog.number:06d}</DOCNO>",
        f"<DATE_XML>{crawled:%Y-%m-%dT%H:%M:%S}+0000</DATE_XML>",
        *_blog_lines(blog),
        *_header_lines(
            f"http://{blog.host}/{page}", media_type, "utf-8", len(body), crawled
        ),
    ]
    return _record(lines, body)


def _blog_lines(blog: Blog) -> list[str]:
    return [
        f"<FEEDNO>{COLLECTION}-feed-{blog.number:06d}</FEEDNO>",
        f"<FEEDURL>http://{blog.host}/index.rdf</FEEDURL>",
        f"<BLOGHPNO>{COLLECTION}-bloghp-{blog.number:06d}</BLOGHPNO>",
        f"<BLOGHPURL>http://{blog.host}/</BLOGHPURL>",
    ]


def _header_lines(
    url: str, media_type: str, charset: str | None, size: int, crawled: datetime
) -> list[str]:
    """Return the HTTP answer.

    Its dates are spelled out: strftime's names follow the locale.
    """
    weekday, month = (
        PHRASES["weekdays"][crawled.weekday()][:3],
        PHRASES["months"][crawled.month - 1][:3],
    )
    label = f"; charset={charset}" if charset else ""
    return [
        "<DOCHDR>",
        f"{url} 0.0.0.0 {crawled:%Y%m%d%H%M%S} {size}",
        "HTTP/1.1 200 OK",
        f"Date: {weekday}, {crawled:%d} {month} {crawled:%Y %H:%M:%S} GMT",
        "Server: Apache",
        f"Content-Type: {media_type}{label}",
        f"Content-Length: {size}",
        "Connection: close",
        "</DOCHDR>",
    ]


def _record(lines: list[str], body: bytes) -> bytes:
    head = "\n".join(["<DOC>", *lines, ""]).encode("ascii")
    return head + body + b"\n</DOC>\n"
