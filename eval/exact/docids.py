"""Docids in two arrays, which processes have in common where a list is in each of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from boilersweep.eval.exact.rows import Rows


class PackedDocids(Sequence[str]):
    """Docids as UTF-8 in one array; those that are asked for are kept as text."""

    def __init__(self, docids: Sequence[str]) -> None:
        encoded = [docid.encode() for docid in docids]
        bounds = np.cumsum([0, *map(len, encoded)])
        self._decoded = _Decoded(np.frombuffer(b"".join(encoded), dtype=np.uint8), bounds)

    @property
    def docid_of(self) -> Callable[[int], str]:
        """From a number to its docid, much faster than `docids[number]`; raises IndexError."""
        return self._decoded.__getitem__

    def __len__(self) -> int:
        return len(self._decoded.bounds) - 1

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return list(map(self.docid_of, range(*number.indices(len(self)))))
        return self._decoded[number]

    def __iter__(self) -> Iterator[str]:
        return map(self.docid_of, range(len(self)))


class _Decoded(dict[int, str]):
    """Number -> docid, of those that were asked for."""

    def __init__(self, encoded: NDArray[np.uint8], bounds: NDArray[np.int64]) -> None:
        super().__init__()
        self.encoded = encoded
        self.bounds = bounds

    def __missing__(self, number: int) -> str:
        if not 0 <= number < len(self.bounds) - 1:
            raise IndexError(number)
        start, end = self.bounds[number : number + 2]
        docid = self[number] = self.encoded[start:end].tobytes().decode()
        return docid

    def __reduce__(self) -> tuple[type["_Decoded"], tuple[NDArray[np.uint8], NDArray[np.int64]]]:
        return _Decoded, (self.encoded, self.bounds)


def docid_of(docids: Sequence[str]) -> Callable[[int], str]:
    """From a number to its docid."""
    return docids.docid_of if isinstance(docids, PackedDocids) else docids.__getitem__


def packed(rows: Rows) -> Rows:
    """The rows with packed docids."""
    return replace(rows, docids=PackedDocids(rows.docids))
