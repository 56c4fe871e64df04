"""Labels of a curve, put where they hide no line and no other label."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boilersweep.pages.columns import FloatArray

# Offsets of a label from its point, in points; better places first.
_ROUND = [
    (7, 7),
    (-7, 7),
    (7, -7),
    (-7, -7),
    (0, 12),
    (0, -12),
    (7, 18),
    (-7, 18),
    (7, -18),
    (-7, -18),
    (0, 26),
    (0, -26),
    (24, 30),
    (-24, 30),
    (24, -30),
    (-24, -30),
]

_PLACES = (1.0, 0.0, 0.5, 0.75, 0.25)
# Places of the label of a level line: how far along the panel, and above or below.
_ALONG = [(place, side) for place in _PLACES for side in (3, -3)]

# Pixels between a label and a line.
_ROOM = 1.5

# Pixels between the points of a line that are compared with labels.
_STEP = 2.0

_SIDES = {-1: "right", 0: "center", 1: "left"}
_ENDS = {1.0: "right", 0.0: "left"}


class Labels:
    """The labels of some panels, the first ones in the best places.

    `put` places them when everything is drawn and has its size.
    """

    def __init__(self) -> None:
        self._wanted: dict[Any, list[tuple[str, list[dict[str, Any]], dict[str, Any]]]] = {}

    def at(self, panel: Any, text: str, point: tuple[float, float], **style: Any) -> None:
        """Name a point of the data."""
        places = [
            {
                "xy": point,
                "xytext": (x, y),
                "ha": _SIDES[(x > 0) - (x < 0)],
                "va": "bottom" if y > 0 else "top",
            }
            for x, y in _ROUND
        ]
        self._wanted.setdefault(panel, []).append((text, places, style))

    def along(self, panel: Any, text: str, height: float, **style: Any) -> None:
        """Name a level line; if other lines leave no room, at the panel's edge."""
        places = [
            {
                "xy": (place, height),
                "xycoords": ("axes fraction", "data"),
                "xytext": (-2 if place == 1 else 2 if place == 0 else 0, side),
                "ha": _ENDS.get(place, "center"),
                "va": "bottom" if side > 0 else "top",
            }
            for place, side in _ALONG
        ]
        places += [
            {
                "xy": (place, edge),
                "xycoords": "axes fraction",
                "xytext": (-2 if place == 1 else 2 if place == 0 else 0, 2 - 4 * edge),
                "ha": _ENDS.get(place, "center"),
                "va": "top" if edge else "bottom",
            }
            for place in _PLACES
            for edge in (1, 0)
        ]
        self._wanted.setdefault(panel, []).append((text, places, style))

    def put(self) -> None:
        """Put each at the first place that is free, else where it hides least."""
        for panel, wanted in self._wanted.items():
            lines = [_along(line) for line in panel.get_lines()]
            taken: list[Any] = []
            for text, places, style in wanted:
                taken.append(_put(panel, text, places, style, lines, taken))


def _put(
    panel: Any,
    text: str,
    places: Sequence[dict[str, Any]],
    style: dict[str, Any],
    lines: Sequence[FloatArray],
    taken: Sequence[Any],
) -> Any:
    """Put a text, and return the box that it takes, in pixels."""
    renderer = panel.figure.canvas.get_renderer()

    def made(place: dict[str, Any]) -> Any:
        return panel.annotate(text, textcoords="offset points", **place, **style)

    least, best = float("inf"), places[0]
    for place in places:
        tried = made(place)
        hidden = _hidden(tried.get_window_extent(renderer), panel.bbox, lines, taken)
        tried.remove()
        if hidden < least:
            least, best = hidden, place
        if not hidden:
            break
    return made(best).get_window_extent(renderer)


def _hidden(box: Any, frame: Any, lines: Sequence[FloatArray], taken: Sequence[Any]) -> float:
    """Measure how much a box hides; a label counts more than lines, the panel's edge most."""
    if box.y0 < frame.y0 or box.y1 > frame.y1 or box.x0 < frame.x0 or box.x1 > frame.x1:
        return 1e9
    labels = sum(bool(box.padded(_ROOM).overlaps(other)) for other in taken)
    return 1e6 * labels + sum(_inside(line, box) for line in lines)


def _along(line: Any) -> FloatArray:
    """Return (n, 2) points of a line in pixels, one every few pixels."""
    transform = line.get_transform()
    corners = np.asarray(transform.transform(np.column_stack(line.get_data())), dtype=float)
    if len(corners) < 2:
        return corners
    far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    places = np.arange(0.0, far[-1] + _STEP, _STEP)
    points: FloatArray = np.column_stack(
        [np.interp(places, far, corners[:, axis]) for axis in (0, 1)]
    )
    return points


def _inside(line: FloatArray, box: Any) -> int:
    x, y = line.T
    across = (x > box.x0 - _ROOM) & (x < box.x1 + _ROOM)
    return int((across & (y > box.y0 - _ROOM) & (y < box.y1 + _ROOM)).sum())
