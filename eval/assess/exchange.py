"""The documents to judge as CSV or JSON lines, and answers read back."""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from boilersweep.errors import InputError, QrelsError, reason_of
from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.judgements import TopicDocument, clean_note, parse_grade
from boilersweep.eval.assess.llm import PoolDocument
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.stats.families import HIGHEST_GRADE
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.streams import read_input, write_output
from boilersweep.outputs.typed_files import decode_json

_HEADS = ("topic", "docid", "query", "title", "url", "decides", "grade", "note")


class Answer(msgspec.Struct, frozen=True):
    """A graded line of a pool; other columns are ignored."""

    topic: str | int
    docid: str | int
    grade: str | int | float | None = None
    rating: str | int | float | None = None
    note: str | None = None


def pool_document(assessment: Assessment, pair: TopicDocument) -> PoolDocument:
    """Return a document with its topic, as a program reads it."""
    topic, shown = assessment.topics[pair[0]], assessment.documents[pair[1]]
    return PoolDocument(
        topic=topic.id,
        query=topic.title,
        description=topic.desc or topic.narr,
        docid=shown.docid,
        title=shown.title,
        url=shown.url,
        date=shown.date,
        text="\n".join(shown.texts),
        highest_grade=HIGHEST_GRADE,
    )


def write_pool(assessment: Assessment, path: Path) -> tuple[int, int]:
    """Write all pending documents, the deciding ones first and marked.

    Args:
        assessment: The assessment.
        path: The file: JSON lines with the text if it ends in .jsonl, otherwise CSV with an empty
            column `grade`.

    Returns:
        The number of documents, and how many of them decide a comparison.

    Raises:
        OutputError: The file cannot be written.
    """
    documents = [pool_document(assessment, pair) for pair in assessment.pending()]
    deciding = assessment.left()
    if path.suffix == ".jsonl":
        lines = [
            {**msgspec.structs.asdict(document), "decides": index < deciding}
            for index, document in enumerate(documents)
        ]
        text = msgspec.json.Encoder().encode_lines(lines).decode()
    else:
        rows = [
            (
                document.topic,
                document.docid,
                document.query,
                document.title,
                document.url,
                "yes" if index < deciding else "no",
                None,
                None,
            )
            for index, document in enumerate(documents)
        ]
        text = csv_text(_HEADS, rows)
    write_output(path, text)
    return len(documents), deciding


def read_answers(assessment: Assessment, path: Path, name: str) -> int:
    """Take the graded lines of a pool as an assessor's judgements.

    Lines without a grade are skipped, and so are judgements that the assessor made before.

    Args:
        assessment: The assessment.
        path: The file, CSV or JSON lines.
        name: The assessor.

    Returns:
        The number of new judgements.

    Raises:
        QrelsError: A line has no topic and docid of the pool, or a wrong grade, or a document has
            several grades.
        InputError: The file cannot be read.
    """
    judgements: dict[TopicDocument, Judgement] = {}
    for number, answer in _answers(path):
        try:
            judgement = _judgement(assessment, answer)
        except QrelsError as error:
            raise QrelsError(f"{path}:{number}: {error}") from error
        if judgement:
            pair = judgement.topic, judgement.docid
            before = judgements.setdefault(pair, judgement)
            if before.grade != judgement.grade:
                raise QrelsError(
                    f"{path}:{number}: expected one grade for topic {pair[0]!r} and document "
                    f"{pair[1]!r}, got {judgement.grade} after {before.grade}; remove one"
                )
    known = assessment.judgements.grades_of("people", name)
    new = [
        judgement
        for pair, judgement in judgements.items()
        if known.get(pair, -1) != judgement.grade
    ]
    for judgement in new:
        assessment.add("people", name, judgement)
    return len(new)


def _judgement(assessment: Assessment, answer: Answer) -> Judgement | None:
    """Return the judgement of a graded line, None without a grade; raise QrelsError."""
    topic, docid = _without_apostrophe(answer.topic), _without_apostrophe(answer.docid)
    if topic not in assessment.topics or docid not in assessment.family.pool(topic):
        raise QrelsError(
            f"topic {topic[:80]!r} has no document {docid[:80]!r} to judge"
        )
    columns = (answer.grade, answer.rating)
    given = [
        str(column) for column in columns if column is not None and str(column).strip()
    ]
    if not given:
        return None
    grades = {parse_grade(text) for text in given}
    if len(grades) > 1:
        raise QrelsError(
            f"expected one grade, got {' and '.join(given)} in the columns grade and rating"
        )
    return Judgement(topic, docid, grades.pop(), note=clean_note(answer.note or ""))


def _answers(path: Path) -> Iterator[tuple[int, Answer]]:
    """Read the lines of a graded pool, with their numbers; raise InputError, QrelsError."""
    try:
        text = _decoded(read_input(path))
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot read {path}: {reason_of(error)}; expected CSV or JSONL"
        ) from error
    number = 1
    try:
        if path.suffix == ".jsonl":
            for number, line in enumerate(text.split("\n"), start=1):
                if line.strip():
                    yield number, decode_json(line, Answer)
            return
        lines = io.StringIO(text)
        separator = max(",;\t", key=text.partition("\n")[0].count)
        names = [
            cell.strip().lower()
            for cell in next(csv.reader(lines, delimiter=separator), [])
        ]
        _require_columns(names, path)
        reader = csv.DictReader(lines, names, restval="", delimiter=separator)
        for row in reader:
            number = 1 + reader.line_num
            if row["topic"] or row["docid"]:
                wanted = {name: row.get(name) for name in Answer.__struct_fields__}
                yield number, msgspec.convert(wanted, Answer)
    except (ValueError, csv.Error) as error:
        raise QrelsError(
            f"{path}:{number}: expected the columns topic, docid and grade ({error})"
        ) from error


def _decoded(data: bytes) -> str:
    """Return the text of a file as spreadsheets write it: UTF-8, UTF-16 or Windows' Latin."""
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _require_columns(names: Sequence[str], path: Path) -> None:
    """Raise QrelsError for missing columns, and for several of grades: the last would count."""
    if names.count("grade") > 1:
        raise QrelsError(
            f"{path}:1: expected one column grade, got {names.count('grade')}; remove all but one"
        )
    if not {"topic", "docid"} <= {*names} or not {"grade", "rating"} & {*names}:
        raise QrelsError(
            f"{path}:1: expected the columns topic, docid and grade, with commas, semicolons or "
            f"tabs between them, got {', '.join(names)[:80]!r}; keep the first line of the file "
            "that `boilersweep assess --write` wrote"
        )


def _without_apostrophe(value: str | int) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from calculating it."""
    text = str(value)
    return (
        text[1:]
        if text.startswith("'") and text.lstrip("'")[:1] in tuple("=+-@")
        else text
    )
