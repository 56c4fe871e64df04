"""What compiled code does for readers of collections, optional: pure Python finds the same."""

import re
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

# Whether the extension module is there.
built = find_spec(f"{__name__}.marks") is not None

_HASH_MARK = re.compile(rb"#[ \t]*+(?:EOR|UID)", re.IGNORECASE)


def mark_finder(data: bytes) -> Callable[[int], int]:
    """Return a function from a position to the next `doc>` in any case, -1 for none."""
    if _usable():
        from boilersweep.collection.compiled.marks import find_mark

        return partial(find_mark, data)
    return partial(data.lower().find, b"doc>")


def hash_mark_finder(data: bytes) -> Callable[[int], int]:
    """Return the same for the next `#` before `EOR` or `UID`, in any case and after blanks."""
    if _usable():
        from boilersweep.collection.compiled.marks import find_hash_mark

        return partial(find_hash_mark, data)

    return lambda start: next(
        (match.start() for match in _HASH_MARK.finditer(data, start)), -1
    )


def _usable() -> bool:
    from boilersweep.pages.compiled import forbidden  # help texts do without lxml

    return built and not forbidden()
