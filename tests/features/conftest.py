"""Small pages as columns with texts and structure."""

from boilersweep.features.table import FeatureTable
from boilersweep.pages.columns import BlockColumns, FloatArray, columns_of
from boilersweep.pages.segmenter import Segmenter


def cut(*pages: str) -> BlockColumns:
    """Cut pages, each given as HTML, into columns; the first page is "d0"."""
    segmenter = Segmenter(structure=True)
    cut_ = [segmenter.html(page.encode()) for page in pages]
    return columns_of([f"d{number}" for number in range(len(pages))], cut_)


def column(table: FeatureTable, name: str) -> FloatArray:
    """Return (m,) one feature of a table."""
    return table.values[:, table.names.index(name)]
