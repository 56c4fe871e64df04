"""The time of a page is at most linear in its size, whatever the page consists of."""

import gc
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import boilersweep
from boilersweep.collection.formats import named_format
from boilersweep.pages.metadata import metadata
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import Segmentation, Task, recipe_of

# How many times as long a page of twice the size may take.
MOST = 2.5

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
]
REPEATED = [
    "<h1>a</h1>",
    "<time class=updated>b</time>",
    "<time datetime=2024>b</time>",
    "<hr>",
    "x<br>",
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


def segmented(folder: Path, html: str) -> None:
    path = folder / "page.jsonl"
    path.write_text(json.dumps({"id": "a", "contents": html}))
    options = Segmentation("jsonl", metadata=True)
    task = Task(folder, ((path, "page.jsonl"),), options, recipe_of(options))
    make_shard(task, named_format("jsonl"))


def seconds(work: Callable[[str], object], html: str) -> float:
    gc.disable()  # its passes come at jumps in the number of objects
    begin = time.thread_time()
    work(html)
    taken = time.thread_time() - begin
    gc.enable()
    return taken


def growth(work: Callable[[str], object], shape: Callable[[int], str], n: int) -> float:
    """Return how many times as long twice the size takes, the least of some attempts."""
    least = [float("inf"), float("inf")]
    for _ in range(6):
        for place, size in enumerate((n, 2 * n)):
            least[place] = min(least[place], seconds(work, TEXT + shape(size) + TEXT))
        if least[1] <= max(MOST * least[0], NOISE):
            return 1.0
    return least[1] / least[0]


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
