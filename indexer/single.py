"""One cleaned index to deploy: analysed by Lucene itself, with positions."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import compress, islice, starmap
from pathlib import Path

from boilersweep.cleaners.extractor_blocks import (
    AlignmentCounts,
    alignment_json,
    alignment_of_json,
    sum_alignments,
)
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.selection import Cleaner, Selection, select
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.filling import Filling, made_ahead
from boilersweep.indexer.jvm import for_each, start_jvm
from boilersweep.indexer.layout import OF_CLASSES, IndexLayout, PageFields
from boilersweep.indexer.lucene import (
    DocumentMaker,
    IndexWriter,
    buffer_megabytes,
    lucene_errors,
)
from boilersweep.indexer.manifest import (
    ALL_TEXTS,
    IndexedCounts,
    IndexManifest,
    ShardEntry,
    index_recipe,
    index_to_update,
    seal,
    sealed_index,
)
from boilersweep.outputs.files import (
    link_files,
    only_writer,
    remove_leftovers,
    whole_folder,
    write_text,
)
from boilersweep.pages.columns import BlockColumns
from boilersweep.store.language_selection import of_languages
from boilersweep.store.layout import METADATA
from boilersweep.store.near_duplicates import (
    DUPLICATES,
    Dedup,
    by_shard,
    duplicates_csv,
    find_duplicates,
)
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

_MAX_BUFFER_MEGABYTES = 256.0

_Pages = tuple[str, BlockColumns, list[PageFields]]
"""A shard's name, some of its documents, and what is known of each."""


def build_index(
    store: BlockStore,
    cleaner: Cleaner | str,
    output: Path | str,
    *,
    analyzer: AnalyzerOptions | None = None,
    layout: IndexLayout | None = None,
    dedup: Dedup | None = None,
    languages: Sequence[str] = (),
    threads: int = 2,
    overwrite: bool = False,
    update: bool = False,
) -> IndexManifest:
    """Build the index of what a cleaner keeps at `output`; one that is there already stays.

    cleaner: as text, such as `words>=11`, or parsed.
    layout: what it holds beside docids and terms, such as `IndexLayout(contents=True)`, which is
    the cleaned text, where pyserini's `doc(docid).contents()` finds it. None for no more than
    positions, titles, URLs and dates.
    dedup: leave out documents of which as much as nothing else is kept than of an earlier one,
    such as `Dedup("minhash")`; None: keep all. They are named in the index's `duplicates.csv`.
    languages: leave out documents of other languages than these, such as `["de", "fr"]`; none: keep
    all. They are counted in the manifest.
    overwrite: rebuild an index that does not match, or is damaged. update: bring an index of an
    earlier state of the store to the present one: documents of unchanged shards stay, those of
    other shards are removed, and those of new and changed shards are added. The index is complete
    at every moment (if the file system can exchange folders, see `whole_folder`), open readers keep
    what they see, and lists and scores equal those of a rebuilt index.
    A document without a token left is not indexed, but counted.
    Raises IndexingError if it cannot be written, does not hold what was added, or another index is
    in the way; OutputError, StoreError, JavaError.
    """
    options, layout = analyzer or AnalyzerOptions(), layout or IndexLayout()
    cleaner, output = as_cleaner(cleaner), Path(output)
    if output.is_symlink():
        # What it leads to is replaced, and not the link; a circle stays what it is.
        output = Path(os.path.realpath(output))
    recipe = index_recipe(store.fingerprint, cleaner, options, layout, dedup, languages)
    with only_writer(output.parent, f".{output.name}.lock"):
        remove_leftovers(output.parent)
        before = index_to_update(output, recipe) if update else None
        if before is None and (whole := sealed_index(output, recipe, overwrite=overwrite)):
            return whole
        start_jvm()
        chosen, others = of_languages(store, languages)
        duplicates = find_duplicates(chosen, [cleaner], dedup, output.parent)[0] if dedup else []
        added = IndexedCounts(
            duplicates=len(duplicates), other_languages=others, by_lucene=ALL_TEXTS
        )
        shards = dict(chosen.without(by_shard(duplicates)).by_shard())
        with lucene_errors(output), whole_folder(output) as folder:
            if before:
                link_files(before.files.keys() - {DUPLICATES}, output, folder)
            added.shards = _fill(folder, shards, cleaner, before, options, layout, threads)
            added.documents = sum(entry["documents"] for entry in added.shards.values())
            for entry in added.shards.values():
                added.add_alignments(alignment_of_json(entry["placed"]))
            if dedup:
                write_text(folder / DUPLICATES, duplicates_csv({str(cleaner): duplicates}))
            return seal(folder, recipe, added, store)


