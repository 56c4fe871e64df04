"""Prove the judgements of a folder from its logs."""

from collections.abc import Collection, Iterator
from pathlib import Path

from boilersweep.errors import BoilersweepError, InputError
from boilersweep.eval.assess.judgements import (
    ASSESSMENT,
    KINDS,
    TOPICS,
    Judgements,
    is_assessment,
)
from boilersweep.eval.assess.llm import ANSWERS, read_graded
from boilersweep.outputs.folder import Checked, CheckRequest, OutputCheck
from boilersweep.outputs.locations import read_regular
from boilersweep.outputs.parts import MANIFEST
from boilersweep.topics import read_topics
from boilersweep.topics.query_log import QUERY_ID, query_topic


def _check(folder: Path, _: CheckRequest) -> Iterator[Checked]:
    checked = Checked(ASSESSMENT.name, folder)
    try:
        checked.faults += _faults(folder)
    except BoilersweepError as error:
        checked.faults.append(str(error))
    yield checked


CHECK = OutputCheck(
    check=_check,
    manifest=ASSESSMENT.name,
    recognises=lambda path: is_assessment(path) and not (path / MANIFEST).exists(),
)


def _faults(folder: Path) -> Iterator[str]:
    """Compare the logs with the manifest, and all other files with what the logs give."""
    judgements = Judgements(folder, complete=False)
    yield from judgements.faults
    for path in judgements.torn:
        yield f"{path}: the last line is incomplete; `boilersweep assess` removes it"
    derived = judgements.derived()
    for path, expected in derived.items():
        yield from _wrong_grades(path, expected)
    for kind in KINDS:
        for path in sorted((folder / kind).glob("*.qrels")):
            if path not in derived:
                yield f"{path}: there is no log of this assessor beside it"
    for path in sorted((folder / "programs").glob(f"*/{ANSWERS}")):
        if unread := read_graded(path)[1]:
            yield (
                f"{path}: {unread:,} lines cannot be read, so that the cost is higher than "
                "`boilersweep assess --status` says; delete these lines"
            )
    yield from _wrong_topics(folder / TOPICS, judgements.topics)


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


def _wrong_grades(path: Path, expected: str) -> Iterator[str]:
    """Compare a file of grades with the text that the logs give."""
    try:
        found = read_regular(path).decode("utf-8")
    except (OSError, ValueError) as error:
        yield f"{path}: cannot be read ({error}); the next session of `assess` writes it again"
        return
    if found != expected:
        differ = sorted({*found.splitlines()} ^ {*expected.splitlines()})
        more = f", such as in {differ[0][:80]!r}" if differ else ""
        yield (
            f"{path}: it differs from what the logs give{more}; the next session of `assess` "
            "writes it again"
        )
