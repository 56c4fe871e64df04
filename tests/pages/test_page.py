"""Text density worked by hand from Equation 1, and against a naive word-wrapper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages.words import LINE_WIDTH, is_word, text_density


def words_of(*lengths: int) -> list[str]:
    return ["x" * length for length in lengths]


def density(words: list[str]) -> float:
    return text_density(" ".join(words), len(words))


def greedy_density(words: list[str]) -> float:
    """Equation 1 over lines filled word by word, the slow and obvious way."""
    lines: list[list[str]] = [[]]
    for word in words:
        if lines[-1] and len(" ".join([*lines[-1], word])) > LINE_WIDTH:
            lines.append([])
        lines[-1].append(word)
    if len(lines) == 1:
        return len(words)
    return sum(map(len, lines[:-1])) / (len(lines) - 1)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        pytest.param([3], 1, id="one word"),
        pytest.param([4] * 10, 10, id="one line: all its words"),
        pytest.param([4] * 15 + [5], 16, id="exactly 80 characters are one line"),
        pytest.param([4] * 15 + [6], 15, id="81 characters wrap before the last word"),
        pytest.param([80], 1, id="a word as long as a line"),
        pytest.param([81], 1, id="a word longer than a line is one line"),
        pytest.param([80, 1], 1, id="a full line, then one word"),
        pytest.param([4] * 48, 16, id="three lines: the last is not counted"),
        pytest.param(
            [4] * 16 + [9] * 8 + [4], 12, id="lines of 16 and 8 words, and a rest"
        ),
        pytest.param([100, 4, 4], 1, id="a long word in front has a line of its own"),
        pytest.param(
            [4, 4, 100, 4, 4, 4], 1.5, id="a long word between: lines of 2 and 1"
        ),
        pytest.param(
            [4, 4, 4, 100], 3, id="a long word at the end is the line not counted"
        ),
        pytest.param([100, 200, 300], 1, id="only long words"),
    ],
)
def test_text_density_by_hand(lengths: list[int], expected: float) -> None:
    assert density(words_of(*lengths)) == expected


@given(
    st.lists(
        st.one_of(st.integers(1, 12), st.integers(70, 90), st.just(200)), min_size=1
    )
)
def test_text_density_is_that_of_a_greedy_word_wrapper(lengths: list[int]) -> None:
    assert density(words_of(*lengths)) == greedy_density(words_of(*lengths))


WORDS = ["a", "1", "don't", "(x)", "é", "日本", "٣", "½", "-1-"]
NO_WORDS = ["|", "--", "»", "_", "...", "\ufffd", "\u200b", "€"]


@pytest.mark.parametrize("token", [*WORDS, *NO_WORDS])
def test_a_letter_or_digit_makes_a_word(token: str) -> None:
    assert is_word(token) == (token in WORDS)
