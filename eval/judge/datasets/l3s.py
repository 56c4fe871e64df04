"""L3S-GN1, the GoogleNews pages of the 2010 paper: `original/*.html` and `annotated/*.html`.

Source: http://www.l3s.de/~kohlschuetter/boilerplate/ (research use only).
"""

import re
from pathlib import Path

from boilersweep.eval.judge.annotated import annotated_blocks
from boilersweep.eval.judge.datasets.page import (
    PAGE_SUFFIXES,
    DatasetFormat,
    JudgedPage,
    Pages,
    UnusableError,
    named_files,
    paired,
    readable_bytes,
)
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.hosts import host_of

_MAPPED = re.compile(r"<urn:uuid:([^>]+)>\s+(\S+)")


def _read(home: Path) -> Pages:
    """Read the pages; a gold text is headline, full text, supplemental text and comments.

    Without `url-mapping.txt` every page is a site of its own.
    """
    urls = _urls(home / "url-mapping.txt")
    segmenter = make_segmenter()

    def page(name: str, path: Path, annotated: Path) -> JudgedPage:
        utf8 = to_utf8(readable_bytes(annotated)).utf8
        try:
            marked = annotated_blocks(utf8, segmenter)
        except ValueError as error:
            raise UnusableError("the annotated page cannot be parsed") from error
        if not marked.is_annotated:
            raise UnusableError("the annotated page has no annotation")
        url = urls.get(name, "")
        site = host_of(url) or name
        gold = "\n".join(filter(None, marked.gold))
        return JudgedPage(name, path, None, gold, site, url, annotated=annotated)

    originals = named_files(home / "original", PAGE_SUFFIXES)
    annotated = named_files(home / "annotated", PAGE_SUFFIXES)
    missing = ("no original page", "no annotated page")
    return paired(originals, annotated, page, missing=missing)


def _urls(path: Path) -> dict[str, str]:
    """Return name -> address."""
    if not path.exists():
        return {}
    return dict(_MAPPED.findall(path.read_text(encoding="utf-8", errors="replace")))


FORMAT = DatasetFormat(
    name="l3s-gn1",
    title="L3S-GN1",
    layout="original/, annotated/",
    folders=("original", "annotated"),
    inside="l3s",
    licence="L3S-GN1, Christian Kohlschütter, 2010: research use only",
    read=_read,
)
