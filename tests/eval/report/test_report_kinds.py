"""Kinds of pages in the report: the shares that each cleaner keeps."""

from typing import Any

import pytest

from boilersweep.eval.report.page import render
from boilersweep.eval.report.sections import page_kinds
from tests.eval.conftest import known
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml


@pytest.fixture
def with_kinds(document: dict[str, Any], read: ReadStudy) -> dict[str, Any]:
    names = [row.name for row in read(document).rows]
    document["kinds"] = [
        {"kind": "article", "pages": 30, "words": 4000, "kept": dict.fromkeys(names, 3000)},
        {"kind": "forum", "pages": 10, "words": 0, "kept": dict.fromkeys(names, 0)},
    ]
    return document


def test_every_shown_cleaner_has_its_share(with_kinds: dict[str, Any], read: ReadStudy) -> None:
    study = read(with_kinds)
    section = known(page_kinds(study))
    assert section.notes == ["40 pages"]
    (grid,) = section.grids
    assert [(head.text, head.note) for head in grid.heads] == [
        ("article", "30, 75.0%"),
        ("forum", "10, 25.0%"),
    ]
    assert [row.name for row in grid.rows] == [row.label for row in study.ordered(study.shown)]
    assert {tuple(cell.text for cell in row.cells) for row in grid.rows} == {("75.0%", "0.0%")}


def test_the_section_is_on_the_page_where_pages_were_counted(
    with_kinds: dict[str, Any], read: ReadStudy, read_html: ReadHtml
) -> None:
    for kinds, is_there in ((with_kinds["kinds"], True), ([], False)):
        page = read_html(render(read(with_kinds | {"kinds": kinds}), []))
        sections = {section.get("id") for section in page.named("section")}
        links = {link.get("href") for link in page.named("a")}
        assert ("kinds" in sections, "#kinds" in links) == (is_there, is_there)
