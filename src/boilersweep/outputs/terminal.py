"""Texts of pages as a terminal may show them."""

import textwrap
import unicodedata
from collections.abc import Sequence

ELLIPSIS = "…"


_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})


_SPACES = frozenset({"Cc", "Zl", "Zp"})


_DROPPED = frozenset({"Cf", "Cs"})


_JOINERS = frozenset("\u200c\u200d")  # parts of words and emoji; they move nothing


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, with an ellipsis if it is cut."""
    return text if len(text) <= most else text[:most] + ELLIPSIS


def isolated(word: str) -> str:
    """Return a word as part of an English sentence.

    A word written from right to left is put between Unicode's isolates, so that it does not change
    the direction of the text around it.
    """
    turns = any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in word)
    return f"\u2068{word}\u2069" if turns else word


def harmless(text: str) -> str:
    """Return a text as one line in which a terminal finds nothing but characters.

    Control characters (C0, C1, DEL, which begin escape sequences) and line separators become
    spaces. Format characters, including those that change the direction of writing, and lone
    surrogates are removed.
    """
    if text.isascii() and text.isprintable():
        return text
    characters = []
    for character in text:
        category = unicodedata.category(character)
        if category in _SPACES:
            characters.append(" ")
        elif category not in _DROPPED or character in _JOINERS:
            characters.append(character)
    return "".join(characters)


def starred(snippet: Sequence[str]) -> str:
    """Return a snippet, plain text and marked words in turn, with asterisks around the words."""
    return "".join(
        f"*{harmless(piece)}*" if index % 2 else harmless(piece)
        for index, piece in enumerate(snippet)
    )


def wrapped(text: str, indent: str, width: int) -> str:
    """Wrap a harmless text to lines of a width, all with an indent."""
    return textwrap.fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
