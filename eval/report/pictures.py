"""Small pictures of pages in the evidence: where a browser drew the blocks, and which are kept.

Drawn from the boxes beside a store alone, where `boilersweep render` wrote them; a store without
them gives none, and the page of its study is as if there were none of this.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boilersweep.cleaners.rules import BOXES
from boilersweep.eval.report.evidence import Evidence, Room, compressed, moved_pages
from boilersweep.eval.report.html import packaged
from boilersweep.eval.study.results import Study
from boilersweep.pages.boxes import Drawn
from boilersweep.pages.columns import BlockColumns, boxes_of
from boilersweep.rendering.picture import DROPPED, KEPT, MOST_HEIGHT
from boilersweep.store.store import BlockStore

# Units that a picture is wide.
WIDTH = 320

# In one picture.
MOST_BOXES = 400

_PIXELS = 4  # of the page, to a unit
_CLOSE = 2  # units between neighbours that may be drawn as one

# Left, top, right and bottom, in units.
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn page.

    Attributes:
        height: The height in units.
        boxes: (n,) drawn boxes, in units.
        kept: Cleaner -> how many of the page's blocks it keeps, and a 0 or 1 for each box.
        blocks: The number of blocks.
        unseen: Blocks that nobody sees on the page.
        outside: Blocks below or beside the picture.
        small: The smallest blocks, left out because there were too many.
        merged: Whether neighbours that the same cleaners keep were drawn as one.
    """

    height: int
    boxes: tuple[Box, ...]
    kept: Mapping[str, tuple[int, str]]
    blocks: int
    unseen: int
    outside: int
    small: int
    merged: bool


def gather_pictures(store: BlockStore, evidence: Sequence[Evidence]) -> dict[str, Picture | None]:
    """Draw the pages in the evidence, reading only the shards that have one.

    Args:
        store: The block store.
        evidence: The evidence.

    Returns:
        Docid -> the page's picture, None if the browser drew none; empty for a store without boxes.

    Raises:
        StoreError: The store is damaged.
    """
    if store.boxes is None:
        return {}
    kept: dict[str, dict[str, str]] = defaultdict(dict)
    for found in evidence:
        for docid, page in found["pages"].items():
            kept[docid] |= zip(found["cleaners"], page["kept"], strict=True)
    pictures: dict[str, Picture | None] = {}
    for _, shard in store.by_shard():
        if kept.keys().isdisjoint(shard.docids()):
            continue
        for columns in shard.columns(BOXES):
            pictures.update(_pictures(columns, kept))
    return pictures


def picture_of(shard: BlockStore, docid: str, kept: Mapping[str, str]) -> Picture | None:
    """Return the picture of one page of a shard; None if the browser drew none.

    Args:
        shard: The shard.
        docid: The page.
        kept: As for `draw_picture`.

    Raises:
        StoreError: The shard is damaged.
    """
    if shard.boxes is None:
        return None
    found = (one for columns in shard.columns(BOXES) for one in _pictures(columns, {docid: kept}))
    return dict(found).get(docid)


def _pictures(
    columns: BlockColumns, kept: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, Picture | None]]:
    boxes = boxes_of(columns, "the report")
    for number, docid in enumerate(columns.docids):
        if docid in kept:
            blocks = slice(columns.starts[number], columns.starts[number + 1])
            height = int(boxes.heights[number])
            drawn = boxes.blocks.some(blocks)
            yield docid, draw_picture(drawn, height, kept[docid]) if height else None


