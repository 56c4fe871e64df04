"""How far two people agree beyond chance."""

from collections.abc import Hashable, Sequence

import numpy as np


def cohen_kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    weights: Sequence[float] | None = None,
) -> float | None:
    """Return Cohen's kappa of two people's classes of the same n things.

    Source: Cohen, Educational and Psychological Measurement 1960; a thing counts as its weight.

    Args:
        first: (n,) The classes that one person gave.
        second: (n,) Those of the other one.
        weights: (n,) The weights, such as words; None for 1 each.

    Returns:
        Kappa; None without weight, or if both gave everything the same single class.
    """
    mass = np.ones(len(first)) if weights is None else np.asarray(weights, dtype=float)
    total = mass.sum()
    codes = {name: code for code, name in enumerate({*first, *second})}
    a, b = (np.array([codes[label] for label in labels]) for labels in (first, second))
    observed = mass[a == b].sum() / total if total else 1.0
    by_chance = sum(
        mass[a == label].sum() * mass[b == label].sum() for label in codes.values()
    ) / max(total**2, 1e-300)
    if not total or np.isclose(by_chance, 1):
        return None
    return float((observed - by_chance) / (1 - by_chance))
