"""How figures are saved: the same bytes for the same data, as SVG and PNG."""

from pathlib import Path
from typing import Any

from boilersweep.outputs.files import whole_file

FORMATS = ("svg", "png")

_MOST = 70  # characters of a label


def label(text: str) -> str:
    """A text from outside as matplotlib is to draw it: its middle left out where it is long.

    Two dollars would make a formula of what is between.
    """
    if len(text) > _MOST:
        text = f"{text[: _MOST - 20]} ... {text[-15:]}"
    return text.replace("$", r"\$")


def save_figure(figure: Any, stem: Path) -> list[Path]:
    """Write `<stem>.svg` and `<stem>.png` of a matplotlib figure; raises OutputError."""
    paths = [stem.with_suffix(f".{suffix}") for suffix in FORMATS]
    for suffix, path in zip(FORMATS, paths, strict=True):
        with whole_file(path) as temporary:
            metadata = {"Date": None} if suffix == "svg" else None
            figure.savefig(temporary, format=suffix, dpi=150, metadata=metadata)
    return paths
