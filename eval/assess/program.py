"""Programs that judge: a command that is started for each document, or a log of clicks."""

import contextlib
import os
import shlex
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE, Popen, SubprocessError, TimeoutExpired
from typing import IO

import msgspec

from boilersweep.errors import QrelsError, UsageError
from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.clicks import click_grades
from boilersweep.eval.assess.exchange import pool_document
from boilersweep.eval.assess.judgements import TopicDocument, clean_note, parse_grade
from boilersweep.eval.assess.llm import FOLDER_VARIABLE, PoolDocument
from boilersweep.eval.assess.output import Judgement

# How a log of clicks is named in place of a command.
CLICKS = "clicks:"

# How long a program may take for one document.
_PROGRAM_SECONDS = 300

_LONGEST_ANSWER = 1_000_000  # bytes


def judge_by_program(
    assessment: Assessment,
    command: str,
    name: str,
    most: int | None,
    *,
    every: bool = False,
) -> Iterator[tuple[TopicDocument, int | None]]:
    """Have a program judge until the best cleaner is certain, or `most` documents are judged.

    The program reads one document as JSON on standard input, and writes a grade, or ? for "cannot
    tell". The environment variable BOILERSWEEP_ASSESSOR_FOLDER names a folder for its own files.

    Args:
        assessment: The assessment.
        command: The program with its arguments, or `clicks:` and a log.
        name: Its name as an assessor.
        most: How many documents it has judged at most in the end, with those of earlier calls;
            None for all that decide.
        every: Whether it judges all documents that decide any pair, as an audit needs.

    Yields:
        The topic and docid of each judged document, and its grade.

    Raises:
        UsageError: The program fails or answers something else.
        InputError: The log of clicks cannot be read.
    """
    folder = (assessment.judgements.folder / "programs" / name).absolute()
    answer_of = _answerer(command, folder)
    wanted = _every_one if every else _until_certain
    for pair in wanted(assessment, name, most):
        given = pool_document(assessment, pair)
        start = time.monotonic()
        try:
            answer = answer_of(given).split(maxsplit=1)
            grade = parse_grade(answer[0] if answer else "")
        except (OSError, SubprocessError, QrelsError) as error:
            raise UsageError(
                f"--assessor: {command} failed on topic {pair[0]}, document {pair[1]}: "
                f"{str(error).strip()[-300:]}"
            ) from error
        note = clean_note(answer[1] if len(answer) > 1 else "")
        seconds = round(time.monotonic() - start, 1)
        assessment.add(
            "programs", name, Judgement(*pair, grade, seconds=seconds, note=note)
        )
        yield pair, grade


def _answerer(command: str, folder: Path) -> Callable[[PoolDocument], str]:
    """Return what answers with a grade and a note; raises InputError for a damaged log."""
    if command.startswith(CLICKS):
        grade_of = click_grades(Path(command.removeprefix(CLICKS)))

        def by_clicks(given: PoolDocument) -> str:
            grade = grade_of(given.query, given.docid)
            return "?" if grade is None else str(grade)

        return by_clicks
    words = shlex.split(command)
    return lambda given: _run(words, msgspec.json.encode(given), folder).decode(
        "utf-8", "replace"
    )


def _until_certain(
    assessment: Assessment, name: str, most: int | None
) -> Iterator[TopicDocument]:
    judgements = assessment.judgements
    while most is None or len(judgements.grades_of("programs", name)) < most:
        if most is None and not assessment.left("programs"):
            return
        chosen = assessment.next_for(name, kind="programs")
        if chosen is None:
            return
        yield chosen[0]


def _every_one(
    assessment: Assessment, name: str, most: int | None
) -> Iterator[TopicDocument]:
    known = len(assessment.judgements.grades_of("programs", name))
    left = assessment.to_predict(name)
    yield from left if most is None else left[: max(0, most - known)]


def _run(words: Sequence[str], given: bytes, folder: Path) -> bytes:
    """Run a program, and end it with all that it started.

    Args:
        words: The program with its arguments.
        given: What it reads on standard input.
        folder: The folder for its own files.

    Returns:
        What it wrote.

    Raises:
        OSError: It cannot be started, failed, or writes without end.
        SubprocessError: It takes too long.
    """
    with (
        Popen(  # noqa: S603
            words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=os.environ | {FOLDER_VARIABLE: str(folder)},
            start_new_session=True,
        ) as process,
        ThreadPoolExecutor(3) as threads,
    ):
        end = _ender(process)
        written, failed = (
            threads.submit(_read, stream, end)
            for stream in (process.stdout, process.stderr)
            if stream
        )
        if process.stdin:
            threads.submit(_write, process.stdin, given)
        try:
            status = process.wait(_PROGRAM_SECONDS)
        except TimeoutExpired as error:
            raise TimeoutExpired(words[0], _PROGRAM_SECONDS) from error
        finally:
            end()
        if status or max(len(written.result()), len(failed.result())) > _LONGEST_ANSWER:
            detail = failed.result()[-300:].decode("utf-8", "replace").strip()
            raise OSError(
                f"it wrote more than {_LONGEST_ANSWER:,} bytes"
                if len(written.result()) > _LONGEST_ANSWER
                else detail or f"it ended with status {status}"
            )
        return written.result()


def _ender(process: "Popen[bytes]") -> Callable[[], None]:
    """Return a function that ends a program and what it started."""

    def end() -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)

    return end


def _read(stream: IO[bytes], end: Callable[[], None]) -> bytes:
    """Read what a program writes; end one that writes too much."""
    content = stream.read(_LONGEST_ANSWER + 1)
    if len(content) > _LONGEST_ANSWER:
        end()
    return content


def _write(stream: IO[bytes], given: bytes) -> None:
    """Give a program its document; it need not read it."""
    with contextlib.suppress(OSError), stream:
        stream.write(given)
