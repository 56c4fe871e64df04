"""The texts beside a shard: what an extractor takes from its pages, or texts that were given."""

import contextlib
import json
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

from boilersweep.collection.format import (
    Format,
    Record,
    Skipped,
    SourceLocation,
    as_token,
)
from boilersweep.errors import (
    InputError,
    PageError,
    StoreError,
    reason_of,
)
from boilersweep.extractors.registry import extracted, find_extractor
from boilersweep.outputs.atomic import hidden_file
from boilersweep.outputs.locations import open_regular
from boilersweep.outputs.manifest_file import listing
from boilersweep.outputs.streams import MOST_INPUT_BYTES, gzip_errors, unpacked
from boilersweep.outputs.typed_files import parse_json
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.stray_characters import as_shown, without_surrogates
from boilersweep.segmenting.input_file import DigestedFile
from boilersweep.segmenting.tasks import (
    Made,
    TextTask,
    allowance,
    reason_of_loss,
    without,
)
from boilersweep.store.shard import (
    SET_ASIDE,
    LostRecord,
    TextFacts,
    read_docids,
    read_facts,
    read_fields,
    write_page_texts,
)
from boilersweep.work.pool import DeadRecord
from boilersweep.work.processes import HERE

_EXAMPLE = '{"id": "doc-1", "contents": "its text"}'
# Many times a page; a small gzip file may unpack to one line without end.
_MOST_LINE_BYTES = 2**26
_DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
)


def read_texts(path: Path) -> dict[str, str]:
    """Return texts by docid, from JSON lines with `id` and `contents`, plain or gzipped.

    Raises:
        InputError: The file cannot be read or is a pipe, which every worker could not read again,
            has an id twice, is too large, or a line is something else.
    """
    texts: dict[str, str] = {}
    place, size = 0, 0
    try:
        with open_regular(path) as file, gzip_errors(), unpacked(file) as lines:
            while line := lines.readline(_MOST_LINE_BYTES):
                place, size = place + 1, size + len(line)
                if len(line) == _MOST_LINE_BYTES or size > MOST_INPUT_BYTES:
                    raise ValueError(
                        f"lines below {_MOST_LINE_BYTES:,} bytes and at most "
                        f"{MOST_INPUT_BYTES:,} bytes in all; got more"
                    )
                if line.strip():
                    docid, text = _given_text(parse_json(line))
                    if docid in texts:
                        raise ValueError(f"the id {docid[:80]!r} again")
                    texts[docid] = text
    except _DAMAGE as error:
        raise InputError(
            f"{path}, line {place}: expected JSON lines such as {_EXAMPLE} ({reason_of(error)})"
        ) from error
    if not texts:
        raise InputError(f"{path}: expected JSON lines such as {_EXAMPLE}, found none")
    return texts


def _given_text(value: Any) -> tuple[str, str]:
    """Return id and text of a line; lone surrogates become U+FFFD, as those of pages."""
    docid, text = value["id"], value["contents"]
    if not isinstance(docid, str | int) or isinstance(docid, bool):
        raise TypeError(f"a string or an integer as id, got {json.dumps(docid)[:80]}")
    if not isinstance(text, str):
        raise TypeError(f"a string as contents, got {json.dumps(text)[:80]}")
    return without_surrogates(str(docid)), without_surrogates(text)


def describe_texts(name: str, path: Path, docids: Set[str]) -> str:
    """Say how many given texts are of no document, and how many documents have none.

    Args:
        name: The name of the texts.
        path: Their file.
        docids: The documents of the store.
    """
    texts = read_texts(path)
    unknown = sorted(texts.keys() - docids)
    such = f", such as {unknown[0]!r}" if unknown else ""
    return (
        f"{name}: {len(unknown):,} of {len(texts):,} texts are of no document{such}; "
        f"{len(docids - texts.keys()):,} of {len(docids):,} documents have no text"
    )


