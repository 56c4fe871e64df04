"""Every CSV that a command writes, of inputs whose names are formulas."""

import base64
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call

pytestmark = [
    pytest.mark.java,
    pytest.mark.application("judge"),
    pytest.mark.application("report"),
]


NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(e[+-]?[0-9]+)?")
DATA = re.compile(r"data:text/csv;charset=utf-8;base64,([A-Za-z0-9+/=]+)")
EVIL = '=HYPERLINK("http://x.example")'


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    for number, name in enumerate([EVIL.replace("/", "|"), "@b", "-c", "+d", "e"]):
        text = f"<p>pony number {number} in a text that is long enough</p><p>menu</p>"
        (tmp_path / "pages" / f"{name}.html").write_text(text)
        (tmp_path / "pages" / f"{name}.txt").write_text(
            f"pony number {number} in a text"
        )
    (tmp_path / "topics").write_text("=1+1\tpony\n@2\tnumber\n-3\ttext\n-4+5\tmenu\n")
    topics = ("=1+1", "@2", "-3", "-4+5")
    (tmp_path / "qrels").write_text("".join(f"{t} 0 @b 1\n{t} 0 e 0\n" for t in topics))
    return tmp_path


def tables(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.csv")):
        yield path.name, path.read_text("utf-8")
    for page in folder.rglob("*.html"):
        if page.parent.name != "pages":
            for found in DATA.findall(page.read_text("utf-8")):
                yield page.name, base64.b64decode(found).decode("utf-8")


def test_no_cell_is_a_formula(call: Call, place: Path) -> None:
    experiment = ("--topics", place / "topics", "--qrels", place / "qrels")
    store = place / "store"
    judge = (
        "judge",
        "--dataset",
        "folder",
        "--input",
        place / "pages",
        "--cleaners",
        "bte",
    )
    commands = (
        (
            "segment",
            "--input",
            place / "pages",
            "--collection",
            "html",
            "--output",
            store,
        ),
        (
            "sweep",
            "--store",
            store,
            *experiment,
            "--sweep",
            "words=1",
            "--output",
            place / "sweep",
        ),
        (
            "compare",
            "--store",
            store,
            *experiment,
            "--cleaners",
            "bte",
            "--output",
            place / "out",
        ),
        (
            "export",
            "--store",
            store,
            "--features",
            "schaefer",
            "--output",
            place / "f.csv",
        ),
        (*judge, "--output", place / "judged"),
    )
    for command in commands:
        call(*command).ok()
    found = list(tables(place))
    names = {name for name, _ in found}
    assert names == {
        "scores.csv",
        "topics.csv",
        "compare.csv",
        "report.html",
        "f.csv",
        "pages.csv",
        "comparisons.csv",
        "pairs.csv",
    }
    cells = [
        (name, cell)
        for name, text in found
        for row in csv.reader(io.StringIO(text, newline=""))
        for cell in row
    ]
    risky = [
        (n, c)
        for n, c in cells
        if c[:1] in tuple("=+-@\t\r") and not NUMBER.fullmatch(c)
    ]
    assert risky == []
    written = {cell for _, cell in cells}
    assert {"'=1+1", "'@2", "'@b", "'-c", "-3", "'-4+5"} <= written
    assert (place / "out" / "runs" / "bte.trec").read_text().count("=1+1 Q0 ") > 0
