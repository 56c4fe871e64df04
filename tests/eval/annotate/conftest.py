"""Ten small pages to mark, one of them hostile."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from boilersweep import segment_collection
from boilersweep.eval.annotate.annotations import (
    Annotations,
    PagesToMark,
    annotations_in,
    pages_to_mark,
)
from boilersweep.eval.annotate.marks import Mark, Range
from tests.eval.people.serving import Served, needs_serve, serving

__all__ = ["needs_serve"]  # a fixture

STORY = "The pony crossed the river before the rain came down in the evening"
HOSTILE = (
    "<script>document.title='attacked'</script><img src=//attacker.example/a.png "
    "onerror=\"document.title='attacked'\"><p onclick=alert(1) style='position:fixed'>Styled</p>"
    f"{'<div>' * 600}deep{'</div>' * 700}</main><p>\u202eBidirectional and \u202d<b>bo<i>ld</b>er"
    "</i> 1 &lt; 2</p><table><tr><td>cell<td>second cell</table>"
)

# The classes that a person gives the blocks of a page.
GIVEN: tuple[Range, ...] = (
    (2, 2, "headline"),
    (3, 4, "full text"),
    (5, 5, "comments"),
)
WANTED = [0, 0, 1, 2, 2, 5]
WANTED_HOSTILE = [*WANTED, 0, 0, 0, 0, 0]


def page(number: int) -> str:
    """Return a page: two links, a headline, two paragraphs and a comment."""
    return (
        f"<title>Pony {number}</title><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
        f"<h1>Pony news {number}</h1><p>{STORY} of day {number}.</p><p>It was <b>wet</b> after "
        f"all {number} hours of rain.</p><p>Nice one, says reader {number}</p>"
        f"{HOSTILE if number == 3 else ''}"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "gold"


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Return a folder of ten pages."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(10):
        (pages / f"p{number}.html").write_text(page(number), "utf-8")
    return pages


@pytest.fixture
def pages(collection: Path, folder: Path) -> Callable[[], PagesToMark]:
    """Return a function that reads the pages as they are now."""

    def read() -> PagesToMark:
        store = segment_collection(collection, folder / "store", workers=1)
        return pages_to_mark(store)

    return read


def mark_page(
    annotations: Annotations, name: str, docid: str, ranges: Sequence[Range] = GIVEN
) -> None:
    """Have a person mark a page whole."""
    annotations.add(name, Mark(docid, "mark", tuple(ranges)))
    annotations.add(name, Mark(docid, "done"))


@pytest.fixture
def marking(
    needs_serve: None, folder: Path, pages: Callable[[], PagesToMark]
) -> Iterator[Served]:
    """Serve the page where ten pages are marked."""
    from boilersweep.eval.annotate.marking import marking_routes

    with (
        annotations_in(folder, pages()) as annotations,
        serving(annotations, marking_routes(annotations)) as served,
    ):
        yield served
