"""Visual blocks of a wanted coherence, and the one that is kept."""

from dataclasses import replace
from itertools import compress

import numpy as np
import pytest

from boilersweep.cleaners.language.grammar import parse_rule
from boilersweep.cleaners.published.vips.cleaner import Vips
from boilersweep.cleaners.published.vips.construction import visual_regions
from boilersweep.errors import UsageError
from boilersweep.pages.boxes import nothing
from boilersweep.pages.columns import documents_of
from boilersweep.pages.segmenter import Segmenter
from tests.cleaners.published.vips.conftest import BLUE, Hand, together

LONG = "a story of many words that goes on and on"
MORE = "and has another paragraph of as many words"

# A head as wide as the page, a blue menu, the story in two paragraphs, and a foot far below.
NEWS = Hand(
    f"<div id=head>the head</div><div id=all><div id=menu><ul><li>menu one<li>menu two</ul></div>"
    f"<div id=story><p>{LONG}<p>{MORE}</div></div><div id=foot>the foot of the page</div>",
    {
        "the head": (0, 0, 1000, 100),
        "menu one": (0, 150, 180, 170),
        "menu two": (0, 170, 180, 190),
        LONG: (240, 150, 1000, 400),
        MORE: (240, 416, 1000, 700),
        "the foot of the page": (0, 900, 1000, 950),
    },
    {"": (0, 0, 1000, 1000), "menu": (0, 150, 200, 700), "story": (240, 150, 1000, 700)},
    {"menu": BLUE},
)

# The same blocks, of which none can be seen.
UNSEEN = Hand(NEWS.html, {}, NEWS.elements)


def regions(page: Hand, pdoc: int) -> list[list[str]]:
    return [[page.named(node) for node in region] for region in visual_regions(page.tree, pdoc)]


def test_the_wanted_coherence_decides_how_small_the_blocks_are() -> None:
    # Head to story, 50 px or 3.125 letters, text in one font on both sides: 1 + 3.125 - 1. Menu to
    # foot, 200 px: 1 + 4 + 2 for the backgrounds. Paragraph to paragraph, 16 px: 1 + 1 - 1. Only
    # below the head there is a vertical one, menu to story, 40 px: 1 + 2.5 + 2.
    above = ["head", "p", "menu", "p"]
    assert regions(NEWS, 4) == [["head", "menu", "p", "p", "foot"]]  # 11 - 7
    for pdoc in (5, 6, 7):
        assert regions(NEWS, pdoc) == [above, ["foot"]]  # 11 - 3.125
    # The menu, kept whole with a DoC of 7, is not coherent enough: it is divided, and joined again.
    for pdoc in (8, 9, 10):
        assert regions(NEWS, pdoc) == [["head"], ["li", "li"], ["p", "p"], ["foot"]]


LINKED = Hand(
    f"<div id=a><a href=x>{LONG} {MORE}</a></div><div id=b>the text of it</div>",
    {f"{LONG} {MORE}": (0, 0, 1000, 100), "the text of it": (0, 500, 1000, 600)},
    {"": (0, 0, 1000, 1000)},
    {"b": BLUE},
)
HIDDEN = Hand(NEWS.html, {**NEWS.texts, MORE: (0, 0, 0, 0)}, NEWS.elements, NEWS.backgrounds)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(NEWS, [LONG, MORE], id="the block with the most words"),
        pytest.param(LINKED, ["the text of it"], id="words in links do not count"),
        pytest.param(UNSEEN, [], id="nothing can be seen"),
        pytest.param(HIDDEN, [LONG], id="one paragraph cannot be seen"),
    ],
)
def test_what_is_kept(page: Hand, expected: list[str]) -> None:
    columns = page.columns
    assert list(compress(columns.texts, Vips(8).mask(columns))) == expected


def test_a_page_that_was_not_drawn_keeps_nothing() -> None:
    columns = NEWS.columns
    boxes = columns.boxes
    assert boxes
    undrawn = replace(
        boxes, blocks=nothing(len(boxes.blocks)), elements=nothing(len(boxes.elements))
    )
    assert not Vips().mask(replace(columns, boxes=undrawn)).any()


def test_documents_do_not_know_of_each_other() -> None:
    pages = [NEWS, UNSEEN, NEWS, Hand("", {}), NEWS]
    whole = together(pages)
    some = documents_of(whole, np.array([False, True, True, True, False]))
    for rule in map(Vips, range(1, 11)):
        apart = [rule.mask(page.columns) for page in pages]
        assert np.array_equal(rule.mask(whole), np.concatenate(apart))
        assert np.array_equal(rule.mask(some), np.concatenate(apart[1:4]))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 3000 + "deep" + "</div>" * 3000,
        "<div>a" * 1000,
        "<b>" * 1000 + "<p>x" * 500,
        "<table><tr><td>" * 500 + "x",
        "",
        "<br>",
    ],
    ids=lambda html: html[:20],
)
@pytest.mark.parametrize("overlap", [False, True])
def test_hostile_pages(html: str, overlap: bool) -> None:
    texts = Segmenter(structure=True).html(html.encode()).texts
    boxes = {
        text: (0, 0, 100, 100) if overlap else (n, 20 * n, 100 + n, 20 * n + 10)
        for n, text in enumerate(texts)
    }
    page = Hand(html, boxes, {"": (0, 0, 1000, 100_000)})
    for pdoc in (1, 7, 10):
        mask = Vips(pdoc).mask(page.columns)
        assert mask.any() == bool(texts)


def test_names() -> None:
    assert str(parse_rule("vips(5)")) == "vips(5)"
    for text in ("vips(0)", "vips(11)", "vips(2.5)", "vips('x')"):
        with pytest.raises(UsageError):
            parse_rule(text)
