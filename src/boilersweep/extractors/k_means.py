"""k-means by Lloyd's algorithm from given centres, so that no chance has a part in it."""

import numpy as np

from boilersweep.pages.columns import FloatArray, IntArray

_MOST_ROUNDS = 100


def k_means(
    points: FloatArray, centres: FloatArray, *, pinned: bool = False
) -> tuple[IntArray, FloatArray]:
    """Labels (l,) and centres (k, d) of points (l, d).

    A centre without points stays where it is; a point between two centres goes to the first.

    Args:
        points: (l, d) The points.
        centres: (k, d) Where the centres begin.
        pinned: Centre 0 stays where it is.
    """
    centres = centres.astype(np.float64)
    labels = np.full(len(points), -1, dtype=np.int64)
    for _ in range(_MOST_ROUNDS):
        squares = ((points[:, np.newaxis] - centres) ** 2).sum(axis=2)
        nearest = squares.argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        for number in range(1 if pinned else 0, len(centres)):
            if (labels == number).any():
                centres[number] = points[labels == number].mean(axis=0)
    return labels, centres
