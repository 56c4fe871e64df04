"""A folder of people's logs, and of the parts that are made of them.

The logs are the truth. Every other part is what the logs give, is written again after a kill, and
is in the manifest with its digest. `Judgements` and `Annotations` say which parts these are.
"""

import contextlib
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic

import msgspec

from boilersweep.errors import InputError, OutputError, reason_of
from boilersweep.eval.experiment.request import KINDS, AssessorKind
from boilersweep.eval.people.assessors import require_assessor
from boilersweep.eval.people.log import AssessorLog, Kind, LogFormat
from boilersweep.outputs.atomic import make_folder, whole_file
from boilersweep.outputs.identity import __version__, some_of
from boilersweep.outputs.locations import read_regular, refuse_inputs
from boilersweep.outputs.locks import LOCK, only_writer
from boilersweep.outputs.manifest_file import faults
from boilersweep.outputs.parts import (
    MANIFEST,
    Entry,
    Listed,
    Manifest,
    NotChecked,
    Output,
    Part,
)
from boilersweep.outputs.plan import unfinished_kind
from boilersweep.outputs.typed_files import as_type
from boilersweep.outputs.writer import Writer

# The recipe of a part that grows while people judge.
_GROWING = "growing"


class FolderFacts(msgspec.Struct, kw_only=True):
    """What the manifest of such a folder says of the whole.

    Attributes:
        boilersweep: The version that wrote it.
        left_out: Docids, each with the digests of former texts whose judgements do not count.
    """

    boilersweep: str
    left_out: dict[str, list[str]]


class LogFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the manifest says of a log.

    Attributes:
        bytes: Its length.
        judgements: How many lines it has.
        last: The digest of the last line, and so of all lines.
    """

    bytes: int
    judgements: int
    last: str


class LogFolder(ABC, Generic[Kind]):
    """All judgements of a folder, in memory and on disk.

    Attributes:
        output: The kind of folder.
        log_format: The kind of its logs.
        further: Names of further parts, which are not made of logs alone.
        folder: The folder.
        records: Kind -> assessor -> the judgements that count, oldest first.
        notes: What was repaired when the folder was read, or is wrong in it.
        complete: Whether files are written.
    """

    output: ClassVar[Output[FolderFacts]]
    log_format: ClassVar[LogFormat[Any]]
    further: ClassVar[tuple[str, ...]] = ()

    def __init__(self, folder: Path, *, complete: bool = True) -> None:
        """Read the logs, and complete the files after a kill.

        Args:
            folder: The folder, which the caller holds as writer unless nothing is changed.
            complete: False to change nothing.

        Raises:
            InputError: The folder is a file or below one, or a log cannot be read, is missing, or
                was changed.
            OutputError: The folder has a file of somebody else under the name of one of ours, or
                one of ours that was changed.
        """
        _require_folder_or_nothing(folder, self.output)
        self.folder = folder
        self.complete = complete
        self.notes: list[str] = []
        listed = self.output.listed(folder, {})
        self._logs: dict[Path, AssessorLog[Kind]] = {
            path: AssessorLog(path, self.log_format) for path in _logs_in(folder)
        }
        faults_of_logs = [*self._log_faults(listed.entries)]
        if faults_of_logs:
            raise InputError(
                f"{'; '.join(faults_of_logs)}: restore the logs from a copy. To go on without "
                f"these judgements, move away {folder / MANIFEST} and the files made of them"
            )
        self.records: dict[AssessorKind, dict[str, list[Kind]]] = {
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

    @abstractmethod
    def derived(self) -> list[str]:
        """Return the names of the files that are made of the logs."""

    @abstractmethod
    def content(self, name: str) -> bytes:
        """Return what one of these files is to have."""

    def recipe_of(self, name: str) -> Any:
        """Return what a part of `further` depends on; None if there is no such part now."""

    def is_proved(self, name: str) -> bool:
        """Return whether the logs prove that a file is ours, as nothing in it is from elsewhere."""
        return (self.folder / name).read_bytes() == self.content(name)

    def _open(self, listed: Listed[FolderFacts]) -> None:
        """Prepare to write: refuse what is not ours, then bring the files to what the logs give."""
        writer = Writer(self.output, self.folder, {}, [], listed, overwrite=False)
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
            self.write_derived()

    def _require_ours(
        self, writer: Writer[FolderFacts], listed: Listed[FolderFacts]
    ) -> None:
        """Raise OutputError for files of others under our names, and changed files of ours."""
        writer.adopt(
            name for log in self._logs if (name := self._name(log)) not in writer.listed
        )
        strange: list[str] = []
        for name in (*self.derived(), *self.further):
            if not os.path.lexists(self.folder / name):
                writer.listed.pop(name, None)
            elif name in writer.listed or name in listed.planned:
                strange += _changed(self.folder, name, listed)
            elif self._is_ours(name):
                writer.adopt([name])
            else:
                strange.append(f"{name} is in no list of {self.output}")
        if strange:
            raise OutputError(
                f"{self.folder}: {'; '.join(strange)}. Move these files away (`boilersweep "
                f"{self.log_format.command}` makes its own from the logs), or choose another "
                "`output`"
            )

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def _is_ours(self, name: str) -> bool:
        try:
            return self.is_proved(name)
        except (OSError, ValueError, InputError):
            return False

    def begin(self, *names: str) -> None:
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

    def _finish(self, writer: Writer[FolderFacts]) -> None:
        derived, last = self.derived(), {}
        for path, log in self._logs.items():
            if log.judgements:
                name = self._name(path)
                last[name] = log.judgements[-1].chain
                writer.want([Part(name, {"log": name})])
                writer.add(name, _facts_of(log), {})
        recipe = {"logs": last, "left out": self.texts_left_out()}
        parts = [Part(name, {"part": name, **recipe}) for name in derived]
        parts += [
            Part(name, more)
            for name in self.further
            if (more := self.recipe_of(name)) is not None
        ]
        for part in writer.want(parts):
            if part.name in derived:
                self.write(part.name)
            writer.add(part.name)
        # A log whose first line could not be written.
        absent = self._begun - {*last, *(part.name for part in parts)}
        writer.want(Part(name, _GROWING, optional=True) for name in absent)
        left_out = self.texts_left_out()
        writer.finish(FolderFacts(boilersweep=__version__, left_out=left_out))

    def texts_left_out(self) -> dict[str, list[str]]:
        """Map docids to the digests of former texts whose judgements do not count."""
        texts: dict[str, list[str]] = {}
        for docid, text in sorted(self._left_out):
            texts.setdefault(docid, []).append(text)
        return texts

    def write_derived(self) -> None:
        """Write the files that are not what the logs give."""
        for name in self.wrong_files():
            self.begin(name)
            self.write(name)

    def write(self, name: str) -> None:
        """Write a file, which the logs restore if the machine loses power; raises OutputError."""
        make_folder((self.folder / name).parent)
        with whole_file(self.folder / name, synced=False) as temporary:
            temporary.write_bytes(self.content(name))

    def wrong_files(self) -> dict[str, str]:
        """Map the files that are not what the logs give to what is wrong with them."""
        wrong = {}
        for name in self.derived():
            given = self.content(name)
            try:
                content = read_regular(self.folder / name)
            except OSError as error:
                wrong[name] = f"cannot be read ({reason_of(error)})"
                continue
            if content != given:
                wrong[name] = f"is not what the logs give{_difference(content, given)}"
        return wrong

    def _count(self) -> None:
        """Have those judgements count whose texts are not left out."""
        for path, log in self._logs.items():
            kind = next(kind for kind in KINDS if kind == path.parent.name)
            self.records[kind][path.stem] = [
                judgement for judgement in log.judgements if self.counts(judgement)
            ]

    def counts(self, line: Kind) -> bool:
        """Return whether a judgement is of the document's present text."""
        return (line.docid, line.text) not in self._left_out

    def lines(self, kind: AssessorKind) -> dict[str, list[Kind]]:
        """Map each assessor to all lines of the log, also those that do not count."""
        return {
            path.stem: log.judgements
            for path, log in self._logs.items()
            if path.parent.name == kind
        }

    def leave_out(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Leave out judgements of some former texts, docid -> their digests."""
        self._left_out = {
            (docid, digest) for docid, digests in texts.items() for digest in digests
        }
        self._count()

    @property
    def logs(self) -> list[AssessorLog[Kind]]:
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
            (judgement.docid, judgement.text)
            for log in self.logs
            for judgement in log.judgements
            if texts.get(judgement.docid, judgement.text) != judgement.text
        }
        if changed != self._left_out:
            self._left_out = changed
            self._count()
            if self.complete:
                self.write_derived()

    def append(self, kind: AssessorKind, name: str, line: Kind, *changes: str) -> Kind:
        """Append a line to a log, which is on the disk when this returns.

        Args:
            kind: People or programs.
            name: Who judges.
            line: The line.
            changes: The parts that change with it.

        Returns:
            The line as it is in the log.

        Raises:
            UsageError: The name is not possible.
            OutputError: The disk is full or fails; the log is as before.
        """
        path = self.folder / kind / f"{require_assessor(name)}.jsonl"
        self.begin(self._name(path), *changes)
        if path not in self._logs:
            self._logs[path] = AssessorLog(path, self.log_format)
        logged = self._logs[path].append(line)
        self.records[kind].setdefault(name, []).append(logged)
        return logged

    def _log_faults(self, listed: Mapping[str, Entry]) -> Iterator[str]:
        """Yield a sentence for each listed log that is missing, shorter, or another one."""
        logs = {self._name(path): log for path, log in self._logs.items()}
        for name, entry in listed.items():
            if Path(name).suffix != ".jsonl":
                continue
            log, facts = logs.get(name), entry.facts
            if log is None:
                yield f"{self.folder / name} is missing"
            elif facts is not None:
                known = as_type(facts, LogFacts)
                number = known.judgements
                if len(log.judgements) < number:
                    yield (
                        f"{log.path} has {len(log.judgements):,} judgements, and was written with "
                        f"{number:,}"
                    )
                elif number and log.judgements[number - 1].chain != known.last:
                    yield (
                        f"{log.path}: its first {number:,} judgements are others than before"
                    )


@contextlib.contextmanager
def hold_logs(
    folder: Path, others: Iterable[str], inputs: Iterable[Path]
) -> Iterator[None]:
    """Hold a folder of logs as its one writer.

    Args:
        folder: The folder.
        others: Names of files beside the logs and the manifest that no input may have.
        inputs: What the command reads, which no part may replace.

    Raises:
        BusyError: Another process writes the folder.
        UsageError: A part would replace an input.
    """
    names = [path.relative_to(folder).as_posix() for path in _logs_in(folder)]
    refuse_inputs(folder, [*others, MANIFEST, *names], inputs=inputs)
    with only_writer(folder):
        yield


def log_faults(
    logs: LogFolder[Any], manifest: Manifest[FolderFacts] | None
) -> Iterator[str]:
    """Yield what is wrong with logs that are whole so far, or missing in the manifest."""
    command = f"`boilersweep {logs.log_format.command}`"
    for log in logs.logs:
        name = log.path.relative_to(logs.folder).as_posix()
        if log.torn:
            yield f"{log.path}: the last line is incomplete; {command} removes it"
        if manifest and name not in manifest.parts:
            yield f"{log.path}: the manifest does not list it; {command} takes it in"


def without_manifest(output: Output[FolderFacts], folder: Path) -> str:
    """Return a clause if people judge now, or the command was killed; else a fault."""
    if unfinished_kind(folder) or (folder / LOCK).exists():
        return NotChecked(
            f"{MANIFEST}, which `boilersweep {output.command}` writes at its end: it is at work or "
            "was killed"
        )
    return f"{folder / MANIFEST} is missing; `boilersweep {output.command}` writes it again"


def _require_folder_or_nothing(path: Path, output: Output[FolderFacts]) -> None:
    """Raise InputError for what is neither a folder nor can become one."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(
            f"{path}: expected the folder of {output}: {reason_of(error)}"
        ) from error
    if not stat.S_ISDIR(mode):
        raise InputError(f"{path}: expected the folder of {output}, got a file")


