"""Runs, and TREC run files: topic Q0 docid rank score tag."""

import contextlib
import io
import math
from collections.abc import Callable, Container, Iterator
from pathlib import Path

from boilersweep.errors import RunError, reason_of
from boilersweep.outputs.files import open_regular, output_file, whole_file

Hits = list[tuple[str, float]]
"""Docids with scores, best first."""

Run = dict[str, Hits]
"""Topic id -> hits; a topic without a result has an empty list."""

SCORE_DIGITS = 6


_HEAD = ("# ir_metadata.start", "# ir_metadata.end")


def as_written(run: Run) -> Run:
    """The run as `write_run` writes it: its scores, and so its ties, are those of the file."""
    return {
        topic: [
            (docid, float(score))
            for (docid, _), score in zip(hits, _written_scores(hits), strict=True)
        ]
        for topic, hits in run.items()
    }


def top_of(hits: Hits, depth: int | None) -> Hits:
    """The first hits: `depth`, and those with the last one's score; None for all."""
    if depth is None or len(hits) <= depth:
        return hits
    end = next((n for n in range(depth, len(hits)) if hits[n][1] != hits[depth - 1][1]), len(hits))
    return hits[:end]


def write_run(path: Path, run: Run, tag: str) -> None:
    """Write a TREC run, ranks from 1, scores with six digits; raises OutputError."""
    with output_file(path) as temporary, _adding(temporary, tag) as add:
        add(run)


@contextlib.contextmanager
def run_file(path: Path, tag: str, *, synced: bool = True) -> Iterator[Callable[[Run], Run]]:
    """Write a run file as `write_run`, some topics at a time, by what the block is given.

    That gives the run as it was written, as `as_written` does. The file is there when the block
    ends well; synced: as for `whole_file`. Raises OutputError.
    """
    with whole_file(path, synced=synced) as temporary, _adding(temporary, tag) as add:
        yield add


@contextlib.contextmanager
def _adding(path: Path, tag: str) -> Iterator[Callable[[Run], Run]]:
    with path.open("w", encoding="utf-8") as file:

        def add(run: Run) -> Run:
            written: Run = {}
            for topic, hits in run.items():
                # Readers take one U+FEFF at the start for a mark of UTF-8: a topic's own stands
                # behind such.
                if hits and topic.startswith("\ufeff") and not file.tell():
                    file.write("\ufeff")
                docids = [docid for docid, _ in hits]
                scores = _written_scores(hits)
                head, tail = f"{topic} Q0", f"{tag}\n"
                ranked = zip(docids, range(1, len(hits) + 1), scores, strict=True)
                file.write("".join([f"{head} {d} {rank} {s} {tail}" for d, rank, s in ranked]))
                written[topic] = list(zip(docids, map(float, scores), strict=True))
            return written

        yield add


def _written_scores(hits: Hits) -> list[str]:
    """The scores as they are written; all in one go, which takes half the time."""
    return (f"%.{SCORE_DIGITS}f " * len(hits) % tuple([score for _, score in hits])).split()


def read_run(path: Path, topics: Container[str] | None = None, *, streams: bool = False) -> Run:
    """Read a TREC run file, the hits of a topic ordered by score, then as they are.

    The head that ir_metadata specifies is passed over.

    topics: those to read, None for all; the lines of others are passed over. streams: the file may
    be a FIFO.
    Raises RunError with file and line for another number of columns, a score that is no number,
    and a docid that a topic has twice.
    """
    found: dict[str, dict[str, float]] = {}
    in_head = False
    try:
        opened = path.open("rb") if streams else open_regular(path)
        with opened, io.TextIOWrapper(opened, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                first = line.split(maxsplit=1)
                if number == 1 and line.strip() == _HEAD[0]:
                    in_head = True
                if in_head:
                    in_head = line.strip() != _HEAD[1]
                elif first and (topics is None or first[0] in topics):
                    topic, docid, score = _hit(line.split(), f"{path}:{number}")
                    hits = found.setdefault(topic, {})
                    if docid in hits:
                        raise RunError(
                            f"{path}:{number}: topic {topic} has document {docid} twice; "
                            "a run ranks a document once a topic"
                        )
                    hits[docid] = score
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(
            f"cannot read the run {path}: {reason_of(error)}; expected a TREC run file"
        ) from error
    return {topic: sorted(hits.items(), key=lambda hit: -hit[1]) for topic, hits in found.items()}


def _hit(columns: list[str], where: str) -> tuple[str, str, float]:
    expected = "expected six columns: topic Q0 docid rank score tag"
    if len(columns) != 6:
        qrels = "; this looks like qrels, not like a run" if len(columns) == 4 else ""
        found = " ".join(columns)[:80]
        raise RunError(f"{where}: {expected}; got {len(columns)}: {found!r}{qrels}")
    topic, _, docid, _, score, _ = columns
    if "\0" in topic or "\0" in docid:
        raise RunError(f"{where}: {expected}; got a NUL in topic or docid, where trec_eval ends it")
    try:
        value = float(score)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RunError(f"{where}: {expected}; got {score!r} for the score")
    return topic, docid, value
