"""One geometric number of words for all blocks (Equation 2 of the 2010 paper)."""

import numpy as np

from boilersweep.eval.study.suggestion import Fit, geometric, goodness, proportions
from boilersweep.pages.columns import IntArray


def fit_geometric(histogram: IntArray) -> tuple[float, Fit]:
    """Fit the 1-displaced geometric distribution.

    Args:
        histogram: Entry x is the number of blocks with x words; entry 0 is ignored.

    Returns:
        P_T(N), the chance that a block ends after a word, and the goodness of the fit.

    Raises:
        InputError: There is no block.
    """
    from scipy.optimize import minimize_scalar

    words, observed = proportions(histogram)

    def errors(stop: float) -> float:
        return float(((observed - geometric(words, stop)) ** 2).sum())

    grid = np.linspace(0.005, 1, 200)
    best = grid[np.argmin([errors(stop) for stop in grid])]
    bounds = (max(best - 0.005, 1e-6), min(best + 0.005, 1.0))
    stop = float(minimize_scalar(errors, bounds=bounds, method="bounded").x)
    stop = min(stop, float(best), key=errors)
    return stop, goodness(observed, geometric(words, stop), 1)
