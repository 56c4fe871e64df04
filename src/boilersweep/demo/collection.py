"""Writes the demo collection in the layout of BLOGS06, or pages in twelve languages.

Both have topics and judgements. Of the languages:

html/de-1.html    a post of a site in German, with a menu, a teaser of the other post and a footer
text/de-1.txt     its title and its paragraphs: the gold text
topics.tsv        a topic for each post, in its language
qrels.txt         the post is relevant, the other one of its site, which names the topic, is not
"""

import gzip
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import BinaryIO, cast

from boilersweep.demo.pages import (
    PHRASES,
    SUBJECTS,
    Blog,
    Dice,
    Page,
    Subject,
    World,
    packaged,
    write_page,
)
from boilersweep.errors import OutputError, UsageError
from boilersweep.outputs.atomic import make_folder, scratch_folder, whole_file
from boilersweep.outputs.identity import file_digest
from boilersweep.outputs.parts import Output, Part
from boilersweep.outputs.streams import make_folder_of, write_output
from boilersweep.outputs.writer import writing

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
def _written_gzip(path: Path) -> Iterator[BinaryIO]:
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


def _blog_record(kind: str, blog: Blog, crawled: datetime) -> bytes:
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


DEMO = Output(name="demo collection", command="demo", facts=dict[str, int])

_FIRST_DAY = datetime(2005, 12, 6, 6)
_DAYS = 4
_FILES_A_DAY = 2
_MOST_PAGES_A_FILE = 500
_BLOGS_WITH_FEEDS = 30

_NOT_RELEVANT = 0
_NOT_JUDGED = -1
_JUDGED_RELEVANT = 0.97
_JUDGED_MENTION = 0.6
_JUDGED_OTHER = 0.02
# In a larger collection the judges read no more pages that are not relevant than in this.
_POOLED_PAGES = 600


@dataclass(frozen=True, slots=True)
class DemoCollection:
    """What was written where.

    Attributes:
        trec: the folder with the collection in the BLOGS06 layout.
    """

    trec: Path
    topics: Path
    qrels: Path
    pages: int
    topic_count: int


def write_demo(folder: Path, *, pages: int = 600, seed: int = 2006) -> DemoCollection:
    """Write a made-up blog collection, its topics and its relevance judgements.

    The same pages and seed give the same files. Below 600 pages some of the 50 topics may
    have no relevant page; those are left out of the topics.

    Raises:
        UsageError: pages is below 1.
        OutputError: a file cannot be written, or the folder holds files of another collection.
    """
    if pages < 1:
        raise UsageError(
            f"pages must be at least 1, not {pages}; 600 make the usual demo"
        )
    trec = folder / "trec"
    files = _files(trec, pages)
    of_blogs = {
        kind: files[0].path.with_name(f"{name}-000.gz")
        for kind, name in (("feed", "feeds"), ("bloghp", "homepages"))
    }
    _refuse_other_files(trec, {*of_blogs.values(), *(file.path for file in files)})
    topics, qrels = folder / "topics.txt", folder / "qrels.txt"

    world = World(pages, seed)
    judgements = defaultdict[int, list[tuple[str, int]]](list)
    for file in files:
        with _written_gzip(file.path) as out:
            for number in file.pages:
                crawled = file.day + timedelta(seconds=7 * (number - file.pages.start))
                page = write_page(world, number)
                name = docid(crawled, file.number, out.tell())
                out.write(permalink_record(name, page, crawled))
                for topic, grade in _judge(world, page):
                    judgements[topic].append((name, grade))
    blogs = list(map(world.blog, range(min(world.blogs, _BLOGS_WITH_FEEDS))))
    for kind, path in of_blogs.items():
        with _written_gzip(path) as out:
            out.writelines(_blog_record(kind, blog, _FIRST_DAY) for blog in blogs)

    asked = {
        topic: lines
        for topic, lines in sorted(judgements.items())
        if any(grade > _NOT_RELEVANT for _, grade in lines)
    }
    write_output(topics, "".join(_topic(topic, SUBJECTS[topic - 1]) for topic in asked))
    rows = (
        f"{topic} 0 {name} {grade}\n"
        for topic, lines in asked.items()
        for name, grade in lines
    )
    write_output(qrels, "".join(rows))
    return DemoCollection(trec, topics, qrels, pages, topic_count=len(asked))


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    day: datetime
    number: int
    pages: range


