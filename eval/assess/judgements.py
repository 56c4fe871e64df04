"""The judgements of a folder: one log per assessor, the grades of all in TREC's format, agreement.

How far assessors agree is Cohen's kappa of each pair and Krippendorff's alpha of all people.
"""

import contextlib
import itertools
import math
import operator
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from boilersweep.errors import InputError, QrelsError, UsageError
from boilersweep.eval.assess.output import ASSESSMENT, LOG, Audit, Judgement
from boilersweep.eval.experiment.request import KINDS as KINDS
from boilersweep.eval.experiment.request import QRELS as QRELS
from boilersweep.eval.experiment.request import TOPICS as TOPICS
from boilersweep.eval.experiment.request import AssessorKind as AssessorKind
from boilersweep.eval.experiment.request import is_assessment as is_assessment
from boilersweep.eval.people.agreement import cohen_kappa
from boilersweep.eval.people.assessors import ADJUDICATOR, in_random_order
from boilersweep.eval.people.folder import LogFolder, hold_logs
from boilersweep.eval.stats.families import HIGHEST_GRADE, Grades
from boilersweep.extras import require
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.locations import read_regular
from boilersweep.outputs.tables import text_table
from boilersweep.outputs.typed_files import decode_json
from boilersweep.topics import Topic, read_topics

# The ids of a topic and of a document, which an assessor grades together.
TopicDocument = tuple[str, str]

AUDIT = "audit.json"

_OF_ONE = ".qrels"
# Pandas and spreadsheets write 2.0, and 2,0 where a comma begins the decimals.
_GRADE = re.compile(r"0?([0-9])(?:[.,]0*)?", re.ASCII)
_LONGEST_NOTE = 1000


class Judgements(LogFolder[Judgement]):
    """All judgements of a folder: one log per assessor, and the grades in TREC's format."""

    output = ASSESSMENT
    log_format = LOG
    further = (TOPICS, AUDIT)

    def derived(self) -> list[str]:
        """Return the names of the files of grades."""
        names = [
            f"{kind}/{name}{_OF_ONE}"
            for kind, by_name in self.records.items()
            for name in by_name
        ]
        return [*names, QRELS]

    def content(self, name: str) -> bytes:
        """Return the grades that the logs give a file."""
        kind = next((kind for kind in KINDS if name.startswith(f"{kind}/")), None)
        if kind is None:
            return _grades_text(self.merged()).encode()
        assessor = name.removeprefix(f"{kind}/").removesuffix(_OF_ONE)
        return _grades_text(self.grades_of(kind, assessor)).encode()

    def recipe_of(self, name: str) -> Any:
        """Return the topics, or what the audit was begun with; None without."""
        if name == TOPICS:
            topics = known_topics(self.folder)
            return {"topics": list(topics.items())} if topics else None
        audit = self.audit
        return {"audit": msgspec.to_builtins(audit)} if audit else None

    def is_proved(self, name: str) -> bool:
        """Return whether the logs prove that a file is ours, as nothing in it is from elsewhere."""
        text = read_regular(self.folder / name).decode()
        if name == TOPICS:
            are_kinds = any((self.folder / kind).is_dir() for kind in KINDS)
            return are_kinds and text == _topics_text(known_topics(self.folder))
        kind = "people" if name == QRELS else name.partition("/")[0]
        lines = {
            f"{judgement.topic} 0 {judgement.docid} {judgement.grade}\n"
            for path, log in self._logs.items()
            if path.parent.name == kind
            for judgement in log.judgements
        }
        return lines.issuperset(text.splitlines(keepends=True))

    @property
    def changed(self) -> list[TopicDocument]:
        """The documents that were judged with another text only, not with the present one."""
        judged = {
            (judgement.topic, judgement.docid)
            for by_name in self.records.values()
            for judgements in by_name.values()
            for judgement in judgements
        }
        every = {(one.topic, one.docid) for log in self.logs for one in log.judgements}
        return sorted(every - judged)

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
        qrels = f"{kind}/{name}{_OF_ONE}"
        self.append(kind, name, judgement, qrels, QRELS)
        self.write(qrels)

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
            self.begin(QRELS)
            self.write(QRELS)
        return path

    def keep_topics(self, topics: Sequence[Topic], seed: int = 1) -> list[str]:
        """Record the queries in OUT/topics.tsv, behind those of earlier sessions.

        Args:
            topics: The topics.
            seed: The seed of the random order of new ones.

        Returns:
            The ids of the topics in the order in which they are judged, which is that of the file.

        Raises:
            UsageError: An id had another query, so that its judgements belong to another topic.
        """
        known = known_topics(self.folder)
        before = len(known)
        given = {topic.id: topic.title for topic in topics}
        for id_ in in_random_order(given, seed):
            if known.setdefault(id_, given[id_]) != given[id_]:
                raise UsageError(
                    f"{self.folder / TOPICS}: topic {id_} is {known[id_][:80]!r}, got "
                    f"{given[id_][:80]!r}; give the same topics, or choose another `output`"
                )
        if len(known) > before:
            self._write_topics(known)
        return [id_ for id_ in known if id_ in given]

    def put_topic_last(self, topic: str) -> None:
        """Move a topic of OUT/topics.tsv behind all others."""
        known = known_topics(self.folder)
        title = known.pop(topic)
        self._write_topics({**known, topic: title})

    @property
    def audit(self) -> Audit | None:
        """What an audit of this folder was begun with, if one was; raises InputError."""
        path = self.folder / AUDIT
        if not path.is_file():
            return None
        try:
            return decode_json(read_regular(path), Audit)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{path}: expected what `boilersweep assess` wrote ({error}); restore the file"
            ) from error

    def begin_audit(self, audit: Audit) -> None:
        """Record what an audit begins with, before anybody sees its order."""
        if self.complete:
            self.begin(AUDIT)
            write_text(self.folder / AUDIT, msgspec.json.encode(audit).decode() + "\n")

    def _write_topics(self, topics: Mapping[str, str]) -> None:
        if self.complete:
            self.begin(TOPICS)
            write_text(self.folder / TOPICS, _topics_text(topics))


