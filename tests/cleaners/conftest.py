"""Pages as columns."""

from itertools import compress, pairwise
from typing import Protocol

import pytest

from boilersweep.cleaners.rules import Rule
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.elements import Borders
from boilersweep.pages.segmenter import Segmenter


class MakeColumns(Protocol):
    def __call__(self, *pages: str, borders: Borders = ...) -> BlockColumns: ...


class Kept(Protocol):
    def __call__(self, rule: Rule, *pages: str) -> list[list[str]]: ...


def _columns(*pages: str, borders: Borders = "block") -> BlockColumns:
    segmenter = Segmenter(structure=True, borders=borders)
    names = [str(number) for number in range(len(pages))]
    return columns_of(names, [segmenter.html(page.encode()) for page in pages])


def _kept(rule: Rule, *pages: str) -> list[list[str]]:
    columns = _columns(*pages)
    mask = rule.mask(columns)
    return [
        list(compress(columns.texts[begin:end], mask[begin:end]))
        for begin, end in pairwise(columns.starts.tolist())
    ]


@pytest.fixture(scope="session")
def columns() -> MakeColumns:
    """Return a function from HTML pages to their columns, with texts and structure."""
    return _columns


@pytest.fixture(scope="session")
def kept() -> Kept:
    """Return a function from a rule and HTML pages to the kept texts, page by page."""
    return _kept
