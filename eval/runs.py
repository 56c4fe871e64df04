"""Runs, and TREC run files: topic Q0 docid rank score tag."""

import contextlib
import math
from collections.abc import Callable, Container, Iterator
from pathlib import Path

from boilersweep.errors import RunError, reason_of
from boilersweep.files import whole_file

Run = dict[str, list[tuple[str, float]]]
"""Topic id -> (docid, score), best first; a topic without a result has an empty list."""

SCORE_DIGITS = 6


def as_written(run: Run) -> Run:
    """The run as `write_run` writes it: its scores, and so its ties, are those of the file."""
    return {
        topic: [(docid, round(score, SCORE_DIGITS)) for docid, score in hits]
        for topic, hits in run.items()
    }


def write_run(path: Path, run: Run, tag: str) -> None:
    """Write a TREC run file, ranks from 1, scores with six digits; raises OutputError."""
    with run_file(path, tag) as add:
        add(run)


@contextlib.contextmanager
def run_file(path: Path, tag: str) -> Iterator[Callable[[Run], None]]:
    """Write a run file as `write_run`, some topics at a time, by what the block is given.

    The file is there when the block ends well. Raises OutputError.
    """
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:

        def add(run: Run) -> None:
            for topic, hits in run.items():
                # Readers take one U+FEFF at the start for a mark of UTF-8: a topic's own stands
                # behind such.
                if hits and topic.startswith("\ufeff") and not file.tell():
                    file.write("\ufeff")
                file.writelines(
                    f"{topic} Q0 {docid} {rank} {score:.{SCORE_DIGITS}f} {tag}\n"
                    for rank, (docid, score) in enumerate(hits, start=1)
                )

        yield add


def read_run(path: Path, topics: Container[str] | None = None) -> Run:
    """Read a TREC run file, the hits of a topic ordered by score, then as they stand.

    topics: those to read, None for all; the lines of others are passed over.
    Raises RunError with file and line for another number of columns, a score that is no number,
    and a docid that a topic has twice.
    """
    found: dict[str, dict[str, float]] = {}
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                first = line.split(maxsplit=1)
                if first and (topics is None or first[0] in topics):
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
        raise RunError(f"{where}: {expected}; got {len(columns)}: {' '.join(columns)[:80]!r}")
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
