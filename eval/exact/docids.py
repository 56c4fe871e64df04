"""Docids in two arrays, which processes have in common where a list is in each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import overload

import numpy as np

from boilersweep.eval.exact.rows import Rows


class PackedDocids(Sequence[str]):
    """Docids as UTF-8 in one array; those that are asked for are kept as text."""

    def __init__(self, docids: Sequence[str]) -> None:
        encoded = [docid.encode() for docid in docids]
        self._bytes = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        self._ends = np.cumsum([0, *map(len, encoded)])
        self._decoded: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        found = self._decoded.get(number)
        if found is None:
            if not 0 <= number < len(self):
                raise IndexError(number)
            start, end = self._ends[number : number + 2]
            found = self._decoded[number] = self._bytes[start:end].tobytes().decode()
        return found

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))


def packed(rows: Rows) -> Rows:
    """The rows with packed docids."""
    return replace(rows, docids=PackedDocids(rows.docids))
