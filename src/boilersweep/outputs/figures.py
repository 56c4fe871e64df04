"""The one rounding of figures: scores, differences, p-values and shares, wherever people see them.

A figure has nine decimals, below 1 nine significant digits: what differs behind them are the last
bits of sums. So `study.json` holds it, and every view rounds it half to even. A mean that was added
up in another order, or read from a file, is printed as one number everywhere.
"""

import math
from decimal import Decimal

DIGITS = 9


def rounded(value: float) -> float:
    """Round to the digits that a figure has; counts stay as they are."""
    if isinstance(value, int):
        return value
    if abs(value) >= 1:
        return round(float(value), DIGITS)
    return float(f"{value:.{DIGITS}g}")


def figure(value: float | None, style: str = ".3f") -> str:
    """Return a figure as people read it; None is empty.

    Args:
        value: The figure.
        style: Python's format of it, such as `.3f`, `+.3f`, `.1%` or `.4g`.
    """
    if value is None:
        return ""
    exact = rounded(value)
    decimal = math.isfinite(exact) and not style.endswith("g")
    return format(Decimal(repr(exact)) if decimal else exact, style)
