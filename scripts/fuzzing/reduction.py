"""Inputs that show a fault, made as small as they get."""

from collections.abc import Callable
from typing import AnyStr


def reduced(found: AnyStr, differs: Callable[[AnyStr], bool]) -> AnyStr:
    """Return the input without the bytes or characters that the difference does not need."""
    size = len(found) // 2
    while size:
        start = 0
        while start < len(found):
            shorter = found[:start] + found[start + size :]
            if differs(shorter):
                found = shorter
            else:
                start += size
        size //= 2
    return found
