"""Cohen's kappa with weights."""

import pytest

from boilersweep.eval.people.agreement import cohen_kappa


@pytest.mark.parametrize(
    ("first", "second", "weights", "wanted"),
    [
        # Both yes 20, both no 15, of 50; by chance (25 * 30 + 25 * 20) / 50**2 = .5
        ("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15, None, 0.4),
        # The same as four things with their numbers for weights
        ("yynn", "ynyn", [20, 5, 10, 15], 0.4),
        # Observed (10 + 1) / 14, by chance (12 * 11 + 2 * 3) / 14**2
        ("aabb", "abab", [10, 2, 1, 1], (11 / 14 - 138 / 196) / (1 - 138 / 196)),
        ("abc", "abc", None, 1.0),
        ("ab", "ba", None, -1.0),
        ("aa", "aa", [3, 4], None),
        ("aa", "ab", [3, 0], None),
        ("ab", "ab", [0, 0], None),
        ("", "", None, None),
    ],
)
def test_by_hand(
    first: str, second: str, weights: list[float] | None, wanted: float | None
) -> None:
    found = cohen_kappa(first, second, weights)
    assert found == (wanted if wanted is None else pytest.approx(wanted))


def test_scikit_learn_computes_the_same() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = [0, 1, 2, 2, 0, 5, 5, 1], [0, 2, 2, 2, 1, 5, 0, 1]
    weights = [3, 14, 15, 9, 2, 6, 5, 35]
    theirs = metrics.cohen_kappa_score(first, second, sample_weight=weights)
    assert cohen_kappa(first, second, weights) == pytest.approx(theirs)