def draw_picture(blocks: Drawn, height: int, kept: Mapping[str, str]) -> Picture:
    """Draw the picture of a page of b blocks.

    Args:
        blocks: Where the browser drew the blocks.
        height: The height of the page, in pixels.
        kept: Cleaner -> a 0 or 1 for each block; the texts of extractors follow.
    """
    shown = -(-min(height, MOST_HEIGHT) // _PIXELS)
    seen = blocks.shown & blocks.matched
    low = np.stack([blocks.left, blocks.top], axis=1) // _PIXELS
    high = -(-np.stack([blocks.right, blocks.bottom], axis=1) // _PIXELS)
    low, high = np.clip(low, 0, None), np.clip(high, None, (WIDTH, shown))
    inside = seen & (low < high).all(axis=1)
    places = np.flatnonzero(inside).tolist()
    fates = [
        "".join(one) for one in zip(*(mask[: len(blocks)] for mask in kept.values()), strict=True)
    ]
    found = [((*low[n].tolist(), *high[n].tolist()), fates[n], 1) for n in places]
    merged = len(found) > MOST_BOXES
    if merged:
        found = _merged(found)
    areas = [(right - left) * (bottom - top) for (left, top, right, bottom), _, _ in found]
    largest = sorted(range(len(found)), key=lambda n: -areas[n])[:MOST_BOXES]
    drawn = [found[n] for n in sorted(largest)]
    return Picture(
        height=shown,
        boxes=tuple(box for box, _, _ in drawn),
        kept={
            cleaner: (mask[: len(blocks)].count("1"), "".join(fate[n] for _, fate, _ in drawn))
            for n, (cleaner, mask) in enumerate(kept.items())
        },
        blocks=len(blocks),
        unseen=int((~seen).sum()),
        outside=int((seen & ~inside).sum()),
        small=len(places) - sum(count for _, _, count in drawn),
        merged=merged,
    )


# A box, a 0 or 1 for each cleaner, and how many blocks it is of.
_Found = tuple[Box, str, int]


def _merged(found: Sequence[_Found]) -> list[_Found]:
    """Join neighbours in a line or column that the same cleaners keep."""
    merged: list[_Found] = []
    for box, fate, count in found:
        if merged and merged[-1][1] == fate and (joined := _joined(merged[-1][0], box)):
            merged[-1] = (joined, fate, merged[-1][2] + count)
        else:
            merged.append((box, fate, count))
    return merged


def _joined(one: Box, other: Box) -> Box | None:
    """Return the rectangle around two neighbours in a line or column; None for other boxes."""
    for along, across in ((0, 1), (1, 0)):
        ends = (other[across] - one[across], other[across + 2] - one[across + 2])
        if 0 <= other[along] - one[along + 2] <= _CLOSE and not any(ends):
            return (one[0], one[1], other[2], other[3])
    return None


def pack_pictures(
    study: Study,
    evidence: Sequence[Evidence],
    pictures: Mapping[str, Picture | None],
    *,
    most: int,
) -> str:
    """Compress pictures to base64.

    If the room is too small, the last cleaners' pictures are left out first, beginning with the
    topics that differ least from the baseline.

    Args:
        study: The study.
        evidence: The evidence with the pages.
        pictures: Docid -> picture.
        most: The most characters, give or take a hundred.

    Returns:
        {docid: picture}, null if the browser drew none; `kept` is by the cleaners' places.
    """
    room = Room(most)
    packed: dict[str, Any] = {}
    for place, found, docid in moved_pages(study, evidence):
        if docid not in pictures or str(place) in (packed.get(docid) or {}).get("kept", {}):
            continue
        picture = pictures[docid]
        if picture is None:
            if docid not in packed and room.takes(docid):
                packed[docid] = None
            continue
        names = zip(("0", str(place)), found["cleaners"], strict=True)
        kept = {name: picture.kept[cleaner] for name, cleaner in names}
        page = _page(picture)
        if room.takes([docid, kept] if docid in packed else [docid, page, kept]):
            packed.setdefault(docid, page)["kept"] |= kept
    return compressed(packed)


def _page(picture: Picture) -> dict[str, Any]:
    """Return the picture for the script: each box as left, rise of the top, width and height."""
    numbers: list[int] = []
    above = 0
    for left, top, right, bottom in picture.boxes:
        numbers += (left, top - above, right - left, bottom - top)
        above = top
    names = ("height", "blocks", "unseen", "outside", "small", "merged")
    return {**{name: getattr(picture, name) for name in names}, "boxes": numbers, "kept": {}}


def picture_style() -> str:
    """Return the style sheet, with the colours of kept and dropped blocks as CSS variables."""
    names = zip(("kept", "dropped"), (KEPT, DROPPED), strict=True)
    colours = " ".join(f"--{name}: #{bytes(colour).hex()};" for name, colour in names)
    return f":root {{ {colours} }}\n{packaged('pictures.css')}"


def picture_script() -> str:
    """Return the script that puts a picture above the blocks of its page."""
    return packaged("pictures.js").replace("__WIDTH__", str(WIDTH))
