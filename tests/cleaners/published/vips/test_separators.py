"""Separators by hand: where they are, and what each cue adds to their weights."""

import pytest

from boilersweep.cleaners.published.vips.construction import Separator, separators
from boilersweep.cleaners.published.vips.extraction import VisualBlock, visual_blocks
from boilersweep.cleaners.published.vips.nodes import Rectangle
from tests.cleaners.published.vips.conftest import BLUE, Hand

DOCUMENT = {"": (0, 0, 1000, 1000)}


def found(boxes: list[Rectangle], *, vertical: bool = False) -> list[Separator]:
    html = "".join(f"<p>text {number}" for number in range(len(boxes)))
    page = Hand(html, {f"text {number}": box for number, box in enumerate(boxes)}, DOCUMENT)
    return separators(page.tree, visual_blocks(page.tree, page.tree.root), vertical=vertical)


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
    boxes: list[Rectangle], vertical: bool, bands: list[tuple[int, int]]
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
    fonts: tuple[tuple[float, int], tuple[float, int]] = ((16, 400), (16, 400)),
    vertical: bool = False,
) -> float:
    """Of the separator between two blocks of one text each."""
    boxes = {"one": (0, 0, 100, 100), "two": (0, 100 + gap, 100, 300 + gap)}
    if vertical:
        boxes = {"one": (0, 0, 100, 100), "two": (100 + gap, 0, 300 + gap, 100)}
    page = Hand(
        "<div id=a>one</div><div id=b>two</div>",
        boxes,
        DOCUMENT,
        {"b": BLUE} if background else {},
        {"one": fonts[0], "two": fonts[1]},
        (("", (0, 100 + gap // 2, 100, 102 + gap // 2)),) if rule else (),
    )
    blocks = [VisualBlock(one.node, 10) for one in visual_blocks(page.tree, page.tree.root)]
    (only,) = separators(page.tree, blocks, vertical=vertical)
    return only.weight


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
        (1 + 32 / 18, {"gap": 32, "vertical": True, "fonts": ((16, 400), (20, 400))}),
        (5, {"gap": 32, "vertical": True, "background": True}),
    ],
)
def test_weights(expected: float, cues: dict[str, object]) -> None:
    assert weight(**cues) == pytest.approx(expected)  # type: ignore[arg-type]
