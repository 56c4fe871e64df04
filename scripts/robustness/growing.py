"""A crawl in three daily parts, whose store and index are brought up to date and killed at that."""

import gzip
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boilersweep.indexer.manifest import file_faults, read_manifest
from boilersweep.outputs.manifest_file import fault
from boilersweep.store.store import open_store
from robustness.victim import KINDS, Victim, orphans, run_to_end

DAYS = 3

_KILLED = 0.5
"""Share of the commands that are killed."""

_CLEANER = "words>=5 & link_density<=0.5"
_MODELS = ("--bm25", "--qld")
_END = b"</DOC>"


class CommandError(Exception):
    """A command that was not disturbed, and failed."""


class Crawl:
    """Pages in TREC web format as they are on each day, at one place.

    On the second day a file is gone, one has lost half of its pages, and some pages of a third have
    come again under their docids; on the third day the two are as they were, and another is gone.
    Every day has new files.
    """

    def __init__(self, work: Path, pages: Path) -> None:
        self.pages = work / "pages"
        self._kept = work / "days"
        self._day = 0
        files = sorted(path for path in pages.rglob("*.gz") if path.is_file())
        if len(files) < 8:
            raise SystemExit(f"{pages}: expected eight *.gz files or more, got {len(files)}")
        gone, halved, again, later, *_ = files
        for day in range(1, DAYS + 1):
            for path in files[: len(files) * (day + 1) // (DAYS + 1)]:
                if not (path == gone and day == 2) and not (path == later and day == DAYS):
                    self._put(path, day, path.relative_to(pages))
        half = work / "half.gz"
        _copy_documents(halved, half, 0.0, 0.5)
        (self._folder(2) / halved.relative_to(pages)).unlink()
        self._put(half, 2, halved.relative_to(pages))
        repeated = work / "repeated.gz"
        _copy_documents(again, repeated, 0.5, 0.7, of=(b"the", b"those"))
        for day in (2, DAYS):
            self._put(repeated, day, Path("zz") / again.name)

    def _folder(self, day: int) -> Path:
        return self._kept / str(day)

    def _put(self, path: Path, day: int, name: Path) -> None:
        target = self._folder(day) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, target)

    def become(self, day: int) -> None:
        """Have the pages of a day."""
        if day != self._day:
            if self._day:
                self.pages.rename(self._folder(self._day))
            self._folder(day).rename(self.pages)
            self._day = day


def _copy_documents(
    source: Path, target: Path, begin: float, end: float, of: tuple[bytes, bytes] = (b"", b"")
) -> None:
    """A share of a file's documents, with one word in the place of another."""
    documents = gzip.decompress(source.read_bytes()).split(_END)[:-1]
    some = documents[int(begin * len(documents)) : max(1, int(end * len(documents)))]
    body = b"".join(document + _END + b"\n" for document in some)
    target.write_bytes(gzip.compress(body.replace(*of) if of[0] else body))


@dataclass(frozen=True, slots=True)
class Update:
    """A command that brings a store, or the index of it, to the state of a day."""

    day: int
    what: str
    command: Sequence[str]


