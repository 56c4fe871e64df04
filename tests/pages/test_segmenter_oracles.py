"""Segmentation held against an oracle, arbitrary bytes, Chromium, and the paper."""

import random
import re
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.elements import CONTAINERS, SKIPPED
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter
from boilersweep.pages.words import count_words, is_word
from tests.conftest import annotated_pages

SEGMENTER = Segmenter(borders="paper")
JOINED = Segmenter()


# Against an oracle: well-formed trees of div, p, a and b.


@dataclass
class Tree:
    tag: str
    children: list["Tree | str"] = field(default_factory=list)

    def html(self) -> str:
        inside = "".join(c if isinstance(c, str) else c.html() for c in self.children)
        return f"<{self.tag}>{inside}</{self.tag}>"


TEXTS = st.text(alphabet="ab1 |\xe9\n", min_size=1, max_size=12)


@st.composite
def trees(
    draw: st.DrawFn, tag: str = "div", above: frozenset[str] = frozenset()
) -> Tree:
    """Draw a tree in which HTML closes nothing by itself: no p in p, b, a in a, div in p."""
    within = above | {tag}
    tags = {"b"}
    if not within & {"p", "b"}:
        tags |= {"div", "p"}
    if "a" not in within:
        tags.add("a")
    count = draw(st.integers(0, 4 if len(above) < 3 else 1))
    children: list[Tree | str] = []
    for _ in range(count):
        child = draw(st.sampled_from(["", "", *sorted(tags)]))
        children.append(draw(trees(child, within)) if child else draw(TEXTS))
    return Tree(tag, children)


def characters(tree: Tree, linked: bool, tag: str) -> Iterator[tuple[str, bool, str]]:
    """Every character with its link and its container; "" for a border."""
    here = tree.tag if tree.tag in ("div", "p") else tag
    if tree.tag != "a":
        yield "", linked, tag
    for child in tree.children:
        if isinstance(child, str):
            yield from (
                (character, linked or tree.tag == "a", here) for character in child
            )
        else:
            yield from characters(child, linked or tree.tag == "a", here)
    if tree.tag != "a":
        yield "", linked, here


def oracle(tree: Tree) -> list[tuple[str, int, int, str]]:
    blocks: list[tuple[str, int, int, str]] = []
    run: list[tuple[str, bool, str]] = []
    for character, linked, tag in characters(tree, False, "body"):
        if character:
            run.append((character, linked, tag))
            continue
        text = "".join(c for c, _, _ in run)
        tokens = [
            (m[0], any(run[i][1] for i in range(*m.span())))
            for m in re.finditer(r"\S+", text)
        ]
        words = [is_linked for token, is_linked in tokens if is_word(token)]
        if words:
            folded = " ".join(token for token, _ in tokens)
            blocks.append((folded, len(words), sum(words), run[0][2]))
        run = []
    return blocks


@settings(max_examples=300)
@given(trees())
def test_blocks_of_well_formed_trees_are_those_of_an_oracle(tree: Tree) -> None:
    page = SEGMENTER.html(tree.html().encode())
    found = list(zip(page.texts, page.words, page.link_words, page.tags, strict=True))
    assert found == oracle(tree)


# Against anything.

FRAGMENTS = (
    "< > \" ' / = & ; <!-- --> --!> <! </ <a> <a/href=x> </a> <p> </p> <div> </div> <b> </b> <br> "
    "<title> </title> <script> </script> <style> <select> <option> </select> <svg> </svg> <xmp> "
    "<textarea> </textarea> <noscript> </noscript> <iframe> <object> </object> <template> <link> "
    "<plaintext> <table> <tr> <td> </table> <html> </html> <head> </head> <body> </body> "
    "<frameset> <meta> <![CDATA[ ]]> <?xml <x:y> &amp &#xD800; &#0; &#xFFFF; one two | "
    "\xe9 \uffff \ufeff \u200b \0"
).split(" ")

PIECES = st.one_of(
    st.sampled_from(FRAGMENTS).map(str.encode), st.just(b" "), st.binary(max_size=6)
)


