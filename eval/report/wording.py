"""Figures as people read them."""

from boilersweep.eval.statistics import Interval
from boilersweep.indexer.analyzer_languages import LANGUAGES
from boilersweep.pages.language import UNKNOWN as UNKNOWN_LANGUAGE

MINUS = "\u2212"
UNKNOWN = "\u2013"
"""In place of a figure that nobody knows."""


def score(value: float) -> str:
    """A score, with three decimals."""
    return f"{value:.3f}"


def signed(value: float, digits: int = 3) -> str:
    """A difference, with its sign."""
    return f"{value:+.{digits}f}".replace("-", MINUS)


def interval(bounds: Interval | None) -> str:
    """An interval of scores."""
    return "" if bounds is None else f"{score(bounds[0])} to {score(bounds[1])}"


def signed_interval(bounds: Interval | None) -> str:
    """An interval of differences."""
    return "" if bounds is None else f"{signed(bounds[0])} to {signed(bounds[1])}"


def bracketed(bounds: Interval | None) -> str:
    """The same where there is little room."""
    return "" if bounds is None else f"[{signed(bounds[0])}, {signed(bounds[1])}]"


def share(value: float | None, digits: int = 1) -> str:
    """A share as a percentage."""
    return "" if value is None else f"{value:.{digits}%}".replace("-", MINUS)


def p_value(p: float) -> str:
    """A p-value; as small ones are written."""
    return "< .001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """The same after a p."""
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def language_name(code: str) -> str:
    """A language's name, where it has an analyzer, and its code."""
    if code == UNKNOWN_LANGUAGE:
        return "unknown"
    return f"{LANGUAGES[code]} ({code})" if code in LANGUAGES else code
