"""Bags of words, worked out by hand."""

from collections.abc import Callable

import pytest

from boilersweep.eval.judge.scores import Score, bag_of_words, word_score


def test_a_bag_of_words_by_hand() -> None:
    # Of four tokens found, "a" once and "b" are gold: 2 of 4. Of three gold tokens 2 are found.
    score = bag_of_words("a a b x", "b a  c")
    assert score == pytest.approx(Score(2 / 4, 2 / 3, 2 * 2 / (4 + 3)))
    assert score.f1 == pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))


def test_tokens_stand_between_white_space() -> None:
    assert bag_of_words("One, two", "one, two").f1 == 0.5  # "two" alone
    assert bag_of_words("don't stop", "don t stop").f1 == pytest.approx(2 / 5)
    assert bag_of_words("a\xa0b\nc", "a b c").f1 == 1.0


def test_words_of_scripts_without_spaces_count_in_both() -> None:
    found, gold = "首页 我们喜欢苹果。", "我们喜欢苹果。Apple"
    for score in (bag_of_words(found, gold), word_score(found, gold)):
        assert (score.precision, score.recall) == (3 / 4, 3 / 4)


def test_words_are_runs_of_letters_digits_and_underscores() -> None:
    assert word_score("One, TWO-three!", "one two three").f1 == 1.0
    # don, t, stop of both.
    assert word_score("don't stop", "don t (stop)").f1 == 1.0
    assert word_score("snake_case x1", "snake case x1") == pytest.approx(Score(1 / 2, 1 / 3, 0.4))
    # Three found (the, the, pony), two gold (the, pony): common the, pony.
    assert word_score("The the pony", "the pony") == pytest.approx(Score(2 / 3, 1.0, 0.8))


@pytest.mark.parametrize("measure", [bag_of_words, word_score])
@pytest.mark.parametrize(
    ("found", "gold", "value"),
    [("", "", 1.0), (" \n", "", 1.0), ("a", "", 0.0), ("", "a", 0.0), ("a", "b", 0.0)],
)
def test_empty_texts(
    measure: Callable[[str, str], Score], found: str, gold: str, value: float
) -> None:
    assert measure(found, gold) == Score(value, value, value)


def test_what_has_no_word_is_empty_for_words_alone() -> None:
    assert word_score("- | -", "").f1 == 1.0
    assert bag_of_words("- | -", "").f1 == 0.0
