"""BLOGS06: folders of days whose permalinks-* files hold pages in TREC web format.

Feeds and home pages, which lie beside them, are left out. The tags that BLOGS06 adds to a page are
read by `trec_web`.
"""

from pathlib import Path

from boilersweep.collection.files import matching_files
from boilersweep.collection.format import Format
from boilersweep.collection.trec_web import read_trec_web


def is_permalinks_name(name: str) -> bool:
    """Whether a file of this name holds permalink documents, the collection's pages."""
    return name.startswith("permalinks-")


def find_permalinks(root: Path) -> list[Path]:
    """The files of pages below root; or root if it is a file."""
    return matching_files(root, is_permalinks_name)


BLOGS06 = Format(
    "blogs06",
    "TREC Blogs06: the permalinks-* files; feeds and home pages are left out",
    find_permalinks,
    read_trec_web,
)
