"""One shard of a store as files, one for every variant, and a note of what is in them."""

import contextlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, islice, pairwise
from pathlib import Path
from urllib.parse import quote

import numpy as np

from boilersweep.cleaners.block_classes import classes_of
from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.selection import Selection, select
from boilersweep.collection.html_folder import HTML
from boilersweep.export.formats import (
    Document,
    Record,
    blocks_of,
    records_of,
    suffix_of,
    writing,
)
from boilersweep.export.options import ExportOptions
from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.manifest_file import FileEntry, listing, write_manifest
from boilersweep.pages.columns import BlockColumns
from boilersweep.pages.words import is_word
from boilersweep.store.store import BlockStore
from boilersweep.work.tasks import NOTES

_DIGITS = 4  # of probabilities


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A shard to be exported.

    Attributes:
        store: The part of a store that is this shard.
        name: The key of all that the files depend on.
        variants: What to write.
        output: The folder of the export.
        options: How documents are exported.
        duplicates: For each variant, the numbers of the shard's documents that are left out; empty
            if none is left out.
    """

    store: BlockStore
    name: str
    variants: Sequence[Variant]
    output: Path
    options: ExportOptions
    duplicates: Sequence[frozenset[int]] = ()

    @property
    def note(self) -> Path:
        """The file that is written when all files of the shard are."""
        return self.output / NOTES / f"{self.name}.json"

    def names(self) -> list[str]:
        """Return the file of each variant, below the output."""
        suffix = suffix_of(self.options)
        return [f"{variant.name}/{self.name}{suffix}" for variant in self.variants]


@dataclass(slots=True)
class Counts:
    """The counts of what a cleaner keeps.

    Attributes:
        documents: The documents in the files.
        empty: The documents without a kept word, which are not in the files.
        records: The records in the files; more than the documents if these are cut into passages.
        duplicates: The documents left out for their twins.
    """

    documents: int = 0
    empty: int = 0
    records: int = 0
    duplicates: int = 0

    @property
    def total(self) -> int:
        """All documents of the store."""
        return self.documents + self.empty + self.duplicates

    def add(self, other: "Counts") -> None:
        """Add the counts of another part."""
        self.documents += other.documents
        self.empty += other.empty
        self.records += other.records
        self.duplicates += other.duplicates


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written of a shard.

    Attributes:
        counts: The counts of each variant, by its name.
        files: The files, by their names below the export's folder.
        kinds: For each kind of page, if kinds are asked for: the documents, the characters of their
            blocks, and the characters that each variant keeps, by its name.
    """

    counts: dict[str, Counts]
    files: dict[str, FileEntry]
    kinds: dict[str, dict[str, int]]


def export_shard(task: ShardTask) -> Path:
    """Write the files of a shard, then the note of them, and return its file.

    Raises:
        StoreError: The shard is missing or damaged.
        OutputError: A file cannot be written.
    """
    cleaners = [variant.cleaner for variant in task.variants]
    names = task.names()
    counts = [Counts() for _ in names]
    documents = 0
    with contextlib.ExitStack() as stack:
        writers = [
            stack.enter_context(
                writing(
                    stack.enter_context(whole_file(task.output / name)), task.options
                )
            )
            for name in names
        ]
        fields = _fields(task)
        model = Learned() if task.options.classes else None
        kinds: dict[str, Counter[str]] = {}
        read = [*cleaners, model] if model else cleaners
        for columns in task.store.columns_for(read):
            some = _documents(
                columns, list(islice(fields, len(columns))), task.options.fields
            )
            selected = select(columns, cleaners)
            classes: list[Record] = []
            if model:
                some = _with_kinds(some, columns, model)
                _count_kinds(kinds, task, some, columns, selected)
                classes = _classes(columns, model) if task.options.blocks else []
            for number, write in enumerate(writers):
                left_out = task.duplicates[number] if task.duplicates else frozenset()
                here = frozenset(one - documents for one in left_out)
                records = _records(
                    selected, number, some, task.options, counts[number], here, classes
                )
                write(list(records))
            documents += len(columns)
    for count in counts:
        count.empty = documents - count.documents - count.duplicates
    exported = Exported(
        {
            variant.name: count
            for variant, count in zip(task.variants, counts, strict=True)
        },
        listing(task.output, names),
        {kind: dict(some) for kind, some in kinds.items()},
    )
    write_manifest(task.note, asdict(exported))
    return task.note


