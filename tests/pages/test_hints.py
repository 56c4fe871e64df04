"""Strings that may contain a word: all that do, and by compiled code hardly another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages import compiled
from boilersweep.pages.hints import hinting

WORDS = ("cookie", "уки", "data-", "cc-w")


@pytest.mark.parametrize("compiled_too", [False, True])
def test_all_with_a_word_in_any_case_are_found(
    compiled_too: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", "0" if compiled_too else "1")
    strings = [
        *("cookie", "a Cookie-bar", "COOKIES", "coo\u212aie", "Куки", "data-x", "cc-w"),
        *("\U0001f36a cookie", "ccookie", "é cookie"),
    ]
    assert list(hinting(strings, WORDS)) == list(range(len(strings)))


@pytest.mark.skipif(not compiled.built, reason="needs compiled code")
def test_others_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOILERSWEEP_PURE", raising=False)
    strings = [
        "",
        "c",
        "coo",
        "cooki",
        "cook ie",
        "data",
        "ук",
        "\U0001f36a ook",
        "cc-",
    ]
    assert list(hinting(strings, WORDS)) == []


@given(st.lists(st.text(alphabet="cokie\u0443-\u043adatw C\u212a\U0001f36a")))
def test_no_word_is_missed(strings: list[str]) -> None:
    found = set(hinting(strings, WORDS))
    holding = {
        place
        for place, text in enumerate(strings)
        if any(word in text.lower() for word in WORDS)
    }
    assert holding <= found
