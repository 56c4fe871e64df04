"""The pages that people mark, their logs, and the dataset that follows from them."""

import contextlib
import hashlib
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import msgspec

from boilersweep.collection.format import Record
from boilersweep.errors import UsageError
from boilersweep.eval.annotate.marks import ANNOTATIONS, LOG, Mark, Sheet, sheet_of
from boilersweep.eval.judge.datasets.judged_page import CLASSES
from boilersweep.eval.judge.datasets.marked import MarkedBlocks, digest_of_page
from boilersweep.eval.people.assessors import (
    ADJUDICATOR,
    Held,
    in_random_order,
    is_shared,
)
from boilersweep.eval.people.documents import ShownDocument, shown_documents
from boilersweep.eval.people.folder import LogFolder, hold_logs
from boilersweep.eval.people.originals import Originals
from boilersweep.outputs.locations import read_regular
from boilersweep.store.store import BlockStore

STORE = "store"
_HTML, _MARKS = ("html", ".html"), ("marks", ".json")

_LONGEST_NAME = 120
_SEED = 1  # of the order of pages
_WHOLE = 2**63  # more characters than a page has


@dataclass(frozen=True, slots=True)
class PagesToMark:
    """Pages in the order in which people mark them.

    Attributes:
        documents: Docid -> page.
        originals: Reads them as they were collected; None if only logs are read.
    """

    documents: Mapping[str, ShownDocument]
    originals: Originals | None = None

    def document(self, docid: str) -> ShownDocument:
        """Return a page; raises UsageError if it is none of these."""
        if docid not in self.documents:
            raise UsageError(f"there is no page {docid[:80]!r} to mark")
        return self.documents[docid]

    def read(self, docid: str) -> Record:
        """Return a page as it was collected; raises UsageError and CollectionError."""
        place = self.document(docid).place
        if self.originals is None:
            raise UsageError("the pages are not read again")
        return self.originals.read(docid, place)


def pages_to_mark(store: BlockStore) -> PagesToMark:
    """Read the pages of a store that have blocks, in a random order.

    Raises:
        UsageError: The pages are not HTML in a folder or file of this machine.
        StoreError: The store is damaged.
    """
    pages, originals = (
        shown_documents(store, [*store.docids()], [], _WHOLE),
        Originals(store),
    )
    order = in_random_order(
        [docid for docid, page in pages.items() if page.texts], _SEED
    )
    for docid in order[:1]:
        if not originals.has(pages[docid].place):
            raise UsageError(
                f"{store.manifest.input}: expected pages in a folder or file of this machine; copy "
                "them here first"
            )
        if originals.read(docid, pages[docid].place).plain:
            raise UsageError(
                f"{store.manifest.input}: expected pages of HTML, got plain text"
            )
    return PagesToMark({docid: pages[docid] for docid in order}, originals)


