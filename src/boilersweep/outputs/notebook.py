"""What a result shows in a notebook: a data frame, its table and curve, and one line as repr."""

import html
from typing import TYPE_CHECKING, Any

from boilersweep.outputs.figures import figure
from boilersweep.outputs.pictures import Picture, Row, Spec, bars

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 20


def points(frame: "pd.DataFrame", x: str, y: str, name: str) -> list[Row]:
    """Return the rows of a frame that have all three columns, as `lines` takes them."""
    chosen = frame[[x, y, name]].dropna().to_numpy().tolist()
    return [dict(zip(("x", "y", "name"), one, strict=True)) for one in chosen]


def scrolling(table: str) -> str:
    """Return a table of HTML that scrolls in its place: long cells do not wrap it away."""
    return f'<div style="overflow-x: auto; white-space: nowrap">{table}</div>'


class Framed:
    """A result with a data frame, whose default measure is the first column with a capital."""

    __slots__ = ()

    def to_pandas(self) -> "pd.DataFrame":
        """Return the result's table."""
        raise NotImplementedError

    def plot(self, measure: str | None = None, **options: Any) -> Picture:
        """Draw a measure of the table; a notebook shows it, and its figures on pointing at them.

        Args:
            measure: A column of the table; None for the first measure.
            **options: Properties of the chart, as Vega-Lite has them, such as `title` and `width`.
        """
        frame = self.to_pandas()
        names = [str(name) for name in frame.columns]
        chosen = measure or next(name for name in names if name[0].isupper())
        if chosen not in names:
            raise KeyError(f"expected one of {', '.join(names)}, got {chosen}")
        size = {"width": 420, "height": 260}
        return Picture({**size, **self._draw(frame, chosen), **options})

    def _draw(self, frame: "pd.DataFrame", measure: str) -> Spec:
        """Return a bar for each row that has the measure."""
        name = "cleaner" if "cleaner" in frame else frame.columns[0]
        shown = frame[[name, measure]].dropna()
        return bars(
            zip(map(str, shown[name]), shown[measure].tolist(), strict=True), measure
        )

    def to_latex(self, **options: Any) -> str:
        """Return the table for a paper, which needs the package booktabs.

        Args:
            **options: For `to_latex` of pandas, such as `columns`, `caption` and `label`.
        """
        usual = {"index": False, "escape": True, "float_format": figure, "na_rep": ""}
        return str(self.to_pandas().to_latex(**{**usual, **options}))

    def _repr_html_(self) -> str:
        shown = self.to_pandas().to_html(
            max_rows=_ROWS,
            border=0,
            index=False,
            float_format=lambda value: figure(value, ".4f"),
        )
        return f"<p>{html.escape(repr(self))}</p>{scrolling(shown)}{self._picture()}"

    def _picture(self) -> str:
        return ""
