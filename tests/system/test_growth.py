"""The time of a page or file is at most linear in its size, whatever it consists of."""

import contextlib
import gc
import io
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import boilersweep
from boilersweep import BoilersweepError, Segmentation
from boilersweep.cleaners.page_model import why_no_model
from boilersweep.cleaners.registry import rules_alone
from boilersweep.collection.format import USUAL
from boilersweep.collection.formats import named_format
from boilersweep.extractors import ccb, cetr, partitions
from boilersweep.extractors.registry import find_extractor
from boilersweep.pages.metadata import metadata
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import Task, recipe_of
from boilersweep.topics.query_log import parse_query_log

# How many times as long a page of twice the size may take.
MOST = 2.5

# How much longer each byte of a page of four times the size may take.
RISE = 1.5

# Seconds of CPU time that are never too long.
NOISE = 0.02

TEXT = "<p>Some ordinary words about rain and wind in the hills of the north.</p>"
SCRIPT = "<script type=application/ld+json>{}</script>"
NESTED = [
    "<b>",
    "<a href=x>",
    "<i>x",
    "<div>x",
    "<article><h1>a</h1>",
    "<ul><li>x",
    "<table><tr><td>",
    "<div itemtype=x/Comment><i itemprop=author>x ",
    "<pre>a\n",
    "<div><pre>a</pre>b ",
    "<code>a b ",
    "<blockquote>x ",
    "<dl><dt>x<dd>y ",
    "<section><h2>a</h2>x ",
    "<details><summary>x</summary>y ",
    "<figure><img src=x alt=y>x ",
    "<font color=red>x ",
]
REPEATED = [
    "<h1>a</h1>",
    "<time class=updated>b</time>",
    "<time datetime=2024>b</time>",
    "<hr>",
    "x<br>",
    "<br>\n",
    "<h2>x</h2><p>y",
    "<ol><li>x</ol>",
    "<dl><dt>a<dd>b</dl>",
    "<blockquote>x</blockquote>",
    "<tr><td rowspan=50 colspan=50>x<td>y",
    "<div class=comment>a b</div>",
    "~~a~~ ",
    "<a href=x>a</a>",
    "<a rel=author>a</a>",
    "<i>a</i> ",
    "<p>a",
    "<b><i>a</b>",
    "<p><b>a</p>",
    "<meta property=og:title content=x>",
    "<meta name=author content=x>",
    "<img src=x alt=y>",
    "<link rel=canonical>",
    "<html lang=x>",
    "<p itemprop=author>x</p>",
    "<li>a",
    "<td>a",
    "&amp;",
    "<p itemprop=author><b itemprop=name></b></p>",
    "<p itemprop=headline>x",
    "<script>",
    "<title>",
    "</p>",
    "</b>",
    "<!--x-->",
    "<noscript>x</noscript>",
    "<object>x",
    "<select><option>x",
    "<svg>",
    "<pre>x\n</pre>",
    "<code>`</code>",
    "<math>x</math>",
    "*",
    "_a_ ",
    "[a](b) ",
    "漢字",
    "<<",
    "x ",
    "<article><h1>a</h1><time>b</time></article>",
    "<header><time>b</time>",
    "<table><tr><td>a",
    "<div itemtype=x/Comment><time>b</time><b itemprop=author>a</b></div>",
]
VALUES = [
    "a author headline ",
    "author ",
    "headline ",
    "display: ",
    " ",
    "a-",
    "a,",
    "&#1",
]
ATTRIBUTES = [
    "<p itemprop='{}'>x",
    "<a rel='{}'>x</a>",
    "<p class='{}'>x",
    "<p style='{}'>x",
    "<meta name=author content='{}'>",
    "<meta name=citation_author content='{}'>",
]
JSON = {
    "blanks": lambda n: SCRIPT.format(" " * n + "x"),
    "comments": lambda n: SCRIPT.format("/*" * n + "]]>" * n),
    "list": lambda n: SCRIPT.format("[" * 500 + "1," * n),
    "scripts": lambda n: SCRIPT.format('{"@type":"Article","headline":"x"}') * n,
    "authors": lambda n: SCRIPT.format(
        json.dumps(
            {"@type": "Article", "author": [{"name": f"A {i}"} for i in range(n)]}
        )
    ),
    "references": lambda n: SCRIPT.format(
        json.dumps(
            [
                {"@type": "Article", "@id": f"{i}", "author": {"@id": f"{i}"}}
                for i in range(n)
            ]
        )
    ),
}


# A post whose author is marked around all of it, at as many levels as there are paragraphs.
POST = "<div itemtype=x/Comment>"
AUTHORS = "<div itemprop=author>"


Shape = Callable[[int], str]


def repeated(piece: str, end: str = "") -> Shape:
    return lambda n: piece * n + "x" * bool(end) + end * n


def in_attribute(tag: str, value: str) -> Shape:
    return lambda n: tag.format(value * n)


def shapes() -> dict[str, Shape]:
    """Return pages by name, as functions of their size in about ten bytes."""
    pages: dict[str, Shape] = dict(JSON)
    pages["authors around a post"] = lambda n: POST + AUTHORS * n + TEXT * n
    for tag in NESTED:
        end = f"</{tag[1:].split()[0].split('>')[0]}>"
        pages[f"nested {tag}"] = repeated(tag)
        pages[f"nested and closed {tag}"] = repeated(tag, end)
    pages |= {f"repeated {piece}": repeated(piece) for piece in REPEATED}
    for attribute, value in zip(ATTRIBUTES, VALUES, strict=False):
        pages[f"attribute {attribute} {value}"] = in_attribute(attribute, value)
    return pages


