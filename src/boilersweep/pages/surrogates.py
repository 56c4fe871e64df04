"""Lone surrogates, which JSON can escape and UTF-8 cannot hold."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD."""
    try:
        text.encode()  # quicker than to look for one
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def utf8(text: str) -> bytes:
    """Encode a text as UTF-8, with U+FFFD for lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text).encode()
