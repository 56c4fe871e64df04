"""Columns of many pages, and of some of their documents."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages.columns import (
    BlockColumns,
    columns_of,
    documents_of,
    neighbours,
    packed_columns,
)
from boilersweep.pages.page import pack
from boilersweep.pages.segmenter import Segmenter
from tests.conftest import known

SEGMENTER = Segmenter(structure=True, borders="paper")
HTML = [
    "<title>One</title><div class=x><p>one two <b>three</b></p></div><ul><li>four",
    "",
    "<!DOCTYPE html><p id=y>five<p><a>six</a>",
    "seven",
]
PAGES = [SEGMENTER.html(html.encode()) for html in HTML]
DOCIDS = ["a", "b", "c", "d"]


def as_lists(columns: BlockColumns) -> dict[str, object]:
    """All columns, strings in place of codes, as what can be compared."""
    told = {
        field.name: getattr(columns, field.name)
        for field in dataclasses.fields(columns)
    }
    inner = known(columns.structure)
    del told["structure"]
    told |= {
        field.name: getattr(inner, field.name) for field in dataclasses.fields(inner)
    }
    told["names"] = [inner.name_list[code] for code in inner.names]
    told["marks"] = [inner.mark_list[code] for code in inner.marks]
    told["attributes"] = [inner.attribute_list[code] for code in inner.attributes]
    del told["name_list"], told["mark_list"], told["attribute_list"]
    return {
        name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in told.items()
    }


def test_blocks_and_elements_are_numbered_through() -> None:
    columns = columns_of(DOCIDS, PAGES)
    assert len(columns) == 4
    assert columns.starts.tolist() == [0, 3, 3, 5, 6]
    assert columns.owners.tolist() == [0, 0, 0, 2, 2, 3]
    assert columns.titles == ["One", "", "", ""]
    structure = known(columns.structure)
    # html, body, div, p, b, ul, li with the document itself: 8. p, p: 5. The last: 3.
    assert structure.starts.tolist() == [0, 8, 8, 13, 16]
    assert structure.parents[[0, 8, 13]].tolist() == [0, 8, 13]
    assert structure.elements.tolist() == [4, 5, 7, 11, 12, 15]
    assert structure.first[[8, 11, 12, 13]].tolist() == [3, 3, 4, 5]
    assert structure.doctypes == ["", "", "html5", ""]
    assert [structure.mark_list[code] for code in structure.marks[[3, 11]]] == [
        "x",
        "y",
    ]


def test_no_pages() -> None:
    for columns in (columns_of([], []), packed_columns([], [])):
        assert len(columns) == len(columns.words) == 0
        assert columns.starts.tolist() == [0]


@pytest.mark.parametrize("pure", ["0", "1"])
def test_packed_pages_give_the_same_columns(
    pure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", pure)
    other = SEGMENTER.html(
        "<p class='größe x'>Größe 中文 😀<p class=größe>two".encode()
    )
    cut = [*PAGES, other, Segmenter(structure=True).html(b"<main>" * 300 + b"deep")]
    docids = [*DOCIDS, "e", "f"]
    found = packed_columns(docids, [pack(page) for page in cut])
    assert as_lists(found) == as_lists(columns_of(docids, cut))
    assert found.words.dtype == np.int64
    without = packed_columns(["a"], [pack(Segmenter().html(b"one"))])
    assert without.structure is None


@pytest.mark.parametrize("keep", list(itertools.product([False, True], repeat=4)))
def test_some_documents_of_many(keep: tuple[bool, ...]) -> None:
    some = documents_of(columns_of(DOCIDS, PAGES), np.array(keep))
    pages = [page for page, kept in zip(PAGES, keep, strict=True) if kept]
    docids = [docid for docid, kept in zip(DOCIDS, keep, strict=True) if kept]
    assert as_lists(some) == as_lists(columns_of(docids, pages))


def test_page_texts_go_with_their_documents() -> None:
    columns = dataclasses.replace(
        columns_of(DOCIDS, PAGES), page_texts={"x": list("abcd")}
    )
    assert documents_of(columns, np.array([True, False, False, True])).page_texts == {
        "x": ["a", "d"]
    }


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@given(
    lengths=st.lists(st.integers(0, 4), max_size=5),
    step=st.integers(-6, 6).filter(bool),
    columns=st.sampled_from([0, slice(None)]),
)
def test_neighbours_are_of_the_same_document(
    dtype: type[np.generic], lengths: list[int], step: int, columns: int | slice
) -> None:
    owners = np.repeat(np.arange(len(lengths)), lengths)
    values = np.arange(1, 2 * len(owners) + 1, dtype=dtype).reshape(-1, 2)[:, columns]
    found = neighbours(values, owners, step)
    assert found.dtype == dtype
    for row, document in enumerate(owners):
        there = row + step
        inside = 0 <= there < len(owners) and owners[there] == document
        assert (
            found[row].tolist()
            == (values[there] if inside else 0 * values[row]).tolist()
        )
