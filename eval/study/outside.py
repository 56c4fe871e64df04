"""Runs made elsewhere: by a dense retriever, or another engine, over the same collection.

They are scored as they are in their files, ties as trec_eval breaks them, and copied into the
study's folder byte for byte.
"""

import re
import shutil
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.cleaners.variants import Variant
from boilersweep.errors import RunError, UsageError, reason_of
from boilersweep.eval.runs import read_run
from boilersweep.eval.scored import batches
from boilersweep.eval.scoring import Scores, join_scores, score
from boilersweep.eval.study.results import OutsideRun, Result, StudyRow
from boilersweep.outputs.files import whole_file
from boilersweep.outputs.identity import file_digest
from boilersweep.pages.columns import FloatArray

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run from elsewhere before a study reads it. digest: of its bytes.

    topics: those asked for that it ranks documents for. others: topics in it that were not asked
    for. documents: ranked for topics asked for. unknown: of these that the collection lacks, and
    an example of them.
    """

    name: str
    path: Path
    digest: str
    topics: int
    others: int
    documents: int
    unknown: int
    example: str | None

    def notes(self, topics: int) -> list[str]:
        """What to know of it before one believes its figures. topics: asked for."""
        notes = []
        if self.topics < topics:
            missing = topics - self.topics
            notes.append(
                f"Run {self.name} ranks nothing for {missing:,} of {topics:,} topics, which count "
                "as zero."
            )
        if self.others:
            notes.append(f"Run {self.name} has {self.others:,} more topics, which do not count.")
        if self.unknown:
            notes.append(
                f"Run {self.name}: {self.unknown:,} of its {self.documents:,} documents are not in "
                f"the block store, such as {self.example}; they count as the qrels judge them."
            )
        return notes

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest says of it."""
        return {
            "path": str(self.path.resolve()),
            "sha256": self.digest,
            "topics": self.topics,
            "other_topics": self.others,
            "documents": self.documents,
            "unknown_documents": self.unknown,
        }


def check_names(names: Sequence[str], variants: Sequence[Variant]) -> None:
    """Raises UsageError for a name that is none of a file, and one that a variant or run has."""
    taken = {text.lower(): str(v) for v in variants for text in (v.name, str(v))}
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                "runs: expected NAME=RUN with a name of letters, digits, '-', '_' and '.', 60 at "
                f"most, got {name!r}"
            )
        if name.lower() in taken:
            raise UsageError(
                f"runs: {name} is the name of {taken[name.lower()]} already; give it another, such "
                f"as {name}-run"
            )
        taken[name.lower()] = f"run {name}"


def look_at_runs(
    runs: Mapping[str, Path],
    variants: Sequence[Variant],
    topics: Container[str],
    docids: Container[str],
    output: Path,
) -> list[RunFile]:
    """Read runs from elsewhere through, and say what is in them.

    topics: that are asked for. docids: of the collection. output: the study's folder, which is
    cleared. Raises UsageError for a name as `check_names`, and a file in the output folder;
    RunError for one that is no run, or ranks nothing for any of the topics.
    """
    check_names(list(runs), variants)
    return [_looked_at(name, path, topics, docids, output) for name, path in runs.items()]


def _looked_at(
    name: str, path: Path, topics: Container[str], docids: Container[str], output: Path
) -> RunFile:
    if path.exists() and not path.is_file():
        raise RunError(
            f"runs: {path} is not a regular file, which is read more than once; write it to one"
        )
    if path.resolve().is_relative_to(output.resolve()):
        raise UsageError(
            f"runs: {path} is in the output folder, which is cleared; copy it elsewhere, or choose "
            "another --output"
        )
    run = read_run(path)
    try:
        digest = file_digest(path)
    except OSError as error:
        raise RunError(f"cannot read the run {path}: {reason_of(error)}") from error
    here = [topic for topic in run if topic in topics]
    if not here:
        some = f"it has {', '.join(list(run)[:5])}" if run else "it is empty"
        raise RunError(f"run {name}, {path}: expected hits for topics of this study; {some}")
    ranked = {docid for topic in here for docid, _ in run[topic]}
    unknown = {docid for docid in ranked if docid not in docids}
    return RunFile(
        name,
        path,
        digest,
        topics=len(here),
        others=len(run) - len(here),
        documents=len(ranked),
        unknown=len(unknown),
        example=min(unknown, default=None),
    )


def copy_and_score(
    run: RunFile, grades: Mapping[str, Mapping[str, int]], measures: Sequence[Any], copy: Path
) -> Scores:
    """Copy a run to where a study has its runs, and score the copy.

    grades: topic -> docid -> grade, of the topics to score. Raises RunError where the file is
    another one than was looked at, OutputError.
    """
    with whole_file(copy) as temporary:
        try:
            shutil.copyfile(run.path, temporary)
        except OSError as error:
            raise RunError(f"cannot read the run {run.path}: {reason_of(error)}") from error
    if file_digest(copy) != run.digest:
        raise RunError(f"{run.path} changed while it was read; run the same command again")
    parts = []
    for some in batches(list(grades)):
        judged = {topic: grades[topic] for topic in some}
        parts.append(score(read_run(copy, judged), judged, measures))
    return join_scores(parts, grades, measures)


def outside_row(
    name: str, results: dict[str, Result], topic_scores: dict[str, FloatArray]
) -> StudyRow:
    """The row of a run from elsewhere: its figures, and nothing of pages and indexes."""
    return StudyRow(
        variant=OutsideRun(name),
        role="run",
        documents=None,
        empty=None,
        tokens=None,
        tokens_kept=None,
        index=None,
        losses=None,
        results=results,
        topic_scores=topic_scores,
    )
