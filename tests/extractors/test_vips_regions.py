"""Separators and regions by hand: where they are, and what each cue adds to their weights."""

import pytest

from boilersweep.extractors.vips import (
    Drawn,
    Separator,
    VisualBlock,
    content,
    extent,
    separators,
    texts_in,
    visual_blocks,
    visual_regions,
)
from tests.extractors.vips_pages import BLUE, Box, Element, Font, body, named, node, p


def found(boxes: list[Box], *, vertical: bool = False) -> list[Separator]:
    page = body(*(p(f"p{n}", f"text {n}", box) for n, box in enumerate(boxes)))
    blocks = sorted(
        visual_blocks(node(page, "body")), key=lambda one: extent(one, vertical)
    )
    return separators(page, blocks, vertical=vertical)


TWO = [(0, 0, 100, 100), (0, 300, 100, 400)]
THREE = [(100, 50, 900, 100), (100, 120, 900, 200), (100, 300, 900, 400)]
COLUMNS = [(0, 0, 200, 500), (240, 0, 700, 400), (720, 0, 900, 900)]


@pytest.mark.parametrize(
    ("boxes", "vertical", "bands"),
    [
        # Gaps between blocks are separators, and borders are not.
        (THREE, False, [(100, 120), (200, 300)]),
        (THREE, True, []),
        (COLUMNS, True, [(200, 240), (700, 720)]),
        (COLUMNS, False, []),
        # A block in a separator splits it, one that crosses it shortens it, one across removes it.
        (TWO, False, [(100, 300)]),
        ([*TWO, (0, 150, 100, 200)], False, [(100, 150), (200, 300)]),
        ([*TWO, (0, 50, 100, 200)], False, [(200, 300)]),
        ([*TWO, (0, 50, 100, 350)], False, []),
        # Blocks that meet are separated by a line, also if boxes are rounded; others overlap.
        ([(0, 0, 100, 100), (0, 100, 100, 200)], False, [(100, 100)]),
        ([(0, 0, 100, 101), (0, 100, 100, 200)], False, [(100, 100)]),
        ([(0, 0, 100, 102), (0, 100, 100, 200)], False, []),
    ],
)
def test_where_separators_are(
    boxes: list[Box], vertical: bool, bands: list[tuple[int, int]]
) -> None:
    assert [(one.start, one.end) for one in found(boxes, vertical=vertical)] == bands


def test_a_block_within_another_is_behind_the_same_separator() -> None:
    (one,) = found([(0, 0, 100, 300), (0, 50, 100, 60), (0, 316, 100, 400)])
    assert (one.start, one.end, one.before) == (300, 316, 2)


