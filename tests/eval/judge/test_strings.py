"""Strings that must stay in a text and strings that must not."""

import pytest

from boilersweep.eval.judge.strings import StringScore, string_score, string_shares


def test_strings_are_counted_by_hand() -> None:
    found = string_score("One two\nthree", ["one two", "two three", "four"], ["Home", "One"])
    # Case counts, white space does not: "two three" stands over a line's end.
    assert found == StringScore(wanted=3, kept=1, unwanted=2, dropped=1)
    assert found.balanced == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_a_page_with_one_kind_of_strings() -> None:
    assert string_score("one", ["one"], []).balanced == 1
    assert string_score("one", [], ["one", "two"]).balanced == 0.5


def test_shares_are_of_all_strings_and_balanced_is_of_pages() -> None:
    shares = string_shares([StringScore(3, 3, 1, 0), StringScore(1, 0, 2, 2)])
    assert (shares.kept, shares.dropped) == (3 / 4, 2 / 3)
    assert shares.balanced == pytest.approx((0.5 + 0.5) / 2)
    # Trafilatura's evaluation: 3 true positives, 1 false positive, 1 false negative.
    assert shares.f1 == pytest.approx(2 * 0.75 * 0.75 / 1.5)
    none = string_shares([StringScore(0, 0, 1, 1)])
    assert (none.kept, none.dropped, none.f1) == (1, 1, 1)
