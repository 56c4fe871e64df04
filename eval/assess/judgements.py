"""The judgements of a folder: one file per assessor, appended and synced one by one.

OUT/topics.tsv              the queries, for later commands
OUT/qrels.txt               what people's judgements say, in TREC's format
OUT/people/NAME.jsonl       who judged, when, for how long, and the note: the record
OUT/people/NAME.qrels       the same grades in TREC's format
OUT/programs/NAME.*         the same of a program, never mixed with people's
"""

import json
import os
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from boilersweep.errors import InputError, QrelsError, UsageError
from boilersweep.eval.assess.differences import Grades
from boilersweep.outputs.files import make_folder, output_errors, read_regular, write_text
from boilersweep.topics import Topic, read_topics

Kind = Literal["people", "programs"]

ADJUDICATOR = "adjudicator"
"""The assessor whose grade settles what others judged differently."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_HIGHEST = 9
_LONGEST_NOTE = 1000


@dataclass(frozen=True, slots=True)
class Judgement:
    """One assessor's grade of one document. grade: None for "cannot tell".

    seconds: how long the page was open. repeat: the document was shown again to measure
    consistency; the first grade counts.
    """

    topic: str
    docid: str
    grade: int | None
    seconds: float = 0.0
    note: str = ""
    repeat: bool = False
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


def require_assessor(name: str) -> str:
    """The name; raises UsageError for one that no file can have."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            "expected an assessor's name of up to 40 letters, digits, - and _, such as anna, got "
            f"{name[:80]!r}"
        )
    return name


class Judgements:
    """All judgements of a folder, in memory and on disk."""

    def __init__(self, folder: Path, *, complete: bool = True) -> None:
        """Read what is there, and complete the files after a kill; raises InputError.

        complete: False to change nothing.
        """
        self.folder = folder
        self.records: dict[Kind, dict[str, list[Judgement]]] = {"people": {}, "programs": {}}
        for kind, by_name in self.records.items():
            if complete:
                make_folder(folder / kind)
            for path in sorted((folder / kind).glob("*.jsonl")):
                by_name[path.stem] = _read(path, complete=complete)
                if complete:
                    self._write_qrels(kind, path.stem)

    def add(self, kind: Kind, name: str, judgement: Judgement) -> None:
        """Append a judgement; it is on disk when this returns. A later grade replaces an earlier.

        Raises UsageError for a grade out of range, OutputError.
        """
        if judgement.grade is not None and not 0 <= judgement.grade <= _HIGHEST:
            raise UsageError(f"expected a grade from 0 to {_HIGHEST}, got {judgement.grade}")
        base = self.folder / kind / require_assessor(name)
        _append(base.with_suffix(".jsonl"), json.dumps(asdict(judgement), ensure_ascii=False))
        before = self.grades_of(kind, name)
        self.records[kind].setdefault(name, []).append(judgement)
        pair = (judgement.topic, judgement.docid)
        if judgement.repeat:
            return
        if judgement.grade is None or before.get(pair) not in (None, judgement.grade):
            self._write_qrels(kind, name)
        else:
            _append(base.with_suffix(".qrels"), f"{pair[0]} 0 {pair[1]} {judgement.grade}")

    def grades_of(self, kind: Kind, name: str) -> dict[tuple[str, str], int | None]:
        """(topic, docid) -> an assessor's grade, the latest that is no repeat."""
        return {
            (one.topic, one.docid): one.grade
            for one in self.records[kind].get(name, ())
            if not one.repeat
        }

    def grades(self, kind: Kind = "people") -> dict[tuple[str, str], list[int | None]]:
        """(topic, docid) -> the grades of all assessors, or the adjudicator's alone."""
        found: dict[tuple[str, str], list[int | None]] = {}
        for name in self.records[kind]:
            if name != ADJUDICATOR:
                for pair, grade in self.grades_of(kind, name).items():
                    found.setdefault(pair, []).append(grade)
        return found | {pair: [grade] for pair, grade in self.grades_of(kind, ADJUDICATOR).items()}

    def limits(self, most: int, kind: Kind = "people") -> dict[str, Grades]:
        """Topic -> docid -> the lowest and the highest grade, for `Family`."""
        found: dict[str, dict[str, tuple[int, int]]] = {}
        for (topic, docid), grades in self.grades(kind).items():
            known = [grade for grade in grades if grade is not None]
            ends = (min(known), max(known)) if known else (0, most)
            found.setdefault(topic, {})[docid] = ends
        return dict(found)

    def differing(self) -> list[tuple[str, str]]:
        """Documents that people graded differently and nobody adjudicated."""
        return [
            pair
            for pair, grades in self.grades().items()
            if len({grade for grade in grades if grade is not None}) > 1
        ]

    def write_merged(self) -> Path:
        """OUT/qrels.txt: people's grades, of differing ones the lower median."""
        lines = []
        for (topic, docid), grades in sorted(self.grades().items()):
            known = [grade for grade in grades if grade is not None]
            if known:
                lines.append(f"{topic} 0 {docid} {statistics.median_low(known)}\n")
        path = self.folder / "qrels.txt"
        write_text(path, "".join(lines))
        return path

    def _write_qrels(self, kind: Kind, name: str) -> None:
        lines = [
            f"{topic} 0 {docid} {grade}\n"
            for (topic, docid), grade in self.grades_of(kind, name).items()
            if grade is not None
        ]
        write_text(self.folder / kind / f"{name}.qrels", "".join(lines))


