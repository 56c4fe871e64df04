"""Write the features of a block store's blocks as a table: Parquet or CSV, one row per block."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from boilersweep.cleaners.page_model import (
    BLOCK_CLASSES,
    KINDS,
    has_model,
    shipped_model,
)
from boilersweep.errors import UsageError
from boilersweep.features import kohlschuetter, schaefer
from boilersweep.features.recurrence import block_frequencies
from boilersweep.features.table import Feature, FeatureTable, table_of
from boilersweep.outputs.csvtext import harmless
from boilersweep.outputs.streams import make_folder_of, output_file
from boilersweep.pages.columns import STRUCTURE, TEXTS, BlockColumns
from boilersweep.store.store import BlockStore

_MODEL = "the shipped model of learned"

_LEARNED = (
    *(
        Feature(name.replace(" ", "_"), f"probability that the block is {name}", _MODEL)
        for name in BLOCK_CLASSES
    ),
    *(
        Feature(f"page_{kind}", f"probability that the page's kind is {kind}", _MODEL)
        for kind in KINDS
    ),
    Feature(
        "page_confidence", "F1 that may be expected of the page's main text", _MODEL
    ),
)

# The features that can be written: family -> its features in their order.
FAMILIES: dict[str, tuple[Feature, ...]] = {
    "kohlschuetter": kohlschuetter.FEATURES,
    "schaefer": schaefer.FEATURES,
    **({"learned": _LEARNED} if has_model() else {}),
}

SUFFIXES = (".parquet", ".csv")
_NEEDS = TEXTS | STRUCTURE


def write_features(store: BlockStore, path: Path, family: str) -> int:
    """Write one row per block: docid, the block's number in its document from 0, and features.

    In Parquet, the columns' metadata say what each feature is.

    Args:
        store: The store.
        path: The file; its suffix, one of SUFFIXES, tells the format.
        family: A key of FAMILIES; kohlschuetter reads the store twice, first to count how often
            each block occurs in it.

    Returns:
        The number of rows.

    Raises:
        UsageError: The suffix or the family is unknown.
        StoreError: A shard is missing or damaged.
        OutputError: The file cannot be written.
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(
            f"expected a file named *{' or *'.join(SUFFIXES)}, got {path.name}"
        )
    if family not in FAMILIES:
        raise UsageError(
            f"expected one of {', '.join(FAMILIES)} as the features, got {family!r}"
        )
    make_folder_of(path, closed=[store.path])
    schema = _schema(FAMILIES[family])
    is_csv = path.suffix == ".csv"
    writer = pyarrow.csv.CSVWriter if is_csv else pyarrow.parquet.ParquetWriter
    rows = 0
    compute = _computation(store, family)
    with output_file(path) as temporary, writer(str(temporary), schema) as out:
        for columns in store.progress("Writing features", _NEEDS):
            docids = list(map(harmless, columns.docids)) if is_csv else columns.docids
            out.write_table(_table(columns, docids, compute(columns), schema))
            rows += len(columns.words)
    return rows


def _computation(
    store: BlockStore, family: str
) -> Callable[[BlockColumns], FeatureTable]:
    if family != "kohlschuetter":
        return {"schaefer": schaefer.schaefer_features, "learned": learned_features}[
            family
        ]
    frequencies = block_frequencies(store.progress("Counting blocks", _NEEDS))
    return partial(kohlschuetter.kohlschuetter_features, frequencies=frequencies)


def learned_features(columns: BlockColumns) -> FeatureTable:
    """Return what the shipped model tells of each block and of its page."""
    model = shipped_model()
    classes = model.class_probabilities(columns).values()
    of_pages = [*model.kinds(columns).T, model.confidences(columns)]
    return table_of(
        _LEARNED, [*classes, *(values[columns.owners] for values in of_pages)]
    )


def _schema(features: tuple[Feature, ...]) -> pa.Schema:
    return pa.schema(
        [
            pa.field("docid", pa.string()),
            pa.field("block", pa.int64()),
            *(
                pa.field(
                    feature.name,
                    pa.float64(),
                    metadata={
                        "description": feature.description,
                        "source": feature.source,
                    },
                )
                for feature in features
            ),
        ]
    )


def _table(
    columns: BlockColumns,
    docids: Sequence[str],
    features: FeatureTable,
    schema: pa.Schema,
) -> pa.Table:
    owners = columns.owners
    of_blocks = pa.array(docids, pa.string()).take(pa.array(owners))
    places = np.arange(len(owners)) - columns.starts[:-1][owners]
    return pa.Table.from_arrays(
        [of_blocks, pa.array(places), *map(pa.array, features.values.T)], schema=schema
    )
