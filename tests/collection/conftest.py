"""What the tests of all readers share."""

import io
from typing import Any, Protocol

import pytest

from boilersweep.collection.format import Format


class Reader(Protocol):
    """Gives items as Any: which is a Record and which is Skipped, a test knows of its input."""

    def __call__(
        self, form: Format, data: bytes, source: str = "file", *, one_way: bool = False
    ) -> list[Any]: ...


class OneWay(io.RawIOBase):
    """A file that cannot seek and gives few bytes at a time, as a pipe does."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._data.read(min(len(buffer), 7))
        buffer[: len(data)] = data
        return len(data)


@pytest.fixture(scope="session")
def items() -> Reader:
    """Return a reader of bytes as a format; `one_way` reads them as from a pipe."""

    def read(
        form: Format, data: bytes, source: str = "file", *, one_way: bool = False
    ) -> list[Any]:
        raw: Any = OneWay(data) if one_way else io.BytesIO(data)
        return list(form.read(raw, source))

    return read
