from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.learned.inference import (
    SURE,
    Rows,
    expected_f1,
    page_choice,
    probabilities,
    related,
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


def test_a_network_of_tanh() -> None:
    logit = np.tanh(3) - 2 * np.tanh(-0.5) + 0.25
    found = probabilities(network("tanh"), np.array([[3.0, 1.0]]))
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


def pages_of(*words: list[float]) -> Rows:
    """Return paragraphs of pages, given their words."""
    counts = [len(page) for page in words]
    return Rows(
        values=np.zeros((sum(counts), 0)),
        words=np.array([count for page in words for count in page], dtype=np.float64),
        of_blocks=np.zeros(0, dtype=np.int64),
        owners=np.repeat(np.arange(len(words)), counts),
        starts=np.cumsum([0, *counts]),
        relations=np.zeros((sum(counts), 5), dtype=np.int64),
        excluded=np.zeros(sum(counts), dtype=bool),
    )


def connected(rows: Rows, **columns: list[int]) -> Rows:
    """Return rows with some columns of their relations."""
    names = ["repeats", "alike", "lists", "before", "after"]
    relations = rows.relations.copy()
    for name, values in columns.items():
        relations[:, names.index(name)] = values
    return replace(rows, relations=relations)


def test_a_repeat_in_other_elements_is_content_only_if_the_first_one_is_not() -> None:
    rows = connected(pages_of([9, 9, 9, 9]), repeats=[0, 0, 2, 2])
    found = related(np.array([0.75, 0.25, 0.5, 0.5]), rows)
    assert found.tolist() == [0.75, 0.25, 0.5 * 0.25, 0.5 * 0.75]


@pytest.mark.parametrize("which", ["alike", "lists"])
def test_paragraphs_agree_the_more_the_less_they_differ(which: str) -> None:
    # The first page: 10 and 30 weights, a mean of .4, a variance of .0300 of at most .24. The
    # second: certain ones, which differ as much as they can. The third: nobody to agree with.
    rows = pages_of([9.5, 1, 29.5], [5, 5], [7])
    rows = connected(rows, **{which: [0, 0, 2, 0, 1, 0]})
    found = related(np.array([0.1, 0.9, 0.5, 0, 1, 0.3]), rows)
    share = (1 - 0.03 / 0.24) ** 2
    assert found == pytest.approx(
        [0.1 + share * 0.3, 0.9, 0.5 - share * 0.1, 0, 1, 0.3]
    )


def test_code_is_content_at_least_as_the_text_around_it() -> None:
    # Page 1: the text of the element has 10 and 30 weights, .9 and .5. Page 2: code alone.
    rows = pages_of([9.5, 90, 29.5, 9.5], [5])
    rows = connected(rows, before=[0, 1, 0, 0, 0], after=[0, 2, 0, 0, 0])
    mean = (0.9 * 10 + 0.5 * 30) / 40
    for code in (0.1, 0.7):
        found = related(np.array([0.9, code, 0.5, 0.2, 0.3]), rows)
        assert found == pytest.approx([0.9, max(code, mean), 0.5, 0.2, 0.3])


@given(
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
    st.lists(st.floats(0, 1), max_size=9),
)
def test_code_has_the_same_probability_behind_other_pages(
    page: list[float], others: list[float]
) -> None:
    own = {"before": [0, 1, 0, 1], "after": [0, 2, 0, 1]}
    alone = related(np.array(page), connected(pages_of([3, 9, 4, 7]), **own))
    rows = pages_of([float(n) for n in range(1, len(others) + 1)], [3, 9, 4, 7])
    both = {name: [0] * len(others) + values for name, values in own.items()}
    behind = related(np.array(others + page), connected(rows, **both))
    assert behind[len(others) :].tolist() == alone.tolist()


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 500)), min_size=1, max_size=8)
)
def test_agreeing_never_leaves_the_range_and_keeps_the_order(
    page: list[tuple[float, int]],
) -> None:
    before = np.array([p for p, _ in page])
    rows = connected(
        pages_of([float(w) for _, w in page]), alike=list(range(len(page)))
    )
    after = related(before, rows)
    assert before.min() - 1e-12 <= after.min()
    assert after.max() <= before.max() + 1e-12
    order = np.argsort(before)
    assert (np.diff(after[order]) >= -1e-12).all()


