"""Tables that a spreadsheet opens without calculating anything."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.outputs.csvtext import csv_text, harmless


@pytest.mark.parametrize(
    "text",
    [
        *(
            "=1+1",
            '=HYPERLINK("http://x.example")',
            "@SUM(1)",
            "+cmd|' /C calc'!A0",
            "-2+3",
        ),
        *(
            "\t=1",
            "\r=1",
            "\n=1",
            "-",
            "+",
            "=",
            "-1_000",
            "-١",  # noqa: RUF001
            "-1e",
            "+.",
            "-inf",
            "＝1",  # noqa: RUF001
        ),
        *("'=1", "''@x"),
    ],
)
def test_text_that_would_be_a_formula_gets_an_apostrophe(text: str) -> None:
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize(
    "cell",
    [
        *("851", "words>=11", "d-1", "a=b", "", "'quoted'", "'", "(x)", " =1"),
        *("-0.1234", "+0.5", "-5", "1e-7", "-1.5e+10", "-.5", "+7."),
        *(-1, -0.25, 0, np.int64(-3), np.float32(-0.5), True, None),
    ],
)
def test_other_text_and_numbers_stay(cell: object) -> None:
    assert harmless(cell) is cell


def test_the_written_form() -> None:
    rows: list[list[object]] = [
        ["=1,2", None, -0.5, np.int64(-3)],
        ['a"b', "x\ny", "-0.5", True],
    ]
    assert csv_text(["@topic", "b", "c", "d"], rows) == (
        '\'@topic,b,c,d\n"\'=1,2",,-0.5,-3\n"a""b","x\ny",-0.5,True\n'
    )


@given(st.lists(st.text(alphabet="=+-@'\t\r\n\",;a1. "), min_size=1))
def test_every_text_comes_back(cells: list[str]) -> None:
    (line,) = list(csv.reader(io.StringIO(csv_text(["head"], [cells]), newline="")))[1:]
    assert line == [harmless(cell) for cell in cells]
    signs = tuple("=+-@\t\r\n")
    assert not any(read.startswith(("=", "@", "\t", "\r", "\n")) for read in line)
    marked = [read[:1] == "'" and read.lstrip("'").startswith(signs) for read in line]
    assert [read[mark:] for read, mark in zip(line, marked, strict=True)] == cells


def test_nothing_else_writes_tables() -> None:
    root = Path(__file__).parents[2]
    writing = {
        path.relative_to(root).as_posix()
        for top in ("src", "eval", "indexer", "topics")
        for path in (root / top).rglob("*.py")
        if re.search(
            r"csv\.(?:writer|DictWriter|CSVWriter|write_csv)\b|to_csv", path.read_text()
        )
    }
    ours = "src/boilersweep/outputs/csvtext.py"
    assert {ours} <= writing <= {ours, "src/boilersweep/export/feature_table.py"}
