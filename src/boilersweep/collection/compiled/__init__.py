"""What compiled code does for readers of collections, optional: pure Python finds the same."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

# Whether the extension module is there.
built = find_spec(f"{__name__}.marks") is not None


def mark_finder(data: bytes) -> Callable[[int], int]:
    """Return a function from a position to the next `doc>` in any case, -1 for none."""
    from boilersweep.pages.compiled import forbidden  # help texts do without lxml

    if built and not forbidden():
        from boilersweep.collection.compiled.marks import find_mark

        return partial(find_mark, data)
    return partial(data.lower().find, b"doc>")
