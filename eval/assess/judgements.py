"""The judgements of a folder: one log per assessor, the grades of all in TREC's format, agreement.

How far assessors agree is Cohen's kappa of each pair and Krippendorff's alpha of all people.
"""

import contextlib
import itertools
import math
import operator
import os
import random
import re
import statistics
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from boilersweep.errors import (
    InputError,
    OutputError,
    QrelsError,
    UsageError,
    reason_of,
)
from boilersweep.eval.assess.log import AssessorLog, Judgement
from boilersweep.eval.assess.output import (
    ASSESSMENT,
    AssessmentFacts,
    Audit,
    facts_of,
    log_faults,
)
from boilersweep.eval.experiment.request import KINDS as KINDS
from boilersweep.eval.experiment.request import QRELS as QRELS
from boilersweep.eval.experiment.request import TOPICS as TOPICS
from boilersweep.eval.experiment.request import AssessorKind as AssessorKind
from boilersweep.eval.experiment.request import is_assessment as is_assessment
from boilersweep.eval.stats.families import HIGHEST_GRADE, Grades
from boilersweep.extras import require
from boilersweep.outputs.atomic import make_folder, whole_file, write_text
from boilersweep.outputs.identity import __version__, some_of
from boilersweep.outputs.locations import read_regular, refuse_inputs
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import faults
from boilersweep.outputs.parts import MANIFEST, Listed, Part
from boilersweep.outputs.tables import text_table
from boilersweep.outputs.typed_files import decode_json
from boilersweep.outputs.writer import Writer
from boilersweep.topics import Topic, read_topics

# The ids of a topic and of a document, which an assessor grades together.
TopicDocument = tuple[str, str]

# The assessor whose grade settles what others judged differently.
ADJUDICATOR = "adjudicator"

AUDIT = "audit.json"

_LONGEST_NAME = 40
# Pandas and spreadsheets write 2.0, and 2,0 where a comma begins the decimals.
_GRADE = re.compile(r"0?([0-9])(?:[.,]0*)?", re.ASCII)
_LONGEST_NOTE = 1000

