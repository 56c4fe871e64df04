"""The documents to judge as CSV or JSON lines, answers read back, and programs that judge."""

import csv
import io
import json
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from boilersweep.errors import InputError, QrelsError, UsageError, reason_of
from boilersweep.eval.assess.assessment import Assessment, Pair
from boilersweep.eval.assess.judgements import Judgement, clean_note, parse_grade
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.files import write_text

_HEADS = ("topic", "docid", "query", "title", "url", "grade", "note")
_SECONDS = 300
"""That a program may take for one document."""


def document_json(assessment: Assessment, pair: Pair) -> dict[str, Any]:
    """What a program reads about a document: one object."""
    topic, shown = assessment.topics[pair[0]], assessment.documents[pair[1]]
    return {
        "topic": topic.id,
        "query": topic.title,
        "description": topic.desc or topic.narr,
        "docid": shown.docid,
        "title": shown.title,
        "url": shown.url,
        "date": shown.date,
        "text": "\n".join(shown.texts),
        "highest_grade": assessment.most,
    }


def write_pool(assessment: Assessment, path: Path) -> int:
    """Write all pending documents, the deciding ones first; how many. Raises OutputError.

    A name that ends in .jsonl gives JSON lines with the text, others CSV with an empty column
    `grade`.
    """
    pairs = assessment.pending()
    if path.suffix == ".jsonl":
        objects = (document_json(assessment, pair) for pair in pairs)
        write_text(path, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects))
    else:
        rows = []
        for pair in pairs:
            topic, shown = assessment.topics[pair[0]], assessment.documents[pair[1]]
            rows.append((topic.id, shown.docid, topic.title, shown.title, shown.url, None, None))
        write_text(path, csv_text(_HEADS, rows))
    return len(pairs)


def read_answers(assessment: Assessment, path: Path, name: str) -> int:
    """Take the graded rows of such a file as an assessor's judgements; how many are new.

    Rows without a grade are skipped, and so are judgements that the assessor made before. Raises
    QrelsError with file and line.
    """
    known = assessment.judgements.grades_of("people", name)
    answers: dict[Pair, tuple[int | None, str]] = {}
    for number, row in _rows(path):
        try:
            pair, answer = _answer(assessment, row)
        except QrelsError as error:
            raise QrelsError(f"{path}:{number}: {error}") from error
        if answer:
            answers[pair] = (
                parse_grade(answer, assessment.most),
                clean_note(str(row.get("note") or "")),
            )
    new = {pair: given for pair, given in answers.items() if known.get(pair, -1) != given[0]}
    for (topic, docid), (grade, note) in new.items():
        assessment.add("people", name, Judgement(topic, docid, grade, note=note))
    return len(new)


def _answer(assessment: Assessment, row: dict[str, Any]) -> tuple[Pair, str]:
    """The pair and the grade of a row, "" for none."""
    value = row.get("grade", row.get("rating"))
    if not {"topic", "docid"} <= row.keys():
        raise QrelsError(f"expected the columns topic, docid and grade, got {', '.join(row)[:80]}")
    pair = (_text(row["topic"]), _text(row["docid"]))
    if pair[0] not in assessment.topics or pair[1] not in assessment.family.pool(pair[0]):
        raise QrelsError(f"topic {pair[0][:80]!r} has no document {pair[1][:80]!r} to judge")
    grade = "" if value is None else str(value).strip()
    if grade:
        parse_grade(grade, assessment.most)
    return pair, grade


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read {path}: {reason_of(error)}; expected CSV or JSONL"
        ) from error
    if path.suffix == ".jsonl":
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict):
                    raise QrelsError(f"{path}:{number}: expected a JSON object, got {line[:80]!r}")
                yield number, row
        return
    reader = csv.DictReader(io.StringIO(text))
    try:
        if not {"topic", "docid"} <= set(reader.fieldnames or ()):
            first = text.partition("\n")[0]
            raise QrelsError(
                f"{path}:1: expected the columns topic, docid and grade, got {first[:80]!r}"
            )
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise QrelsError(f"{path}:{reader.line_num}: expected CSV ({error})") from error


def _text(value: Any) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from calculating it."""
    text = str(value)
    return text[1:] if text.startswith("'") and text.lstrip("'")[:1] in tuple("=+-@") else text


def judge_by_program(
    assessment: Assessment, command: str, name: str, most: int | None
) -> Iterator[tuple[Pair, int | None]]:
    """Have a program judge until every comparison is certain, or `most` documents are judged.

    The program reads one document as JSON on standard input, and writes a grade, or ? for "cannot
    tell". Raises UsageError if it fails or answers something else.
    """
    words = shlex.split(command)
    judged = 0
    while most is None or judged < most:
        if most is None and not assessment.certain_after("programs"):
            return
        found = assessment.next_for(name, kind="programs")
        if found is None:
            return
        pair, _ = found
        given = json.dumps(document_json(assessment, pair), ensure_ascii=False)
        start = time.monotonic()
        try:
            done = subprocess.run(  # noqa: S603
                words, input=given, capture_output=True, text=True, check=True, timeout=_SECONDS
            )
            answer = done.stdout.split(maxsplit=1)
            grade = parse_grade(answer[0] if answer else "", assessment.most)
        except (OSError, subprocess.SubprocessError, QrelsError) as error:
            detail = getattr(error, "stderr", None) or error
            raise UsageError(
                f"--assessor: {command} failed on topic {pair[0]}, document {pair[1]}: "
                f"{str(detail).strip()[-300:]}"
            ) from error
        note = clean_note(answer[1] if len(answer) > 1 else "")
        seconds = round(time.monotonic() - start, 1)
        assessment.add("programs", name, Judgement(*pair, grade, seconds=seconds, note=note))
        judged += 1
        yield pair, grade