@contextlib.contextmanager
def judgements_in(folder: Path, inputs: Iterable[Path] = ()) -> Iterator[Judgements]:
    """Hold a folder as its one writer, and write its manifest at the end.

    Args:
        folder: The folder.
        inputs: What the command reads, which no part may replace.

    Raises:
        BusyError: Another process writes the folder.
        UsageError: A part would replace an input.
        BoilersweepError: As `Judgements`.
    """
    with hold_logs(folder, [TOPICS, QRELS], inputs):
        judgements = Judgements(folder)
        try:
            yield judgements
        finally:
            judgements.finish()


def _known(grades: Sequence[int | None]) -> list[int]:
    """Leave out those of people who could not tell."""
    return [grade for grade in grades if grade is not None]


def _grades_text(grades: Mapping[TopicDocument, int | None]) -> str:
    """Return grades in TREC's format."""
    lines = [
        f"{topic} 0 {docid} {grade}\n"
        for (topic, docid), grade in grades.items()
        if grade is not None
    ]
    return "".join(lines)


def _topics_text(topics: Mapping[str, str]) -> str:
    return "".join(f"{id_}\t{title}\n" for id_, title in topics.items())


def known_topics(folder: Path) -> dict[str, str]:
    """Map the ids of OUT/topics.tsv to their queries, in the order in which they are judged."""
    path = folder / TOPICS
    return (
        {topic.id: topic.title for topic in read_topics(path)} if path.is_file() else {}
    )


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
    first = {
        (record.topic, record.docid): record.grade
        for record in records
        if not record.repeat
    }
    repeats = [record for record in records if record.repeat]
    same = sum(
        first.get((repeat.topic, repeat.docid)) == repeat.grade for repeat in repeats
    )
    return same, len(repeats)


def agreements(judgements: Judgements) -> Iterator[str]:
    """Describe how every pair of assessors agrees, with programs, on documents that both graded.

    Cohen's kappa is undefined if both always gave the same single grade.
    """
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
            kappa = cohen_kappa(first, second)
            same = sum(map(operator.eq, first, second))
            yield (
                f"{one} and {other}: {same} of {len(both)} documents graded alike, Cohen's kappa "
                f"{'undefined' if kappa is None else f'{kappa:.2f}'}"
            )


def krippendorff_alpha(judgements: Judgements) -> float | None:
    """Return the alpha of all people, grades as ordinals; None unless two grades differ."""
    require("krippendorff")
    import krippendorff

    names = [name for name in judgements.records["people"] if name != ADJUDICATOR]
    grades = [judgements.grades_of("people", name) for name in names]
    pairs = sorted({pair for graded in grades for pair in graded})
    table = [[graded.get(pair) for pair in pairs] for graded in grades]
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
