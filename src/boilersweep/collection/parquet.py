"""Tables of Parquet and Arrow (Feather): a row is a page, with the columns that `fields.py` names.

A table is read by its row groups or record batches, some rows at a time, and only the columns that
are wanted. Nothing of it is opened but in the worker that reads it.
"""

import re
from collections.abc import Iterable, Iterator
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

from boilersweep.collection.fields import IDS, OTHERS, TEXTS, URLS, items_of
from boilersweep.collection.format import (
    Format,
    Item,
    Reading,
    Reason,
    Skipped,
    SourceLocation,
)
from boilersweep.collection.jsonl import JSONL
from boilersweep.pages.content_kind import PARQUET as MAGIC

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema

_NAME = re.compile(r".+\.(?:parquet|arrow|feather)", re.IGNORECASE | re.DOTALL)
_ARROW = b"ARROW1"
_ROWS = 64  # that are in memory as Python's objects
_NAMED_COLUMNS = 20
_LONGEST = 300
# Of a hostile table; OSError also of the disk, which has a number
_DAMAGE = (
    *(OSError, ValueError, ArithmeticError, LookupError, NotImplementedError),
    MemoryError,  # for sizes that a table states
)


class _ColumnsError(Exception):
    """A table has not the columns that are wanted."""


# The row groups or record batches of a table: the rows of each, 0 if unknown, and its batches.
_Groups = Iterable[tuple[int, Iterable["RecordBatch"]]]


def read_parquet(raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the pages of a table's rows; offsets are the numbers of rows, from 0.

    After damage, reading goes on with the next row group.
    """
    row = 0
    with TemporaryFile() as copy:  # where columns are is told at the end of the file
        copyfileobj(raw, copy, 2**20)
        copy.seek(0)
        try:
            for rows, batches in _groups(copy, reading):
                end = row + rows
                try:
                    for values in _values(batches):
                        place = SourceLocation(source, row)
                        yield from items_of(values, place, reading)
                        row += 1
                except _DAMAGE as error:
                    yield _damaged(error, SourceLocation(source, row))
                row = max(row, end)
        except _ColumnsError as error:
            place = SourceLocation(source, 0)
            yield Skipped(place, Reason.MALFORMED, detail=str(error))
        except _DAMAGE as error:
            yield _damaged(error, SourceLocation(source, row))


def _damaged(error: Exception, place: SourceLocation) -> Skipped:
    """Return what could not be read; raises what is of the disk."""
    if isinstance(error, OSError) and error.errno:
        raise error
    reason = Reason.OVER_MEMORY if isinstance(error, MemoryError) else Reason.TRUNCATED
    line = " ".join(str(error).split())[:_LONGEST]
    return Skipped(place, reason, detail=f"a table that cannot be read: {line}")


def _groups(copy: BinaryIO, reading: Reading) -> _Groups:
    """Yield the groups of a table with the wanted columns.

    Raises:
        _ColumnsError: The table lacks a column, or has it twice.
    """
    start = copy.read(len(_ARROW))
    copy.seek(0)
    if start.startswith(MAGIC):
        from pyarrow.parquet import ParquetFile

        table = ParquetFile(copy)
        columns = _wanted(table.schema_arrow, reading)
        for group in range(table.num_row_groups):
            yield (
                table.metadata.row_group(group).num_rows,
                table.iter_batches(_ROWS, [group], columns, use_threads=False),
            )
        return
    from pyarrow import ipc

    batches = ipc.open_file(copy) if start == _ARROW else ipc.open_stream(copy)
    columns = _wanted(batches.schema, reading)
    if start == _ARROW:
        for index in range(batches.num_record_batches):
            yield 0, (batches.get_batch(one).select(columns) for one in (index,))
    else:
        yield 0, (batch.select(columns) for batch in batches)


def _values(batches: Iterable["RecordBatch"]) -> Iterator[dict[str, Any]]:
    """Yield rows; raises one of _DAMAGE."""
    for batch in batches:
        batch.validate(full=True)  # offsets and UTF-8 are the file's
        for start in range(0, batch.num_rows, _ROWS):
            yield from batch.slice(start, _ROWS).to_pylist()


def _wanted(schema: "Schema", reading: Reading) -> list[str]:
    """Return the columns that have fields of pages.

    Raises:
        _ColumnsError: The docid or the text has no column, or a column exists twice.
    """
    wanted: list[str] = []
    for name, usual, option in (
        (reading.id_field, IDS, "--id-field"),
        (reading.text_field, tuple(TEXTS), "--text-field"),
        (reading.url_field, URLS, ""),
        (None, OTHERS, ""),
    ):
        names = (name,) if name else usual
        columns = [
            column for column in schema.names if any(_leads(column, n) for n in names)
        ]
        if option and not columns:
            present = ", ".join(schema.names[:_NAMED_COLUMNS])[:_LONGEST] or "none"
            expected = " or ".join(map(repr, names))
            raise _ColumnsError(
                f"expected a column {expected}, found the columns {present}; name another "
                f"with {option}"
            )
        wanted += columns
    if twice := [name for name in wanted if schema.names.count(name) > 1]:
        raise _ColumnsError(f"expected one column {twice[0]!r}, found several")
    return list(dict.fromkeys(wanted))


def _leads(column: str, name: str) -> bool:
    """Return whether a field is a column, or within it."""
    return name == column or name.startswith((f"{column}.", f"{column}[]"))


PARQUET = Format(
    name="parquet",
    summary="*.parquet, *.arrow and *.feather: a row is a page, with columns as jsonl has keys",
    files="*.parquet, *.arrow, *.feather",
    reader=read_parquet,
    wants=_NAME.fullmatch,
    first_bytes=re.compile(rb"PAR1|ARROW1\0\0"),
    options=JSONL.options,
    check=JSONL.check,
)