class Annotations(LogFolder[Mark]):
    """What people marked in a folder. Many threads may call `add` and `next_for`.

    Attributes:
        pages: The pages to mark.
    """

    output = ANNOTATIONS
    log_format = LOG

    def __init__(
        self, folder: Path, pages: PagesToMark, *, complete: bool = True
    ) -> None:
        """Read the logs; raises as `LogFolder`."""
        self.pages = pages
        self._names = {file_name(docid): docid for docid in pages.documents}
        self._sheets: dict[tuple[str, str], Sheet] = {}
        self._held: Held[str] = Held()
        self._lock = threading.RLock()
        super().__init__(folder, complete=complete)

    def counts(self, line: Mark) -> bool:
        """Return whether the page has the text that was marked, or is not in the collection."""
        shown = self.pages.documents.get(line.docid)
        return shown is None or shown.digest == line.text

    def texts_left_out(self) -> dict[str, list[str]]:
        """Map changed pages to the digests of former texts whose marks do not count."""
        texts: dict[str, list[str]] = {}
        for log in self.logs:
            for line in log.judgements:
                if not self.counts(line):
                    texts.setdefault(line.docid, []).append(line.text)
        return {docid: sorted(set(some)) for docid, some in sorted(texts.items())}

    def derived(self) -> list[str]:
        """Return the names of the files of pages that somebody has marked whole."""
        finished = {
            line.docid
            for lines in self.records["people"].values()
            for line in lines
            if line.action == "done"
        }
        return [
            name
            for docid in sorted(finished)
            if self._is_finished_page(docid)
            for name in files_of_page(docid)
        ]

    def _is_finished_page(self, docid: str) -> bool:
        if docid in self.pages.documents:
            return bool(self.marked_by(docid))
        # What was marked of a page that has left the collection stays as it is
        return all((self.folder / name).is_file() for name in files_of_page(docid))

    def content(self, name: str) -> bytes:
        """Return a page as it was collected, or the classes of its blocks."""
        docid = self._names.get(Path(name).stem)
        if docid is None:
            return read_regular(self.folder / name)
        shown = self.pages.documents[docid]
        record = self.pages.read(docid)
        if name.startswith(f"{_HTML[0]}/"):
            return record.body
        sheets = self.marked_by(docid)
        classes = [CLASSES[number] for number in merged(sheets)]
        marks = MarkedBlocks(
            page=digest_of_page(record.body),
            docid=docid,
            url=shown.url,
            charset=record.charset,
            people=tuple(sorted(sheets)),
            proposed=any(sheet.is_proposed for sheet in sheets.values()),
            blocks=tuple(zip(classes, shown.texts, strict=True)),
        )
        return msgspec.json.format(msgspec.json.encode(marks), indent=1) + b"\n"

    def sheet(self, name: str, docid: str) -> Sheet:
        """Return a page of the collection as a person has marked it."""
        key = name, docid
        with self._lock:
            if key not in self._sheets:
                lines = self._lines.get(key, ())
                blocks = len(self.pages.documents[docid].texts)
                self._sheets[key] = sheet_of(lines, blocks)
            return self._sheets[key]

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[Mark]]:
        """Person and docid -> the lines that count."""
        marks: dict[tuple[str, str], list[Mark]] = {}
        for name, lines in self.records["people"].items():
            for line in lines:
                marks.setdefault((name, line.docid), []).append(line)
        return marks

    def marked_by(self, docid: str) -> dict[str, Sheet]:
        """Map those who have marked a page of the collection whole to what they marked."""
        names = [*self.records["people"]]
        sheets = {name: self.sheet(name, docid) for name in names}
        return {name: sheet for name, sheet in sheets.items() if sheet.is_done}

    @property
    def marked(self) -> dict[str, dict[str, Sheet]]:
        """Docid -> person -> sheet, of the pages of the collection that are marked whole."""
        every = {docid: self.marked_by(docid) for docid in self.pages.documents}
        return {docid: sheets for docid, sheets in every.items() if sheets}

    @property
    def changed(self) -> list[str]:
        """The pages that were marked whole with another text only."""
        done = {
            line.docid
            for log in self.logs
            for line in log.judgements
            if line.action == "done" and not self.counts(line)
        }
        return sorted(done - self.marked.keys())

    @property
    def differing(self) -> list[str]:
        """The pages of which people marked blocks differently, and that nobody adjudicated."""
        return [
            docid
            for docid, sheets in self.marked.items()
            if len({sheet.classes for sheet in sheets.values()}) > 1
            and ADJUDICATOR not in sheets
        ]

    def next_for(self, name: str, after: str = "") -> str | None:
        """Choose the next page of a person; the adjudicator sees what others marked differently.

        One marked page in ten comes first, for a second opinion; the other marked pages come last.

        Args:
            name: The person.
            after: The page that was put off; those before it come last.

        Returns:
            The docid; None if nothing is left.
        """
        with self._lock:
            order = [*self.pages.documents]
            place = order.index(after) + 1 if after in order else 0
            marked = self.marked
            left = [
                docid
                for docid in [*order[place:], *order[:place]]
                if name not in marked.get(docid, ())
            ]
            if name == ADJUDICATOR:
                differing = self.differing
                return next((docid for docid in left if docid in differing), None)
            second = [d for d in left if len(marked.get(d, ())) == 1]
            shared = filter(is_shared, second)
            new = [d for d in left if d not in marked]
            free = (d for d in (*shared, *new, *second) if self._held.is_free(d, name))
            if chosen := next(free, None):
                self._held.take(chosen, name)
            return chosen

    def add(self, name: str, line: Mark) -> Sheet:
        """Save what a person did to a page, and have the dataset follow.

        Returns:
            The page as the person has marked it.

        Raises:
            UsageError: The page is not one of these, or has no such blocks.
            CollectionError: The page's file has changed or is gone.
            OutputError: The disk is full or fails; the log is as before.
        """
        with self._lock:
            if line.action == "done":  # what cannot be written is not marked
                self.pages.read(line.docid)
            shown = self.pages.document(line.docid)
            last = len(shown.texts) - 1
            if not all(first <= end <= last for first, end, _ in line.ranges):
                raise UsageError(f"expected blocks from 0 to {last}, got {line.ranges}")
            was_done = bool(self.marked_by(line.docid))
            line = msgspec.structs.replace(line, text=shown.digest)
            known = self._lines.setdefault((name, line.docid), [])
            known.append(self.append("people", name, line))
            self._sheets.pop((name, line.docid), None)
            if line.action == "done":
                self._held.release(line.docid)
            if self.marked_by(line.docid):
                self.begin(*files_of_page(line.docid))
                for file in files_of_page(line.docid):
                    self.write(file)
            elif was_done:
                for file in reversed(files_of_page(line.docid)):
                    (self.folder / file).unlink(missing_ok=True)
            return self.sheet(name, line.docid)


def file_name(docid: str) -> str:
    """Return the name of a page's files without suffix, one for each docid."""
    name = quote(docid, safe=" ")
    if name.startswith(".") or len(name) > _LONGEST_NAME:
        digest = hashlib.sha256(docid.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{name[:_LONGEST_NAME].lstrip('.')}-{digest[:16]}"
    return name


def files_of_page(docid: str) -> list[str]:
    """Return the names of a page's files, the page first."""
    return [f"{folder}/{file_name(docid)}{end}" for folder, end in (_HTML, _MARKS)]


def merged(sheets: Mapping[str, Sheet]) -> list[int]:
    """Return the class of each block: the adjudicator's, or the one that most people gave.

    Of classes that equally many gave, it is the first of CLASSES.
    """
    if ADJUDICATOR in sheets:
        return [*sheets[ADJUDICATOR].classes]
    votes = zip(*(sheet.classes for sheet in sheets.values()), strict=True)
    return [_most(Counter(given)) for given in votes]


def _most(votes: Counter[int]) -> int:
    return min(votes, key=lambda number: (-votes[number], number))


@contextlib.contextmanager
def annotations_in(
    folder: Path, pages: PagesToMark, inputs: Iterable[Path] = ()
) -> Iterator[Annotations]:
    """Hold a folder as its one writer, and write its manifest at the end.

    Raises:
        BusyError: Another process writes the folder.
        UsageError: A part would replace an input.
        BoilersweepError: As `Annotations`.
    """
    with hold_logs(folder, (), inputs):
        annotations = Annotations(folder, pages)
        try:
            yield annotations
        finally:
            annotations.finish()
