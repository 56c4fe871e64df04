"""The report as Chromium prints it on A4: nothing is cut, no chart is in two parts."""

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")
pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")

Opened = Callable[..., Any]
Placed = list[tuple[str, float, float]]

A4 = (595, 842)
MARGIN = 39  # 14 mm, less what is rounded

# Title of a chart -> what stands below its last line.
CHARTS = {
    "P@10: the best, the baseline, the gold text": "P@10",
    "P@10 against words": "minimum words of a block",
    "nDCG@10 against density": "minimum text density of a block",
    "Score and size": "tokens kept, % of the baseline's",
    "Words of the blocks": "words of a block",
}

COLOURS = """
return [...document.querySelectorAll(".beside text")].map((one) => getComputedStyle(one).fill);
"""


def printed(browser: Any) -> Any:
    pdf = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})[
        "data"
    ]
    return pypdf.PdfReader(io.BytesIO(base64.b64decode(pdf)))


def texts_of(page: Any) -> Placed:
    """Return the pieces of text of a page with their start, in points from the lower left."""
    found: Placed = []

    def visit(text: str, cm: list[float], tm: list[float], *_: object) -> None:
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        if text.strip():
            found.append((text.strip(), x, y))

    page.extract_text(visitor_text=visit)
    return found


@pytest.mark.parametrize(
    ("width", "dark"), [(1440, False), (390, True)], ids=["desk", "phone in the dark"]
)
def test_on_a4_nothing_is_cut(
    open_page: Opened, report: Path, *, width: int, dark: bool
) -> None:
    browser = open_page(report, width=width, dark=dark)
    pdf = printed(browser)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert set(browser.execute_script(COLOURS)) == {
        "rgb(29, 28, 26)",
        "rgb(98, 94, 87)",
    }
    pages = [(page, texts_of(page)) for page in pdf.pages]
    for page, placed in pages:
        size = (float(page.mediabox.width), float(page.mediabox.height))
        assert size == pytest.approx(A4, abs=2)
        for text, x, y in placed:
            assert MARGIN <= x <= A4[0] - MARGIN, text
            assert MARGIN <= y <= A4[1] - MARGIN, text
    by_page = [" ".join(text for text, _, _ in placed) for _, placed in pages]
    for title, below in CHARTS.items():
        (text,) = [text for text in by_page if title in text]
        assert below in text[text.index(title) + len(title) :], title
    whole = " ".join(by_page)
    for head in ("gap closed", "tokens kept", "index", "What was run on what"):
        assert head in " ".join(whole.split()), head
    for screen in ("Copy", "as CSV", "click a column head", "all thresholds"):
        assert screen not in whole, screen
