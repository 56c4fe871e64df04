"""BLOGS06: folders of days whose permalinks-* files hold pages in TREC web format.

Feeds and home pages, which lie beside them, are left out. The tags that BLOGS06 adds to a page are
read by `trec_web`.
"""

from boilersweep.collection.format import Format
from boilersweep.collection.trec_web import read_trec_web


def is_permalinks_name(name: str) -> bool:
    """Whether a file of this name holds permalink documents, the collection's pages."""
    return name.startswith("permalinks-")


BLOGS06 = Format(
    "blogs06",
    "TREC Blogs06: the permalinks-* files; feeds and home pages are left out",
    is_permalinks_name,
    read_trec_web,
)
