"""Passages: so many words each, an overlap, and nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.errors import UsageError
from boilersweep.export.passages import Passages
from boilersweep.pages.words import is_word


def texts(text: str, words: int, overlap: int = 0) -> list[str]:
    return [text[start:end] for start, end in Passages(words, overlap).cut(text)]


def test_every_passage_but_the_last_has_so_many_words() -> None:
    assert texts("a b c d e f g", 3) == ["a b c", "d e f", "g"]


def test_neighbours_share_the_overlap() -> None:
    assert texts("a b c d e f g", 4, 2) == ["a b c d", "c d e f", "e f g"]


def test_a_passage_that_the_one_before_holds_is_none() -> None:
    assert texts("a b c d e f", 4, 2) == ["a b c d", "c d e f"]


def test_signs_are_no_words_and_stay_with_the_word_before() -> None:
    assert texts("- a | b -- c d !", 2) == ["- a | b --", "c d !"]


def test_words_of_scripts_without_spaces_count() -> None:
    pieces = texts("第一章 " + "我们喜欢苹果。" * 40, 20)
    assert len(pieces) > 4
    assert "".join(pieces).replace(" ", "") == "第一章" + "我们喜欢苹果。" * 40


def test_a_text_of_few_words_is_one_passage() -> None:
    assert texts("  a\nb ", 200, 50) == ["a\nb"]


@pytest.mark.parametrize("text", ["", " \n", "... --"])
def test_without_a_word_there_is_none(text: str) -> None:
    assert texts(text, 5) == []


@pytest.mark.parametrize(("words", "overlap"), [(0, 0), (5, 5), (5, 6), (5, -1)])
def test_what_cannot_be_is_refused(words: int, overlap: int) -> None:
    with pytest.raises(UsageError, match=f"passages of {words} words with an overlap of {overlap}"):
        Passages(words, overlap)


@given(st.text(alphabet="ab .|\n\u2003é"), st.integers(1, 6), st.integers(0, 5))
def test_all_words_are_in_a_passage_and_in_order(text: str, words: int, overlap: int) -> None:
    overlap = min(overlap, words - 1)
    found = [list(filter(is_word, one.split())) for one in texts(text, words, overlap)]
    joined = [word for number, one in enumerate(found) for word in one[overlap if number else 0 :]]
    assert joined == list(filter(is_word, text.split()))
    assert all(len(one) == words for one in found[:-1])
