"""One page from a file or from standard input."""

import sys
from pathlib import Path
from typing import BinaryIO

from boilersweep.collection.format import MAX_PAGE_BYTES
from boilersweep.collection.streams import decompressed
from boilersweep.errors import InputError, reason_of

STANDARD_INPUT = Path("-")


def read_page(path: Path) -> bytes:
    """The bytes of a page in a file, or on standard input for `-`; gzip is unpacked.

    Raises InputError where it cannot be read whole, or is larger than any page may be.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError(
                "cannot read the page: standard input is closed; give a file, or a pipe"
            )
        return _read(sys.stdin.buffer, "standard input")
    try:
        with path.open("rb") as raw:
            return _read(raw, str(path))
    except OSError as error:
        raise InputError(
            f"cannot read the page {path}: {reason_of(error)}; expected a file of HTML, or - for "
            "standard input"
        ) from error


def _read(raw: BinaryIO, name: str) -> bytes:
    stream = decompressed(raw)
    body = stream.read(MAX_PAGE_BYTES + 1)
    if len(body) > MAX_PAGE_BYTES:
        raise InputError(f"{name}: expected a page, got more than {MAX_PAGE_BYTES:,} bytes")
    if stream.damage:
        raise InputError(f"{name} is damaged: {stream.damage}")
    return body