@pytest.mark.parametrize(
    ("probability", "words", "kept"),
    [
        # All expected: 54 + 192. F of the article alone is 108 / 306 = .35, of all 492 / 786 = .63,
        # so by expected F1 all would stay. But of 60 words the model is sure.
        ([0.9, *[0.4] * 8], [60] * 9, [True, *[False] * 8]),
        # Teasers alone are the content.
        ([0.4] * 8, [60] * 8, [True] * 8),
        # Falling p: .9, .5, .1. All expected: 9 + 5 + 1 = 15. F of the first: 18 / 25 = .72; of
        # two: 28 / 35 = .8; of three: 30 / 45 = .67. So p >= .4.
        ([0.1, 0.9, 0.5], [10] * 3, [False, True, True]),
    ],
)
def test_a_page_keeps_what_raises_its_expected_f1_unless_an_article_would_drown(
    probability: list[float], words: list[float], kept: list[bool]
) -> None:
    assert page_choice(np.array(probability), pages_of(words)).tolist() == kept


@pytest.mark.parametrize(
    ("sure", "length", "threshold"),
    [
        (0, 30, 0.3),
        (20, 20, 0.3 + 0.25 * 0.2),
        (40, 40, 0.3 + 0.3 * 0.5),
        (40, 10, 0.3 + 0.2 * 0.5),
        (4000, 30, 0.6),
        (4000, 20, 0.55),
        (4000, 5, 0.5),
    ],
)
def test_the_more_words_are_sure_and_the_longer_likely_paragraphs_the_higher_is_the_threshold(
    sure: int, length: int, threshold: float
) -> None:
    # Nearly all words have a probability of 3 / 7, so that F is 2 * 3 / 7 / (1 + 3 / 7) = .6.
    count = sure // length
    last = [threshold - 0.01, threshold + 0.01]
    probability = np.array([*[1.0] * count, 3 / 7, *last])
    words = [*[float(length)] * count, 1e12, *[1e-9] * 2]
    kept = page_choice(probability, pages_of(words))
    assert kept[-2:].tolist() == [False, True]


def test_pages_do_not_touch_each_other() -> None:
    kept = page_choice(np.array([0.9, 0.1, 0.02, 0.01]), pages_of([5, 5], [], [5, 5]))
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
    probability = np.array([p for page in pages for p, _ in page])
    rows = pages_of(*([float(w) for _, w in page] for page in pages))
    kept = page_choice(probability, rows)
    for number, page in enumerate(pages):
        own = rows.owners == number
        p, w, k = probability[own], rows.words[own], kept[own]
        if not page:
            continue
        assert k.any()
        if w[p >= SURE].any():
            continue

        def score(chosen: np.ndarray, p: np.ndarray = p, w: np.ndarray = w) -> float:
            return float(
                2 * (p * w)[chosen].sum() / max(w[chosen].sum() + (p * w).sum(), 1e-9)
            )

        order = np.argsort(-p, kind="stable")
        best = max(score(order[: n + 1]) for n in range(len(page)))
        assert score(k) == pytest.approx(best, abs=1e-6)


def test_the_expected_f1_of_dependent_paragraphs() -> None:
    # The first page: with .9 - .5 only the first paragraph is content, with .5 both are. Kept is
    # the first: F1 1 and 2 * 10 / 40. The others: empty, and all is content with .8.
    rows = pages_of([10, 20], [], [5])
    found = expected_f1(np.array([0.9, 0.5, 0.8]), rows, np.array([True, False, True]))
    assert found == pytest.approx([0.4 + 0.5 * 0.5, 0, 0.8])


def nested_code(levels: int) -> tuple[np.ndarray, Rows]:
    """Return the rows of a page of code and text in turns, each with the rest in one element."""
    count = 2 * levels
    rows = pages_of([float(place % 7) for place in range(count)])
    code = np.arange(0, count, 2)
    rows.relations[code, 4] = count - code
    return (np.arange(count) * 0.618) % 1, rows


@pytest.mark.parametrize("levels", [5, 16, 17, 40, 3000])
def test_code_has_the_mean_of_the_text_around_it_at_any_depth(levels: int) -> None:
    probability, rows = nested_code(levels)
    found = related(probability, rows)
    text = np.arange(1, 2 * levels, 2)
    for code in range(0, 2 * levels, 2 * (levels // 5)):
        around = text[text > code]
        mean = np.average(found[around], weights=rows.words[around] + 0.5)
        assert found[code] == pytest.approx(max(probability[code], mean), abs=1e-12)


@pytest.mark.parametrize("levels", [5, 400])
def test_the_mean_around_code_does_not_depend_on_the_pages_before(levels: int) -> None:
    probability, rows = nested_code(levels)
    two = pages_of([0.1] * 11, rows.words.tolist())
    two.relations[11:] = rows.relations
    found = related(np.append(np.full(11, 0.3), probability), two)
    assert found[11:].tobytes() == related(probability, rows).tobytes()
