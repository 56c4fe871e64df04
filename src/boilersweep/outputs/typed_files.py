"""JSON: our files, decoded into types and validated by them, and anybody's, of limited depth.

The types are `msgspec.Struct`s, dataclasses or TypedDicts. Nothing is converted between types: an
integer is no text and no boolean. Unknown keys are ignored.
"""

import json
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from boilersweep.outputs.locations import read_regular

Value = TypeVar("Value")

# Parsers call themselves for every level: deeper JSON may take all of a thread's stack. Below a
# running JVM that ends the process. Jackson 2, the parser of most software in Java, has this limit.
DEEPEST_JSON = 1_000

_TOO_DEEP = "it is nested too deeply"
_BRACKETS = bytes.maketrans(b"[]{}", b"\2\0\2\0")
_NEITHER_QUOTE_NOR_BRACKET = bytes(frozenset(range(256)) - frozenset(b'"[]{}'))
_MAY_PRECEDE = np.isin(np.arange(256), list(b"[:, \t\r\n"))
_MAY_FOLLOW = np.isin(np.arange(256), list(b'[{" \t\r\n-0123456789tfnNI'))


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


def decode_json(
    content: bytes | str, wanted: type[Value], *, strict: bool = True
) -> Value:
    """Decode JSON as a type; raises ValueError as `read_json`.

    Args:
        content: The JSON, as UTF-8 if it is bytes.
        wanted: The type of the value.
        strict: Convert nothing between types, as texts to integers.
    """
    _require_shallow(content)
    try:
        return msgspec.json.decode(content, type=wanted, strict=strict)
    except RecursionError as error:  # Python 3.11, and a stack that is nearly full
        raise ValueError(_TOO_DEEP) from error


def parse_json(content: bytes | str, *, strict: bool = True) -> Any:
    """Parse JSON as Python does, with NaN, lone surrogates and numbers of any size.

    An integer of more digits than Python converts (4,300) becomes a float.

    Args:
        content: The JSON, as UTF-8 if it is bytes.
        strict: Accept no control characters in strings.

    Raises:
        ValueError: It is no JSON, or nested too deeply.
    """
    _require_shallow(content)
    if isinstance(content, bytes):
        content = content.decode("utf-8-sig", "surrogatepass")
    try:
        return json.loads(content, strict=strict)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of thousands of digits
        return json.loads(content, strict=strict, parse_int=_integer)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error


def _integer(digits: str) -> int | float:
    """Return the integer, or the float for more digits than Python converts."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _require_shallow(content: bytes | str) -> None:
    """Raise ValueError for JSON that is nested too deeply, before a parser sees it."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    if content.count(b"[") + content.count(b"{") > DEEPEST_JSON and _is_deep(content):
        raise ValueError(_TOO_DEEP)


def _is_deep(content: bytes) -> bool:
    """Return whether JSON with many brackets is nested too deeply; most have them in a text."""
    codes = np.frombuffer(content, np.uint8)
    openers = np.flatnonzero((codes == ord("[")) | (codes == ord("{")))
    openers = openers[_MAY_PRECEDE[codes[openers - 1]]]
    after = codes.take(openers + 1, mode="clip")
    if (
        np.count_nonzero(_MAY_FOLLOW[after]) + 2 <= DEEPEST_JSON
    ):  # 2: the first and last
        return False
    unescaped = content.replace(rb"\\", b"").replace(rb"\"", b"")
    outside = unescaped.translate(None, _NEITHER_QUOTE_NOR_BRACKET).split(b'"')[::2]
    steps = (step - 1 for step in b"".join(outside).translate(_BRACKETS))
    return any(depth > DEEPEST_JSON for depth in accumulate(steps))


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
