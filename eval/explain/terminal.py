"""Text of pages made harmless for terminals: nothing in it can move, colour or reorder theirs."""

import textwrap
import unicodedata

_SPACES = frozenset({"Cc", "Zl", "Zp"})
_DROPPED = frozenset({"Cf", "Cs"})
_JOINERS = frozenset("\u200c\u200d")  # parts of words and emoji; they move nothing


def harmless(text: str) -> str:
    """A text as one line without anything that a terminal may take for more than a character.

    Control characters (C0, C1, DEL: escape sequences begin with one) and line separators become
    spaces. Characters that only format go, those that turn the direction of writing among them,
    and lone surrogates.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_character, text))


def wrapped(text: str, indent: str, width: int) -> str:
    """A harmless text in lines of a width, all with an indent."""
    return textwrap.fill(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _character(character: str) -> str:
    category = unicodedata.category(character)
    if category in _SPACES:
        return " "
    return "" if category in _DROPPED and character not in _JOINERS else character
