"""A block store is an output of parts: its declaration, and what its manifest says of the whole.

A shard that has its digest is as it was written, and need not be counted again.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

import msgspec

from boilersweep.errors import StoreError
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.parts import Manifest, Output
from boilersweep.pages.elements import Borders
from boilersweep.store.shard import InputFile, LostRecord, counts_of_rows, read_facts

OnDuplicate = Literal["error", "first", "latest"]


class TextEntry(FileEntry):
    """A file of texts beside a shard.

    Attributes:
        file: The name below the store.
        failed: The number of pages without a text because their extractor failed.
        allowed: As `ShardFacts` has it.
    """

    file: str
    failed: int
    allowed: dict[str, float]


class ShardEntry(FileEntry):
    """A shard of a block store.

    Attributes:
        file: The name below the store.
        records: The number of records read.
        documents: The number of rows, including dropped rows.
        skipped: The numbers of skipped records by reason.
        dropped_rows: The rows of dropped duplicates.
        input: The files that the shard was made from.
        allowed: As `ShardFacts` has it.
        texts: The files of texts beside the shard, by the names of the texts.
    """

    file: str
    records: NotRequired[int]
    documents: int
    skipped: dict[str, int]
    dropped_rows: list[int]
    input: list[InputFile]
    allowed: dict[str, float]
    texts: dict[str, TextEntry]


class Sample(TypedDict):
    """An example of a skipped record, a dropped duplicate, or an input file that was not read.

    Attributes:
        place: Where it is, as text.
        detail: More about the reason.
        docid: The docid, if it is known.
        reason: Why it was skipped.
        kept_place: The place of a duplicate's document that is kept.
        shard: The number of a duplicate's shard.
        row: The duplicate's row in the shard.
    """

    place: str
    detail: NotRequired[str]
    docid: NotRequired[str | None]
    reason: NotRequired[str]
    kept_place: NotRequired[str]
    shard: NotRequired[int]
    row: NotRequired[int]


class StoreOptions(TypedDict):
    """The options of a segmentation that shape blocks; see `segmenting.tasks.recipe_of`."""

    collection: str
    reading: dict[str, str | bool | None]
    borders: Borders
    metadata: bool
    limits: dict[str, int]
    chosen: dict[str, int | str] | None


class StoreManifest(msgspec.Struct, kw_only=True):
    """The manifest of a block store.

    Attributes:
        store_version: The version of the layout and of what becomes of a page.
        boilersweep: The version that wrote it.
        python: The version of Python that wrote it.
        input: The input, as text.
        parser: The parser and its version; see `parser_identity`.
        options: The options of the segmentation.
        texts: What the texts beside the blocks depend on, by their names.
        records: The number of records; each is a document or skipped.
        documents: The number of documents, like all counts below without dropped duplicates.
        without_blocks: The number of documents without a block.
        blocks: The number of blocks.
        words: The number of words.
        unspaced_words: The number of words in blocks with a script without spaces.
        marked_texts: The number of documents read as plain text that look like HTML.
        guessed_encodings: The number of documents whose encoding no label named.
        dictionary: The dictionary that cut words without spaces.
        languages: The numbers of documents by language.
        detector: The detector of languages.
        failed_extractions: The numbers of documents that an extractor failed on, by its name.
        skipped: The numbers of skipped records by reason.
        skipped_samples: A few of them by reason.
        lost: The skipped records, and the pages without a text, that another run may not lose.
        fingerprint: The digest of everything that the blocks depend on.
        shards: The shards in the order of the input.
        follow_links: Whether links out of the input were followed.
        left_out: The numbers of input files that were not read, by reason.
        left_out_samples: A few of them by reason.
        on_duplicate: The treatment of duplicate docids.
    """

    store_version: int | str | None = None
    boilersweep: str = ""
    python: str = ""
    parser: str
    input: str
    options: StoreOptions
    texts: dict[str, str]
    records: int
    documents: int
    without_blocks: int
    blocks: int
    words: int
    unspaced_words: int
    marked_texts: int
    guessed_encodings: int
    dictionary: str | None
    languages: dict[str, int]
    detector: str | None
    failed_extractions: dict[str, int]
    skipped: dict[str, int]
    skipped_samples: dict[str, list[Sample]]
    lost: list[LostRecord]
    fingerprint: str
    shards: list[ShardEntry]
    follow_links: bool
    left_out: dict[str, int]
    left_out_samples: dict[str, list[Sample]]
    on_duplicate: OnDuplicate


TOTALS = ("records", "documents", "without_blocks", "blocks", "words")


def _wrong(folder: Path, whole: Manifest[StoreManifest], _: object) -> Iterator[str]:
    """Yield what the manifest says else than the shards say of themselves."""
    manifest = whole.facts
    totals: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for shard in manifest.shards:
        try:
            facts = read_facts(folder / shard["file"])
        except StoreError:  # missing or damaged: compared with its digest
            return
        totals.update({name: getattr(facts, name) for name in TOTALS})
        skipped.update(facts.skipped)
        if rows := shard["dropped_rows"]:
            totals.subtract(counts_of_rows(folder / shard["file"], rows))
            skipped["duplicate docid"] += len(rows)
    for name in TOTALS:
        recorded = getattr(manifest, name)
        if recorded != totals[name]:
            yield f"the shards hold {totals[name]:,} {name}, the manifest says {recorded}"
    if manifest.skipped != dict(skipped):
        yield f"the shards skipped {dict(skipped)}, the manifest says {manifest.skipped}"
    languages = sum(manifest.languages.values())
    if languages != manifest.documents:
        yield f"{languages:,} of {manifest.documents:,} documents are counted by language"
    left = manifest.records - manifest.documents - sum(manifest.skipped.values())
    if left:
        yield f"{left:,} of {manifest.records:,} records are unaccounted for"


STORE = Output(
    name="store",
    command="segment",
    facts=StoreManifest,
    follows=("texts",),
    error=StoreError,
    verify=_wrong,
)
