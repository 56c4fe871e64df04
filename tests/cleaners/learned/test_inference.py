from collections.abc import Callable
from threading import Event, Thread, current_thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from boilersweep.cleaners.learned import inference
from boilersweep.cleaners.learned.inference import (
    SURE,
    fixed_choice,
    page_choice,
    probabilities,
)
from boilersweep.cleaners.learned.model import Activation, Network, Tree


def single(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def network(activation: Activation) -> Network:
    return Network(
        mean=single(1, 0),
        scale=single(0.5, 1),
        weights=(single(1, -1, 2, 0).reshape(2, 2), single(1, -2).reshape(2, 1)),
        biases=(single(0, 0.5), single(0.25)),
        activation=activation,
    )


def test_a_network_by_hand() -> None:
    # (3, 1) is standardised to (1, 1). Hidden sums: 1 + 2 + 0 = 3 and -1 + 0 + 0.5 = -0.5. With
    # relu 3 and 0, so the logit is 3 - 0 + 0.25 = 3.25.
    found = probabilities(network("relu"), np.array([[3.0, 1.0]]))
    assert found == pytest.approx(1 / (1 + np.exp(-3.25)))


@pytest.mark.parametrize(
    ("activation", "function"),
    [("tanh", np.tanh), ("logistic", lambda x: 1 / (1 + np.exp(-x)))],
)
def test_other_activations(activation: Activation, function: Callable[[float], float]) -> None:
    logit = function(3) - 2 * function(-0.5) + 0.25
    found = probabilities(network(activation), np.array([[3.0, 1.0]]))
    assert found == pytest.approx(1 / (1 + np.exp(-logit)), rel=1e-5)


def test_what_is_far_away_is_cut() -> None:
    # 1,000 is standardised to 499.5 and cut to 5, as 11 is: hidden 5 and 0, logit 5.25.
    found = probabilities(network("relu"), np.array([[1000.0, 0.0], [11.0, 0.0]]))
    assert found == pytest.approx([1 / (1 + np.exp(-5.25))] * 2)


def test_what_is_no_number_counts_as_the_mean() -> None:
    found = probabilities(network("relu"), np.array([[np.nan, 1.0], [1.0, 1.0]]))
    assert found[0] == found[1]


def test_a_tree_by_hand() -> None:
    tree = Tree(
        feature=np.array([1, -1, 0, -1, -1], dtype=np.int32),
        threshold=np.array([2.0, 0, 10, 0, 0]),
        left=np.array([1, 0, 3, 0, 0], dtype=np.int32),
        right=np.array([2, 0, 4, 0, 0], dtype=np.int32),
        value=single(0, 0.25, 0, 0.5, 0.75),
    )
    rows = np.array([[0, 2], [10, 3], [11, 3]])
    assert probabilities(tree, rows).tolist() == [0.25, 0.5, 0.75]


def test_no_rows() -> None:
    assert probabilities(network("relu"), np.zeros((0, 2))).shape == (0,)


def test_teasers_do_not_drown_an_article_that_is_sure() -> None:
    # All expected: 54 + 192. F of the article alone is 108 / 306 = .35, of all 492 / 786 = .63, so
    # by expected F1 all would stay.
    page = np.array([0.9, *[0.4] * 8]), np.array([60.0] * 9), np.zeros(9, int), np.array([0, 9])
    assert page_choice(*page).tolist() == [True, *[False] * 8]


def test_teasers_alone_are_the_content() -> None:
    page = np.full(8, 0.4), np.full(8, 60.0), np.zeros(8, int), np.array([0, 8])
    assert page_choice(*page).all()


@pytest.mark.parametrize(
    ("sure", "threshold"),
    [(0, 0.3), (20, 0.3 + 0.23 * 0.2), (40, 0.3 + 0.23 * 0.5), (4000, 0.53)],
)
def test_the_more_words_are_sure_the_higher_is_the_threshold(sure: float, threshold: float) -> None:
    # Nearly all words have a probability of 3 / 7, so that F is 2 * 3 / 7 / (1 + 3 / 7) = .6.
    probability = np.array([1, 3 / 7, threshold - 1e-3, threshold + 1e-3])
    words = np.array([sure, 1e12, 1, 1])
    kept = page_choice(probability, words, np.zeros(4, int), np.array([0, 4]))
    assert kept[2:].tolist() == [False, True]


def test_a_page_keeps_what_raises_its_expected_f1() -> None:
    # Falling p: .9 (10 words), .5 (10), .1 (10). All expected: 9 + 5 + 1 = 15.
    # F of the first: 18 / 25 = .72; of two: 28 / 35 = .8; of three: 30 / 45 = .67. So p >= .4.
    kept = page_choice(
        np.array([0.1, 0.9, 0.5]), np.array([10.0, 10, 10]), np.zeros(3, int), np.array([0, 3])
    )
    assert kept.tolist() == [False, True, True]


def test_pages_do_not_touch_each_other() -> None:
    probability = np.array([0.9, 0.1, 0.02, 0.01])
    owners, starts = np.array([0, 0, 2, 2]), np.array([0, 2, 2, 4])
    kept = page_choice(probability, np.full(4, 5.0), owners, starts)
    # The second page: F of .02 alone is .04 / 1.03 = .0388, of both .06 / 2.03 = .0296.
    assert kept.tolist() == [True, False, True, False]


@given(
    st.lists(
        st.lists(st.tuples(st.floats(0, 1), st.integers(1, 500)), max_size=8),
        min_size=1,
        max_size=4,
    )
)
def test_the_choice_has_the_highest_expected_f1_where_nothing_is_sure_and_is_never_empty(
    pages: list[list[tuple[float, int]]],
) -> None:
    starts = np.cumsum([0, *map(len, pages)])
    owners = np.repeat(np.arange(len(pages)), np.diff(starts))
    probability = np.array([p for page in pages for p, _ in page])
    words = np.array([float(w) for page in pages for _, w in page])
    kept = page_choice(probability, words, owners, starts)
    for number, page in enumerate(pages):
        own = slice(starts[number], starts[number + 1])
        p, w, k = probability[own], words[own], kept[own]
        if not page:
            continue
        assert k.any()
        if w[p >= SURE].any():
            continue

        def score(chosen: np.ndarray, p: np.ndarray = p, w: np.ndarray = w) -> float:
            return float(2 * (p * w)[chosen].sum() / max(w[chosen].sum() + (p * w).sum(), 1e-9))

        order = np.argsort(-p, kind="stable")
        best = max(score(order[: n + 1]) for n in range(len(page)))
        assert score(k) == pytest.approx(best, abs=1e-6)


def test_a_fixed_choice() -> None:
    assert fixed_choice(np.array([0.49, 0.5])).tolist() == [False, True]


def test_the_products_of_others_keep_their_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, second_is_inside, first_is_done = Event(), Event(), Event()

    def slow(values: np.ndarray) -> np.ndarray:
        if current_thread().name == "first":
            inside.set()
            second_is_inside.wait(0.3)
        else:
            second_is_inside.set()
            first_is_done.wait(2)
        return values

    monkeypatch.setattr(inference, "logistic", slow)
    work = (network("relu"), np.zeros((1, 2), dtype=np.float32))
    first = Thread(target=probabilities, args=work, name="first")
    second = Thread(target=probabilities, args=work, name="second")
    before = threadpool_info()
    first.start()
    inside.wait()
    second.start()
    first.join()
    first_is_done.set()
    second.join()
    assert threadpool_info() == before
