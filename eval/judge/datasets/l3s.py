"""L3S-GN1, the GoogleNews pages of the 2010 paper: `original/*.html` and `annotated/*.html`.

Source: http://www.l3s.de/~kohlschuetter/boilerplate/ (research use only).
"""

import re
from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.eval.judge.annotated import annotated_blocks, gold_text
from boilersweep.eval.judge.datasets.page import (
    Dataset,
    JudgedPage,
    Skipped,
    fault_of,
    home_of,
    named_pages,
    page_bytes,
    require_pages,
)
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.hosts import host_of

WHAT = "L3S-GN1"
_MAPPED = re.compile(r"<urn:uuid:([^>]+)>\s+(\S+)")


def read_l3s(folder: Path) -> Dataset:
    """L3S-GN1, in `folder` or in its `l3s`.

    A page's gold text is that of its headline, full text, supplemental text and comments. Without
    `url-mapping.txt` every page is a site of its own. Raises InputError.
    """
    home = home_of(folder, ("original", "annotated"), ("l3s",), WHAT)
    urls = _urls(home / "url-mapping.txt")
    segmenter = make_segmenter()
    skipped: list[Skipped] = []
    originals = named_pages(home / "original", skipped)
    annotated = named_pages(home / "annotated", skipped)
    pages: list[JudgedPage] = []
    for name in sorted(originals | annotated):
        if name not in originals:
            skipped.append(Skipped(name, "no original page"))
            continue
        if name not in annotated:
            skipped.append(Skipped(name, "no annotated page"))
            continue
        if fault := fault_of(originals[name]) or fault_of(annotated[name]):
            skipped.append(Skipped(name, fault))
            continue
        try:
            marked = annotated_blocks(to_utf8(page_bytes(annotated[name])).utf8, segmenter)
        except (ValueError, InputError):
            skipped.append(Skipped(name, "the annotated page cannot be parsed"))
            continue
        if not marked.is_annotated:
            skipped.append(Skipped(name, "the annotated page has no annotation"))
            continue
        url = urls.get(name, "")
        pages.append(
            JudgedPage(
                name,
                originals[name],
                None,
                gold_text(marked),
                host_of(url) or name,
                url,
                annotated=annotated[name],
            )
        )
    return require_pages(Dataset("l3s-gn1", folder, pages, skipped), WHAT)


def _urls(path: Path) -> dict[str, str]:
    """Name -> address."""
    if not path.exists():
        return {}
    return dict(_MAPPED.findall(path.read_text(encoding="utf-8", errors="replace")))
