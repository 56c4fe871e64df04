"""What attributes of plain ASCII say of an element, read from their bytes."""

import re
from functools import lru_cache

from boilersweep.pages.structure import marks_of

_ATTRIBUTE = re.compile(r"\s([\w-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*)))?", re.ASCII)


@lru_cache(maxsize=2**16)
def marks_of_attributes(written: bytes) -> str:
    """`marks_of` of the attributes of a start tag, which have no character references.

    A space stands before each. Of two with one name the first counts, as in HTML.
    """
    attributes: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(written.decode("ascii")):
        attributes.setdefault(name.lower(), "".join(values))
    return marks_of(attributes)
