"""The fits of section 5, on mixtures whose parameters are known."""

import math

import numpy as np
import pytest
from papers.densitymodel import fit_density, words_by_density
from papers.geometric import fit_geometric

from boilersweep import InputError
from boilersweep.eval.study.suggestion import (
    Fit,
    TwoClass,
    fit_two_class,
    goodness,
)

NO_FIT = Fit(math.nan, math.nan, math.nan, 0)


def histogram(share: float, short: float, long: float) -> np.ndarray:
    x = np.arange(1, 400)
    parts = share * short * (1 - short) ** (x - 1) + (1 - share) * long * (
        1 - long
    ) ** (x - 1)
    return np.concatenate([[0], np.rint(parts * 1e7)]).astype(np.int64)


def test_goodness_by_hand() -> None:
    # Errors 1, 0, -1, 0: SSE 2. Mean 2.5: SST 2.25 + .25 + .25 + 2.25 = 5.
    found = goodness(np.array([1.0, 2, 3, 4]), np.array([0.0, 2, 4, 4]), 2)
    assert found.r2 == pytest.approx(1 - 2 / 5)
    assert found.r2_adjusted == pytest.approx(1 - (2 / 2) / (5 / 3))
    assert found.rmse == pytest.approx(1.0)
    assert found.points == 4
    none = goodness(np.array([0.5]), np.array([0.5]), 1)
    assert all(map(math.isnan, (none.r2, none.r2_adjusted, none.rmse)))


def test_a_geometric_distribution_is_found() -> None:
    stop, fit = fit_geometric(histogram(1, 0.3145, 0.5))
    assert stop == pytest.approx(0.3145, abs=1e-4)
    assert fit.r2_adjusted > 0.9999


@pytest.mark.parametrize("parameters", [(0.7586, 0.3968, 0.04369), (0.4, 0.6, 0.1)])
def test_a_mixture_is_found(parameters: tuple[float, float, float]) -> None:
    found = fit_two_class(histogram(*parameters))
    assert (found.short_share, found.short_stop, found.long_stop) == pytest.approx(
        parameters, rel=0.01
    )
    assert found.fit.r2_adjusted > 0.9999
    assert found.fit.rmse < 1e-4


def test_the_crossing_of_the_papers_mixture() -> None:
    # .7586 * .3968 = .30101 and .2414 * .04369 = .010547, a quotient of 28.54. Every further word
    # divides it by .95631 / .6032 = 1.58539: 28.54 / 1.58539^7 = 1.134, ^8: .715. So 9 words.
    model = TwoClass(0.7586, 0.3968, 0.04369, NO_FIT)
    assert model.crossing == 9
    words = np.array([8, 9])
    assert (model.long(words) > model.short(words)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("parameters", "crossing"),
    [
        ((0.5, 1.0, 0.1), 2),  # short text is one word
        ((0.001, 0.5, 0.1), 1),  # long text is likelier from the first word on
        ((1.0, 0.4, 0.04), None),
        ((0.0, 0.4, 0.04), None),
        ((0.5, 0.4, 0.4), None),
    ],
)
def test_other_crossings(
    parameters: tuple[float, float, float], crossing: int | None
) -> None:
    assert TwoClass(*parameters, NO_FIT).crossing == crossing


@pytest.mark.parametrize(
    "counts", [[0, 5], [0, 0, 0, 7], [0, 1, 1], [0, 3, 2, 1], [0] * 30 + [4]]
)
def test_few_blocks_have_a_model_and_no_error(counts: list[int]) -> None:
    found = fit_two_class(np.array(counts))
    assert 0 <= found.short_share <= 1
    assert 0 < found.long_stop <= found.short_stop <= 1
    assert found.crossing is None or found.crossing >= 1
    assert 0 < fit_geometric(np.array(counts))[0] <= 1


def test_all_short_and_all_long_text_have_no_crossing() -> None:
    assert fit_two_class(histogram(1, 0.5, 0.5)).crossing is None
    assert fit_two_class(np.array([0, 1000])).crossing is None


@pytest.mark.parametrize("counts", [[], [0], [3], [0, 0, 0]])
def test_no_block_is_an_error(counts: list[int]) -> None:
    for fit in (fit_two_class, fit_geometric):
        with pytest.raises(InputError, match="there are none"):
            fit(np.array(counts, dtype=np.int64))


def test_words_by_density_rounds_halves_up() -> None:
    found = words_by_density(np.array([1.0, 12.5, 13.5, 13.4]), np.array([1, 2, 3, 4]))
    assert found.tolist() == [0, 0.1] + [0] * 11 + [0.6, 0.3]
    assert words_by_density(np.zeros(0), np.zeros(0, dtype=np.int64)).sum() == 0


@pytest.mark.slow
def test_a_mixture_of_densities_is_found() -> None:
    from scipy.stats import beta, norm

    x = np.arange(0, 27) / 27
    proportions = (0.65 * beta.pdf(x, 40, 42) + 0.15 * beta.pdf(x, 4, 45)) / 27
    proportions += 0.2 * norm.pdf(x, 0.25, 0.1) / 27
    proportions[0] = 0
    found = fit_density(proportions)
    assert found.fit.r2 > 0.995
    assert found.fulltext.share == pytest.approx(0.65, abs=0.05)
    assert found.fulltext.first / (
        found.fulltext.first + found.fulltext.second
    ) == pytest.approx(40 / 82, abs=0.02)
    shares = found.template.share + found.fulltext.share + found.fuzzy.share
    assert shares == pytest.approx(1)
    drawn = found.proportions(np.arange(1, 27).astype(float))
    assert drawn == pytest.approx(proportions[1:], abs=0.01)


def test_too_few_densities_are_an_error() -> None:
    with pytest.raises(InputError, match="8 parameters"):
        fit_density(np.array([0, 0.5, 0.5]))
