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
    SENTENCE_END,
    UPPER,
    count_characters,
)
from boilersweep.pages.words import is_word


def test_every_count_of_a_small_block() -> None:
    counts = count_characters(["The BBC said: 3.5 | 4% more; is it? © A@b"])
    expected = {
        "characters": 41,
        "spaces": 10,  # 11 tokens
        "letters": 20,  # The BBC said more is it A b: 3+3+4+4+2+2+1+1
        "lowercase": 15,
        "uppercase": 5,  # T B B C A
        "digits": 3,  # 3 5 4
        "punctuation": 8,  # : . | % ; ? © @
        "sentence_ends": 2,  # ; and ?, not the stop in 3.5
        "full_stops": 1,
        "commas": 0,
        "bars": 1,
        "separators": 1,
        "copyright": 1,
        "currency": 0,
        "questions": 1,
        "at_signs": 1,
        "colons": 1,
        "words": 9,  # The BBC said: 3.5 4% more; is it? A@b
        "word_characters": 29,  # 3+3+5+3+2+5+2+3+3
        "capitalised": 3,  # The BBC A@b
        "all_caps": 1,  # BBC; A@b has a lowercase letter
        "sentences": 3,  # "The ... more;" "is it?" "© A@b"
    }
    assert {name: int(getattr(counts, name)[0]) for name in expected} == expected
    assert counts.first[0] == LETTER | UPPER
    assert counts.last[0] == LETTER | LOWER


def test_no_text_and_empty_texts() -> None:
    assert len(count_characters([])) == 0
    counts = count_characters(["", "a.", " ", ""])
    assert counts.characters.tolist() == [0, 2, 1, 0]
    assert counts.spaces.tolist() == [0, 0, 1, 0]
    assert counts.words.tolist() == [0, 1, 0, 0]
    assert counts.sentences.tolist() == [0, 1, 0, 0]
    assert counts.first.tolist() == [0, LETTER | LOWER, 0, 0]
    assert counts.last[1] & SENTENCE_END
    assert counts.last[2] == 0


def test_runs_of_marks_end_one_sentence_and_empty_ones_do_not_count() -> None:
    counts = count_characters(["Wait... what?! ; Yes", "1.2.3", 'He said "no." Then left.'])
    assert counts.sentence_ends.tolist() == [3, 0, 2]
    assert counts.sentences.tolist() == [3, 1, 2]


def test_a_block_does_not_see_its_neighbours() -> None:
    alone = count_characters(["end."])
    between = count_characters(["word", "end.", "Word"])
    assert alone.sentence_ends[0] == between.sentence_ends[1] == 1
    assert between.sentences.tolist() == [1, 1, 1]


def test_characters_beyond_the_bmp_and_lone_surrogates() -> None:
    counts = count_characters(["\U0001d400\U0001d41a 😀 \ud800 x", "𐐀 \U000104a0"])
    assert counts.characters.tolist() == [8, 3]
    assert counts.letters.tolist() == [3, 1]
    assert counts.uppercase.tolist() == [1, 1]
    assert counts.digits.tolist() == [0, 1]
    assert counts.punctuation.tolist() == [1, 0]  # the smiley; a surrogate is nothing
    assert counts.words.tolist() == [2, 2]
    assert counts.last[1] == DIGIT


def test_other_scripts() -> None:
    counts = count_characters(["你好。再见！", "ما هذا؟", "नमस्ते दुनिया।"])
    assert counts.sentence_ends.tolist() == [1, 1, 1]  # no white space: the first 。 ends nothing
    assert counts.punctuation.tolist() == [2, 1, 1]
    assert counts.words.tolist() == [1, 2, 2]
    assert counts.uppercase.tolist() == [0, 0, 0]


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["One two. Three", "", "FOUR | five", "© 6"] * 5
    whole = count_characters(texts)
    for size in (1, 7, 40):
        monkeypatch.setattr(characters, "_CHUNK", size)
        parts = count_characters(texts)
        for name in characters._FIELDS:
            assert getattr(parts, name).tolist() == getattr(whole, name).tolist(), name


@given(st.lists(st.text(max_size=30), max_size=8))
def test_counts_equal_those_of_python(texts: list[str]) -> None:
    counts = count_characters(texts)
    words = [[token for token in text.split() if is_word(token)] for text in texts]
    assert counts.characters.tolist() == [len(text) for text in texts]
    assert counts.spaces.tolist() == [sum(map(str.isspace, text)) for text in texts]
    assert counts.letters.tolist() == [sum(map(str.isalpha, text)) for text in texts]
    assert counts.words.tolist() == [len(block) for block in words]
    assert counts.word_characters.tolist() == [len("".join(block)) for block in words]
    capitalised = [sum(w[0].isalpha() and w[0].isupper() for w in block) for block in words]
    assert counts.capitalised.tolist() == capitalised
    assert all(counts.sentences <= counts.words)
    assert all((counts.sentences > 0) == (counts.words > 0))
    assert all(counts.letters + counts.digits + counts.spaces <= counts.characters)
