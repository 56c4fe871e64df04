"""What is drawn, by hand: boxes, fonts, colours, and what nobody sees."""

import numpy as np
import pytest

from boilersweep.collection.record import Reason
from boilersweep.rendering.browser import Browser, RenderLimits
from boilersweep.rendering.drawing import draw
from boilersweep.rendering.marking import MarkingSegmenter
from tests.rendering.conftest import Draw

PAGE = """<!DOCTYPE html><style>
* { margin: 0; padding: 0 } body { background: #ffffee; font: 20px/30px monospace }
#side { position: absolute; left: 900px; top: 50px; width: 200px; height: 300px;
  background: rgb(0, 0, 255); color: #ffffff; font-weight: bold }
</style><body><div style="height: 40px">one</div>
<div style="width: 600px; background: #ff0000"><p>two <a href=x>three</a><hr style="height: 5px; border: 0"></div>
<div id=side>four</div>
"""  # noqa: E501


def test_boxes_are_those_of_the_style_sheet(drawn: Draw) -> None:
    page = drawn(PAGE)
    assert (page.width, page.height, page.outcome) == (1280, 1024, "")
    assert page.blocks.matched.all()
    assert page.elements.matched.all()
    # The document, html, body, div, div, p and div.
    corners = np.stack(
        [page.elements.left, page.elements.top, page.elements.right, page.elements.bottom]
    ).T.tolist()
    assert corners[0] == [0, 0, 1280, 1024]
    assert corners[3] == [0, 0, 1280, 40]
    assert corners[4] == [0, 40, 600, 75]
    assert corners[5] == [0, 40, 600, 70]
    assert corners[6] == [900, 50, 1100, 350]
    assert page.elements.background.tolist()[3:] == [0xFFFFEE, 0xFF0000, 0xFF0000, 0x0000FF]
    assert page.blocks.left.tolist() == [0, 0, 900]
    assert page.blocks.background.tolist() == [0xFFFFEE, 0xFF0000, 0x0000FF]
    assert page.blocks.colour.tolist()[2] == 0xFFFFFF
    assert page.blocks.size.tolist() == [20, 20, 20]
    assert page.blocks.weight.tolist() == [400, 400, 700]
    assert page.rule_elements == [4]
    assert (page.rules.top.tolist(), page.rules.bottom.tolist()) == ([70], [75])


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ("#12345680", 0x123456),
        ("hsl(200 50% 50%)", 0x4095BF),
        ("color(srgb 1 0.5 0)", 0xFF8000),
        ("color(srgb 1e-5 0.2 1 / 0.5)", 0x0033FF),
        ("color(srgb -0.1 1.2 0)", 0x00FF00),
        ("color(display-p3 1 0 0)", 0xFF0000),
        ("oklch(0.6 0.2 30)", 0xDE3E2D),
        ("oklch(0.6 none 30)", 0x808080),
        ("oklab(0.6 0.1 0.1)", 0xC3602E),
        ("lab(50 40 20)", 0xB95857),
        ("lch(50 40 20)", 0xB45B62),
        ("color-mix(in srgb, red, blue)", 0x800080),
        ("rgba(255, 0, 0, 0)", -1),
        ("color(srgb 1 0 0 / 0)", -1),
        ("oklch(0.6 0.2 30 / none)", -1),
    ],
)
def test_colours_of_any_space(drawn: Draw, colour: str, expected: int) -> None:
    page = drawn(f"<body bgcolor=#010203><p style='background: {colour}; color: {colour}'>one")
    # What is transparent has the background around it; text of such a colour counts as black.
    assert page.blocks.background.tolist() == [0x010203 if expected < 0 else expected]
    assert page.blocks.colour.tolist() == [max(expected, 0)]


@pytest.mark.parametrize(
    "style",
    [
        "display: none",
        "visibility: hidden",
        "opacity: 0",
        "position: absolute; left: -9999px",
        "position: absolute; top: -9999px",
        "text-indent: -9999px; overflow: hidden",
        "height: 0; overflow: hidden",
        "position: absolute; width: 1px; height: 1px; overflow: hidden",
        "font-size: 0",
    ],
)
def test_what_nobody_sees_is_not_shown(drawn: Draw, style: str) -> None:
    page = drawn(f"<p>one</p><div style='{style}'>two</div><p>three</p>")
    assert page.blocks.shown.tolist() == [True, False, True]
    assert page.blocks.matched.all()


@pytest.mark.parametrize(
    "html",
    [
        "<table>one<tr><td>two</table>",  # a browser moves the text out
        "<table><div>one</div><tr>two<td>three</table>",
        "<p>one<b><p>two</b>three",
        "<select><option>no</select>one<textarea><p>no</textarea>two",
        "<pre>\none\n\ntwo</pre>three",
        "<body><p>one</body></html><p>two",
        "<form>one<form>two</form>three</form>",
        "<plaintext>one<p>two",
        "<frameset><noframes>no</noframes></frameset>one",
        "<math><mi>one</mi></math><o:p>two",
        "<marquee>one</marquee><details><summary>two</summary>three</details>",
        f"{'<div>' * 600}one{'</div>' * 600}two",
    ],
)
def test_every_block_is_found_where_browsers_parse_otherwise(drawn: Draw, html: str) -> None:
    page = drawn(html)
    assert page.outcome == ""
    assert page.blocks.matched.all()


def test_elements_that_the_browser_has_not_are_counted(drawn: Draw) -> None:
    page = drawn("<table><tr><td>one</table><frameset><tr><td>two")
    assert 0 < page.elements.matched.sum() < len(page.elements)


def test_quirks_are_those_of_the_doctype(chromium: Browser) -> None:
    segmenter = MarkingSegmenter(structure=True)
    for html, mode in (("<!DOCTYPE html><p>one", "CSS1Compat"), ("<p>one", "BackCompat")):
        page = segmenter.html(html.encode())
        assert chromium.measure(page.html, "document.compatMode") == mode


def test_plain_text_and_a_page_without_a_word_are_drawn(chromium: Browser) -> None:
    segmenter = MarkingSegmenter(structure=True)
    found = draw(segmenter.plain(b"one\ntwo"), chromium)
    assert found.blocks.shown.tolist() == [True, True]
    assert found.blocks.top[0] < found.blocks.top[1]
    assert len(found.elements) == 1
    empty = draw(segmenter.html(b"<p></p>"), chromium)
    assert (len(empty.blocks), len(empty.elements), empty.outcome) == (0, 0, "")


def test_what_is_not_drawn_is_unmatched(needs_chromium: None) -> None:
    with Browser(RenderLimits(seconds=0)) as browser:
        page = MarkingSegmenter(structure=True).html(b"<p>one<p>two" + b"<p>x<table>" * 20_000)
        found = draw(page, browser)
    assert page.structure is not None
    assert found.outcome == Reason.OVER_TIME
    assert (len(found.blocks), len(found.elements)) == (len(page), len(page.structure.names))
    assert not found.blocks.matched.any()
