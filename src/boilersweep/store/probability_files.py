"""A model's probabilities of a store's blocks: Parquet files beside the shards.

`learned-00000-0123456789abcdef.parquet` is beside `shard-00000.parquet`. The name ends with a
digest of the shard's blocks, the model and the code, so that no other model or code reads it.
`learned.json`, written last, lists all files; what it does not list is not read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from boilersweep.errors import StoreError
from boilersweep.outputs.folder import Kind, OutputFolder
from boilersweep.outputs.identity import code_identity, digest_of
from boilersweep.pages.columns import BlockColumns, BoolArray
from boilersweep.store.shard import RowReader

if TYPE_CHECKING:  # whoever opens a store may need no model
    from boilersweep.cleaners.learned.features import RatedRows, Rows
    from boilersweep.cleaners.learned.model import Estimator, Model

PROBABILITY_FILES = "learned-*.parquet"
VERSION = 1
"""Of the layout; files of another version are not read."""

PROBABILITIES = Kind(
    name="probabilities",
    command="extract",
    shape={"models": {str: str}},
    manifest="learned.json",
    error=StoreError,
)
COMMAND = "extract --extractors learned"

_SIZES = "sizes"


def file_name(shard: Mapping[str, Any], model: str) -> str:
    """The file of a model beside a shard. shard: as the manifest has it. model: its digest."""
    made_of = [VERSION, shard["blocks_sha256"], model, code_identity("clean"), np.__version__]
    number = shard["file"].removeprefix("shard-").removesuffix(".parquet")
    return f"learned-{number}-{digest_of(made_of)[:16]}.parquet"


def read_probabilities_manifest(store: Path) -> dict[str, Any]:
    """What `learned.json` in a store's folder says, as if empty if it is missing or damaged."""
    try:
        return OutputFolder(store, PROBABILITIES).read() or {"models": {}, "files": {}}
    except StoreError:
        return {"models": {}, "files": {}}


def networks_of(model: "Model") -> "dict[str, Estimator]":
    """The networks that have a column, by its name."""
    return {"content": model.estimator, **model.classes}


def schema(model: "Model") -> pa.Schema:
    """Lists of numbers for each document: the blocks of each row, and what each network gives."""
    return pa.schema(
        {_SIZES: pa.list_(pa.int32())}
        | {name: pa.list_(pa.float64()) for name in networks_of(model)}
    )


def table_of(rows: "Rows", model: "Model") -> pa.Table:
    """The probabilities of some documents as they are written."""
    from boilersweep.cleaners.learned.cleaner import rated

    sizes = np.bincount(rows.of_blocks, minlength=len(rows.words)).astype(np.int32)
    values = [sizes, *(rated(model, one, rows) for one in networks_of(model).values())]
    starts = pa.array(rows.starts, pa.int32())
    lists = [pa.ListArray.from_arrays(starts, pa.array(one)) for one in values]
    return pa.Table.from_arrays(lists, schema=schema(model))


class ProbabilityReader:
    """Reads a model's file from its first row to its last."""

    def __init__(self, path: Path, model: "Model") -> None:
        self._table = RowReader(path, "file of probabilities", COMMAND)
        self._model = model

    def take(self, keep: BoolArray, columns: BlockColumns) -> "RatedRows":
        """The rows of some documents. keep: (n,) True for those of the next n. columns: of those.

        Raises StoreError where the file has others.
        """
        from boilersweep.cleaners.learned.features import RatedRows

        table = self._table.take(len(keep))
        table = table if keep.all() else table.filter(pa.array(keep))
        lists = {name: table.column(name).combine_chunks() for name in table.column_names}
        values = {name: column.flatten().to_numpy() for name, column in lists.items()}
        counts = lists[_SIZES].value_lengths().to_numpy()
        owners = np.repeat(np.arange(len(counts)), counts)
        of_blocks = np.repeat(np.arange(len(owners)), values[_SIZES])
        if not np.array_equal(owners[of_blocks], columns.owners):
            raise self._table.unlike()
        return RatedRows(
            values=np.zeros((len(owners), 0)),
            words=np.bincount(of_blocks, columns.words, len(owners)).astype(float),
            of_blocks=of_blocks,
            owners=owners,
            starts=np.concatenate([[0], np.cumsum(counts)]),
            rated={one: values[name] for name, one in networks_of(self._model).items()},
        )