def _fields(task: ShardTask) -> Iterator[tuple[str, ...]]:
    """Yield address, date, language, and the fields asked for, of every document.

    The address of a page of an HTML folder is its path in the folder.
    """
    names = ("date", "language", *task.options.fields)
    if task.store.manifest.options["collection"] != HTML.name:
        yield from task.store.fields(("url", *names))
        return
    for path, *others in task.store.fields(("source", *names)):
        yield quote(path), *others


def _documents(
    columns: BlockColumns, fields: Sequence[tuple[str, ...]], names: Sequence[str]
) -> list[Document]:
    """Return some documents; `names` are those of the fields after address, date and language."""
    sizes = (columns.starts[1:] - columns.starts[:-1]).tolist()
    documents = []
    for docid, title, blocks, (url, date, language, *more) in zip(
        columns.docids, columns.titles, sizes, fields, strict=True
    ):
        about: Record = {
            "url": url,
            "title": title,
            "date": date,
            "language": language,
        }
        if not date:  # "" is no date to an engine
            del about["date"]
        about |= {name: value or None for name, value in zip(names, more, strict=True)}
        documents.append(Document(docid, blocks, about))
    return documents


def _with_kinds(
    documents: Sequence[Document], columns: BlockColumns, model: Learned
) -> list[Document]:
    """Return the documents whose records also say the kind and confidence of the page."""
    kinds = model.likely_kinds(columns)
    confidences = model.confidences(columns).round(_DIGITS).tolist()
    return [
        document._replace(
            about={**document.about, "kind": kind, "confidence": confidence}
        )
        for document, kind, confidence in zip(
            documents, kinds, confidences, strict=True
        )
    ]


def _count_kinds(
    counted: dict[str, "Counter[str]"],
    task: ShardTask,
    documents: Sequence[Document],
    columns: BlockColumns,
    selected: Selection,
) -> None:
    """Add what `Exported.kinds` has of some documents."""
    kinds = [str(document.about["kind"]) for document in documents]
    for kind, (first, end) in zip(
        kinds, pairwise(columns.starts.tolist()), strict=True
    ):
        characters = sum(map(len, columns.texts[first:end]))
        one = {"documents": 1, "characters": characters}
        counted.setdefault(kind, Counter()).update(one)
    for number, variant in enumerate(task.variants):
        for kept in selected.kept(number):
            # Line breaks part the blocks of a kept text, and are none of their characters.
            characters = len(kept.text) - len(kept.blocks) + 1
            counted[kinds[kept.document]][f"characters of {variant.name}"] += characters


def _classes(columns: BlockColumns, model: Learned) -> list[Record]:
    """Return (m,) the blocks' classes, and the probabilities of those that the model knows."""
    found = model.class_probabilities(columns)
    rows = np.stack(list(found.values()), axis=1).round(_DIGITS).tolist()
    return [
        {"classes": names, "probabilities": dict(zip(found, row, strict=True))}
        for names, row in zip(classes_of(columns), rows, strict=True)
    ]


def _records(
    selected: Selection,
    cleaner: int,
    documents: Sequence[Document],
    options: ExportOptions,
    counts: Counts,
    duplicates: Collection[int],
    classes: Sequence[Record],
) -> Iterator[Record]:
    """Yield the records of what a cleaner keeps of some documents, and count them.

    Args:
        selected: What the cleaners keep of these documents.
        cleaner: The number of the cleaner.
        documents: The documents.
        options: How they are exported.
        counts: The cleaner's counts, to which the function adds.
        duplicates: The numbers of the documents that are left out.
        classes: (m,) As `_classes`; empty if they are not asked for.
    """
    bounds = [0, *accumulate(document.blocks for document in documents)]
    for kept in selected.kept(cleaner):
        if kept.document in duplicates:
            counts.duplicates += 1
            continue
        if not is_word(kept.text):
            continue
        document = documents[kept.document]
        first = bounds[kept.document]
        of_page = classes[first : first + document.blocks]
        counts.documents += 1
        blocks = blocks_of(kept, selected, document, of_page) if options.blocks else ()
        for record in records_of(document, kept.text, blocks, options):
            counts.records += 1
            yield record