def _logs_in(folder: Path) -> list[Path]:
    """Return the logs of people, then those of programs."""
    return [path for kind in KINDS for path in sorted((folder / kind).glob("*.jsonl"))]


def _facts_of(log: AssessorLog[Any]) -> LogFacts:
    """Return what the manifest says of a log."""
    judged = log.judgements
    last = judged[-1].chain if judged else ""
    return LogFacts(bytes=log.size, judgements=len(judged), last=last)


def _changed(folder: Path, name: str, listed: Listed[FolderFacts]) -> Iterator[str]:
    """Yield what is wrong with a file of ours, unless a killed run was about to replace it."""
    entry = listed.entries.get(name)
    if entry and listed.planned.get(name, entry.key) == entry.key:
        yield from faults(folder, entry.files)


def _difference(content: bytes, given: bytes) -> str:
    """Return how the lines of a file differ from what it is to have, as the rest of a sentence."""
    lines = [text.decode("utf-8", "replace").splitlines() for text in (content, given)]
    if strange := [repr(one[:80]) for one in lines[0] if one not in {*lines[1]}]:
        return f": they do not have {some_of(strange)}"
    if missing := sorted({*lines[1]} - {*lines[0]}):
        return f": it lacks {some_of(missing)}"
    return ", in this order"
