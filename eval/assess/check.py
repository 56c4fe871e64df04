"""Prove the judgements of a folder from its logs."""

from collections.abc import Collection, Iterator
from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.eval.assess.judgements import (
    KINDS,
    QRELS,
    TOPICS,
    is_assessment,
)
from boilersweep.eval.assess.llm import ANSWERS, read_graded
from boilersweep.eval.assess.log import AssessorLog
from boilersweep.outputs.folder import Checked, CheckRequest, OutputCheck
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import read_regular
from boilersweep.topics import read_topics
from boilersweep.topics.query_log import QUERY_ID, query_topic


def _check(folder: Path, _: CheckRequest) -> Iterator[Checked]:
    """Verify the digests of all logs, and compare the files of grades with them."""
    checked = Checked("assessment", folder)
    checked.collect(_faults(folder, checked.unseen))
    yield checked


CHECK = OutputCheck(check=_check, recognises=is_assessment)


def _faults(folder: Path, unseen: list[str]) -> Iterator[str]:
    of_people: set[str] = set()
    judged: set[str] = set()
    for kind in KINDS:
        logs = sorted((folder / kind).glob("*.jsonl"))
        for path in logs:
            try:
                log = AssessorLog(path)
            except InputError as error:
                yield str(error)
                continue
            if log.torn:
                yield f"{path}: the last line is incomplete; `boilersweep assess` removes it"
            judged |= {judgement.topic for judgement in log.judgements}
            lines = _grade_lines(log)
            yield from _wrong_grades(path.with_suffix(".qrels"), lines, unseen)
            if kind == "people":
                of_people |= lines
        known = {path.stem for path in logs}
        for path in sorted((folder / kind).glob("*.qrels")):
            if path.stem not in known:
                yield f"{path}: there is no log of this assessor beside it"
    for path in sorted((folder / "programs").glob(f"*/{ANSWERS}")):
        if unread := read_graded(path)[1]:
            yield (
                f"{path}: {unread:,} lines cannot be read, so that the cost is higher than "
                "`boilersweep assess --status` says; delete these lines"
            )
    yield from _wrong_grades(folder / QRELS, of_people, unseen)
    yield from _wrong_topics(folder / TOPICS, judged)


def _wrong_topics(path: Path, judged: Collection[str]) -> Iterator[str]:
    """Compare the topics with those of the logs; an id of a logged query depends on its text."""
    try:
        topics = read_topics(path)
    except InputError as error:
        yield str(error)
        return
    if missing := sorted(set(judged) - {topic.id for topic in topics}):
        yield f"{path}: judged topics are missing, such as {missing[0]!r}"
    for topic in topics:
        if QUERY_ID.fullmatch(topic.id) and query_topic(topic.title).id != topic.id:
            yield f"{path}: {topic.title[:80]!r} is not the query that {topic.id} was given for"


def _grade_lines(log: AssessorLog) -> set[str]:
    """Return the lines of qrels that a log gives, whichever texts the documents have now."""
    latest = {
        (judgement.topic, judgement.docid, judgement.text): judgement.grade
        for judgement in log.judgements
        if not judgement.repeat
    }
    return {
        f"{topic} 0 {docid} {grade}"
        for (topic, docid, _), grade in latest.items()
        if grade is not None
    }


def _wrong_grades(
    path: Path, expected: Collection[str], unseen: list[str]
) -> Iterator[str]:
    """Compare a file of grades with the lines that the logs give."""
    try:
        lines = read_regular(path).decode("utf-8").splitlines()
    except (OSError, ValueError) as error:
        yield f"{path}: cannot be read ({error}); `boilersweep assess --status` writes it again"
        return
    if strange := [line for line in lines if line not in expected]:
        yield f"{path}: the logs do not have {some_of([repr(line[:80]) for line in strange])}"
    judged = {line.rpartition(" ")[0] for line in expected}
    if missing := judged - {line.rpartition(" ")[0] for line in lines}:
        unseen.append(
            f"{path}: {len(missing):,} judged documents are not in it: either they changed since, "
            "or lines were removed; `boilersweep assess --status` writes it again"
        )