def weight(
    gap: int,
    *,
    background: bool = False,
    rule: bool = False,
    fonts: tuple[Font, Font] = ((16, 400), (16, 400)),
    vertical: bool = False,
) -> float:
    """Return the weight of the separator between two blocks of one text each."""
    second = (
        (100 + gap, 0, 300 + gap, 100) if vertical else (0, 100 + gap, 100, 300 + gap)
    )
    one = p("p1", "one", (0, 0, 100, 100), font=fonts[0])
    two = p("p2", "two", second, font=fonts[1])
    two.background = BLUE if background else two.background
    page = body(one, two, rules=[(100 + gap // 2, 102 + gap // 2)] if rule else [])
    blocks = [VisualBlock(one.node, 10) for one in visual_blocks(node(page, "body"))]
    (only,) = separators(page, blocks, vertical=vertical)
    return only.weight  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "cues"),
    [
        (1, {"gap": 0}),
        (1, {"gap": 16}),  # 1 + 1 for a letter's width - 1 for text in one font on both sides
        (2, {"gap": 32}),
        (4, {"gap": 640}),  # at most 4 for the gap
        (4, {"gap": 32, "background": True}),  # 2 more
        (5, {"gap": 32, "rule": True}),  # 3 more
        (4, {"gap": 32, "fonts": ((16, 700), (16, 400))}),  # 1 more, and no 1 less
        (1 + 32 / 18 + 1, {"gap": 32, "fonts": ((20, 400), (16, 400))}),
        (1 + 32 / 18 + 2, {"gap": 32, "fonts": ((16, 400), (20, 400))}),  # small above large
        (9, {"gap": 640, "background": True, "rule": True, "fonts": ((16, 400), (20, 400))}),
        (3, {"gap": 32, "vertical": True}),  # neither fonts nor rules count
        (3, {"gap": 32, "vertical": True, "rule": True}),
        (1 + 32 / 18, {"gap": 32, "vertical": True, "fonts": ((16, 400), (20, 400))}),
        (5, {"gap": 32, "vertical": True, "background": True}),
    ],
)  # fmt: skip
def test_weights(expected: float, cues: dict[str, object]) -> None:
    assert weight(**cues) == pytest.approx(expected)  # type: ignore[arg-type]


LONG = "a story of many words that goes on and on"
MORE = "and has another paragraph of as many words"


def news() -> Drawn:
    """Return a page: a wide head, a blue menu, two paragraphs of a story, a foot far below."""
    menu = Element(
        "div",
        [p("li1", "menu one", (0, 150, 180, 170)), p("li2", "menu two", (0, 170, 180, 190))],
        (0, 150, 200, 700),
        BLUE,
    )  # fmt: skip
    story = Element(
        "div", [p("p1", LONG, (240, 150, 1000, 400)), p("p2", MORE, (240, 416, 1000, 700))]
    )  # fmt: skip
    return body(
        p("div", "head", (0, 0, 1000, 100)),
        Element("div", [menu, story]),
        p("div", "foot", (0, 900, 1000, 950)),
    )


def test_the_wanted_coherence_decides_how_small_the_blocks_are() -> None:
    # Head to story, 50 px or 3.125 letters, text in one font on both sides: 1 + 3.125 - 1. Menu to
    # foot, 200 px: 1 + 4 + 2 for the backgrounds. Paragraph to paragraph, 16 px: 1 + 1 - 1. Only
    # below the head there is a vertical one, menu to story, 40 px: 1 + 2.5 + 2.
    def regions(pdoc: int) -> list[list[str]]:
        return [[named(one) for one in r] for r in visual_regions(news(), pdoc)]

    above = ["head", LONG, "menu one menu two", MORE]
    assert regions(4) == [["head", "menu one menu two", LONG, MORE, "foot"]]  # 11 - 7
    for pdoc in (5, 6, 7):
        assert regions(pdoc) == [above, ["foot"]]  # 11 - 3.125
    # The menu, kept whole with a DoC of 7, is not coherent enough: it is divided, and joined again.
    for pdoc in (8, 9, 10):
        menu = ["menu one", "menu two"]
        assert regions(pdoc) == [["head"], menu, [LONG, MORE], ["foot"]]


def test_the_block_with_most_words_outside_links_stays() -> None:
    linked = p("div", f"{LONG} {MORE}", (0, 0, 1000, 100), linked=True)
    text = p("div", "the  text of it", (0, 900, 1000, 950))
    text.background = BLUE
    assert content(body(linked, text)) == "the text of it"
    linked.inside[0].linked = False  # type: ignore[union-attr]
    assert content(body(linked, text)) == f"{LONG} {MORE}"
    assert content(body()) == ""


@pytest.mark.parametrize("pdoc", [1, 6, 10])
def test_blocks_that_overlap_end(pdoc: int) -> None:
    inner = p("div", "deep", (0, 0, 100, 100))
    for number in range(200):
        inner = Element("td", [p("td", str(number), (0, 0, 100, 100)), inner])
    regions = visual_regions(body(inner, inner), pdoc)
    assert sum(len(list(texts_in(region))) for region in regions) == 402
