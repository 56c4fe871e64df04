"""A model's probabilities of a store's blocks: Parquet files beside the shards.

`learned-00000-0123456789abcdef.parquet` is beside `shard-00000.parquet`. The name ends with a
digest of the shard's blocks, the model and the code, so that no other model or code reads it.
`learned.json`, written last, lists all files; what it does not list is not read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from boilersweep.cleaners.learned.cleaner import Probabilities
from boilersweep.errors import StoreError
from boilersweep.outputs.folder import Kind, OutputFolder
from boilersweep.outputs.identity import code_identity, digest_of
from boilersweep.pages.columns import BlockColumns, BoolArray
from boilersweep.store.shard import RowReader

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


def schema(names: list[str]) -> pa.Schema:
    """Lists of numbers for each document. names: of the networks."""
    numbers = {name: pa.list_(pa.float64()) for name in names}
    return pa.schema({_SIZES: pa.list_(pa.int32()), **numbers})


def table_of(found: Probabilities) -> pa.Table:
    """The probabilities of some documents as they are written."""
    offsets = pa.array(np.concatenate([[0], np.cumsum(found.counts)]), pa.int32())
    columns = {_SIZES: pa.array(found.sizes, pa.int32())} | {
        name: pa.array(values) for name, values in found.of.items()
    }
    lists = [pa.ListArray.from_arrays(offsets, values) for values in columns.values()]
    return pa.Table.from_arrays(lists, schema=schema(list(found.of)))


class ProbabilityReader:
    """Reads a file of probabilities from its first row to its last."""

    def __init__(self, path: Path) -> None:
        self._rows = RowReader(path, "file of probabilities", COMMAND)

    def take(self, columns: BlockColumns, keep: BoolArray) -> Probabilities:
        """Those of some documents. columns: the next of the shard. keep: (n,) True for those.

        Raises StoreError where the file has others.
        """
        table = self._rows.take(len(columns))
        blocks = np.diff(columns.starts)
        found = _probabilities(table)
        owners = np.repeat(np.arange(len(columns)), found.counts)
        if not np.array_equal(np.bincount(owners, found.sizes, len(columns)), blocks):
            raise self._rows.unlike()
        return found if keep.all() else _probabilities(table.filter(pa.array(keep)))


def _probabilities(table: pa.Table) -> Probabilities:
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}
    sizes = columns.pop(_SIZES)
    return Probabilities(
        sizes=sizes.flatten().to_numpy().astype(np.int64),
        counts=sizes.value_lengths().to_numpy().astype(np.int64),
        of={name: values.flatten().to_numpy() for name, values in columns.items()},
    )