def make_texts(
    task: TextTask, format_: Format, losses: Sequence[DeadRecord] = ()
) -> Made:
    """Make the texts of a shard's pages, whole or not at all.

    Args:
        task: The task.
        format_: The format of its files.
        losses: The records and files that earlier attempts died of; they get no text.

    Raises:
        CollectionError: A file cannot be read.
        OutputError: The texts cannot be written.
        StoreError: The shard is damaged, or was made from other input.
    """
    facts = TextFacts(task.source.name, task.shard.name)
    if task.source.given:
        given = read_texts(task.source.given)
        with HERE.waiting():
            docids = read_docids(task.shard)
        texts: Iterator[tuple[str, str]] = (
            (docid, as_shown(given.get(docid, ""))) for docid in docids
        )
    else:
        texts = _Extraction(task, losses, facts).texts(format_)
    with (
        contextlib.ExitStack() as last,
        hidden_file(task.shard.with_name("texts")) as (temporary, hidden),
    ):
        write_page_texts(temporary, texts, facts)
        last.enter_context(HERE.waiting())  # until it is where the store is
        entry = listing(temporary.parent, [temporary.name])[temporary.name]
    return Made(task.part(without(facts)), hidden, entry, facts)


class _Extraction:
    """Runs an extractor over the pages of a shard; `facts` count those that it fails on."""

    def __init__(
        self, task: TextTask, losses: Sequence[DeadRecord], facts: TextFacts
    ) -> None:
        self._task = task
        self._lost = {(loss.file, loss.record): loss for loss in losses}
        self._facts = facts
        self._extractor = find_extractor(task.source.name)
        with HERE.waiting():
            self._read = read_facts(task.shard).files
            self._rows = iter(read_fields(task.shard, ["docid", "source", "offset"]))
        self._next()

    def _next(self) -> None:
        self._row: Any = next(self._rows, None)

    def texts(self, format_: Format) -> Iterator[tuple[str, str]]:
        """Yield the docid and the text of each page."""
        for index, (path, name) in enumerate(self._task.files):
            if self._read[index]["sha256"] == SET_ASIDE:
                continue
            if aside := self._lost.get((index, None)):
                yield from self._without_texts(name, aside)
                continue
            HERE.begin(index, 0)
            with DigestedFile(path) as raw:
                for record, item in raw.records(format_, index, name):
                    yield from self._of_record(item, self._lost.get((index, record)))
                if raw.finish() != self._read[index]["sha256"]:
                    raise self._unlike(f"{name} has changed")
        if self._row:
            raise self._unlike(f"{self._row[0]} of {self._row[1]} is gone")
        if self._facts.failed:
            self._facts.allowed = allowance(self._task.options.limits)

    def _of_record(
        self, item: Record | Skipped, lost: DeadRecord | None
    ) -> Iterator[tuple[str, str]]:
        """Yield docid and text if the record is the next row's."""
        if isinstance(item, Record) and self._row == (
            as_token(item.docid),
            item.place.source,
            item.place.offset,
        ):
            yield self._row[0], self._without(lost) if lost else self._text(item)
            self._next()

    def _without_texts(self, name: str, loss: DeadRecord) -> Iterator[tuple[str, str]]:
        """Yield no text for each page of a file that is left out."""
        while self._row and f"{self._row[1]}/".startswith(f"{name}/"):
            yield self._row[0], self._without(loss)
            self._next()

    def _without(self, loss: DeadRecord) -> str:
        """Note that the next row's page is lost to the extractor."""
        docid, *place = self._row
        reason = reason_of_loss(loss)
        lost = LostRecord(reason, str(SourceLocation(*place)), docid, loss.detail, 1)
        self._facts.lost.append(lost)
        return self._failed()

    def _text(self, record: Record) -> str:
        """Return what the extractor takes from a page; of plain text all."""
        try:
            page = to_utf8(record.body, record.charset).utf8.decode("utf-8", "replace")
            if record.plain:
                return as_shown(page)
            return extracted(self._extractor, page)
        except (PageError, MemoryError):
            return self._failed()

    def _failed(self) -> str:
        self._facts.failed += 1
        return ""

    def _unlike(self, what: str) -> StoreError:
        return StoreError(
            f"the input is not what {self._task.shard} was made of: {what}; run the command again"
        )
