"""Where to look closer: the strings of many that may contain one of some words."""

from collections.abc import Callable, Sequence
from functools import lru_cache


def hinting(strings: list[str], words: tuple[str, ...]) -> Sequence[int]:
    """Return the places of the strings that may contain a word, in any case, among others.

    Compiled code finds hardly any other; without it, these are all places.

    Args:
        strings: The strings.
        words: The words, of three characters at least.
    """
    from boilersweep.pages import compiled  # the command line does without lxml

    if not compiled.built or compiled.forbidden():
        return range(len(strings))
    return _finder(words)(strings)


@lru_cache(maxsize=16)
def _finder(words: tuple[str, ...]) -> Callable[[list[str]], list[int]]:
    from boilersweep.pages.compiled.strings import Finder

    return Finder(words).places
