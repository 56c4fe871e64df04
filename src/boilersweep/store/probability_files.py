"""A model's probabilities of a store's blocks: Parquet files beside the shards.

`learned-00000-0123456789abcdef.parquet` is beside `shard-00000.parquet`. The name ends with a
digest of the shard's blocks, the model and the code, so that no other model or code reads it.
`learned.json`, written last, lists all files; what it does not list is not read.
"""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.errors import StoreError
from boilersweep.outputs.folder import OutputFolder, OutputKind
from boilersweep.outputs.identity import code_identity, digest_of
from boilersweep.outputs.manifest_file import OutputManifest
from boilersweep.pages.columns import BlockColumns, BoolArray
from boilersweep.store.manifest import ShardEntry
from boilersweep.store.shard import RowReader

if TYPE_CHECKING:  # whoever opens a store may need no model
    from boilersweep.cleaners.learned.inference import RatedRows, Rows
    from boilersweep.cleaners.learned.model import Estimator, Model

PROBABILITY_FILES = "learned-*.parquet"
# Of the layout; files of another version are not read.
VERSION = 1


class ProbabilitiesManifest(OutputManifest, kw_only=True):
    """The manifest of a store's probabilities.

    Attributes:
        models: The cleaners by the digests of their models.
    """

    models: dict[str, str]


PROBABILITIES = OutputKind(
    name="probabilities",
    command="extract",
    manifest_type=ProbabilitiesManifest,
    manifest="learned.json",
    error=StoreError,
)
COMMAND = "extract --extractors learned"

_SIZES = "sizes"


def file_name(shard: ShardEntry, model: str) -> str:
    """Return the file of a model beside a shard.

    Args:
        shard: As the manifest has it.
        model: Its digest.
    """
    made_of = [VERSION, shard["blocks_sha256"], model, code_identity(CLEAN_CODE), np.__version__]
    number = shard["file"].removeprefix("shard-").removesuffix(".parquet")
    return f"learned-{number}-{digest_of(made_of)[:16]}.parquet"


def read_probabilities_manifest(store: Path) -> ProbabilitiesManifest:
    """Return `learned.json` in a store's folder; an empty one if it is missing or damaged."""
    found = None
    with contextlib.suppress(StoreError):
        found = OutputFolder(store, PROBABILITIES).read()
    return found or ProbabilitiesManifest(identity={}, files={}, models={})


def networks_of(model: "Model") -> "dict[str, Estimator]":
    """Return the networks that have a column, by its name."""
    return {"content": model.estimator, **model.classes}


def schema(model: "Model") -> pa.Schema:
    """Return a schema: lists of each row's number of blocks, and of each network's results."""
    return pa.schema(
        {_SIZES: pa.list_(pa.int32())}
        | {name: pa.list_(pa.float64()) for name in networks_of(model)}
    )


def table_of(rows: "Rows", model: "Model") -> pa.Table:
    """Return the probabilities of some documents as they are written."""
    from boilersweep.cleaners.learned.cleaner import rated

    sizes = np.bincount(rows.of_blocks, minlength=len(rows.words)).astype(np.int32)
    values = [sizes, *(rated(model, one, rows) for one in networks_of(model).values())]
    starts = pa.array(rows.starts, pa.int32())
    lists = [pa.ListArray.from_arrays(starts, pa.array(one)) for one in values]
    return pa.Table.from_arrays(lists, schema=schema(model))


def rated_rows(
    rows: RowReader, model: "Model", keep: BoolArray, columns: BlockColumns
) -> "RatedRows":
    """Return the rows of some documents, which are next in a model's file.

    Args:
        rows: The file.
        model: Its model.
        keep: (n,) Which of the next n documents are returned.
        columns: The blocks of these documents.

    Returns:
        The rows with their probabilities.

    Raises:
        StoreError: The file has rows of other blocks.
    """
    from boilersweep.cleaners.learned.inference import RatedRows

    table = rows.take(len(keep))
    table = table if keep.all() else table.filter(pa.array(keep))
    lists = {name: table.column(name).combine_chunks() for name in table.column_names}
    values = {name: column.flatten().to_numpy() for name, column in lists.items()}
    counts = lists[_SIZES].value_lengths().to_numpy()
    owners = np.repeat(np.arange(len(counts)), counts)
    of_blocks = np.repeat(np.arange(len(owners)), values[_SIZES])
    if not np.array_equal(owners[of_blocks], columns.owners):
        raise rows.unlike()
    return RatedRows(
        values=np.zeros((len(owners), 0)),
        words=np.bincount(of_blocks, columns.words, len(owners)).astype(float),
        of_blocks=of_blocks,
        owners=owners,
        starts=np.concatenate([[0], np.cumsum(counts)]),
        rated={one: values[name] for name, one in networks_of(model).items()},
    )
