"""Labels of curves: they hide no line, no other label, and stay within the panel."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from boilersweep.eval.figures.curves import Labels

pytestmark = pytest.mark.usefixtures("drawn_figures")

CURVES = {
    "falls through the name of the level line": np.linspace(0.9, 0.4, 50),
    "best at the right edge": np.linspace(0.4, 0.9, 50),
    "best at the left edge": np.linspace(0.9, 0.8, 50) - 0.05 * (np.arange(50) > 0),
    "level, as high as the line": np.full(50, 0.6),
    "to and fro": 0.6 + 0.1 * np.sin(np.arange(50) / 2),
    "a peak just above the line": np.where(np.arange(50) == 25, 0.62, 0.6),
}


@pytest.fixture
def panel() -> Iterator[Any]:
    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, panel = plt.subplots(figsize=(5, 2.4))
    yield panel
    plt.close(figure)


@pytest.mark.parametrize("curve", CURVES)
def test_they_hide_nothing(panel: Any, curve: str) -> None:
    values = CURVES[curve]
    (line,) = panel.plot(np.arange(1, 51), values)
    level = panel.axhline(0.6)
    panel.margins(y=0.18)
    labels = Labels()
    labels.at(panel, "0.794 at 6", (int(values.argmax()) + 1, float(values.max())), fontsize=8.5)
    labels.along(panel, "every block kept: 0.600", 0.6, fontsize=8)
    panel.figure.tight_layout()
    labels.put()
    renderer = panel.figure.canvas.get_renderer()
    one, other = [text.get_window_extent(renderer) for text in panel.texts]
    assert not one.overlaps(other)
    for box in (one, other):
        assert panel.bbox.x0 <= box.x0
        assert box.x1 <= panel.bbox.x1
        assert panel.bbox.y0 <= box.y0
        assert box.y1 <= panel.bbox.y1
        for drawn in (line, level):
            x, y = drawn.get_data()
            far = np.linspace(0, 1, 2000)
            x = np.interp(far, np.linspace(0, 1, len(x)), x)
            y = np.interp(far, np.linspace(0, 1, len(y)), y)
            points = drawn.get_transform().transform(np.column_stack([x, y]))
            assert not any(box.contains(*point) for point in points), drawn
