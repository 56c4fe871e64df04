"""Kept blocks as HTML: all of them, in their elements, and nothing that runs or loads."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import clean
from boilersweep.cleaning.kept_html import kept_html
from boilersweep.pages.segmenter import Segmenter
from tests.hostile_pages import ATTACKS, CONSTRUCTS

PAGE = (
    "<title>A &amp; B</title><nav><a href=/>Home</a></nav><article class=x onclick=f()>"
    "<h1>Bread</h1><p>Our <b>bread</b> &lt;3 <a href=https://example.org/?a=1&b=2>ovens</a></p>"
    "<ul><li>Ads<li>Flour of wheat and rye</ul></article>"
)


def body(html: str) -> str:
    return html.partition("</title>\n")[2]


def test_kept_blocks_are_in_their_elements() -> None:
    assert body(clean(PAGE, "words>=3", format="html")) == (
        "<article><p>Our <b>bread</b> &lt;3 "
        '<a href="https://example.org/?a=1&amp;b=2">ovens</a></p>'
        "<ul><li>Flour of wheat and rye</li></ul></article>"
    )
    assert "<title>A &amp; B</title>" in clean(PAGE, "words>=1", format="html")
    assert clean(PAGE, "words>=99", format="html") == ""


def test_what_parts_two_blocks_may_be_left_out() -> None:
    page = "<div>One two three<p>Ads</p>four five six<br>Ads<br>seven eight nine</div>"
    assert body(clean(page, "words>=3", format="html")) == (
        "<div>One two three<br>four five six<br>seven eight nine</div>"
    )


@given(st.sampled_from(CONSTRUCTS), st.data())
def test_the_blocks_of_the_result_are_the_kept_ones(
    construct: str, data: st.DataObject
) -> None:
    page = f"<p>before</p>{construct}"
    texts = Segmenter().html(page.encode()).texts
    kept = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    wanted = [text for text, stays in zip(texts, kept, strict=True) if stays]
    found = Segmenter().html(kept_html(page.encode(), kept).encode())
    assert found.texts == wanted


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_of_a_pages_own_markup_is_passed_on(attack: str) -> None:
    page = clean(f"<p>before</p>{attack}<p>after</p>", "words>=1", format="html")
    assert "default-src 'none'" in page
    assert "before" in body(page)
    tags = re.findall(r"<[^>]*>", re.sub(r'"[^"]*"', '""', body(page)))
    forbidden = r"script|link|meta|base|frame|object|embed|video|audio|form|svg|style"
    assert not [tag for tag in tags if re.match(rf"</?(?:{forbidden})", tag)]
    names = {name for tag in tags for name in re.findall(r"\s([\w-]+)=", tag)}
    assert names <= {"title", "alt", "href"}
    assert "javascript:" not in body(page)
