"""Tables that are as wide as the terminal, and only there."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabulate import tabulate

from boilersweep.cli.messages import fitted, tell
from tests.cli.conftest import Call

LINES = [
    ["words >= 1 (baseline)", "2,183", "0.763 "],
    ["density>=10.5 & link_density<=0.33", "1,990", "0.8*"],
]
HEADS = ["kept", "documents left", "P@10"]
WIDE = tabulate(
    LINES, HEADS, "simple", colalign=("left", "right", "right"), disable_numparse=True
)


def test_a_wide_table_is_folded() -> None:
    assert fitted(f"A title\n{WIDE}\n\nA note as long as it is", 39).splitlines() == [
        "A title",
        "kept                   documents   P@10",
        "                            left",
        "---------------------  ---------  -----",
        "words >= 1 (baseline)      2,183  0.763",
        "density>=10.5 &            1,990   0.8*",
        "link_density<=0.33",
        "",
        "A note as long as it is",
    ]


def test_heads_are_folded_before_lines() -> None:
    assert fitted(WIDE, 53).splitlines() == [
        "kept                                 documents   P@10",
        "                                          left",
        "----------------------------------  ----------  -----",
        "words >= 1 (baseline)                    2,183  0.763",
        "density>=10.5 & link_density<=0.33       1,990   0.8*",
    ]


def test_what_fits_stays() -> None:
    for text in (
        WIDE,
        "no table",
        "",
        "One\n---\ntwo and more words",
        f"\n{WIDE}\n\n{WIDE}\n",
    ):
        assert fitted(text, 70) == text


def test_words_are_broken_where_nothing_else_helps() -> None:
    folded = fitted(WIDE, 10)
    assert folded.splitlines()[5].startswith("density>=10.")
    assert max(map(len, folded.splitlines())) < 40


CELLS = st.text("abc -é表", max_size=30)


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5),
    st.integers(0, 120),
)
def test_no_character_is_lost(rows: list[tuple[str, str, str]], columns: int) -> None:
    table = tabulate(
        rows, ["one", "two words", "three"], tablefmt="simple", disable_numparse=True
    )
    folded = fitted(table, columns)
    assert sorted("".join(folded.replace("-", "").split())) == sorted(
        "".join(table.replace("-", "").split())
    )
    assert max(map(len, folded.splitlines())) <= max(map(len, table.splitlines()))


def test_only_a_terminal_has_them_folded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "39")
    tell(WIDE)
    assert capsys.readouterr().out == f"{WIDE}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    tell(WIDE)
    assert capsys.readouterr().out == f"{fitted(WIDE, 39)}\n"


def test_the_list_of_cleaners_fits(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    table = call("--list", "cleaners").out.split("\n\n")[1]
    assert "numwords-rules" in table
    assert max(map(len, table.splitlines())) == 80
