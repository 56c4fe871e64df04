"""One cleaned index to deploy: analysed by Lucene itself, with positions."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from functools import reduce
from itertools import compress, islice, starmap
from pathlib import Path

from msgspec.structs import replace

from boilersweep.cleaners.duplicates import (
    DUPLICATES,
    Duplicate,
    by_shard,
    duplicates_csv,
    find_duplicates,
)
from boilersweep.cleaners.page_model import shipped_model
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.selection import (
    AlignmentCounts,
    Cleaner,
    select,
    sum_alignments,
)
from boilersweep.cleaners.stored import columns_for, fingerprint_for
from boilersweep.cleaners.syntax.grammar import as_cleaner
from boilersweep.errors import UsageError
from boilersweep.indexer.adders import DocumentAdder
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.blocks.recording import BlockDocumentMaker, columns_of
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.jvm import for_each, map_ahead, start_jvm
from boilersweep.indexer.layout import OF_CLASSES, IndexLayout, PageFields
from boilersweep.indexer.lucene import (
    DocumentMaker,
    IndexWriter,
    buffer_megabytes,
    lucene_errors,
)
from boilersweep.indexer.manifest import (
    INDEX,
    LOCK,
    MANIFEST,
    UNCOUNTED,
    WHOLE,
    IndexFacts,
    IndexManifest,
    IndexRecipe,
    ShardEntry,
    complete_manifest,
    index_recipe,
    typed,
)
from boilersweep.indexer.options import ALL_TEXTS, IndexOptions
from boilersweep.outputs.atomic import link_files, whole_folder, write_text
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import output_path, refuse_inputs
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import faults
from boilersweep.outputs.parts import DAMAGED, Manifest
from boilersweep.outputs.typed_files import as_builtins
from boilersweep.pages.columns import BlockColumns
from boilersweep.store.shard_columns import METADATA
from boilersweep.store.store import BlockStore, as_store
from boilersweep.work.progress import steps

# Keeps every block, which has a word at least.
ALL_BLOCKS = Comparison("words", ">=", 1)

# A shard's name, some of its documents, and what is known of each.
_TO_UPDATE = (
    "pass `update` to bring it to the store's present state, choose another `output`, or pass "
    "`overwrite` to rebuild it"
)

_Pages = tuple[str, BlockColumns, list[PageFields]]


def build_index(
    store: BlockStore | Path | str,
    cleaner: Cleaner | str,
    output: Path | str,
    options: IndexOptions | None = None,
) -> IndexManifest:
    """Build the index of what a cleaner keeps at `output`; an existing index stays.

    A document without a token left is counted, but not indexed. With
    `IndexOptions(layout=IndexLayout(blocks=True))` and `words>=1`, which keeps all blocks, the
    index can be searched under any rule.

    Args:
        store: The block store, or its folder.
        cleaner: The cleaner as text, such as `words>=11`, or parsed.
        output: The index's folder.
        options: How to build it.

    Raises:
        IndexingError: The index cannot be written, does not hold what was added, or another index
            is in the way.
        OutputError: The folder cannot be written.
        StoreError: The store cannot be read.
        UsageError: An index of blocks cannot have this cleaner or analyzer.
        JavaError: No Java can be started.
    """
    options = options or IndexOptions()
    store, cleaner, output = as_store(store), as_cleaner(cleaner), output_path(output)
    if options.layout.blocks and cleaner != ALL_BLOCKS:
        raise UsageError(
            f"{cleaner}: an index of blocks has all of them, {ALL_BLOCKS}; it is searched under "
            "any rule"
        )
    if output.is_symlink():
        # The folder behind the link is replaced, not the link; a circle of links stays as it is.
        output = Path(os.path.realpath(output))
    recipe = index_recipe(store.fingerprint, cleaner, options)
    refuse_inputs(output, [WHOLE], closed=[store.path])
    with only_writer(output.parent, f".{output.name}.lock", output=output):
        whole, before = _existing(output, recipe, options)
        if whole:
            return whole
        start_jvm()
        chosen = store.in_languages(options.languages)
        duplicates: list[Duplicate] = []
        if options.dedup:
            [duplicates] = find_duplicates(
                chosen, [cleaner], options.dedup, output.parent
            )
        shards = dict(chosen.without(by_shard(duplicates)).by_shard())
        with lucene_errors(output), whole_folder(output) as folder:
            if before:
                link_files(before.files.keys() - {DUPLICATES}, output, folder)
            shards_before = before.facts.shards if before else {}
            entries = _fill(folder, shards, cleaner, shards_before, options)
            if options.dedup:
                write_text(
                    folder / DUPLICATES, duplicates_csv({str(cleaner): duplicates})
                )
            added = replace(
                _added(recipe, entries),
                duplicates=len(duplicates),
                other_languages=chosen.other_languages,
            )
            return complete_manifest(folder, added, store)


def _existing(
    output: Path, recipe: IndexRecipe, options: IndexOptions
) -> tuple[IndexManifest | None, Manifest[IndexFacts] | None]:
    """Return the manifest of a whole index as requested, or that of an index to update.

    Raises:
        IndexingError: Another or a damaged index is there, and is to stay.
        OutputError: Something else is in the way.
    """
    kind = replaced(INDEX, follows=("store",)) if options.update else INDEX
    wanted = as_builtins(recipe)
    before = INDEX.read(output, overwrite=options.overwrite)
    if before and not (options.update or options.overwrite):
        changes = INDEX.differences(before, wanted)
        if len(changes) == 1 and changes[0].startswith("store "):
            raise INDEX.rejection(
                output, f"is of another state of the store: {changes[0]}", _TO_UPDATE
            )
    if whole := kind.finished(output, wanted, overwrite=options.overwrite):
        return typed(whole), None
    listed = kind.listed(output, wanted, overwrite=options.overwrite)
    listed.require_free(output, [WHOLE], unlisted=(MANIFEST, LOCK))
    before = listed.manifest if options.update else None
    if before and (damage := faults(output, before.files)):
        raise kind.rejection(output, f"{DAMAGED}{some_of(damage)}")
    return None, before


def _added(recipe: IndexRecipe, entries: dict[str, ShardEntry]) -> IndexManifest:
    """Return the manifest of what was added, by the shards of the store."""
    alignments = (entry["placed"] for entry in entries.values())
    return IndexManifest(
        identity=recipe,
        documents=sum(entry["documents"] for entry in entries.values()),
        empty=0,
        tokens=UNCOUNTED,
        shards=entries,
        placed=reduce(sum_alignments, alignments, {}),
        by_lucene=ALL_TEXTS,
    )


def _fill(
    folder: Path,
    shards: Mapping[str, BlockStore],
    cleaner: Cleaner,
    before: Mapping[str, ShardEntry],
    options: IndexOptions,
) -> dict[str, ShardEntry]:
    """Write the index of a store's shards; raise UsageError as `build_index` does.

    Args:
        folder: The index's folder.
        shards: The shards by name.
        cleaner: The cleaner.
        before: The shards of the index whose files the folder holds. They stay if their documents
            are the same, and are deleted otherwise.
        options: How to build the index.

    Returns:
        An entry for each shard, in their order.
    """
    analyzer = BlockAnalyzer(options.analyzer)
    if options.layout.blocks:
        analyzer.require_blockwise("index it with `keep`")
    writer = IndexWriter(folder, analyzer.analyzer, buffer_megabytes(1))
    read = [cleaner, *options.stored_rules]
    try:
        prints = {name: fingerprint_for(shard, read) for name, shard in shards.items()}
        entries = {
            name: entry
            for name, entry in before.items()
            if prints.get(name) == entry["fingerprint"]
        }
        for name in before.keys() - entries.keys():
            writer.delete_shard(name)
        new = {name: shard for name, shard in shards.items() if name not in entries}
        counts = _add_shards(writer, new, cleaner, analyzer, options)
        for name, (documents, alignments) in counts.items():
            entries[name] = ShardEntry(
                fingerprint=prints[name],
                documents=documents,
                placed=alignments,
            )
        threads = options.threads
        # `commit` alone would write all buffers in one thread.
        for_each(lambda _: writer.flush(), range(threads), threads)
        if options.layout.optimize:
            writer.optimize()
        writer.commit()
    finally:
        writer.abandon()
    return {name: entries[name] for name in shards}


def _add_shards(
    writer: IndexWriter,
    shards: Mapping[str, BlockStore],
    cleaner: Cleaner,
    analyzer: BlockAnalyzer,
    options: IndexOptions,
) -> dict[str, tuple[int, dict[str, AlignmentCounts]]]:
    """Add the documents of shards; return the number of each shard's, and its alignments."""
    threads, stored = options.threads, options.stored_rules
    maker = DocumentMaker(options.layout, analyzer.given)
    if options.layout.blocks:
        maker = BlockDocumentMaker(
            options.layout, analyzer.given, titles=options.analyzer.title
        )
    documents = dict.fromkeys(shards, 0)
    alignments: dict[str, dict[str, AlignmentCounts]] = {name: {} for name in shards}
    total = sum(shard.documents for shard in shards.values())
    with (
        DocumentAdder([writer], maker, threads, in_order=False) as adder,
        steps("index", total, "documents") as bar,
    ):
        pages_of_shards = _read(shards, [cleaner, *stored], options.layout)
        for (name, columns, pages), (selected, blocks) in map_ahead(
            lambda read: (
                select(read[1], [cleaner], titles=options.analyzer.title),
                columns_of(read[1], stored) if stored else [],
            ),
            pages_of_shards,
            threads if threads > 1 else 0,
        ):
            alignments[name] = sum_alignments(alignments[name], selected.placed)
            kept = list(selected.kept(0))
            for page in compress(
                kept, analyzer.have_token([page.text for page in kept])
            ):
                docid, fields = columns.docids[page.document], pages[page.document]
                text = KeptText(page.text, page.title, page.repeated, page.times)
                document = maker.document(docid, text, name, fields)
                if isinstance(maker, BlockDocumentMaker):
                    maker.set_columns(blocks[page.document])
                adder.add([0], document, text.characters + len(fields.comments))
                documents[name] += 1
            bar.update(len(columns))
    return {name: (documents[name], alignments[name]) for name in shards}


def _read(
    shards: Mapping[str, BlockStore], cleaners: Sequence[Cleaner], layout: IndexLayout
) -> Iterator[_Pages]:
    """Yield all documents in order, some hundred at a time."""
    model = shipped_model() if layout.classes else None
    for name, shard in shards.items():
        fields = starmap(PageFields, shard.fields(("title", "url", "date", *METADATA)))
        for columns in columns_for(shard, [*cleaners, model] if model else cleaners):
            pages = list(islice(fields, len(columns)))
            if model:
                asked = [field in layout.classes for field in OF_CLASSES]
                pages = [
                    page._replace(
                        **dict(compress(zip(OF_CLASSES, texts, strict=True), asked))
                    )
                    for page, texts in zip(
                        pages, model.class_texts(columns), strict=True
                    )
                ]
            yield name, columns, pages
