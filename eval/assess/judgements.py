"""The judgements of a folder: one log per assessor, and the grades of all in TREC's format.

OUT/topics.tsv              the queries, for later commands
OUT/qrels.txt               the grades of all people
OUT/people/NAME.jsonl       the log of a person: grade, time, duration, note, digest of the text
OUT/people/NAME.qrels       the person's grades
OUT/programs/NAME.*         the same of a program, never mixed with people's
"""

import random
import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boilersweep.errors import QrelsError, UsageError
from boilersweep.eval.assess.family import Grades
from boilersweep.eval.assess.log import HIGHEST_GRADE, AssessorLog, Judgement
from boilersweep.eval.experiment.request import KINDS as KINDS
from boilersweep.eval.experiment.request import QRELS as QRELS
from boilersweep.eval.experiment.request import TOPICS as TOPICS
from boilersweep.eval.experiment.request import AssessorKind as AssessorKind
from boilersweep.eval.experiment.request import is_assessment as is_assessment
from boilersweep.outputs.atomic import make_folder, whole_file, write_text
from boilersweep.topics import Topic, read_topics

# The ids of a topic and of a document, which an assessor grades together.
TopicDocument = tuple[str, str]

# The assessor whose grade settles what others judged differently.
ADJUDICATOR = "adjudicator"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_LONGEST_NOTE = 1000


def require_assessor(name: str) -> str:
    """Return the name of an assessor; raise UsageError for a name that no file can have."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            "expected an assessor's name of up to 40 letters, digits, - and _, such as anna, got "
            f"{name[:80]!r}"
        )
    return name


class Judgements:
    """All judgements of a folder, in memory and on disk.

    Attributes:
        folder: The folder.
        records: Kind -> assessor -> the judgements that count, oldest first.
        notes: What was repaired when the folder was read.
        complete: Whether files are written.
    """

    def __init__(self, folder: Path, *, complete: bool = True) -> None:
        """Read the logs, and complete the files after a kill.

        Args:
            folder: The folder.
            complete: False to change nothing.

        Raises:
            InputError: A log cannot be read, or was changed.
        """
        self.folder = folder
        self.records: dict[AssessorKind, dict[str, list[Judgement]]] = {}
        self.notes: list[str] = []
        self._logs: dict[Path, AssessorLog] = {}
        self.complete = complete
        self._outdated: set[TopicDocument] = set()
        for kind in KINDS:
            if complete:
                make_folder(folder / kind)
            self.records[kind] = {}
            for path in sorted((folder / kind).glob("*.jsonl")):
                log = self._logs[path] = AssessorLog(path)
                self.records[kind][path.stem] = list(log.judgements)
                if complete and log.torn:
                    log.cut()
                    self.notes.append(
                        f"{path}: removed an incomplete last line; this judgement was not saved, "
                        "and its document will be shown again"
                    )
                if complete:
                    self._write_qrels(kind, path.stem)
        if complete and self.records["people"]:
            self.write_merged()

    @property
    def docids(self) -> set[str]:
        """The judged documents."""
        logs = self._logs.values()
        return {judgement.docid for log in logs for judgement in log.judgements}

    def compare_texts(self, texts: Mapping[str, str]) -> None:
        """Leave out judgements of documents whose text is not the one that was judged.

        Args:
            texts: Docid -> digest of the document's present text; other documents stay as they are.
        """
        for kind, by_name in self.records.items():
            for name, judgements in by_name.items():
                current = [
                    one
                    for one in judgements
                    if texts.get(one.docid, one.text) == one.text
                ]
                if len(current) < len(judgements):
                    by_name[name] = current
                    self._outdated |= {(one.topic, one.docid) for one in judgements}
                    if self.complete:
                        self._write_qrels(kind, name)
        if self._outdated and self.complete:
            self.write_merged()

    @property
    def changed(self) -> list[TopicDocument]:
        """The documents that were judged with another text only, not with the present one."""
        judged = {
            (judgement.topic, judgement.docid)
            for by_name in self.records.values()
            for judgements in by_name.values()
            for judgement in judgements
        }
        return sorted(self._outdated - judged)

    def add(self, kind: AssessorKind, name: str, judgement: Judgement) -> None:
        """Append a judgement, which is on the disk when this returns.

        A later grade of a document replaces an earlier one.

        Raises:
            UsageError: The name or the grade is not possible.
            OutputError: The disk is full or fails.
        """
        if judgement.grade is not None and not 0 <= judgement.grade <= HIGHEST_GRADE:
            raise UsageError(
                f"expected a grade from 0 to {HIGHEST_GRADE}, got {judgement.grade}"
            )
        path = self.folder / kind / f"{require_assessor(name)}.jsonl"
        if path not in self._logs:
            self._logs[path] = AssessorLog(path)
        logged = self._logs[path].append(judgement)
        self.records[kind].setdefault(name, []).append(logged)
        self._write_qrels(kind, name)

    def grades_of(
        self, kind: AssessorKind, name: str
    ) -> dict[TopicDocument, int | None]:
        """Map what an assessor judged to the latest grade that is no repeat."""
        return {
            (judgement.topic, judgement.docid): judgement.grade
            for judgement in self.records[kind].get(name, ())
            if not judgement.repeat
        }

    def grades(
        self, kind: AssessorKind = "people"
    ) -> dict[TopicDocument, list[int | None]]:
        """Map each topic and document to the grades of all assessors, or to the adjudicator's."""
        grades: dict[TopicDocument, list[int | None]] = {}
        for name in self.records[kind]:
            if name != ADJUDICATOR:
                for pair, grade in self.grades_of(kind, name).items():
                    grades.setdefault(pair, []).append(grade)
        return grades | {
            pair: [grade] for pair, grade in self.grades_of(kind, ADJUDICATOR).items()
        }

    def limits(self, kind: AssessorKind = "people") -> dict[str, Grades]:
        """Map topic and docid to the lowest and the highest grade, for `Family`."""
        limits: dict[str, dict[str, tuple[int, int]]] = {}
        for (topic, docid), grades in self.grades(kind).items():
            known = _known(grades) or [0, HIGHEST_GRADE]
            limits.setdefault(topic, {})[docid] = (min(known), max(known))
        return dict(limits)

    def differing(self) -> list[TopicDocument]:
        """List what people graded differently and nobody adjudicated."""
        return [
            pair for pair, grades in self.grades().items() if len({*_known(grades)}) > 1
        ]

    def merged(self) -> dict[TopicDocument, int]:
        """Map each topic and document to people's grade, the lower median of differing ones."""
        return {
            pair: statistics.median_low(known)
            for pair, grades in sorted(self.grades().items())
            if (known := _known(grades))
        }

    def write_merged(self) -> Path:
        """Write OUT/qrels.txt, the grades of people, if files are written."""
        path = self.folder / QRELS
        if self.complete:
            _write_grades(path, self.merged())
        return path

    def _write_qrels(self, kind: AssessorKind, name: str) -> None:
        _write_grades(self.folder / kind / f"{name}.qrels", self.grades_of(kind, name))


