"""Runs, and TREC run files: topic Q0 docid rank score tag."""

import math
from pathlib import Path

from boilersweep.errors import RunError, reason_of
from boilersweep.files import write_text

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
    lines = [
        f"{topic} Q0 {docid} {rank} {score:.{SCORE_DIGITS}f} {tag}\n"
        for topic, hits in run.items()
        for rank, (docid, score) in enumerate(hits, start=1)
    ]
    text = "".join(lines)
    # Readers take one U+FEFF at the start for a mark of UTF-8: a topic's own stands behind such.
    write_text(path, f"\ufeff{text}" if text.startswith("\ufeff") else text)


def read_run(path: Path) -> Run:
    """Read a TREC run file, the hits of a topic ordered by score, then as they stand.

    Raises RunError with file and line for another number of columns, a score that is no number,
    and a docid that a topic has twice.
    """
    run: Run = {}
    seen: set[tuple[str, str]] = set()
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                columns = line.split()
                if columns:
                    topic, docid, score = _hit(columns, f"{path}:{number}")
                    if (topic, docid) in seen:
                        raise RunError(
                            f"{path}:{number}: topic {topic} has document {docid} twice; "
                            "a run ranks a document once a topic"
                        )
                    seen.add((topic, docid))
                    run.setdefault(topic, []).append((docid, score))
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(
            f"cannot read the run {path}: {reason_of(error)}; expected a TREC run file"
        ) from error
    for hits in run.values():
        hits.sort(key=lambda hit: -hit[1])
    return run


def _hit(columns: list[str], where: str) -> tuple[str, str, float]:
    expected = "expected six columns: topic Q0 docid rank score tag"
    if len(columns) != 6:
        raise RunError(f"{where}: {expected}; got {len(columns)}: {' '.join(columns)[:80]!r}")
    topic, _, docid, _, score, _ = columns
    try:
        value = float(score)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RunError(f"{where}: {expected}; got {score!r} for the score")
    return topic, docid, value
