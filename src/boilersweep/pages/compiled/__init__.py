"""The compiled way from HTML to blocks, optional: `Segmenter` is the reference and the fallback.

parser: a page's tags and texts as libxml2 has them; names, attributes, references: of them.
blocks: cuts and counts what the parser tells, and records the structure.
strings: a page's texts, names and marks as Python's strings.
utf8: whether bytes are UTF-8.
segmenter: all that in the place of the pure one.

The parser is the specification, whatever lxml is installed. It does what libxml2 2.14 does, so that
the pure path, which reads by lxml, is its oracle with that version.
"""

import os
from collections.abc import Callable
from importlib.util import find_spec

from lxml import etree

from boilersweep.pages.elements import Borders
from boilersweep.pages.segmenter import Segmenter

_MODULES = ("attributes", "blocks", "names", "parser", "references", "strings", "utf8")

# The first numbers of the version of libxml2 that reads as the compiled parser does.
_ORACLE = (2, 14)

# Is raised whenever the parser tells another tag or text.
PARSER = 1

# Whether the extension modules are there.
built = all(find_spec(f"{__name__}.{module}") is not None for module in _MODULES)


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
    return ""


def libxml2() -> str:
    """Return the version of lxml's libxml2, by which the pure path reads."""
    return ".".join(map(str, etree.LIBXML_VERSION))


def is_oracle() -> bool:
    """Whether the pure path reads pages as the compiled one does, but for named exceptions."""
    found: tuple[int, ...] = etree.LIBXML_VERSION[:2]
    return found == _ORACLE


def parser_identity() -> str:
    """Return what stands for the parser in a store's identity: our number, or libxml2's version."""
    if built and not forbidden():
        return f"boilersweep {PARSER}"
    return f"libxml2 {libxml2()}"


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
    if built and not forbidden():
        from boilersweep.pages.compiled.segmenter import CompiledSegmenter

        return CompiledSegmenter(
            borders=borders, structure=structure, most_blocks=most_blocks
        )
    return Segmenter(borders=borders, structure=structure, most_blocks=most_blocks)
