"""Options that go together; passages: so many words each, an overlap, and nothing lost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import ExportOptions, UsageError
from boilersweep.export.options import Passages
from boilersweep.pages.words import is_word


def texts(text: str, words: int, overlap: int = 0) -> list[str]:
    return [text[start:end] for start, end in Passages(words, overlap).cut(text)]


@pytest.mark.parametrize(
    ("text", "words", "overlap", "expected"),
    [
        ("a b c d e f g", 3, 0, ["a b c", "d e f", "g"]),
        ("a b c d e f g", 4, 2, ["a b c d", "c d e f", "e f g"]),
        ("a b c d e f", 4, 2, ["a b c d", "c d e f"]),  # none that the one before holds
        # Signs stay with the word before
        ("- a | b -- c d !", 2, 0, ["- a | b --", "c d !"]),
        ("  a\nb ", 200, 50, ["a\nb"]),
        ("", 5, 0, []),
        (" \n", 5, 0, []),
        ("... --", 5, 0, []),
    ],
)
def test_texts_are_cut_into_passages(
    text: str, words: int, overlap: int, expected: list[str]
) -> None:
    assert texts(text, words, overlap) == expected


def test_words_of_scripts_without_spaces_count() -> None:
    pieces = texts("第一章 " + "我们喜欢苹果。" * 40, 20)
    assert len(pieces) > 4
    assert "".join(pieces).replace(" ", "") == "第一章" + "我们喜欢苹果。" * 40


@pytest.mark.parametrize(("words", "overlap"), [(0, 0), (5, 5), (5, 6), (5, -1)])
def test_what_cannot_be_is_refused(words: int, overlap: int) -> None:
    with pytest.raises(
        UsageError, match=f"passages of {words} words with an overlap of {overlap}"
    ):
        Passages(words, overlap)


@given(st.text(alphabet="ab .|\n\u2003é"), st.integers(1, 6), st.integers(0, 5))
def test_all_words_are_in_a_passage_and_in_order(
    text: str, words: int, overlap: int
) -> None:
    overlap = min(overlap, words - 1)
    found = [list(filter(is_word, one.split())) for one in texts(text, words, overlap)]
    joined = [
        word
        for number, one in enumerate(found)
        for word in one[overlap if number else 0 :]
    ]
    assert joined == list(filter(is_word, text.split()))
    assert all(len(one) == words for one in found[:-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "csv"}, "expected one of jsonl, parquet"),
        (
            {"fields": ("author", "authors")},
            "field 'authors': expected some of headline, author",
        ),
        ({"format": "text", "blocks": True}, "text has no place for blocks"),
        (
            {"format": "trecweb", "fields": ("author",)},
            "trecweb has no place for fields",
        ),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ExportOptions(**options)