class Growth:
    """Updates a store and an index day by day, and kills that now and then."""

    def __init__(self, crawl: Crawl, topics: Path, work: Path, chance: np.random.Generator) -> None:
        self._crawl = crawl
        self._topics = topics
        self._work = work
        self._output = work / "out"
        self._chance = chance
        self._program = [sys.executable, "-m", "boilersweep"]
        self._seconds: dict[tuple[int, str], float] = {}
        self._expected: dict[str, bytes] = {}

    def undisturbed(self) -> float:
        """A run that no one kills, and what is made at once of the last day; its seconds."""
        shutil.rmtree(self._output, ignore_errors=True)
        self._output.mkdir(parents=True)
        for update in self._updates():
            self._crawl.become(update.day)
            begin = time.monotonic()
            self._do(update.command)
            self._seconds[update.day, update.what] = time.monotonic() - begin
        updated = self._found()
        shutil.rmtree(self._output)
        self._output.mkdir()
        for update in self._updates():
            if update.day == DAYS:
                self._do(update.command)
        self._expected = self._found()
        if faults := _differences(updated, self._expected):
            raise SystemExit("; ".join(faults))
        return sum(self._seconds.values())

    def trial(self, log: Path) -> tuple[list[str], list[str]]:
        """All days with kills on the way: what was killed, and what is wrong then."""
        shutil.rmtree(self._output)
        self._output.mkdir()
        killed: list[str] = []
        groups: list[int] = []
        for update in self._updates():
            self._crawl.become(update.day)
            if self._chance.random() < _KILLED and (kind := self._kill(update, groups, log)):
                killed.append(f"{update.what}, day {update.day}: {kind}")
                if faults := list(self._torn(update)):
                    return killed, faults
            status, said = run_to_end(update.command, groups, log)
            if status:
                return killed, [f"{update.what} of day {update.day} ended with {status}: {said}"]
        try:
            return killed, [*orphans(groups), *_differences(self._found(), self._expected)]
        except CommandError as error:
            return killed, [str(error)]

    def keep(self, number: int) -> None:
        """Put a differing output aside."""
        shutil.copytree(self._output, self._work / f"differs-{number:03d}")

    def _updates(self) -> Iterator[Update]:
        store, index = str(self._output / "store"), str(self._output / "index")
        segment = [*("--input", str(self._crawl.pages)), "--on-duplicate", "latest"]
        for day in range(1, DAYS + 1):
            for what, arguments, output in (
                ("segment", segment, store),
                ("index", ["--store", store, "--keep", _CLEANER], index),
            ):
                end = ["--output", output, "--update", "--threads", "2"]
                yield Update(day, what, [*self._program, what, *arguments, *end])

    def _kill(self, update: Update, groups: list[int], log: Path) -> str | None:
        """Run an update and kill it at a random moment: how; None where it ended before."""
        victim = Victim(update.command, log)
        groups.append(victim.group)
        time.sleep(self._chance.uniform(0.0, self._seconds[update.day, update.what]))
        kind = str(self._chance.choice(KINDS))
        hit = victim.is_running and victim.kill(kind, self._chance)
        victim.wait()
        return kind if hit else None

    def _torn(self, update: Update) -> Iterator[str]:
        """What is not whole of the store and the index that stood there before a kill."""
        path = self._output / "store"
        if update.day > 1 or update.what == "index":
            for shard in open_store(path).manifest["shards"]:
                if what := fault(path / shard["file"], shard):
                    yield f"after the kill {shard['file']} {what}"
        index = self._output / "index"
        if update.day > 1:
            manifest = read_manifest(index)
            faults = file_faults(index, manifest) if manifest else ["the index is gone"]
            yield from (f"after the kill {what}" for what in faults)

    def _found(self) -> dict[str, bytes]:
        """What must be that of a store and an index made at once of the last day's pages."""
        store, index = self._output / "store", self._output / "index"
        for path in (store, index):
            self._do([*self._program, "check", str(path)])
        found = {"the store": open_store(store).fingerprint.encode()}
        for model in _MODELS:
            run = self._output / "run"
            arguments = ["--index", str(index), "--topics", str(self._topics), model]
            self._do([*self._program, "search", *arguments, "--output", str(run)])
            found[f"the run with {model}"] = run.read_bytes()
            run.unlink()
        left = [str(path) for path in self._output.rglob(".*")]
        return found | {"what is left over": " ".join(left).encode()}

    def _do(self, command: Sequence[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CommandError(f"{' '.join(command)}: {done.stdout}{done.stderr}")


def _differences(ours: dict[str, bytes], theirs: dict[str, bytes]) -> list[str]:
    return [f"{name} differs" for name in theirs if ours[name] != theirs[name]]
