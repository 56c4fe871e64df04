"""The judgements of a folder: one log per assessor, the grades of all in TREC's format, agreement.

How far assessors agree is Cohen's kappa of each pair and Krippendorff's alpha of all people.
"""

import itertools
import math
import operator
import random
import re
import statistics
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boilersweep.errors import QrelsError, UsageError
from boilersweep.eval.assess.betting import Grades
from boilersweep.eval.assess.log import HIGHEST_GRADE, AssessorLog, Judgement
from boilersweep.eval.experiment.request import KINDS as KINDS
from boilersweep.eval.experiment.request import QRELS as QRELS
from boilersweep.eval.experiment.request import TOPICS as TOPICS
from boilersweep.eval.experiment.request import AssessorKind as AssessorKind
from boilersweep.eval.experiment.request import is_assessment as is_assessment
from boilersweep.extras import require
from boilersweep.outputs.atomic import make_folder, whole_file, write_text
from boilersweep.outputs.tables import text_table
from boilersweep.topics import Topic, read_topics

# The ids of a topic and of a document, which an assessor grades together.
TopicDocument = tuple[str, str]

# The assessor whose grade settles what others judged differently.
ADJUDICATOR = "adjudicator"

_LONGEST_NAME = 40
# Pandas and spreadsheets write 2.0, and 2,0 where a comma begins the decimals.
_GRADE = re.compile(r"0?([0-9])(?:[.,]0*)?", re.ASCII)
_LONGEST_NOTE = 1000


def require_assessor(name: str) -> str:
    """Return the name of an assessor, composed; raise UsageError for one that no file can have."""
    name = unicodedata.normalize("NFC", name)
    # Letters of any script, with the marks that some need
    are_fit = [one in "-_" or unicodedata.category(one)[0] in "LMN" for one in name]
    if not (0 < len(name) <= _LONGEST_NAME and all(are_fit) and name[0].isalnum()):
        raise UsageError(
            f"expected an assessor's name of up to {_LONGEST_NAME} letters, digits, - and _, such "
            f"as anna, got {name[:80]!r}"
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
    known = known_topics(folder)
    given = {topic.id: topic.title for topic in topics}
    for id_ in draw_topics(list(given), seed):
        if known.setdefault(id_, given[id_]) != given[id_]:
            raise UsageError(
                f"{folder / TOPICS}: topic {id_} is {known[id_][:80]!r}, got {given[id_][:80]!r}; "
                "give the same topics, or choose another --output"
            )
    if write:
        make_folder(folder)
        _write_topics(folder, known)
    return [id_ for id_ in known if id_ in given]


def put_topic_last(folder: Path, topic: str) -> None:
    """Move a topic of OUT/topics.tsv behind all others."""
    known = known_topics(folder)
    title = known.pop(topic)
    _write_topics(folder, {**known, topic: title})


def _write_topics(folder: Path, topics: Mapping[str, str]) -> None:
    lines = [f"{id_}\t{title}\n" for id_, title in topics.items()]
    write_text(folder / TOPICS, "".join(lines))


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
    match = _GRADE.fullmatch(text)
    if match is None or int(match[1]) > HIGHEST_GRADE:
        raise QrelsError(
            f"expected a grade from 0 to {HIGHEST_GRADE}, or ?, got {text[:80]!r}"
        )
    return int(match[1])


def consistency(records: Sequence[Judgement]) -> tuple[int, int]:
    """Count the repeated documents that an assessor graded as before, and all repeated ones."""
    first = {(one.topic, one.docid): one.grade for one in records if not one.repeat}
    repeats = [one for one in records if one.repeat]
    same = sum(first.get((one.topic, one.docid)) == one.grade for one in repeats)
    return same, len(repeats)


def agreements(judgements: Judgements) -> Iterator[str]:
    """Describe how every pair of assessors agrees, with programs, on documents that both graded.

    Cohen's kappa is undefined if both always gave the same single grade.
    """
    require("sklearn")
    from sklearn.metrics import cohen_kappa_score

    grades = {
        name if kind == "people" else f"program {name}": judgements.grades_of(
            kind, name
        )
        for kind, by_name in judgements.records.items()
        for name in by_name
        if name != ADJUDICATOR
    }
    for (one, a), (other, b) in itertools.combinations(grades.items(), 2):
        both = [pair for pair in a if None not in (a[pair], b.get(pair))]
        if both:
            first, second = [a[pair] for pair in both], [b[pair] for pair in both]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a single grade
                kappa = float(cohen_kappa_score(first, second))
            same = sum(map(operator.eq, first, second))
            yield (
                f"{one} and {other}: {same} of {len(both)} documents graded alike, Cohen's kappa "
                f"{'undefined' if math.isnan(kappa) else f'{kappa:.2f}'}"
            )


def krippendorff_alpha(judgements: Judgements) -> float | None:
    """Return the alpha of all people, grades as ordinals; None unless two grades differ."""
    require("krippendorff")
    import krippendorff

    names = [name for name in judgements.records["people"] if name != ADJUDICATOR]
    grades = [judgements.grades_of("people", name) for name in names]
    pairs = sorted({pair for one in grades for pair in one})
    table = [[one.get(pair) for pair in pairs] for one in grades]
    data = [
        [math.nan if value is None else float(value) for value in row] for row in table
    ]
    compared = [
        [v for v in column if not math.isnan(v)] for column in zip(*data, strict=True)
    ]
    together = [column for column in compared if len(column) > 1]
    if len({value for column in together for value in column}) < 2:
        return None
    return float(krippendorff.alpha(data, level_of_measurement="ordinal"))


def compare_with_people(judgements: Judgements, program: str) -> list[str]:
    """Describe how a program's grades differ from those that people agreed on.

    Args:
        judgements: All judgements.
        program: The program.

    Returns:
        A table with a row for each of people's grades, and a sentence; [] for no document of both.
    """
    right = judgements.merged()
    grades = judgements.grades_of("programs", program)
    both = [
        (right[pair], grade)
        for pair, grade in grades.items()
        if pair in right and grade is not None
    ]
    if not both:
        return []
    counts = Counter(both)
    columns = range(HIGHEST_GRADE + 1)
    rows = [
        [f"people: {row}", *(counts[row, column] for column in columns)]
        for row in columns
    ]
    leniency = statistics.fmean(given - known for known, given in both)
    return [
        text_table(rows, [program, *map(str, columns)]),
        f"{program} is {leniency:+.2f} grades more lenient than people, in the mean of "
        f"{len(both):,} documents",
    ]