# The recipe of a part that grows while people judge.
_GROWING = "growing"


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
        notes: What was repaired when the folder was read, or is wrong in it.
        complete: Whether files are written.
    """

    def __init__(self, folder: Path, *, complete: bool = True) -> None:
        """Read the logs, and complete the files after a kill.

        Args:
            folder: The folder, which the caller holds as writer unless nothing is changed.
            complete: False to change nothing.

        Raises:
            InputError: A log cannot be read, is missing, or was changed.
            OutputError: The folder has a file of somebody else under the name of one of ours, or
                one of ours that was changed.
        """
        if folder.exists() and not folder.is_dir():
            raise InputError(
                f"{folder}: expected the folder of an assessment, got a file"
            )
        self.folder = folder
        self.complete = complete
        self.notes: list[str] = []
        listed = ASSESSMENT.listed(folder, {})
        self._logs = _read_logs(folder)
        faults_of_logs = list(
            log_faults(folder, listed.entries, [*self._logs.values()])
        )
        if faults_of_logs:
            raise InputError(
                f"{'; '.join(faults_of_logs)}: restore the logs from a copy. To go on without "
                f"these judgements, move away {folder / MANIFEST} and the qrels that have them"
            )
        self.records: dict[AssessorKind, dict[str, list[Judgement]]] = {
            kind: {} for kind in KINDS
        }
        # Docids and digests of texts that changed since they were judged.
        self._left_out: set[tuple[str, str]] = set()
        self._begun: set[str] = set()
        self._count()
        if complete:
            self._open(listed)
        elif listed.manifest:
            self.notes += faults(folder, listed.manifest.files)

    def _open(self, listed: Listed[AssessmentFacts]) -> None:
        """Prepare to write: refuse what is not ours, then bring the files to what the logs give."""
        writer = Writer(ASSESSMENT, self.folder, {}, [], listed, overwrite=False)
        self._writer = writer
        if writer.before:
            self.leave_out(writer.before.facts.left_out)
        self._require_ours(writer, listed)
        for kind in KINDS:
            make_folder(self.folder / kind)
        for log in self._logs.values():
            if log.torn:
                log.cut()
                self.notes.append(
                    f"{log.path}: removed an incomplete last line; this judgement was not saved, "
                    "and its document will be shown again"
                )
        self._is_unfinished = bool(
            listed.planned or (writer.listed and not writer.before)
        )
        if self._logs:
            self._write_derived()

    def _require_ours(
        self, writer: Writer[AssessmentFacts], listed: Listed[AssessmentFacts]
    ) -> None:
        """Raise OutputError for files of others under our names, and changed files of ours."""
        writer.adopt(
            name for log in self._logs if (name := self._name(log)) not in writer.listed
        )
        strange: list[str] = []
        for name in (*self._derived(), TOPICS, AUDIT):
            if not os.path.lexists(self.folder / name):
                writer.listed.pop(name, None)
            elif name in writer.listed or name in listed.planned:
                strange += _changed(self.folder, name, listed)
            elif self._is_ours(name):
                writer.adopt([name])
            else:
                strange.append(f"{name} is in no list of an assessment")
        if strange:
            raise OutputError(
                f"{self.folder}: {'; '.join(strange)}. Move these files away (`boilersweep assess` "
                "makes its own from the logs), or choose another `output`"
            )

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def _is_ours(self, name: str) -> bool:
        """Return whether the logs prove that a file is ours, as nothing in it is from elsewhere."""
        try:
            text = read_regular(self.folder / name).decode()
            if name == TOPICS:
                are_kinds = any((self.folder / kind).is_dir() for kind in KINDS)
                return are_kinds and text == _topics_text(known_topics(self.folder))
        except (OSError, ValueError, InputError):
            return False
        kind = "people" if name == QRELS else name.partition("/")[0]
        lines = {
            f"{one.topic} 0 {one.docid} {one.grade}\n"
            for path, log in self._logs.items()
            if path.parent.name == kind
            for one in log.judgements
        }
        return lines.issuperset(text.splitlines(keepends=True))

    def _begin(self, *names: str) -> None:
        """Have the plan name parts that are about to change; raises OutputError."""
        if new := [name for name in names if name not in self._begun]:
            self._writer.want(Part(name, _GROWING) for name in new)
            self._begun.update(new)

    def finish(self) -> None:
        """Write the manifest, if anything changed; raises OutputError."""
        if not self.complete:
            return
        writer = self._writer
        try:
            if self._begun or self._is_unfinished:
                self._finish(writer)
        finally:
            writer.close()

    def _finish(self, writer: Writer[AssessmentFacts]) -> None:
        derived, last = self._derived(), {}
        for path, log in self._logs.items():
            if log.judgements:
                name = self._name(path)
                last[name] = log.judgements[-1].chain
                writer.want([Part(name, {"log": name})])
                writer.add(name, facts_of(log), {})
        recipe = {"logs": last, "left out": self.texts_left_out()}
        parts = [Part(name, {"part": name, **recipe}) for name in derived]
        if topics := known_topics(self.folder):
            parts.append(Part(TOPICS, {"topics": list(topics.items())}))
        if audit := self.audit:
            parts.append(Part(AUDIT, {"audit": msgspec.to_builtins(audit)}))
        for part in writer.want(parts):
            if part.name in derived:
                _write_whole(self.folder / part.name, derived[part.name])
            writer.add(part.name)
        # A log whose first line could not be written.
        absent = self._begun - {*last, *(part.name for part in parts)}
        writer.want(Part(name, _GROWING, optional=True) for name in absent)
        left_out = self.texts_left_out()
        writer.finish(AssessmentFacts(boilersweep=__version__, left_out=left_out))

    def texts_left_out(self) -> dict[str, list[str]]:
        """Map docids to the digests of former texts whose judgements do not count."""
        texts: dict[str, list[str]] = {}
        for docid, text in sorted(self._left_out):
            texts.setdefault(docid, []).append(text)
        return texts

    def _derived(self) -> dict[str, str]:
        """Map the names of the files of grades to the texts that the logs give."""
        texts = {
            f"{kind}/{name}.qrels": _grades_text(self.grades_of(kind, name))
            for kind, by_name in self.records.items()
            for name in by_name
        }
        return {**texts, QRELS: _grades_text(self.merged())}

    def _write_derived(self) -> None:
        """Write the files of grades that are not what the logs give."""
        texts = self._derived()
        for name in self.wrong_files():
            self._begin(name)
            _write_whole(self.folder / name, texts[name])

    def wrong_files(self) -> dict[str, str]:
        """Map the files of grades that are not what the logs give to what is wrong with them."""
        wrong = {}
        for name, text in self._derived().items():
            try:
                content = read_regular(self.folder / name)
            except OSError as error:
                wrong[name] = f"cannot be read ({reason_of(error)})"
                continue
            if content != text.encode():
                given = set(text.splitlines())
                lines = content.decode("utf-8", "replace").splitlines()
                strange = [repr(one[:80]) for one in lines if one not in given]
                missing = sorted(given - {*lines})
                wrong[name] = "is not what the logs give" + (
                    f": they do not have {some_of(strange)}"
                    if strange
                    else f": it lacks {some_of(missing)}"
                    if missing
                    else ", in this order"
                )
        return wrong

    def _count(self) -> None:
        """Have those judgements count whose texts are not left out."""
        for path, log in self._logs.items():
            kind = next(kind for kind in KINDS if kind == path.parent.name)
            self.records[kind][path.stem] = [
                one for one in log.judgements if self.counts(one)
            ]

    def counts(self, judgement: Judgement) -> bool:
        """Return whether a judgement is of the document's present text."""
        return (judgement.docid, judgement.text) not in self._left_out

    def lines(self, kind: AssessorKind) -> dict[str, list[Judgement]]:
        """Map each assessor to all lines of the log, also those that do not count."""
        return {
            path.stem: log.judgements
            for path, log in self._logs.items()
            if path.parent.name == kind
        }

    def leave_out(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Leave out judgements of some former texts, docid -> their digests."""
        self._left_out = {(docid, one) for docid, some in texts.items() for one in some}
        self._count()

    @property
    def logs(self) -> list[AssessorLog]:
        """The logs of all assessors."""
        return list(self._logs.values())

    @property
    def docids(self) -> set[str]:
        """The judged documents."""
        return {judgement.docid for log in self.logs for judgement in log.judgements}

    def compare_texts(self, texts: Mapping[str, str]) -> None:
        """Leave out judgements of documents whose text is not the one that was judged.

        Args:
            texts: Docid -> digest of the document's present text; other documents stay as they are.
        """
        changed = {
            (one.docid, one.text)
            for log in self.logs
            for one in log.judgements
            if texts.get(one.docid, one.text) != one.text
        }
        if changed != self._left_out:
            self._left_out = changed
            self._count()
            if self.complete:
                self._write_derived()

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
        path = self.folder / kind / f"{require_assessor(name)}.jsonl"
        qrels = f"{kind}/{name}.qrels"
        self._begin(self._name(path), qrels, QRELS)
        if path not in self._logs:
            self._logs[path] = AssessorLog(path)
        logged = self._logs[path].append(judgement)
        self.records[kind].setdefault(name, []).append(logged)
        grades = self.grades_of(kind, name)
        _write_whole(self.folder / qrels, _grades_text(grades))

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
            self._begin(QRELS)
            _write_whole(path, _grades_text(self.merged()))
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
        for id_ in draw_topics(list(given), seed):
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
            self._begin(AUDIT)
            write_text(self.folder / AUDIT, msgspec.json.encode(audit).decode() + "\n")

    def _write_topics(self, topics: Mapping[str, str]) -> None:
        if self.complete:
            self._begin(TOPICS)
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
    logs = (path for kind in KINDS for path in (folder / kind).glob("*.jsonl"))
    names = [path.relative_to(folder).as_posix() for path in logs]
    refuse_inputs(folder, [TOPICS, QRELS, MANIFEST, *names], inputs=inputs)
    with only_writer(folder):
        judgements = Judgements(folder)
        try:
            yield judgements
        finally:
            judgements.finish()


def _read_logs(folder: Path) -> dict[Path, AssessorLog]:
    """Read the logs of people, then those of programs; raises InputError."""
    paths = [p for kind in KINDS for p in sorted((folder / kind).glob("*.jsonl"))]
    return {path: AssessorLog(path) for path in paths}


def _changed(folder: Path, name: str, listed: Listed[AssessmentFacts]) -> Iterator[str]:
    """Yield what is wrong with a file of ours, unless a killed run was about to replace it."""
    entry = listed.entries.get(name)
    if entry and listed.planned.get(name, entry.key) == entry.key:
        yield from faults(folder, entry.files)


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


def _write_whole(path: Path, text: str) -> None:
    """Write a file that the logs restore if the machine loses power; raises OutputError."""
    with whole_file(path, synced=False) as temporary:
        temporary.write_text(text, "utf-8")


def _topics_text(topics: Mapping[str, str]) -> str:
    return "".join(f"{id_}\t{title}\n" for id_, title in topics.items())


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