def _known(grades: Sequence[int | None]) -> list[int]:
    """Leave out those of people who could not tell."""
    return [grade for grade in grades if grade is not None]


def _write_grades(path: Path, grades: Mapping[TopicDocument, int | None]) -> None:
    """Write grades in TREC's format; the logs restore them if the machine loses power."""
    lines = [
        f"{topic} 0 {docid} {grade}\n"
        for (topic, docid), grade in grades.items()
        if grade is not None
    ]
    with whole_file(path, synced=False) as temporary:
        temporary.write_text("".join(lines), "utf-8")


def keep_topics(
    folder: Path, topics: Sequence[Topic], seed: int = 1, *, write: bool = True
) -> list[str]:
    """Record the queries in OUT/topics.tsv, behind those of earlier sessions.

    Args:
        folder: The folder.
        topics: The topics.
        seed: The seed of the random order of new ones.
        write: False to change nothing.

    Returns:
        The ids of the topics in the order in which they are judged, which is that of the file.

    Raises:
        UsageError: An id had another query, so that its judgements belong to another topic.
    """
    path = folder / TOPICS
    known = known_topics(folder)
    given = {topic.id: topic.title for topic in topics}
    for id_ in draw_topics(list(given), seed):
        if known.setdefault(id_, given[id_]) != given[id_]:
            raise UsageError(
                f"{path}: topic {id_} is {known[id_][:80]!r}, got {given[id_][:80]!r}; "
                "give the same topics, or choose another --output"
            )
    if write:
        make_folder(folder)
        write_text(path, "".join(f"{id_}\t{title}\n" for id_, title in known.items()))
    return [id_ for id_ in known if id_ in given]


def known_topics(folder: Path) -> dict[str, str]:
    """Map the ids of OUT/topics.tsv to their queries, in the order in which they are judged."""
    path = folder / TOPICS
    return (
        {topic.id: topic.title for topic in read_topics(path)} if path.is_file() else {}
    )


def draw_topics(topics: Sequence[str], seed: int) -> list[str]:
    """Draw the random order in which topics are judged."""
    drawn = sorted(topics)
    random.Random(seed).shuffle(drawn)  # noqa: S311
    return drawn


def clean_note(text: str) -> str:
    """Put a note on one line, cut to 1,000 characters."""
    return " ".join(text.encode("utf-8", "replace").decode().split())[:_LONGEST_NOTE]


def parse_grade(value: Any) -> int | None:
    """Parse a grade, None for "?"; raise QrelsError."""
    text = str(value).strip()
    if text == "?":
        return None
    if not (
        text.isascii()
        and text.isdigit()
        and len(text) < 3
        and int(text) <= HIGHEST_GRADE
    ):
        raise QrelsError(
            f"expected a grade from 0 to {HIGHEST_GRADE}, or ?, got {text[:80]!r}"
        )
    return int(text)


def consistency(records: Sequence[Judgement]) -> tuple[int, int]:
    """Count the repeated documents that an assessor graded as before, and all repeated ones."""
    first = {(one.topic, one.docid): one.grade for one in records if not one.repeat}
    repeats = [one for one in records if one.repeat]
    same = sum(first.get((one.topic, one.docid)) == one.grade for one in repeats)
    return same, len(repeats)
