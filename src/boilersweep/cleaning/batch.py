"""Batches of pages as Arrow has them, from any engine, with the texts that a cleaner keeps."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from itertools import repeat
from typing import Any

import pyarrow as pa
import pyarrow.types as types

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaning.clean import clean_many, cut_page
from boilersweep.collection.cutting import Cutter
from boilersweep.errors import PageError, UsageError
from boilersweep.pages.limits import Deadline, Limits
from boilersweep.pages.metadata import Metadata
from boilersweep.pages.metadata import metadata as read_metadata

_TEXT = (types.is_string, types.is_large_string, types.is_string_view)
_PAGES = (
    *_TEXT,
    types.is_binary,
    types.is_large_binary,
    types.is_binary_view,
    types.is_fixed_size_binary,
)
_FACTS = pa.struct(
    [(name, pa.string()) for name in ("title", *(f.name for f in fields(Metadata)))]
)


def clean_batch(
    batch: Any,
    html: str = "html",
    cleaner: Cleaner | str = "learned",
    into: str = "text",
    url: str | None = None,
    metadata: bool = False,
) -> Any:
    """Add the text that a cleaner keeps of each page to an Arrow batch, whose other columns stay.

    Two columns follow those of the batch, or replace those of the same names: the texts, and the
    reason where there is none, as `text_error` beside `text`. A null page has a null text and no
    error; a page of which nothing is kept has an empty text. The result's columns and types depend
    on those of the batch, never on its content.

    Args:
        batch: A pyarrow.RecordBatch or Table, or a frame that `pyarrow.table` takes, such as those
            of pandas and Polars.
        html: The column of pages: text, or the original bytes, whose charset is found; in any of
            Arrow's types of either, dictionaries among them.
        cleaner: What to keep, as `boilersweep.clean` takes it.
        into: The name of the texts' column.
        url: A column of the pages' addresses, which completes the relative ones in the metadata.
        metadata: Whether to add a column `metadata`: a struct of the title and of what the page
            states of itself, as `boilersweep.page` gives it.

    Returns:
        A RecordBatch if the batch is one, else a Table.

    Raises:
        UsageError: A column is missing or has another type, or the cleaner does not exist.
    """
    if not isinstance(batch, pa.RecordBatch | pa.Table):
        batch = _as_table(batch)
    pages = _column(batch, html, _PAGES)
    texts = clean_many((page for page in _values(pages) if page is not None), cleaner)
    cleaned = [next(texts) if there else None for there in pages.is_valid().to_pylist()]
    large = types.is_large_string(pages.type) or types.is_large_binary(pages.type)
    text_type = pa.large_string() if large else pa.string()
    facts: list[Any] = []
    if metadata:
        addresses = repeat(None) if url is None else _values(_column(batch, url, _TEXT))
        facts = list(_facts(_values(pages), cleaned, addresses))
    errors = map(_reason, cleaned, facts or repeat(None))
    added = {
        into: pa.array(map(_without_error, cleaned), text_type),
        f"{into}_error": pa.array(errors, pa.string()),
    }
    if metadata:
        added["metadata"] = pa.array(map(_without_error, facts), _FACTS)
    for name, column in added.items():
        place = batch.schema.get_field_index(name)
        if place < 0:
            batch = batch.append_column(name, column)
        else:
            batch = batch.set_column(place, name, column)
    return batch


def _as_table(frame: Any) -> pa.Table:
    try:
        return pa.table(frame)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"expected a pyarrow.RecordBatch or Table, got {type(frame).__name__}: {error}"
        ) from error


def _column(
    batch: pa.RecordBatch | pa.Table, name: str, kinds: Iterable[Any]
) -> pa.Array | pa.ChunkedArray:
    """Return a column without its dictionary; raise UsageError if it is not of these kinds."""
    places = batch.schema.get_all_field_indices(name)
    if len(places) != 1:
        raise UsageError(
            f"expected one column {name!r}, got {len(places)} of it among "
            f"{', '.join(batch.schema.names) or 'no columns'}; name another as html or url"
        )
    column = batch.column(places[0])
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not types.is_null(column.type) and not any(of(column.type) for of in kinds):
        expected = "text or bytes" if kinds is _PAGES else "text"
        raise UsageError(f"column {name!r}: expected {expected}, got {column.type}")
    return column


def _values(column: pa.Array | pa.ChunkedArray) -> Iterator[bytes | str | None]:
    """Yield text as str, also where it is no valid UTF-8, and bytes as they are."""
    is_text = any(of(column.type) for of in _TEXT)
    for scalar in column.cast(pa.large_binary()):
        value = scalar.as_py()
        yield value.decode("utf-8", "replace") if is_text and value else value


def _facts(
    pages: Iterable[bytes | str | None],
    texts: Iterable[str | PageError | None],
    urls: Iterable[Any],
) -> Iterator[dict[str, str | None] | PageError | None]:
    """Yield what each page states of itself, None for a page without a text."""
    limits = Limits()
    cutter = Cutter(limits, structure=False)
    for page, text, url in zip(pages, texts, urls, strict=False):
        if page is None or not isinstance(text, str):
            yield None
            continue
        try:
            cut = cut_page(page, cutter)
            title, deadline = cut.packed.title, Deadline(limits.seconds)
            stated = read_metadata(cut.utf8, title, url, deadline)
        except PageError as error:
            yield error
        else:
            yield asdict(stated) | {
                "title": title or None,
                "url": stated.url or url or None,
            }


def _without_error(text: object) -> object:
    return None if isinstance(text, PageError) else text


def _reason(*found: object) -> str | None:
    return next((str(one) for one in found if isinstance(one, PageError)), None)
