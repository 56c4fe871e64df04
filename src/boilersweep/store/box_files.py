"""Boxes of a store's pages as drawn: Parquet files beside the shards, one row for each of theirs.

`boxes-00000.parquet` is beside `shard-00000.parquet`. The footer of each says of which blocks it
is; `boxes.json`, written last, lists them all. Only what fits its shard is read.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from boilersweep.errors import StoreError
from boilersweep.outputs.folder import OutputFolder, OutputKind
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.manifest_file import OutputManifest
from boilersweep.outputs.regular_files import require_regular
from boilersweep.outputs.typed_files import decode_json
from boilersweep.pages.boxes import COLUMNS, TYPES, Boxes, Drawn
from boilersweep.pages.columns import BlockColumns, starts_of, structure_of
from boilersweep.store.shard import RowReader, ShardFacts

BOXES_MANIFEST = "boxes.json"
# Of the layout; files of another version are rebuilt.
VERSION = 1

_METADATA_KEY = b"boilersweep"
_ROWS_AT_A_TIME = 500
_STORED = {np.int64: pa.int32(), np.float64: pa.float32(), np.bool_: pa.bool_()}
_KINDS = ("blocks", "elements", "rules")
_SCHEMA = pa.schema(
    [
        ("docid", pa.string()),
        ("outcome", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        *(
            (f"{kind}:{name}", pa.list_(_STORED[TYPES[name]]))
            for kind in _KINDS
            for name in COLUMNS
        ),
        ("rules:element", pa.list_(pa.int32())),
    ]
)


@dataclass(slots=True)
class BoxFacts:
    """What the footer of a file of boxes says of it; as JSON.

    Attributes:
        of: Digest of the blocks that they are of, see `blocks_digest`.
        identity: What else they depend on.
        documents: Of the shard.
        drawn: Of them.
        undrawn: The others, by the reason.
        places: Of some of these, as text.
        blocks: Of the pages drawn.
        elements: Of the pages drawn.
        unmatched_blocks: Of these those that the browser has not.
        unmatched_elements: Of these those that the browser has not.
        hidden_blocks: Of these those that nobody sees.
    """

    of: str
    identity: dict[str, Any]
    documents: int = 0
    drawn: int = 0
    undrawn: dict[str, int] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    blocks: int = 0
    elements: int = 0
    unmatched_blocks: int = 0
    unmatched_elements: int = 0
    hidden_blocks: int = 0


# The facts that are added up over shards.
COUNTED = (
    "documents",
    "drawn",
    "blocks",
    "elements",
    "unmatched_blocks",
    "unmatched_elements",
    "hidden_blocks",
)


class BoxesManifest(OutputManifest, kw_only=True):
    """The manifest of a store's boxes: the counts of `BoxFacts` over all shards.

    Attributes:
        shards: The digests of the shards' blocks by the shards' names; see `blocks_digest`.
    """

    documents: int
    drawn: int
    blocks: int
    elements: int
    unmatched_blocks: int
    unmatched_elements: int
    hidden_blocks: int
    undrawn: dict[str, int]
    places: list[str]
    shards: dict[str, str]


BOXES = OutputKind(
    name="boxes",
    command="render",
    manifest_type=BoxesManifest,
    manifest=BOXES_MANIFEST,
    error=StoreError,
)


def boxes_name(shard: str) -> str:
    """Return the name of the file of boxes beside a shard's."""
    return shard.replace("shard-", "boxes-", 1)


def blocks_digest(facts: ShardFacts) -> str:
    """Return a digest of everything that a shard's blocks depend on.

    Not the texts beside the blocks.
    """
    beside = ("extractors", "given")
    task = {key: value for key, value in facts.task.items() if key not in beside}
    task["options"] = {k: v for k, v in task.get("options", {}).items() if k not in beside}
    files = [[one["path"], one["sha256"]] for one in facts.files]
    lost = [[one.reason, one.place, one.records] for one in facts.lost]
    return digest_of([task, files, lost, facts.documents, facts.blocks])


def things(kind: str, drawn: Drawn) -> dict[str, list[Any]]:
    """Return values of a row for things of a kind: `blocks`, `elements` or `rules`."""
    return {f"{kind}:{name}": getattr(drawn, name).tolist() for name in COLUMNS}


def write_boxes(path: Path, rows: Iterator[Mapping[str, Any]], facts: BoxFacts) -> None:
    """Write a file of boxes, some hundred rows at a time.

    Args:
        path: The file.
        rows: A row for each document of the shard, in its order.
        facts: What the footer says; whoever makes the rows counts them there.
    """
    with pq.ParquetWriter(path, _SCHEMA, compression="zstd", write_page_checksum=True) as writer:
        is_more = True
        while is_more:
            some = list(islice(rows, _ROWS_AT_A_TIME))
            arrays = [pa.array([row[one.name] for row in some], one.type) for one in _SCHEMA]
            writer.write_table(pa.Table.from_arrays(arrays, schema=_SCHEMA))
            is_more = len(some) == _ROWS_AT_A_TIME
        writer.add_key_value_metadata({_METADATA_KEY: json.dumps(asdict(facts))})


def read_box_facts(path: Path) -> BoxFacts | None:
    """Return what the footer of a file of boxes says.

    None where there is no such file, or a damaged one.

    Raises nothing: what cannot be read is made anew.
    """
    try:
        with pq.ParquetFile(require_regular(path)) as file:
            return decode_json(file.metadata.metadata[_METADATA_KEY], BoxFacts)
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError):
        return None


def read_boxes_manifest(store: Path) -> BoxesManifest | None:
    """Return what `boxes.json` in a store's folder says, None where there is none that is whole."""
    try:
        return OutputFolder(store, BOXES).read()
    except StoreError:
        return None


def with_boxes(columns: BlockColumns, rows: RowReader) -> BlockColumns:
    """Return documents with their boxes, the next rows of the file beside their shard.

    Raises StoreError where the file has other documents or blocks.
    """
    structure = structure_of(columns, "boxes")
    table = rows.take(len(columns))
    rules = _sizes(table, "rules:left")
    if (
        table.column("docid").to_pylist() != columns.docids
        or not np.array_equal(_sizes(table, "blocks:left"), np.diff(columns.starts))
        or not np.array_equal(_sizes(table, "elements:left"), np.diff(structure.starts))
    ):
        raise rows.unlike()
    boxes = Boxes(
        **{kind: _drawn(table, kind) for kind in _KINDS},
        rule_starts=starts_of(rules),
        rule_elements=_flat(table, "rules:element").astype(np.int64)
        + np.repeat(structure.starts[:-1], rules),
        widths=table.column("width").to_numpy().astype(np.int64),
        heights=table.column("height").to_numpy().astype(np.int64),
    )
    return replace(columns, boxes=boxes)


def _drawn(table: pa.Table, kind: str) -> Drawn:
    return Drawn(*(_flat(table, f"{kind}:{name}").astype(TYPES[name]) for name in COLUMNS))


def _flat(table: pa.Table, name: str) -> Any:
    return table.column(name).combine_chunks().flatten().to_numpy(zero_copy_only=False)


def _sizes(table: pa.Table, name: str) -> Any:
    return table.column(name).combine_chunks().value_lengths().to_numpy()
