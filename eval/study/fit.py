"""Goodness of fit of a curve to proportions, as the 2010 paper reports it."""

from dataclasses import dataclass

import numpy as np

from boilersweep.pages.columns import FloatArray


@dataclass(frozen=True, slots=True)
class Fit:
    """r2: 1 - SSE / SST. r2_adjusted: the same with both over their degrees of freedom. rmse:
    the root of SSE over its degrees of freedom. points: fitted.

    r2 and r2_adjusted are NaN where all points are equal; r2_adjusted and rmse where there are
    no more points than parameters.
    """

    r2: float
    r2_adjusted: float
    rmse: float
    points: int


def goodness(observed: FloatArray, fitted: FloatArray, parameters: int) -> Fit:
    """How well a curve with some fitted parameters describes (n,) observed values."""
    points = len(observed)
    errors = float(((observed - fitted) ** 2).sum())
    total = float(((observed - observed.mean()) ** 2).sum())
    free = points - parameters
    per_degree = errors / free if free > 0 else np.nan
    return Fit(
        r2=1 - errors / total if total > 0 else np.nan,
        r2_adjusted=1 - per_degree * (points - 1) / total if total > 0 else np.nan,
        rmse=float(np.sqrt(per_degree)),
        points=points,
    )
