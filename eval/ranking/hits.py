"""Hits of a topic in arrays, and docids as text in one array, which processes have in common."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import IntArray

# A docid and its score.
Hit = tuple[str, float]


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

    @cached_property
    def arrow(self) -> Any:
        """The same as Arrow's array, in the same memory."""
        import pyarrow as pa  # not for commands that read no runs

        buffers = [None, *map(pa.py_buffer, (self._decoded.bounds, self._decoded.encoded))]
        return pa.Array.from_buffers(pa.large_string(), len(self), buffers)

    def numbers_of(self, docids: Sequence[str]) -> IntArray:
        """Return the number of each docid; -1 of one that is not among these."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.index_in(pa.array(docids, pa.large_string()), self.arrow)
        numbers: IntArray = found.fill_null(-1).to_numpy().astype(np.int64)
        return numbers

    def __getstate__(self) -> dict[str, Any]:
        return {"_decoded": self._decoded}

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


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


@dataclass(frozen=True, slots=True, eq=False)
class ArrayHits(Sequence[Hit]):
    """Hits, best first. docids: of all documents. numbers: (n,) of the hits. scores: (n,)."""

    docids: PackedDocids
    numbers: IntArray
    scores: NDArray[np.float32] | NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Hit]:
        return zip(
            map(self.docids.docid_of, self.numbers.tolist()), self.scores.tolist(), strict=True
        )

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> "ArrayHits": ...

    def __getitem__(self, place: int | slice) -> "Hit | ArrayHits":
        if isinstance(place, slice):
            return ArrayHits(self.docids, self.numbers[place], self.scores[place])
        return self.docids.docid_of(int(self.numbers[place])), float(self.scores[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
