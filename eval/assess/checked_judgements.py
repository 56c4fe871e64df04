"""Prove the judgements of a folder from its logs."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.eval.assess.judgements import TOPICS, Judgements, is_assessment
from boilersweep.eval.assess.llm import ANSWERS, read_graded
from boilersweep.eval.assess.output import ASSESSMENT
from boilersweep.eval.people.folder import FolderFacts, log_faults, without_manifest
from boilersweep.outputs.parts import Manifest
from boilersweep.topics import read_topics
from boilersweep.topics.query_log import QUERY_ID, query_topic


def _faults(
    folder: Path, manifest: Manifest[FolderFacts] | None, _: object
) -> Iterator[str]:
    """Verify all logs, and compare the other parts with what the logs give."""
    if manifest is None:
        yield without_manifest(ASSESSMENT, folder)
    try:
        judgements = Judgements(folder, complete=False)
    except InputError as error:
        yield str(error)
        return
    yield from log_faults(judgements, manifest)
    if manifest:
        judgements.leave_out(manifest.facts.left_out)
        for name, wrong in judgements.wrong_files().items():
            yield f"{folder / name} {wrong}"
    for path in sorted((folder / "programs").glob(f"*/{ANSWERS}")):
        if unread := read_graded(path)[1]:
            yield (
                f"{path}: {unread:,} lines cannot be read, so that the cost is higher than "
                "`boilersweep assess --status` says; delete these lines"
            )
    judged = {
        judgement.topic for log in judgements.logs for judgement in log.judgements
    }
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


# An assessment with all that is checked of it.
CHECKED = replace(ASSESSMENT, verify=_faults, is_log=True, marks=is_assessment)
