import pytest

from boilersweep.cleaners.learned.old_markup import in_old_markup, reduced
from boilersweep.pages.columns import BlockColumns, Structure
from tests.cleaners.conftest import MakeColumns

XHTML = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'


def structure_of(columns: BlockColumns) -> Structure:
    assert columns.structure is not None
    return columns.structure


@pytest.mark.parametrize(
    ("page", "old"),
    [
        ("<!DOCTYPE html><p>word", False),
        (f"{XHTML}<p>word", True),
        ("<p>word", True),
        ("<article><p>word</article>", False),
        ('<div class="article"><p>word</div>', True),
    ],
)
def test_old_markup(columns: MakeColumns, page: str, old: bool) -> None:
    assert in_old_markup(structure_of(columns(page))).tolist() == [old]


def test_an_old_page_keeps_neither_marks_nor_modern_names(columns: MakeColumns) -> None:
    both = columns(
        f'{XHTML}<div class="a"><figure><p id="b">one</figure></div>',
        '<!DOCTYPE html><nav class="a">two</nav>',
    )
    structure = structure_of(both)
    seen = structure_of(reduced(both, structure, in_old_markup(structure)))
    names = [seen.name_list[name] for name in seen.names]
    marks = [seen.mark_list[mark] for mark in seen.marks]
    assert "figure" not in names
    assert names.count("div") == 2
    assert marks.count("a") == 1
    assert "b" not in marks
    assert "nav" in names


def test_equal_names_have_one_place(columns: MakeColumns) -> None:
    page = columns(f"{XHTML}<div><figure>one</figure></div>")
    structure = structure_of(page)
    seen = structure_of(reduced(page, structure, in_old_markup(structure)))
    assert len(set(seen.name_list)) == len(seen.name_list)


def test_pages_of_today_stay_as_they_are(columns: MakeColumns) -> None:
    page = columns("<!DOCTYPE html><p>word")
    structure = structure_of(page)
    assert reduced(page, structure, in_old_markup(structure)) is page
