"""Words over text density as a mixture of two betas and a normal: the 2010 paper, section 5.1.

The model is that of Kohlschütter, A densitometric analysis of web template content, WWW 2009:
template text and full text are a beta each, the normal is the fuzzy class between them.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.errors import InputError
from boilersweep.eval.study.suggestion import Fit, goodness
from boilersweep.pages.columns import FloatArray, IntArray

_PARAMETERS = 8
_STARTS = (  # mean and concentration of the betas, mean and deviation of the normal
    ((0.15, 8.0), (0.60, 60.0), (0.40, 0.10)),
    ((0.10, 5.0), (0.55, 150.0), (0.30, 0.15)),
    ((0.20, 4.0), (0.65, 30.0), (0.50, 0.06)),
    ((0.25, 10.0), (0.60, 100.0), (0.60, 0.03)),
    ((0.10, 10.0), (0.60, 80.0), (0.20, 0.10)),
)


@dataclass(frozen=True, slots=True)
class Component:
    """A component of the mixture. Densities are divided by DensityModel.span.

    Attributes:
        share: of the words.
        first: alpha of a beta distribution on 0 to 1, or the mean of the normal.
        second: beta, or the standard deviation of the normal.
    """

    share: float
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class DensityModel:
    """A mixture of two beta distributions and a normal one.

    Attributes:
        template: the beta with the lower mean.
        fulltext: the other beta.
        fuzzy: the normal.
        span: the text density that is 1 on the betas' axis.
        fit: of the proportions.
    """

    template: Component
    fulltext: Component
    fuzzy: Component
    span: float
    fit: Fit

    def proportions(self, density: FloatArray) -> FloatArray:
        """Return the proportions of words in blocks of each text density, rounded."""
        x = density / self.span
        parts = (self.template, self.fulltext, self.fuzzy)
        shapes = [value for part in parts for value in (part.first, part.second)]
        shares = np.array([part.share for part in parts])
        proportions: FloatArray = shares @ _curves(x, np.array(shapes)) / self.span
        return proportions


def words_by_density(density: FloatArray, words: IntArray) -> FloatArray:
    """Return the proportions of words in blocks whose text density rounds to 0, 1, 2, ...

    Halves go up: two lines make many of them, and rounding to even digs holes in the curve.
    """
    weights = np.bincount(np.floor(density + 0.5).astype(np.int64), weights=words)
    return np.asarray(weights / max(float(weights.sum()), 1.0))


def fit_density(proportions: FloatArray) -> DensityModel:
    """Fit the mixture by least squares; the result is the same at every call.

    Args:
        proportions: its entry d is the share of words at text density d; entry 0 is not looked at.

    Raises:
        InputError: fewer than nine densities have words: the model has eight parameters.
    """
    from scipy.optimize import least_squares, nnls

    observed = proportions[1:]
    if np.count_nonzero(observed) <= _PARAMETERS:
        raise InputError(
            f"the mixture of text densities has {_PARAMETERS} parameters and needs words at more "
            f"densities than that, got {np.count_nonzero(observed)}"
        )
    span = float(len(proportions))
    x = np.arange(1, len(proportions)) / span
    target = observed * span

    def shapes(values: FloatArray) -> FloatArray:
        means = 1 / (1 + np.exp(-values[[0, 2]]))
        sizes = np.exp(values[[1, 3]])
        alphas, betas = means * sizes, (1 - means) * sizes
        normal = (values[4], np.exp(values[5]))
        return np.array([alphas[0], betas[0], alphas[1], betas[1], *normal])

    def shares(curves: FloatArray) -> FloatArray:
        """Return the best shares, at least 0 and 1 in all: the last row asks for the sum."""
        sum_row = np.full((1, 3), 1e3)
        weights, _ = nnls(np.vstack([curves.T, sum_row]), np.append(target, 1e3))
        return np.asarray(weights / weights.sum())

    def residuals(values: FloatArray) -> FloatArray:
        curves = _curves(x, shapes(values))
        return np.asarray(shares(curves) @ curves - target)

    fits = [
        least_squares(residuals, _start(start), bounds=_BOUNDS, max_nfev=400)
        for start in _STARTS
    ]
    found = shapes(min(fits, key=lambda fit: float(fit.cost)).x)
    curves = _curves(x, found)
    weights = shares(curves)
    first, second, fuzzy = (
        Component(float(weights[n]), float(found[2 * n]), float(found[2 * n + 1]))
        for n in (0, 1, 2)
    )
    template, fulltext = sorted(
        (first, second), key=lambda part: part.first / (part.first + part.second)
    )
    fitted = goodness(observed, weights @ curves / span, _PARAMETERS)
    return DensityModel(template, fulltext, fuzzy, span, fitted)


_BOUNDS = ([-5, 0.7, -5, 0.7, 0.0, -4.6], [5, 7, 5, 7, 1.0, -0.7])


def _start(start: tuple[tuple[float, float], ...]) -> FloatArray:
    (low, low_size), (high, high_size), (mean, deviation) = start
    logits = [np.log(low / (1 - low)), np.log(high / (1 - high))]
    return np.array(
        [
            logits[0],
            np.log(low_size),
            logits[1],
            np.log(high_size),
            mean,
            np.log(deviation),
        ]
    )


def _curves(x: FloatArray, shapes: FloatArray) -> FloatArray:
    """(3, n) the probability densities of the two betas and the normal."""
    from scipy.stats import beta, norm

    return np.array(
        [
            beta.pdf(x, *shapes[0:2]),
            beta.pdf(x, *shapes[2:4]),
            norm.pdf(x, *shapes[4:6]),
        ]
    )