SHAPES = shapes()

# Extractors of our own; those of libraries are ended at the limit of a page.
OWN = [*cetr.EXTRACTORS, *ccb.EXTRACTORS, *partitions.EXTRACTORS]


def works() -> dict[str, Callable[[str], object]]:
    """Return what is done with a page, by name."""
    found: dict[str, Callable[[str], object]] = {
        "metadata": lambda html: metadata(html.encode()),
        "markdown": lambda html: boilersweep.clean(
            html, "keep-everything", format="markdown", images=True
        ),
    }
    rules = [*map(str, rules_alone()), "headed(words>=3)"]
    if not why_no_model():
        found["markdown of learned"] = partial(boilersweep.clean, format="markdown")
        rules.append("learned(comments=yes)")
    found |= {rule: partial(boilersweep.clean, cleaner=rule) for rule in rules}
    for one in OWN:
        found[one.name] = find_extractor(one.name).text
    return found


WORKS = works()

# Lines of files, repeated or at one line's end
LINES = [
    "\n",
    "{}\n",
    '{"id":"a","contents":"<p>x"}\n',
    '{"id":',
    "[",
    "<DOC>\n",
    "</DOC>\n",
    "<DOC>\n<DOCNO>a</DOCNO>\n",
    "<DOC>\n<DOCNO>a</DOCNO>\n<DOCHDR>\n\n</DOCHDR>\nx\n</DOC>\n",
    "<DOCHDR>\n",
    "WARC/1.0\r\n",
    "WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
    "a: b\r\n",
    "a,b\n",
    "a\tb\n",
    "query\n",
    "source[{",
    "source[{}]x",
    "source[{}], ",
    "\0",
    "x ",
]


def parsed_log(text: str) -> None:
    # Of the fields of the csv module, none is longer.
    parse_query_log(text[:130_000], "log")


def reading(name: str) -> Callable[[str], object]:
    read = named_format(name).reader
    return lambda text: [*read(io.BytesIO(text.encode()), "file", USUAL)]


READERS = {name: reading(name) for name in ("jsonl", "trecweb", "warc", "html")}
READERS["query log"] = parsed_log


def segmented(folder: Path, html: str) -> None:
    path = folder / "page.jsonl"
    path.write_text(json.dumps({"id": "a", "contents": html}))
    options = Segmentation("jsonl", metadata=True)
    task = Task(folder, ((path, "page.jsonl"),), options, recipe_of(options))
    make_shard(task, named_format("jsonl"))


def seconds(work: Callable[[str], object], html: str) -> float:
    gc.disable()  # its passes come at jumps in the number of objects
    begin = time.thread_time()
    with contextlib.suppress(BoilersweepError):  # a file that is none of the format
        work(html)
    taken = time.thread_time() - begin
    gc.enable()
    return taken


def growth(work: Callable[[str], object], shape: Shape, n: int) -> float:
    """Return how many times as long twice the size takes, the least of some attempts."""
    return ratio(work, *sizes(shape, n, 2), MOST)


def ratio(work: Callable[[str], object], one: str, other: str, most: float) -> float:
    """Return how many times as long the other page takes, the least of some attempts.

    It is 1 if that is at most `most`.
    """
    least = [float("inf"), float("inf")]
    for _ in range(6):
        for place, page in enumerate((one, other)):
            least[place] = min(least[place], seconds(work, page))
        if least[1] <= max(most * least[0], NOISE):
            return 1.0
    return least[1] / least[0]


def sizes(shape: Shape, n: int, times: int) -> tuple[str, str]:
    return TEXT + shape(n) + TEXT, TEXT + shape(times * n) + TEXT


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if turn % 3 == 0 else pytest.mark.exhaustive)
        for turn, name in enumerate(SHAPES)
    ],
)
def test_twice_the_page_takes_at_most_twice_the_time(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    assert growth(lambda html: metadata(html.encode()), shape, 4_000) <= MOST
    assert growth(lambda html: segmented(tmp_path, html), shape, 2_000) <= MOST
    assert (
        growth(lambda html: boilersweep.page(html, "keep-everything"), shape, 2_000)
        <= MOST
    )


# Ten seconds to five minutes each. From 63,000 tags on a page's nesting is estimated before it is
# parsed (`require_shallow`), which takes several times as long: neither size has so many.
@pytest.mark.exhaustive
@pytest.mark.parametrize("work", WORKS)
def test_a_byte_of_a_larger_page_takes_at_most_half_as_long_again(work: str) -> None:
    found = {
        name: ratio(WORKS[work], *sizes(shape, 2_000, 4), 4 * RISE)
        for name, shape in SHAPES.items()
    }
    assert {name: times for name, times in found.items() if times > 4 * RISE} == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("reader", READERS)
def test_a_byte_of_a_larger_file_takes_at_most_half_as_long_again(reader: str) -> None:
    found = {}
    for line in LINES:
        n = 30_000 // len(line)
        files = line * n, line * 4 * n
        found[line] = ratio(READERS[reader], *files, 4 * RISE)
    assert {line: times for line, times in found.items() if times > 4 * RISE} == {}
