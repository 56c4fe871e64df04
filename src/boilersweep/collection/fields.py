"""The pages of a row, as JSON lines and tables have them: docid, text, address, title and date.

The keys are those of pyserini, BEIR or ClueWeb22, or are named by `Reading`. A dot in a name is a
level, `a[]` each element of the list `a`: `search_results[].page_result` makes a page of each.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    Item,
    Reading,
    Reason,
    Record,
    Skipped,
    SourceLocation,
    iso_date,
)
from boilersweep.pages.stray_characters import utf8, without_surrogates

IDS = ("id", "_id", "ClueWeb22-ID")
# Keys of the text, and whether it is plain text.
TEXTS = {"contents": False, "text": True, "Clean-Text": True, "html": False}
URLS = ("url", "URL")
OTHERS = ("title", "date")
_EACH = "[]"
_NAMED_KEYS = 10
_SAMPLE = 80


def value_at(row: Any, name: str) -> Any:
    """Return the value of a key, in which a dot may be a level; None if there is none."""
    if not isinstance(row, Mapping):
        return None
    if name in row:
        return row[name]
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        if (key := ".".join(parts[:count])) in row:
            return value_at(row[key], ".".join(parts[count:]))
    return None


def items_of(row: object, place: SourceLocation, reading: Reading) -> Iterator[Item]:
    """Yield the page of a row, or those of a list in it; a docid outside of the list is numbered.

    Args:
        row: What was read: a mapping from names to values, else the row is malformed.
        place: Where it is.
        reading: The names of its fields.
    """
    if not isinstance(row, Mapping):
        detail = f"expected a JSON object, found {_kind(row)}"
        yield Skipped(place, Reason.MALFORMED, detail=detail)
        return
    name, is_list, _ = (reading.text_field or "").partition(_EACH)
    if not is_list:
        yield _item(row, place, reading)
        return
    elements = value_at(row, name)
    if not isinstance(elements, list):
        detail = f'expected "{name}" to be an array, found {_found(row, name)}'
        yield Skipped(place, Reason.MALFORMED, detail=detail)
        return
    is_numbered = not (reading.id_field or "").startswith(name + _EACH)
    for number, element in enumerate(elements, start=1):
        item = _item({**row, name + _EACH: element}, place, reading)
        if is_numbered and item.docid:
            item = replace(item, docid=f"{item.docid}-{number}")
        yield item


def _item(row: Mapping[str, Any], place: SourceLocation, reading: Reading) -> Item:
    key = reading.id_field or _key(row, IDS)
    docid = _docid(value_at(row, key))
    if not docid:
        detail = (
            f'expected "{key}" to be a string or an integer, found {_found(row, key)}'
        )
        return Skipped(place, Reason.NO_DOCID, detail=detail)
    key = reading.text_field or _key(row, TEXTS)
    contents = value_at(row, key)
    if not isinstance(contents, str | bytes):
        detail = f'expected "{key}" to be a string, found {_found(row, key)}'
        return Skipped(place, Reason.MALFORMED, docid, detail)
    if not contents or contents.isspace():
        return Skipped(place, Reason.EMPTY_PAGE, docid)
    body = utf8(contents) if isinstance(contents, str) else contents
    if len(body) > MAX_PAGE_BYTES:
        return Skipped(place, Reason.TOO_LARGE, docid, f"{len(body):,} bytes")
    plain = TEXTS.get(key, False) if reading.plain is None else reading.plain
    date = _text(row, "date")
    return Record(
        docid,
        body,
        place,
        url=_text(row, reading.url_field or _key(row, URLS)),
        charset="utf-8" if isinstance(contents, str) else None,
        plain=plain,
        date=iso_date(date) if date else None,
        title=_text(row, "title"),
    )


def _key(row: Mapping[str, Any], known: Iterable[str]) -> str:
    """Return the first known key that the row has, else the first known key."""
    names = list(known)
    return next((name for name in names if name in row), names[0])


def _text(row: Mapping[str, Any], key: str) -> str | None:
    """Return a string without white space around it, None without a string."""
    text = value_at(row, key)
    return (without_surrogates(text).strip() or None) if isinstance(text, str) else None


def _docid(value: object) -> str:
    if isinstance(value, str):
        return without_surrogates(value).strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return ""


def _found(row: Mapping[str, Any], key: str) -> str:
    """Describe what is in the place of a field, or which keys there are: those of its level."""
    outer, _, inner = key.rpartition(".")
    if key in row:
        return _kind(row[key])
    if isinstance(level := value_at(row, outer), Mapping):
        return _found(level, inner)
    keys = without_surrogates(", ".join(map(str, list(row)[:_NAMED_KEYS])))[:_SAMPLE]
    return f"none among the keys {keys}" if keys else "no keys at all"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "a blank string" if not value.strip() else "a string"
    return {
        bool: "a truth value",
        int: "an integer",
        float: "a float",
        list: "an array",
    }.get(type(value), "an object")
