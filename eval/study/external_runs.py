"""External runs: of a dense retriever, or another engine, over the same collection.

A study scores their files as they are, with trec_eval's order of ties, and copies them into its
folder byte for byte, or with the topic ids of the qrels where users name their beginnings.
"""

import re
import shutil
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from types import MappingProxyType
from typing import Any

from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import RunError, UsageError, reason_of
from boilersweep.eval.experiment.scored import batches
from boilersweep.eval.ranking.runs import merged_scores_note, read_run
from boilersweep.eval.stats.scoring import RunScores, join_scores, score
from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.identity import file_digest
from boilersweep.outputs.locations import is_remote, open_regular, recorded_path
from boilersweep.outputs.streams import unpacked
from boilersweep.topics import prefix_hint, renamed

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class RunFile:
    """An external run before a study scores it.

    Attributes:
        name: The run's name in the study.
        path: Its file.
        digest: The digest of its bytes.
        topics: Requested topics for which it ranks documents.
        others: Topics that were not requested.
        documents: Documents that it ranks for requested topics.
        unknown: Those that the collection lacks.
        example: One of the unknown documents.
        ids: Its topic ids -> those of the qrels.
        hint: How the ids of its other topics may be those of the qrels, or "".
        merged: A sentence on scores that the evaluator reads as one, or "".
    """

    name: str
    path: Path
    digest: str
    topics: int
    others: int
    documents: int
    unknown: int
    example: str | None
    ids: Mapping[str, str]
    hint: str
    merged: str

    def notes(self, topics: int) -> list[str]:
        """Return warnings about the run's figures.

        Args:
            topics: The number of requested topics.
        """
        notes = []
        if self.topics < topics:
            missing = topics - self.topics
            notes.append(
                f"Run {self.name} ranks nothing for {missing:,} of {topics:,} topics, which count "
                "as zero."
            )
        if self.others:
            notes.append(
                f"Run {self.name} has {self.others:,} more topics, which do not count"
                f"{self.hint and f'; {self.hint}'}."
            )
        if self.unknown:
            notes.append(
                f"Run {self.name}: {self.unknown:,} of its {self.documents:,} documents are not in "
                f"the block store, such as {self.example}; they count as the qrels judge them."
            )
        if self.merged:
            notes.append(f"Run {self.name}: {self.merged}.")
        return notes

    @property
    def facts(self) -> dict[str, Any]:
        """The run's entry in the manifest."""
        return {
            "path": recorded_path(self.path),
            "sha256": self.digest,
            "topics": self.topics,
            "other_topics": self.others,
            "documents": self.documents,
            "unknown_documents": self.unknown,
        }


def check_names(names: Sequence[str], variants: Sequence[Variant]) -> None:
    """Raise UsageError for a name that no file can have, or that a variant or run already has."""
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
    topics: Collection[str],
    docids: Container[str],
    output: Path,
    prefixes: Mapping[str, str] = MappingProxyType({}),
) -> list[RunFile]:
    """Read external runs through, and describe them.

    Args:
        runs: Name -> file.
        variants: The study's variants.
        topics: The requested topics.
        docids: The collection's documents.
        output: The study's folder, which will be cleared.
        prefixes: How their topic ids begin -> how those of the qrels do instead.

    Returns:
        A description of each run.

    Raises:
        UsageError: A name is bad, see `check_names`, a file is in the output folder, or the
            prefixes make two topics one.
        RunError: A file is no run, or ranks nothing for any of the topics.
    """
    check_names(list(runs), variants)
    return [
        _look_at(name, path, topics, docids, output, prefixes)
        for name, path in runs.items()
    ]


def _look_at(
    name: str,
    path: Path,
    topics: Collection[str],
    docids: Container[str],
    output: Path,
    prefixes: Mapping[str, str],
) -> RunFile:
    """Read a run and describe it."""
    if path.exists() and not path.is_file():
        raise RunError(
            f"runs: {path} is not a regular file, and studies read runs several times; copy it"
        )
    if not is_remote(path) and path.resolve().is_relative_to(output.resolve()):
        raise UsageError(
            f"runs: {path} is in the output folder, which is cleared; copy it elsewhere, or choose "
            "another `output`"
        )
    run = read_run(path)
    ids = renamed(run, prefixes)
    try:
        digest = file_digest(path)
    except OSError as error:
        raise RunError(f"cannot read the run {path}: {reason_of(error)}") from error
    here = [topic for topic in run if ids[topic] in topics]
    others = [ids[topic] for topic in run if ids[topic] not in topics]
    missing = sorted(set(topics).difference(ids.values()))
    hint = prefix_hint(others, missing, "its topics")
    if not here:
        contents = f"it has {', '.join(list(run)[:5])}" if run else "it is empty"
        raise RunError(
            f"run {name}, {path}: expected hits for topics of this study; {contents}"
            f"{hint and f'; {hint}'}"
        )
    ranked = {docid for topic in here for docid, _ in run[topic]}
    unknown = {docid for docid in ranked if docid not in docids}
    return RunFile(
        name,
        path,
        digest,
        topics=len(here),
        others=len(others),
        documents=len(ranked),
        unknown=len(unknown),
        example=min(unknown, default=None),
        ids=ids,
        hint=hint,
        merged=merged_scores_note({topic: run[topic] for topic in here}),
    )


def _copy(run: RunFile, target: Path) -> None:
    """Copy a run as it is, or with the topic ids of the qrels."""
    if all(old == new for old, new in run.ids.items()):
        with open_regular(run.path) as file, target.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        return
    with (
        open_regular(run.path) as file,
        TextIOWrapper(unpacked(file), encoding="utf-8-sig", newline="") as lines,
        target.open("w", encoding="utf-8", newline="") as renamed_copy,
    ):
        for line in lines:
            first, *rest = line.split(maxsplit=1) or [""]
            renamed_copy.write(" ".join([run.ids.get(first, first), *rest]))


def copy_and_score(
    run: RunFile,
    grades: Mapping[str, Mapping[str, int]],
    measures: Sequence[Any],
    copy: Path,
) -> RunScores:
    """Copy a run into a study's folder, and score the copy.

    Args:
        run: The run.
        grades: Topic -> docid -> grade, of the topics to score.
        measures: The measures.
        copy: The copy's path.

    Returns:
        The scores.

    Raises:
        RunError: The file changed since `look_at_runs`, or cannot be read.
        OutputError: The copy cannot be written.
    """
    with whole_file(copy) as temporary:
        try:
            _copy(run, temporary)
        except OSError as error:
            raise RunError(
                f"cannot read the run {run.path}: {reason_of(error)}"
            ) from error
    if file_digest(run.path) != run.digest:
        raise RunError(
            f"{run.path} changed while it was read; run the same command again"
        )
    parts = []
    for batch in batches(list(grades)):
        judged = {topic: grades[topic] for topic in batch}
        parts.append(score(read_run(copy, judged), judged, measures))
    return join_scores(parts, grades, measures)
