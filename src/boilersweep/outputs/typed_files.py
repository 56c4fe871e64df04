"""Our JSON files, decoded into types and validated by them.

The types are `msgspec.Struct`s, dataclasses or TypedDicts. Nothing is converted between types: an
integer is no text and no boolean. Unknown keys are ignored.
"""

import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from boilersweep.outputs.regular_files import read_regular

Value = TypeVar("Value")


def read_json(path: Path, wanted: type[Value]) -> Value:
    """Read a JSON file as a type.

    Args:
        path: A regular file.
        wanted: The type of the value.

    Returns:
        The value.

    Raises:
        OSError: The file cannot be read, or is no regular file.
        ValueError: The file is no JSON, or of another type. The message names the
            value's place in the JSON, such as `$.shards[0].file`.
    """
    return decode_json(read_regular(path), wanted)


def decode_json(content: bytes | str, wanted: type[Value]) -> Value:
    """Decode JSON as a type; raises ValueError as `read_json`."""
    try:
        return msgspec.json.decode(content, type=wanted)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def as_type(value: Any, wanted: type[Value]) -> Value:
    """Return decoded JSON as a value of a type; raises ValueError as `read_json`."""
    return msgspec.convert(value, wanted)


def as_builtins(value: Any) -> Any:
    """Return a value of a type as JSON's objects, arrays and numbers."""
    return msgspec.to_builtins(value)


def json_text(value: Any) -> str:
    """Return JSON as people read it. Structs and dataclasses become objects."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=as_builtins)
    return text + "\n"
