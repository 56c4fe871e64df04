"""Pictures of pages: what is kept and dropped has its colour and hatching, at its place."""

import io

import numpy as np
import pytest

from boilersweep.rendering.browser import Browser
from boilersweep.rendering.marking import MarkingSegmenter
from boilersweep.rendering.picture import DROPPED, KEPT, Panel, page_picture, paint

Image = pytest.importorskip("PIL.Image", reason="pillow is not installed")

PAGE = b"""<!DOCTYPE html><style>* { margin: 0; padding: 0 }
p { height: 200px; color: white }</style><p>one</p><p>two</p>"""


def blank(width: int, height: int) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(written, "PNG")
    return written.getvalue()


def colours(picture: bytes, box: tuple[int, int, int, int]) -> set[tuple[int, int, int]]:
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB").crop(box))
    return {(int(r), int(g), int(b)) for r, g, b in np.unique(pixels.reshape(-1, 3), axis=0)}


def is_near(colours: set[tuple[int, int, int]], wanted: tuple[int, int, int]) -> bool:
    """Whether one of the colours is that, as a line of a hatching over white has it."""
    return any(
        sum(abs(one - other) for one, other in zip(found, wanted, strict=True)) < 200
        for found in colours
    )


@pytest.mark.parametrize("panel", [0, 1])
def test_kept_and_dropped_have_their_colours_in_panels_side_by_side(panel: int) -> None:
    # Shown at their size: a page of 900 px.
    boxes = [(0.0, 0.0, 900.0, 100.0), (0.0, 200.0, 900.0, 300.0)]
    panels = [Panel("one", [True, False]), Panel("other", [False, True])]
    picture = paint(blank(900, 400), [0, 1], boxes, panels, 400)
    left = 114 + 914 * panel
    above, empty, below = (
        colours(picture, (left, 40 + top, left + 700, 40 + top + 80)) for top in (10, 110, 210)
    )
    assert empty == {(255, 255, 255)}
    kept, dropped = (below, above) if panel else (above, below)
    assert (is_near(kept, KEPT), is_near(kept, DROPPED)) == (True, False)
    assert (is_near(dropped, KEPT), is_near(dropped, DROPPED)) == (False, True)


def test_hatchings_differ_without_colours() -> None:
    box = [(0.0, 0.0, 900.0, 100.0)]
    residues = []
    for kept in (True, False):
        picture = paint(blank(900, 100), [0], box, [Panel("c", [kept])], 100)
        grey = np.asarray(Image.open(io.BytesIO(picture)).convert("L").crop((100, 50, 400, 130)))
        y, x = np.nonzero(grey < grey.max() - 15)
        # Along a line that rises, x + y stays; along one that falls, x - y.
        residues.append([len(np.unique((x + y) % 14)), len(np.unique((x - y) % 14))])
    (rising, rising_otherwise), (falling_otherwise, falling) = residues
    assert rising < 5 < rising_otherwise
    assert falling < 5 < falling_otherwise


def test_boxes_beyond_the_picture_are_left_out() -> None:
    boxes = [(-50.0, 90.0, 2000.0, 5000.0), (0.0, 4000.0, 10.0, 4100.0), (5.0, 5.0, 5.0, 5.0)]
    paint(blank(900, 100), [0, 1, 2], boxes, [Panel("c", [True] * 3)], 9000)


def test_a_page_is_drawn(chromium: Browser) -> None:
    page = MarkingSegmenter(structure=True).html(PAGE)
    picture = page_picture(page, [Panel("c", [False, True])], chromium)
    # The texts stand at the beginning of the lines; 1,280 px are shown as 900.
    above, below = (colours(picture, (14, top, 34, top + 14)) for top in (40, 40 + 141))
    assert is_near(above, DROPPED)
    assert is_near(below, KEPT)
