"""One shard of a store as files, one for every variant, and what was counted in them."""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress, islice, pairwise
from pathlib import Path
from urllib.parse import quote

import numpy as np

from boilersweep.cleaners.block_classes import classes_of
from boilersweep.cleaners.page_model import PageModel, shipped_model
from boilersweep.cleaners.selection import Selection, select
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.collection.html_folder import HTML
from boilersweep.export.options import ExportOptions
from boilersweep.export.record_formats import (
    Document,
    Record,
    blocks_of,
    records_of,
    writing,
)
from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.parts import files_of
from boilersweep.pages.columns import BlockColumns
from boilersweep.pages.words import is_word
from boilersweep.store.store import BlockStore

_DIGITS = 4  # of probabilities

# What is counted of each kind of page.
KIND_COUNTS = ("documents", "characters", "kept")


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Files of a shard that are to be made.

    Attributes:
        store: The part of a store that is this shard.
        names: The names of the files below the output, one for each variant.
        variants: What to write.
        output: The folder of the export.
        options: How documents are exported.
        duplicates: For each variant, the numbers of the shard's documents that are left out.
    """

    store: BlockStore
    names: Sequence[str]
    variants: Sequence[Variant]
    output: Path
    options: ExportOptions
    duplicates: Sequence[frozenset[int]]

    def of(self, names: Collection[str]) -> "ShardTask":
        """Return the task with those of its files that have some of these names."""
        chosen = [name in names for name in self.names]
        return replace(
            self,
            names=list(compress(self.names, chosen)),
            variants=list(compress(self.variants, chosen)),
            duplicates=list(compress(self.duplicates, chosen)),
        )


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
class FileFacts:
    """What was counted in a file.

    Attributes:
        counts: The counts.
        kinds: For each kind of page, if kinds are asked for: the documents, the characters of their
            blocks, and those of them that the variant keeps.
    """

    counts: Counts
    kinds: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written."""

    name: str
    facts: FileFacts
    files: dict[str, FileEntry]


def export_shard(task: ShardTask) -> list[Exported]:
    """Write files of a shard, and return what was written.

    Raises:
        StoreError: The shard is missing or damaged.
        OutputError: A file cannot be written.
    """
    cleaners = [variant.cleaner for variant in task.variants]
    files = [FileFacts(Counts(), {}) for _ in task.names]
    documents = 0
    with contextlib.ExitStack() as stack:
        writers = [
            stack.enter_context(
                writing(
                    stack.enter_context(whole_file(task.output / name, synced=False)),
                    task.options,
                )
            )
            for name in task.names
        ]
        fields = _fields(task)
        model = shipped_model() if task.options.classes else None
        read = [*cleaners, model] if model else cleaners
        for columns in columns_for(task.store, read):
            some = _documents(
                columns, list(islice(fields, len(columns))), task.options.fields
            )
            selected = select(columns, cleaners)
            classes: list[Record] = []
            if model:
                some = _with_kinds(some, columns, model)
                _count_kinds([one.kinds for one in files], some, columns, selected)
                classes = _classes(columns, model) if task.options.blocks else []
            for index, write in enumerate(writers):
                here = frozenset(one - documents for one in task.duplicates[index])
                counts = files[index].counts
                records = _records(
                    selected, index, some, task.options, counts, here, classes
                )
                write(list(records))
            documents += len(columns)
    for one in files:
        one.counts.empty = documents - one.counts.documents - one.counts.duplicates
    return [
        Exported(name, facts, files_of(task.output, name))
        for name, facts in zip(task.names, files, strict=True)
    ]


def _fields(task: ShardTask) -> Iterator[tuple[str, ...]]:
    """Yield address, date, language, and the fields asked for, of every document.

    The address of a page of an HTML folder is its path in the folder, unless the page states it.
    """
    names = ("date", "language", *task.options.fields)
    if task.store.manifest.options["collection"] != HTML.name:
        yield from task.store.fields(("url", *names))
        return
    for url, path, *others in task.store.fields(("url", "source", *names)):
        yield url or quote(path), *others


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
    documents: Sequence[Document], columns: BlockColumns, model: PageModel
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
    counted: Sequence[dict[str, dict[str, int]]],
    documents: Sequence[Document],
    columns: BlockColumns,
    selected: Selection,
) -> None:
    """Add what `FileFacts.kinds` has of some documents to that of each variant."""
    kinds = [str(document.about["kind"]) for document in documents]
    bounds = list(pairwise(columns.starts.tolist()))
    for index, of_variant in enumerate(counted):
        for kind, (first, end) in zip(kinds, bounds, strict=True):
            one = of_variant.setdefault(kind, dict.fromkeys(KIND_COUNTS, 0))
            one["documents"] += 1
            one["characters"] += sum(map(len, columns.texts[first:end]))
        for kept in selected.kept(index):
            # Line breaks part the blocks of a kept text, and are none of their characters.
            characters = len(kept.text) - len(kept.blocks) + 1
            of_variant[kinds[kept.document]]["kept"] += characters


def _classes(columns: BlockColumns, model: PageModel) -> list[Record]:
    """Return (m,) the blocks' classes, and the probabilities of those that the model knows."""
    probabilities = model.class_probabilities(columns)
    rows = np.stack(list(probabilities.values()), axis=1).round(_DIGITS).tolist()
    return [
        {"classes": names, "probabilities": dict(zip(probabilities, row, strict=True))}
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
