import numpy as np
import pytest

from boilersweep.eval.training import markup
from boilersweep.eval.training.markup import old_fashioned
from boilersweep.pages.columns import BlockColumns, columns_of, structure_of
from boilersweep.pages.segmenter import Segmenter

PAGE = (
    b"<!DOCTYPE html><main class=a><div id=b><h2>One</h2><p>Two <b>three</b></p><ul><li>Four</ul>"
    b"</div></main>"
)


def changed(
    monkeypatch: pytest.MonkeyPatch, *, tables: float, without: float
) -> BlockColumns:
    monkeypatch.setattr(markup, "TABLES", tables)
    monkeypatch.setattr(markup, "WITHOUT", without)
    page = columns_of(["a"], [Segmenter(structure=True).html(PAGE)])
    return old_fashioned(page, np.random.default_rng(1))


def names(columns: BlockColumns) -> list[str]:
    structure = structure_of(columns, "test")
    return [structure.name_list[name] for name in structure.names[structure.elements]]


def test_marks_and_modern_names_go_from_every_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    structure = structure_of(changed(monkeypatch, tables=0, without=0), "test")
    assert {structure.mark_list[mark] for mark in structure.marks} == {""}
    assert "main" not in {structure.name_list[name] for name in structure.names}


def test_what_is_not_drawn_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(changed(monkeypatch, tables=0, without=0)) == ["h2", "p", "li"]


def test_paragraphs_headings_and_lists_become_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The text of p stands in the div around it.
    assert names(changed(monkeypatch, tables=0, without=1)) == ["font", "div", "td"]


def test_div_becomes_td(monkeypatch: pytest.MonkeyPatch) -> None:
    structure = structure_of(changed(monkeypatch, tables=1, without=0), "test")
    assert "div" not in {structure.name_list[name] for name in structure.names}


def test_blocks_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = changed(monkeypatch, tables=1, without=1)
    assert columns.texts == ["One", "Two three", "Four"]
    assert structure_of(columns, "test").joined.tolist() == [False, False, False]
