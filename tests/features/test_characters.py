"""Counts of characters: by hand, and against Python's own string methods."""

# ruff: noqa: RUF001 (marks of other scripts look like ours)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.features import characters
from boilersweep.features.characters import (
    DIGIT,
    LETTER,
    LOWER,
    count_characters,
)
from boilersweep.pages.words import is_word


def test_every_count_of_a_small_block() -> None:
    counts = count_characters(["The BBC said: 3.5 | 4% more; is it? © A@b"])
    expected = {
        "characters": 41,
        "letters": 20,  # The BBC said more is it A b: 3+3+4+4+2+2+1+1
        "uppercase": 5,  # T B B C A
        "digits": 3,  # 3 5 4
        "punctuation": 8,  # : . | % ; ? © @
        "full_stops": 1,
        "bars": 1,
        "copyright": 1,
        "word_characters": 29,  # 3+3+5+3+2+5+2+3+3
        "capitalised": 3,  # The BBC A@b
        "all_caps": 1,  # BBC; A@b has a lowercase letter
        "sentences": 3,  # "The ... more;" "is it?" "© A@b"
    }
    assert {name: int(counts[name][0]) for name in expected} == expected
    assert counts["last"][0] == LETTER | LOWER


BEYOND = ["\U0001d400\U0001d41a 😀 \ud800 x", "𐐀 \U000104a0"]
SCRIPTS = ["你好。再见！", "ما هذا؟", "नमस्ते दुनिया।"]
SENTENCES = ["Wait... what?! ; Yes", "1.2.3", 'He said "no." Then left.']


@pytest.mark.parametrize(
    ("texts", "column", "values"),
    [
        ([], "characters", []),
        (["", "a.", " ", ""], "characters", [0, 2, 1, 0]),
        (["", "a.", " ", ""], "sentences", [0, 1, 0, 0]),
        (["", "a", " ", ""], "last", [0, LETTER | LOWER, 0, 0]),
        # Runs of marks end one sentence, and empty sentences do not count.
        (SENTENCES, "sentences", [3, 1, 2]),
        # A block does not see its neighbours.
        (["word", "end.", "Word"], "sentences", [1, 1, 1]),
        (BEYOND, "characters", [8, 3]),
        (BEYOND, "letters", [3, 1]),
        (BEYOND, "uppercase", [1, 1]),
        (BEYOND, "digits", [0, 1]),
        (BEYOND, "punctuation", [1, 0]),  # the smiley; a surrogate is nothing
        (BEYOND, "last", [LETTER | LOWER, DIGIT]),
        (SCRIPTS, "punctuation", [2, 1, 1]),
        (SCRIPTS, "uppercase", [0, 0, 0]),
    ],
)
def test_counts_of_some_texts(texts: list[str], column: str, values: list[int]) -> None:
    assert count_characters(texts)[column].tolist() == values


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["One two. Three", "", "FOUR | five", "© 6"] * 5
    whole = count_characters(texts)
    for size in (1, 7, 40):
        monkeypatch.setattr(characters, "_CHUNK", size)
        parts = count_characters(texts)
        assert {name: parts[name].tolist() for name in whole} == {
            name: counts.tolist() for name, counts in whole.items()
        }


@given(st.lists(st.text(max_size=30), max_size=8))
def test_counts_equal_those_of_python(texts: list[str]) -> None:
    counts = count_characters(texts)
    words = [[token for token in text.split() if is_word(token)] for text in texts]
    assert counts["characters"].tolist() == [len(text) for text in texts]
    assert counts["letters"].tolist() == [sum(map(str.isalpha, text)) for text in texts]
    assert counts["word_characters"].tolist() == [
        len("".join(block)) for block in words
    ]
    capitalised = [
        sum(w[0].isalpha() and w[0].isupper() for w in block) for block in words
    ]
    assert counts["capitalised"].tolist() == capitalised
    assert all((counts["sentences"] > 0) == (counts["word_characters"] > 0))
    assert all(counts["letters"] + counts["digits"] <= counts["characters"])
