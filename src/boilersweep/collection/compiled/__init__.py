"""What compiled code does for readers of collections, optional: pure Python finds the same."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

from boilersweep.pages.compiled import forbidden

built = all(find_spec(f"{__name__}.{module}") is not None for module in ("json_strings", "marks"))
"""Whether the extension modules are there."""

_LONG = 512  # bytes from which a string is worth a second look at its line


def mark_finder(data: bytes) -> Callable[[int], int]:
    """Finds `doc>` in any case; is told where to begin, and says where the next is, -1 for none."""
    if built and not forbidden():
        from boilersweep.collection.compiled.marks import find_mark

        return partial(find_mark, data)
    return partial(data.lower().find, b"doc>")


def long_string(line: bytes) -> tuple[int, int, bytes] | None:
    """A long string in a line of JSON: where what is between its quotes begins and ends, and its
    text as UTF-8; None if there is none, if it is malformed, or without the extension module.
    """
    if built and not forbidden():
        from boilersweep.collection.compiled import json_strings

        return json_strings.long_string(line, _LONG)
    return None
