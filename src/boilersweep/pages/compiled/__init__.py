"""The compiled way from HTML to blocks, optional: `Segmenter` is the reference and the fallback.

strip: leaves out of a page what no block can hold, before the parser reads it.
target: the parser's target, which cuts and counts; record: the structure it records.
segmenter: both in the place of the pure ones.

Stripping follows the tokenizer of libxml2: with another version than those it was checked with
(by scripts/fuzz_segmentation.py) the pure path is taken.
"""

import os
from importlib.util import find_spec

from lxml import etree

from boilersweep.pages.segmenter import Segmenter

CHECKED_LIBXML2 = frozenset({(2, 14, 6)})
"""The versions of libxml2 with which the compiled path was checked against the pure one."""

built = all(
    find_spec(f"{__name__}.{module}") is not None for module in ("strip", "record", "target")
)
"""Whether the extension modules are there."""

available = built and etree.LIBXML_VERSION in CHECKED_LIBXML2
"""Whether the compiled path can be taken."""


def forbidden() -> bool:
    """Whether BOILERSWEEP_PURE=1 in the environment forbids the compiled path."""
    return os.environ.get("BOILERSWEEP_PURE") == "1"


def make_segmenter(
    *,
    inline_tags_transparent: bool = False,
    structure: bool = False,
    most_blocks: int | None = None,
) -> Segmenter:
    """The fastest segmenter there is on this machine; the options are those of `Segmenter`."""
    if available and not forbidden():
        from boilersweep.pages.compiled.segmenter import CompiledSegmenter

        return CompiledSegmenter(
            inline_tags_transparent=inline_tags_transparent,
            structure=structure,
            most_blocks=most_blocks,
        )
    return Segmenter(
        inline_tags_transparent=inline_tags_transparent,
        structure=structure,
        most_blocks=most_blocks,
    )