def _files(trec: Path, pages: int) -> list[_File]:
    """Return the permalinks files and which pages each holds."""
    a_day = max(_FILES_A_DAY, -(-pages // (_DAYS * _MOST_PAGES_A_FILE)))
    count = min(_DAYS * a_day, pages)
    files = []
    for position in range(count):
        day = _FIRST_DAY + timedelta(days=7 * (position // a_day))
        number = position % a_day
        path = trec / f"{day:%Y%m%d}" / f"permalinks-{number:03d}.gz"
        own = range(pages * position // count, pages * (position + 1) // count)
        files.append(_File(path, day, number, own))
    return files


def _refuse_other_files(trec: Path, expected: set[Path]) -> None:
    """Files left from a larger demo would become part of this one."""
    for path in sorted(trec.glob("*/*.gz")):
        if path not in expected:
            raise OutputError(
                f"expected {trec} to be empty or to hold this demo, but {path} is there; "
                "give another folder or remove it"
            )


def _judge(world: World, page: Page) -> list[tuple[int, int]]:
    """Return the topics for which a page was judged, with grades."""
    dice = Dice(world.seed, "judge", page.post.number)
    share = min(1.0, _POOLED_PAGES / world.pages)
    grades = []
    for topic, subject in enumerate(SUBJECTS, start=1):
        if subject in page.about:
            grade, probability = int(page.post.tone), _JUDGED_RELEVANT
        elif subject in page.mentioned:
            grade, probability = _NOT_RELEVANT, _JUDGED_MENTION * share
        else:
            grade, probability = _NOT_RELEVANT, _JUDGED_OTHER * share
        if dice.chance(probability):
            grades.append((topic, grade))
        elif dice.chance(probability / 10):
            grades.append((topic, _NOT_JUDGED))
    return grades


def _topic(number: int, subject: Subject) -> str:
    part, other = subject.parts[:2]
    return f"""<top>

<num> Number: {number}

<title> {subject.title}

<desc> Description:
What do bloggers write about {subject.title}?

<narr> Narrative:
A post is relevant if it, or a good part of it, is about {subject.title}: {subject.things[0]},
{subject.things[1]}, the {part}, the {other}. A link, a teaser, an advertisement or a remark in
passing is not enough.

</top>

"""


@dataclass(frozen=True, slots=True)
class Article:
    """A post.

    Attributes:
        query: words of its paragraphs, by which a topic looks for it.
    """

    title: str
    query: str
    paragraphs: list[str]


@dataclass(frozen=True, slots=True)
class Site:
    """A site in one language.

    Attributes:
        encoding: of its pages, and their label.
        menu: its short blocks.
    """

    language: str
    encoding: str
    menu: str
    articles: list[Article]


SITES = [
    Site(**{**site, "articles": [Article(**article) for article in site["articles"]]})
    for site in tomllib.loads(packaged("languages.toml"))["sites"]
]


@dataclass(frozen=True, slots=True)
class LanguagePages:
    """What was written where.

    Attributes:
        html: the folder of the pages, beside which `text` is.
    """

    html: Path
    topics: Path
    qrels: Path
    pages: int


def write_languages(folder: Path) -> LanguagePages:
    """Write the pages; they are always the same.

    Raises:
        OutputError: a file cannot be written.
    """
    html, text = folder / "html", folder / "text"
    make_folder(html)
    make_folder(text)
    topics: list[str] = []
    qrels: list[str] = []
    for site in SITES:
        for number, article in enumerate(site.articles, start=1):
            name, other = f"{site.language}-{number}", f"{site.language}-{3 - number}"
            page = _page(site, article, site.articles[2 - number])
            write_output(html / f"{name}.html", page.encode(site.encoding))
            write_output(
                text / f"{name}.txt",
                "\n".join([article.title, *article.paragraphs, ""]),
            )
            topics.append(f"{name}\t{article.query}\n")
            qrels += [f"{name} 0 {name} 1\n", f"{name} 0 {other} 0\n"]
    paths = (folder / "topics.tsv", folder / "qrels.txt")
    for path, lines in zip(paths, (topics, qrels), strict=True):
        write_output(path, "".join(lines))
    return LanguagePages(html, *paths, len(topics))


def make_demo(
    folder: Path, *, pages: int = 600
) -> tuple[DemoCollection, LanguagePages]:
    """Write the demo collection, and in it the pages in twelve languages, as an output.

    Raises:
        OutputError: A file of others is in the way, or a file cannot be written.
    """
    make_folder(folder.parent)
    with scratch_folder(folder) as made:
        demo = write_demo(made, pages=pages)
        languages = write_languages(made / "languages")
        files = {
            path.relative_to(made).as_posix(): path
            for path in sorted(made.rglob("*"))
            if path.is_file()
        }
        parts = [Part(name, file_digest(path)) for name, path in files.items()]
        recipe = {"pages": demo.pages}
        with writing(DEMO, folder, recipe, parts, overwrite=True) as writer:
            for part in writer.missing:
                path = folder / part.name
                make_folder(path.parent)
                files[part.name].replace(path)
                writer.add(part.name)
            writer.finish({"pages": demo.pages})

        def moved(path: Path) -> Path:
            return folder / path.relative_to(made)

        return (
            replace(
                demo,
                trec=moved(demo.trec),
                topics=moved(demo.topics),
                qrels=moved(demo.qrels),
            ),
            replace(
                languages,
                html=moved(languages.html),
                topics=moved(languages.topics),
                qrels=moved(languages.qrels),
            ),
        )


def _page(site: Site, article: Article, other: Article) -> str:
    menu = site.menu.split(", ")
    items = "".join(
        f'<li><a href="/{n}">{escape(one)}</a></li>' for n, one in enumerate(menu)
    )
    # Words of the other post's topic, which mislead a search of all that is on the page.
    tags = "".join(
        f'<li><a href="/tag">{escape(word)}</a></li>' for word in other.query.split()
    )
    paragraphs = "\n".join(f"<p>{escape(text)}</p>" for text in article.paragraphs)
    return f"""<!DOCTYPE html>
<html lang="{site.language}">
<head>
<meta charset="{site.encoding}">
<title>{escape(article.title)}</title>
</head>
<body>
<ul class="menu">{items}</ul>
<h1>{escape(article.title)}</h1>
{paragraphs}
<div class="aside"><a href="/other">{escape(other.title)}</a><ul>{tags}</ul></div>
<p class="footer">2026 | {escape(menu[-2])} | {escape(menu[-1])}</p>
</body>
</html>
"""
