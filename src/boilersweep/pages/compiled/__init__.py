"""The compiled way from HTML to blocks, optional: `Segmenter` is the reference and the fallback.

parser: a page's tags and texts as libxml2 has them; names, attributes, references: of them.
blocks: cuts and counts what the parser tells, and records the structure.
strings: a page's texts, names and marks as Python's strings.
utf8: whether bytes are UTF-8.
segmenter: all that in the place of the pure one.

The parser does what libxml2 does: with another version than those it was checked with
(by scripts/fuzz.py) the pure path is taken.
"""

import os
from collections.abc import Callable
from importlib.util import find_spec

from lxml import etree

from boilersweep.pages.elements import Borders
from boilersweep.pages.segmenter import Segmenter

_MODULES = ("attributes", "blocks", "names", "parser", "references", "strings", "utf8")

# The versions of libxml2 with which the compiled path gives the pure one's results.
#
# Those of lxml 6.0.0, 6.0.1, and 6.0.2 to 6.1.3. 2.12 and 2.13 parse pages in another way.
CHECKED_LIBXML2 = frozenset({(2, 14, 4), (2, 14, 5), (2, 14, 6)})

# Whether the extension modules are there.
built = all(find_spec(f"{__name__}.{module}") is not None for module in _MODULES)

# Whether the compiled path can be taken.
available = built and etree.LIBXML_VERSION in CHECKED_LIBXML2


def forbidden() -> bool:
    """Whether BOILERSWEEP_PURE=1 in the environment forbids the compiled path."""
    return os.environ.get("BOILERSWEEP_PURE") == "1"


def why_missing() -> str:
    """Why the compiled path cannot be taken, and how to get it; "" if it can."""
    if not built:
        return (
            "the compiled one was not built; install a C compiler and Python's headers, then "
            "boilersweep again"
        )
    if not available:
        known = ", ".join(map(_dotted, sorted(CHECKED_LIBXML2)))
        return (
            f"the compiled one is checked with libxml2 {known}, and lxml brings "
            f"{_dotted(etree.LIBXML_VERSION)}; install an lxml that brings one of them "
            "(pip install -U 'lxml>=6')"
        )
    return ""


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def utf8_check() -> Callable[[bytes], bool]:
    """Return the fastest function on this machine that tells whether bytes are UTF-8."""
    if built and not forbidden():
        from boilersweep.pages.compiled.utf8 import is_utf8

        return is_utf8
    return _is_utf8_in_python


def _is_utf8_in_python(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def make_segmenter(
    *,
    borders: Borders = "block",
    structure: bool = False,
    most_blocks: int | None = None,
) -> Segmenter:
    """Return the fastest segmenter on this machine; the options are those of `Segmenter`."""
    if available and not forbidden():
        from boilersweep.pages.compiled.segmenter import CompiledSegmenter

        return CompiledSegmenter(
            borders=borders, structure=structure, most_blocks=most_blocks
        )
    return Segmenter(borders=borders, structure=structure, most_blocks=most_blocks)
