"""Runs, and TREC run files: topic Q0 docid rank score tag."""

import contextlib
import io
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.errors import RunError, UsageError, reason_of
from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.locations import open_regular
from boilersweep.outputs.streams import gzip_errors, output_file, read_input, unpacked
from boilersweep.pages.columns import IntArray

# A docid and its score.
Hit = tuple[str, float]


class PackedDocids(Sequence[str]):
    """Docids as UTF-8 in one array; a docid that was read once is kept as text."""

    def __init__(self, docids: Sequence[str]) -> None:
        encoded = [docid.encode() for docid in docids]
        bounds = np.cumsum([0, *map(len, encoded)])
        self._decoded = _Decoded(
            np.frombuffer(b"".join(encoded), dtype=np.uint8), bounds
        )

    @property
    def docid_of(self) -> Callable[[int], str]:
        """A function from a number to its docid, much faster than `docids[number]`.

        It raises IndexError.
        """
        return self._decoded.__getitem__

    @cached_property
    def arrow(self) -> Any:
        """The same as Arrow's array, in the same memory."""
        import pyarrow as pa  # not for commands that read no runs

        buffers = [
            None,
            *map(pa.py_buffer, (self._decoded.bounds, self._decoded.encoded)),
        ]
        return pa.Array.from_buffers(pa.large_string(), len(self), buffers)

    def numbers_of(self, docids: Sequence[str]) -> IntArray:
        """Return the number of each docid; -1 for a docid that is not among these."""
        import pyarrow.compute as pc

        found = pc.index_in(PackedDocids(docids).arrow, self.arrow)
        nowhere = _int64(np.full(len(docids), -1)).cast(found.type)
        [_, numbers] = pc.coalesce(found, nowhere).buffers()
        return np.frombuffer(numbers, np.int32, len(docids)).astype(np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return {"_decoded": self._decoded}

    def __len__(self) -> int:
        return len(self._decoded.bounds) - 1

    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return list(map(self.docid_of, range(*number.indices(len(self)))))
        return self._decoded[number]

    def __iter__(self) -> Iterator[str]:
        return map(self.docid_of, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class _Decoded(dict[int, str]):
    """Number -> docid, filled as numbers are looked up."""

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

    def __reduce__(
        self,
    ) -> tuple[type["_Decoded"], tuple[NDArray[np.uint8], NDArray[np.int64]]]:
        return _Decoded, (self.encoded, self.bounds)


@dataclass(frozen=True, slots=True, eq=False)
class ArrayHits(Sequence[Hit]):
    """Hits, best first.

    Attributes:
        docids: The docids of all documents.
        numbers: (n,) the numbers of the hits among them.
        scores: (n,) the hits' scores.
    """

    docids: PackedDocids
    numbers: IntArray
    scores: NDArray[np.float32] | NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Hit]:
        return zip(
            map(self.docids.docid_of, self.numbers.tolist()),
            self.scores.tolist(),
            strict=True,
        )

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return ArrayHits(self.docids, self.numbers[place], self.scores[place])
        return self.docids.docid_of(int(self.numbers[place])), float(self.scores[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


# Docids with scores, best first.
Hits = Sequence[Hit]

# Topic id -> hits; a topic without a result has an empty list.
Run = dict[str, Hits]

SCORE_DIGITS = 6

_LINES_AT_ONCE = 2**16

_HEAD = ("# ir_metadata.start", "# ir_metadata.end")


def require_hits(hits: int) -> None:
    """Raise UsageError if a topic is to have fewer than one document."""
    if hits < 1:
        raise UsageError(f"hits: expected at least 1, got {hits}")


def as_written(run: Run) -> Run:
    """Return the run as `write_run` writes it: its scores and ties are those of the file."""
    written: Run = {}
    for topic, hits in run.items():
        if isinstance(hits, ArrayHits):
            written[topic] = ArrayHits(
                hits.docids, hits.numbers, _millionths(hits.scores) / 1e6
            )
        else:
            docids = (docid for docid, _ in hits)
            written[topic] = list(
                zip(docids, map(float, _written_scores(hits)), strict=True)
            )
    return written


def _millionths(scores: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return scores as they are written, times a million; the product is exact for float32."""
    millionths: NDArray[np.float64] = np.rint(
        scores.astype(np.float64) * 10**SCORE_DIGITS
    )
    return millionths


def top_of(hits: Hits, depth: int | None) -> Hits:
    """Return the first `depth` hits and those that tie with the last of them; None for all.

    Scores tie in the evaluator's precision, see `single_precision`.
    """
    if depth is None or len(hits) <= depth:
        return hits
    scores = single_precision(hits[depth - 1 :])
    lower = np.flatnonzero(scores != scores[0])
    return hits[: depth - 1 + int(lower[0])] if len(lower) else hits


def single_precision(hits: Hits) -> NDArray[np.float32]:
    """Return (n,) scores as trec_eval holds them to sort: as a C `float`."""
    scores = (
        hits.scores
        if isinstance(hits, ArrayHits)
        else np.array([score for _, score in hits], dtype=np.float64)
    )
    with np.errstate(over="ignore"):  # too large: infinite there, too
        return scores.astype(np.float32)


def merged_scores_note(run: Run) -> str:
    """Return a sentence on different scores that the evaluator reads as one; "" without any."""
    topics = [
        topic
        for topic, hits in run.items()
        if len({score for _, score in hits}) > len(np.unique(single_precision(hits)))
    ]
    if not topics:
        return ""
    more = f" and {len(topics) - 1:,} more" if len(topics) > 1 else ""
    return (
        "different scores become equal in trec_eval's single precision (topic "
        f"{topics[0]}{more}), and it orders their documents by docid; write scores that differ "
        "in their first seven digits"
    )


def write_run(path: Path, run: Run, tag: str) -> None:
    """Write a TREC run, ranks from 1, scores with six digits; raises OutputError."""
    with output_file(path) as temporary, _adding(temporary, tag) as add:
        add(run)


@contextlib.contextmanager
def run_file(path: Path, tag: str) -> Iterator[Callable[[Run], Run]]:
    """Write a run file as `write_run` does, some topics at a time, by the function it yields.

    That function returns the run as it was written, as `as_written` does. The file appears when
    the block ends without an error, and may not be on the disk yet, see `whole_file`.

    Args:
        path: The path of the file.
        tag: The run's name in its last column.

    Raises:
        OutputError: The output cannot be written.
    """
    with whole_file(path, synced=False) as temporary, _adding(temporary, tag) as add:
        yield add


@contextlib.contextmanager
def _adding(path: Path, tag: str) -> Iterator[Callable[[Run], Run]]:
    with path.open("wb") as file:

        def add(run: Run) -> Run:
            first = next((topic for topic, hits in run.items() if hits), "")
            # Readers take one U+FEFF at the start for a mark of UTF-8: a topic that begins with
            # one gets a second one before it.
            if first.startswith("\ufeff") and not file.tell():
                file.write("\ufeff".encode())
            for docids, batch in groupby(
                run.items(), lambda topic: _docids_in_array(topic[1])
            ):
                if docids is None:
                    file.writelines(_lines(topic, hits, tag) for topic, hits in batch)
                else:
                    _write_arrays(file, docids, dict(batch), tag)
            return as_written(run)

        yield add


def _docids_in_array(hits: Hits) -> PackedDocids | None:
    """Return the docids of hits that can be written in bulk: with scores of float32 below 2^63."""
    if not isinstance(hits, ArrayHits) or hits.scores.dtype != np.float32:
        return None
    return hits.docids if np.abs(hits.scores).max(initial=0) < 2**63 else None


def _lines(topic: str, hits: Hits, tag: str) -> bytes:
    ranked = enumerate(zip(hits, _written_scores(hits), strict=True), start=1)
    head, tail = f"{topic} Q0", f"{tag}\n"
    return "".join(
        [f"{head} {d} {rank} {s} {tail}" for rank, ((d, _), s) in ranked]
    ).encode()


def _write_arrays(
    file: IO[bytes], docids: PackedDocids, run: Mapping[str, Any], tag: str
) -> None:
    """Write the lines of many topics in bulk, by Arrow. run: topic -> `ArrayHits`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def text(numbers: NDArray[Any]) -> Any:
        return _int64(numbers).cast(pa.string())

    def texts(strings: Sequence[str]) -> Any:
        return PackedDocids(strings).arrow.cast(pa.string())

    heads = texts([f"{topic} Q0" for topic in run])
    nothing, point, space, end = texts(["", ".", " ", f"{tag}\n"])
    sizes = [len(hits) for hits in run.values()]
    topics = np.repeat(np.arange(len(run)), sizes)
    ranks = np.concatenate([np.arange(1, size + 1) for size in sizes])
    numbers = np.concatenate([hits.numbers for hits in run.values()])
    scores = np.concatenate([hits.scores for hits in run.values()])
    for start in range(0, len(ranks), _LINES_AT_ONCE):
        here = slice(start, start + _LINES_AT_ONCE)
        whole, part = np.divmod(np.abs(_millionths(scores[here])), 10**SCORE_DIGITS)
        score = [
            text(whole),
            point,
            pc.utf8_slice_codeunits(text(part + 10**SCORE_DIGITS), 1),
        ]
        if (negative := np.signbit(scores[here])).any():
            score = [texts(["", "-"]).take(_int64(negative)), *score]
        written = pc.binary_join_element_wise(*score, nothing)
        columns = (
            heads.take(_int64(topics[here])),
            docids.arrow.take(_int64(numbers[here])).cast(pa.string()),
        )
        lines = pc.binary_join_element_wise(
            *columns, text(ranks[here]), written, end, space
        )
        file.write(lines.buffers()[2])


def _int64(numbers: NDArray[Any]) -> Any:
    """Return Arrow's array of numbers; `pa.array` would import pandas first, which takes .2 s."""
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(numbers, np.int64))
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, buffer])


def _written_scores(hits: Hits) -> list[str]:
    """Return the scores as they are written; all in one go, which takes half the time."""
    return (
        f"%.{SCORE_DIGITS}f " * len(hits) % tuple([score for _, score in hits])
    ).split()


def read_run(
    path: Path, topics: Container[str] | None = None, *, streams: bool = False
) -> Run:
    """Read a TREC run file, the hits of a topic ordered by score, then as they are.

    The head that ir_metadata specifies is passed over.

    Args:
        path: The path of the file.
        topics: The topics to read, None for all; the lines of others are passed over.
        streams: Whether the path may be a pipe that the shell opened.

    Raises:
        RunError: A line has another number of columns, a score that is no number, or a docid that
            its topic has twice; the message names file and line.
    """
    scores: dict[str, dict[str, float]] = {}
    in_head = False
    try:
        opened = io.BytesIO(read_input(path)) if streams else open_regular(path)
        with (
            opened,
            gzip_errors(),
            io.TextIOWrapper(unpacked(opened), encoding="utf-8-sig") as file,
        ):
            for number, line in enumerate(file, start=1):
                first = line.split(maxsplit=1)
                if number == 1 and line.strip() == _HEAD[0]:
                    in_head = True
                if in_head:
                    in_head = line.strip() != _HEAD[1]
                elif first and (topics is None or first[0] in topics):
                    topic, docid, score = _hit(line.split(), f"{path}:{number}")
                    hits = scores.setdefault(topic, {})
                    if docid in hits:
                        raise RunError(
                            f"{path}:{number}: topic {topic} has document {docid} twice; "
                            "a run ranks a document once a topic"
                        )
                    hits[docid] = score
    except (OSError, ValueError) as error:
        raise RunError(
            f"cannot read the run {path}: {reason_of(error)}; expected a TREC run file"
        ) from error
    return {
        topic: sorted(hits.items(), key=lambda hit: -hit[1])
        for topic, hits in scores.items()
    }


def _hit(columns: list[str], where: str) -> tuple[str, str, float]:
    expected = "expected six columns: topic Q0 docid rank score tag"
    if len(columns) != 6:
        qrels = "; this looks like qrels, not like a run" if len(columns) == 4 else ""
        shown = " ".join(columns)[:80]
        raise RunError(f"{where}: {expected}; got {len(columns)}: {shown!r}{qrels}")
    topic, _, docid, _, score, _ = columns
    if "\0" in topic or "\0" in docid:
        raise RunError(
            f"{where}: {expected}; got a NUL in topic or docid, where trec_eval ends it"
        )
    try:  # float() also takes 1_0 and digits of other scripts
        value = float(score) if score.isascii() and "_" not in score else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RunError(f"{where}: {expected}; got {score!r} for the score")
    return topic, docid, value
