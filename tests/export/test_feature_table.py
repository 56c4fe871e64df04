"""Features of a block store as a file."""

import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from boilersweep import BlockStore, OutputError, UsageError, open_store
from boilersweep.export.feature_table import FAMILIES, learned_features, write_features
from boilersweep.features.kohlschuetter import kohlschuetter_features
from boilersweep.features.recurrence import block_frequencies
from boilersweep.features.schaefer import schaefer_features
from boilersweep.pages.columns import columns_of
from boilersweep.pages.segmenter import Segmenter
from tests.store.conftest import write_store

PAGES = {
    'a,"1"': "<div><p>One two.<p>Home</div>",
    "b": "",
    "c": "<h1>Home</h1><p>Three | four at 10:30.",
}


@pytest.fixture
def store(tmp_path: Path) -> BlockStore:
    folder = tmp_path / "store"
    folder.mkdir()
    segmenter = Segmenter(structure=True)
    pages = {
        docid: segmenter.html(b"<body>" + html.encode())
        for docid, html in PAGES.items()
    }
    return open_store(
        write_store(folder, [{docid: page} for docid, page in pages.items()])
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_parquet_and_csv_hold_the_features(
    store: BlockStore, tmp_path: Path, family: str
) -> None:
    segmenter = Segmenter(structure=True)
    columns = columns_of(
        list(PAGES), [segmenter.html(b"<body>" + p.encode()) for p in PAGES.values()]
    )
    if family == "schaefer":
        expected = schaefer_features(columns)
    elif family == "learned":
        expected = learned_features(columns)
    else:
        expected = kohlschuetter_features(columns, block_frequencies([columns]))
    assert write_features(store, tmp_path / "f.parquet", family) == 4
    table = pyarrow.parquet.read_table(tmp_path / "f.parquet")
    assert table.column_names == ["docid", "block", *expected.names]
    assert table["docid"].to_pylist() == ['a,"1"', 'a,"1"', "c", "c"]
    assert table["block"].to_pylist() == [0, 1, 0, 1]
    values = np.column_stack(table.columns[2:])
    assert np.allclose(values, expected.values, rtol=0, atol=1e-12)
    described = table.schema.field(2).metadata
    assert described[b"description"] == expected.features[0].description.encode()

    assert write_features(store, tmp_path / "f.csv", family) == 4
    with (tmp_path / "f.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    assert rows[0] == table.column_names
    assert [row[:2] for row in rows[1:]] == [
        ['a,"1"', "0"],
        ['a,"1"', "1"],
        ["c", "0"],
        ["c", "1"],
    ]
    assert np.array_equal(np.array([row[2:] for row in rows[1:]], dtype=float), values)


def test_frequencies_are_those_of_the_store(store: BlockStore, tmp_path: Path) -> None:
    write_features(store, tmp_path / "f.parquet", "kohlschuetter")
    table = pyarrow.parquet.read_table(tmp_path / "f.parquet")
    assert table["curr_frequency"].to_pylist() == [1, 2, 2, 1]
    assert table["prev_frequency"].to_pylist() == [0, 1, 0, 2]


def test_what_cannot_be_written(store: BlockStore, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    for name, family, error, message in (
        ("f.txt", "schaefer", UsageError, r"named \*\.parquet or \*\.csv, got f\.txt"),
        ("f.csv", "other", UsageError, "kohlschuetter, schaefer"),
        ("file/f.csv", "schaefer", OutputError, "cannot write"),
        ("folder.csv", "schaefer", OutputError, "Is a directory"),
    ):
        with pytest.raises(error, match=message):
            write_features(store, tmp_path / name, family)
    assert not list(tmp_path.glob(".*partial*"))