def check(page: Page) -> None:
    columns: list[Sized] = [page.words, page.density, page.link_words, page.tags]
    assert {len(column) for column in columns} == {len(page.texts)}
    rows = zip(page.texts, page.words, page.density, page.link_words, strict=True)
    for text, words, density, link_words in rows:
        assert text == " ".join(text.split())
        assert words == count_words(text) >= 1
        assert density >= 1
        assert 0 <= link_words <= words
    assert set(page.tags) <= CONTAINERS | {"body"}
    "\n".join([page.title, *page.texts]).encode("utf-8")


@settings(max_examples=500)
@given(st.lists(PIECES, max_size=40).map(b"".join), st.booleans())
def test_any_bytes_give_a_page(body: bytes, transparent: bool) -> None:
    page = to_utf8(body).utf8
    shared = JOINED if transparent else SEGMENTER
    try:
        blocks = shared.html(page)
    except ValueError:
        return
    check(blocks)
    assert blocks == Segmenter(borders="block" if transparent else "paper").html(page)
    check(shared.plain(page))


@given(st.binary(max_size=200))
def test_bytes_that_are_not_utf_8_give_a_page(body: bytes) -> None:
    check(SEGMENTER.html(body))


# Against Chromium: pages with an unclosed element that is skipped.

STARTS = (
    "<svg> <svg><path> <svg><g> <svg><a> <option> <object> <select><option>".split()
)


INNER = "<g> <path/> <option> <desc> <foreignObject> <input> <b> <p> <h1> <ul> <li> <a>".split()
ENDS = "</svg> </div> </option> </select> </object> </a> </g> </ul> </desc>".split()
TEMPLATES = (
    "{}",
    "<div>{}</div>word",
    "<ul><li>{}<li>word</ul>",
    "<table><td>{}<td>word</table>",
)


READ = """
return arguments[0].map(html => {
  const page = new DOMParser().parseFromString("<!DOCTYPE html>" + html, "text/html");
  page.querySelectorAll(arguments[1]).forEach(element => element.remove());
  return page.body.textContent;
});
"""


def tails(count: int) -> Iterator[str]:
    """Pages with an unclosed skipped element; every word is unique.

    Without div or td in it: libxml2 ignores end tags of elements around these, unlike the standard.
    """
    chance = random.Random(5)  # noqa: S311
    for _ in range(count):
        parts = ["word", chance.choice(STARTS)]
        for _ in range(chance.randrange(1, 6)):
            parts += ["word", chance.choice(INNER if chance.random() < 0.7 else ENDS)]
        has_shelter = "<desc>" in parts or "<foreignObject>" in parts
        # A cell does not leave it
        templates = TEMPLATES[:-1] if has_shelter else TEMPLATES
        page = chance.choice(templates).format(" ".join([*parts, "word"]))
        words = iter(range(100))
        yield "".join(
            f" w{next(words)} {part}" if number else part
            for number, part in enumerate(page.split("word"))
        )


def test_no_text_of_chromiums_tree_is_lost(browser: Any) -> None:
    pages = list(tails(2000))
    browser.get("about:blank")
    skipped = ",".join(name for name in SKIPPED if name.isalpha())
    for page, text in zip(
        pages, browser.execute_script(READ, pages, skipped), strict=True
    ):
        for segmenter in (Segmenter(), make_segmenter()):
            kept = " ".join(segmenter.html(page.encode()).texts).split()
            assert set(text.split()) <= set(kept), page


# Against the paper.

ANNOTATION = re.compile(r"x-nc-sel\d")


def unwrapped(page: bytes) -> bytes:
    """Remove the spans that the annotators put in, which would be borders."""
    root = html.document_fromstring(
        page, html.HTMLParser(encoding="utf-8", huge_tree=True)
    )
    for span in root.iter("span"):
        if ANNOTATION.search(span.get("class", "")):
            span.tag = "annotation"
    etree.strip_tags(root, "annotation")
    plain: bytes = html.tostring(root, encoding="utf-8", method="html")
    return plain


def test_table_1_of_the_paper(outside_data: Callable[[str], Path]) -> None:
    originals = annotated_pages(outside_data)
    pages = [SEGMENTER.html(unwrapped(page)) for page in originals]
    assert len(pages) == 621
    assert sum(map(len, pages)) == pytest.approx(72_633, rel=0.005)
    assert sum(sum(page.words) for page in pages) == pytest.approx(516_032, rel=0.005)
    assert max(max(page.words, default=0) for page in pages) == 1122
