"""Text of pages cannot do anything to a terminal."""
# ruff: noqa: RUF001

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.eval.explain.terminal import harmless, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", " [31mred [0m"),
        ("\x9b2Jgone", " 2Jgone"),
        ("\x1b]0;title\x07", " ]0;title "),
        ("line\r\x08\nline\x7f\x00", "line   line  "),
        ("abc\u202edef\u202c\u2066x\u2069\u200f", "abcdefx"),
        ("one\u2028two\u2029three\x85", "one two three "),
        ("soft\xadhyphen\ufeff\U000e0041", "softhyphen"),
        ("lone \ud83d half", "lone  half"),
        ("naïve 日本語 👩\u200d💻 می\u200cخواهم", "naïve 日本語 👩\u200d💻 می\u200cخواهم"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_harmless(text: str, shown: str) -> None:
    assert harmless(text) == shown


@given(st.text())
def test_nothing_but_characters_is_left(text: str) -> None:
    left = {unicodedata.category(one) for one in harmless(text) if one not in "\u200c\u200d"}
    assert left.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    assert harmless(harmless(text)) == harmless(text)


def test_wrapped() -> None:
    assert wrapped("one two-three four", "  ", 12) == "  one\n  two-three\n  four"
    assert wrapped("", "  ", 12) == ""