def _fill(
    folder: Path,
    shards: Mapping[str, BlockStore],
    cleaner: Cleaner,
    before: IndexManifest | None,
    options: AnalyzerOptions,
    layout: IndexLayout,
    threads: int,
) -> dict[str, ShardEntry]:
    """Write the index of a store's shards; return an entry for each shard, in their order.

    before: the index whose files the folder holds. Its shards stay if their documents are the
    same, and are deleted otherwise.
    """
    analyzer, maker = BlockAnalyzer(options), DocumentMaker(layout)
    writer = IndexWriter(folder, analyzer.analyzer, buffer_megabytes(1, _MAX_BUFFER_MEGABYTES))
    try:
        prints = {name: shard.fingerprint_for([cleaner]) for name, shard in shards.items()}
        entries = _that_stay(before, prints)
        for name in before.shards.keys() - entries.keys() if before else ():
            writer.delete_shard(name)
        new = {name: shard for name, shard in shards.items() if name not in entries}
        total = sum(shard.documents for shard in new.values())
        with (
            Filling([writer], maker, threads, in_order=False) as filling,
            steps("index", total, "documents") as bar,
        ):
            documents = dict.fromkeys(new, 0)
            placed: dict[str, dict[str, AlignmentCounts]] = {name: {} for name in new}
            choose = partial(_selected, cleaner)
            for (name, columns, pages), selected in made_ahead(
                choose, _read(new, cleaner, layout), threads
            ):
                placed[name] = sum_alignments(placed[name], selected.placed)
                kept = list(selected.kept(0))
                for one in compress(kept, analyzer.have_token([one.text for one in kept])):
                    page, text = pages[one.document], KeptText(one.text, one.repeated, one.times)
                    document = maker.page_document(columns.docids[one.document], name, page, text)
                    filling.add([0], document, text.characters + len(page.comments))
                    documents[name] += 1
                bar.update(len(columns))
        for name in new:
            entries[name] = ShardEntry(
                fingerprint=prints[name],
                documents=documents[name],
                placed=alignment_json(placed[name]),
            )
        for_each(lambda _: writer.flush(), range(threads), threads)  # which commit does in one
        if layout.optimize:
            writer.optimize()
        writer.commit()
    finally:
        writer.abandon()
    return {name: entries[name] for name in shards}


def _read(
    shards: Mapping[str, BlockStore], cleaner: Cleaner, layout: IndexLayout
) -> Iterator[_Pages]:
    """All documents in order, some hundred at a time."""
    model = Learned()
    for name, shard in shards.items():
        fields = starmap(PageFields, shard.fields(("title", "url", "date", *METADATA)))
        for columns in shard.columns_for([cleaner, model] if layout.classes else [cleaner]):
            pages = list(islice(fields, len(columns)))
            if layout.classes:
                asked = [field in layout.classes for field in OF_CLASSES]
                pages = [
                    page._replace(**dict(compress(zip(OF_CLASSES, texts, strict=True), asked)))
                    for page, texts in zip(pages, model.class_texts(columns), strict=True)
                ]
            yield name, columns, pages


def _selected(cleaner: Cleaner, read: _Pages) -> Selection:
    return select(read[1], [cleaner])


def _that_stay(before: IndexManifest | None, prints: Mapping[str, str]) -> dict[str, ShardEntry]:
    """The shards of an index whose documents are those of a store's shards of the same names.

    prints: fingerprints of the store's shards for the cleaner, by name.
    """
    return {
        name: entry
        for name, entry in (before.shards if before else {}).items()
        if prints.get(name) == entry["fingerprint"]
    }