def _append(path: Path, line: str) -> None:
    with output_errors(path):
        new = not path.exists()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o666)
        try:
            os.write(descriptor, f"{line}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if new and os.name != "nt":
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _read(path: Path, *, complete: bool) -> list[Judgement]:
    """The judgements of a file. complete: remove a last line that a kill cut off."""
    data = read_regular(path)
    whole = data[: data.rfind(b"\n") + 1]
    if complete and whole != data:
        with output_errors(path), path.open("r+b") as file:
            file.truncate(len(whole))
    found = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            values = json.loads(line)
            judgement = Judgement(**values)
            is_grade = judgement.grade is None or type(judgement.grade) is int
        except (ValueError, TypeError):
            is_grade = False
        if not is_grade:
            raise InputError(
                f"{path}:{number}: expected a judgement as `boilersweep assess` writes it, got "
                f"{line[:80]!r}; restore the file, or remove the line"
            )
        found.append(judgement)
    return found


def keep_topics(folder: Path, topics: Sequence[Topic]) -> None:
    """Record the queries in OUT/topics.tsv, beside those of earlier sessions.

    Raises UsageError if an id had another query: its judgements would be of another topic.
    """
    path = folder / "topics.tsv"
    known = {topic.id: topic.title for topic in read_topics(path)} if path.is_file() else {}
    for topic in topics:
        if known.setdefault(topic.id, topic.title) != topic.title:
            raise UsageError(
                f"{path}: topic {topic.id} is {known[topic.id][:80]!r}, got {topic.title[:80]!r}; "
                "give the same topics, or choose another --output"
            )
    make_folder(folder)
    write_text(path, "".join(f"{id_}\t{title}\n" for id_, title in known.items()))


def clean_note(text: str) -> str:
    """A note on one line, cut to 1,000 characters."""
    return " ".join(text.encode("utf-8", "replace").decode().split())[:_LONGEST_NOTE]


def parse_grade(value: Any, most: int) -> int | None:
    """A grade from outside; None for "?"; raises QrelsError."""
    text = str(value).strip()
    if text == "?":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 3 and int(text) <= most):
        raise QrelsError(f"expected a grade from 0 to {most}, or ?, got {text[:80]!r}")
    return int(text)


def consistency(records: Sequence[Judgement]) -> tuple[int, int]:
    """How many repeated documents an assessor graded as before, and of how many."""
    first: Mapping[tuple[str, str], int | None] = {
        (one.topic, one.docid): one.grade for one in records if not one.repeat
    }
    repeats = [one for one in records if one.repeat]
    return sum(first.get((one.topic, one.docid)) == one.grade for one in repeats), len(repeats)
