"""Pictures of a page as drawn, with what cleaners keep of it in one colour and the rest in another.

The two colours are told apart by those who see few, too, and their hatching on paper: what is kept
is blue, with lines that rise; what is dropped is orange, with lines that fall.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boilersweep.errors import PageError
from boilersweep.rendering.browser import Browser, UndrawnError
from boilersweep.rendering.drawing import collecting
from boilersweep.rendering.marking import MarkedPage

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

# Blue and vermilion of the palette of Okabe and Ito.
KEPT, DROPPED = (0, 114, 178), (213, 94, 0)

# Pixels of a page that are shown; what is below is said to be left out.
MOST_HEIGHT = 6000

_WIDTH = 900  # of one page in a picture, in pixels
_TINT = 46  # of 255
_LINES = 150  # of 255
_STEP = 14  # pixels between the lines of a hatching
_MARGIN = 14
_COLOURS = 200
_HEAD = 26  # of the texts above and below
_LINES_WANTED = "globalThis.boilersweepLines = true"


@dataclass(frozen=True, slots=True)
class Panel:
    """What one cleaner makes of a page.

    Attributes:
        kept: (b,) whether it keeps a block.
    """

    title: str
    kept: Sequence[bool]


def page_picture(page: MarkedPage, panels: Sequence[Panel], browser: Browser) -> bytes:
    """Return a PNG of a page, once for each panel, side by side.

    Raises:
        PageError: the page could not be drawn.
    """
    try:
        found, shot = browser.picture(page.html, (_LINES_WANTED, collecting()), MOST_HEIGHT)
    except UndrawnError as error:
        raise PageError(f"the page was not drawn, {error}") from error
    boxes = [tuple(row[1:5]) for row in found["lines"]]
    blocks = [row[0] for row in found["lines"]]
    return paint(base64.b64decode(shot), blocks, boxes, panels, found["height"])


def paint(
    shot: bytes,
    blocks: Sequence[int],
    boxes: Sequence[tuple[float, ...]],
    panels: Sequence[Panel],
    height: int,
) -> bytes:
    """Return a picture of the page with its blocks marked, as PNG.

    Args:
        shot: of the page, as PNG.
        blocks: of every line of text the number of its block, and left, top, right and bottom.
        boxes: of every line of text the number of its block, and left, top, right and bottom.
        panels: one for each cleaner.
        height: of the page, of which the shot may have only a part.
    """
    from PIL import Image, ImageDraw

    page = Image.open(io.BytesIO(shot)).convert("RGB")
    scale = _WIDTH / page.width
    shown = round(page.height * scale)
    width = len(panels) * (_WIDTH + _MARGIN) + _MARGIN
    sheet = Image.new("RGB", (width, shown + 3 * _MARGIN + 2 * _HEAD), "white")
    drawing = ImageDraw.Draw(sheet)
    for number, panel in enumerate(panels):
        left = _MARGIN + number * (_WIDTH + _MARGIN)
        count = sum(panel.kept)
        title = f"{panel.title}: {count:,} of {len(panel.kept):,} blocks kept"
        _write(drawing, left, _MARGIN, title)
        marked = _marked(page, blocks, boxes, panel.kept).resize((_WIDTH, shown))
        sheet.paste(marked, (left, _MARGIN + _HEAD))
        edge = (left - 1, _MARGIN + _HEAD - 1, left + _WIDTH, _MARGIN + _HEAD + shown)
        drawing.rectangle(edge, outline=(140, 140, 140))
    _legend(sheet, shown + 2 * _MARGIN + _HEAD, _left_out(page.height, height))
    written = io.BytesIO()
    # A palette is a third of the bytes, and loses nothing that one would look for.
    sheet.quantize(_COLOURS, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()


def _marked(
    page: "Image.Image",
    blocks: Sequence[int],
    boxes: Sequence[tuple[float, ...]],
    kept: Sequence[bool],
) -> "Image.Image":
    """Return the page with its blocks marked; what is dropped lies below what is kept."""
    from PIL import Image

    veil = Image.new("RGBA", page.size)
    for wanted in (False, True):
        for block, box in zip(blocks, boxes, strict=True):
            if block < len(kept) and bool(kept[block]) is wanted:
                _mark(veil, box, kept=wanted)
    return Image.alpha_composite(page.convert("RGBA"), veil).convert("RGB")


def _mark(veil: "Image.Image", box: Sequence[float], *, kept: bool) -> None:
    from PIL import Image, ImageDraw

    left, top = max(int(box[0]), 0), max(int(box[1]), 0)
    right, bottom = min(round(box[2]), veil.width), min(round(box[3]), veil.height)
    if right <= left or bottom <= top:
        return
    colour = KEPT if kept else DROPPED
    tile = Image.new("RGBA", (right - left, bottom - top), (*colour, _TINT))
    drawing = ImageDraw.Draw(tile)
    # Lines of one hatching run on from box to box.
    offset = (left + top) if kept else (left - top)
    for start in range(-offset % _STEP - tile.height - _STEP, tile.width + tile.height, _STEP):
        ends = (
            (start + tile.height, 0) if kept else (start, 0),
            ((start, tile.height) if kept else (start + tile.height, tile.height)),
        )
        drawing.line(ends, fill=(*colour, _LINES), width=1)
    drawing.rectangle((0, 0, tile.width - 1, tile.height - 1), outline=(*colour, 255))
    veil.paste(tile, (left, top))


def _legend(sheet: "Image.Image", top: int, left_out: str) -> None:
    from PIL import Image, ImageDraw

    at = _MARGIN
    for kept, text in ((True, "kept"), (False, "dropped")):
        veil = Image.new("RGBA", sheet.size)
        _mark(veil, (at, top, at + 60, top + 20), kept=kept)
        sheet.paste(veil, mask=veil)
        _write(ImageDraw.Draw(sheet), at + 70, top, text)
        at += 180
    _write(ImageDraw.Draw(sheet), at, top, f"what has no colour is no block of text{left_out}")


def _left_out(shown: int, height: int) -> str:
    return f"; {height - shown:,} pixels below are left out" if height > shown else ""


def _write(drawing: "ImageDraw.ImageDraw", left: int, top: int, text: str) -> None:
    from PIL import ImageFont

    font: Any = ImageFont.load_default(17)
    safe = text.encode("latin-1", "replace").decode("latin-1")  # what the font has
    drawing.text((left, top), safe, fill="black", font=font)
