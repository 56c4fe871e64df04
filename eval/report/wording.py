"""Figures as people read them."""

from boilersweep.eval.stats.statistics import Interval
from boilersweep.indexer.analyzer_languages import LANGUAGES
from boilersweep.pages.language import UNKNOWN as UNKNOWN_LANGUAGE

MINUS = "\u2212"
# Stands for an unknown figure.
UNKNOWN = "\u2013"


def score(value: float) -> str:
    """Return a score with three decimals."""
    return f"{value:.3f}"


def signed(value: float, digits: int = 3) -> str:
    """Return a difference with its sign."""
    return f"{value:+.{digits}f}".replace("-", MINUS)


def interval(bounds: Interval | None) -> str:
    """Return an interval of scores."""
    return "" if bounds is None else f"{score(bounds[0])} to {score(bounds[1])}"


def signed_interval(bounds: Interval | None) -> str:
    """Return an interval of differences."""
    return "" if bounds is None else f"{signed(bounds[0])} to {signed(bounds[1])}"


def bracketed(bounds: Interval | None) -> str:
    """Return an interval of differences in brackets."""
    return "" if bounds is None else f"[{signed(bounds[0])}, {signed(bounds[1])}]"


def share(value: float | None, digits: int = 1) -> str:
    """Return a share as a percentage."""
    return "" if value is None else f"{value:.{digits}%}".replace("-", MINUS)


def p_value(p: float) -> str:
    """Return a p-value; a small one as `< .001`."""
    return "< .001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """Return a p-value with its sign, such as `= 0.012`."""
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"


def count(number: int, one: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {one if number == 1 else one + 's'}"


def language_name(code: str) -> str:
    """Return a language's code, with its name if it has an analyzer."""
    if code == UNKNOWN_LANGUAGE:
        return "unknown"
    return f"{LANGUAGES[code]} ({code})" if code in LANGUAGES else code
