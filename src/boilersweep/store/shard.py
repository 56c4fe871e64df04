"""Shards: Parquet files with one row per document; `shard_columns` has the columns."""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NotRequired, TypedDict

import pyarrow as pa
import pyarrow.parquet as pq

from boilersweep.collection.format import Record
from boilersweep.errors import OutputError, StoreError, raise_exhausted
from boilersweep.outputs.locations import is_remote, require_regular
from boilersweep.outputs.typed_files import decode_json
from boilersweep.pages.columns import TEXTS, BlockColumns, IntArray, Need
from boilersweep.pages.content_kind import is_marked_up
from boilersweep.pages.encoding import GUESSED
from boilersweep.pages.language import Clue, language_of_clue
from boilersweep.pages.words import has_unspaced
from boilersweep.store.shard_columns import (
    Document,
    as_numpy,
    block_columns,
    column_names,
    encodings,
    language_values,
    schema,
    string_array,
    table_of,
)

_METADATA_KEY = b"boilersweep"
_ROWS_AT_A_TIME = 500
_CHARACTERS_AT_A_TIME = 16 * 2**20
# Blocks that are read together; blocks and elements that are written together.
_BLOCKS_AT_A_TIME = 2**19
# Bytes of titles and marks, of which honest pages have few: a column holds at most 2 GiB.
_ASIDE_AT_A_TIME = 256 * 2**20


# In place of the digest of a file that kills or stops its readers.
SET_ASIDE = "set aside"


class InputFile(TypedDict):
    """An input file as a shard read it.

    Attributes:
        path: The name below the input.
        bytes: The size.
        sha256: The digest of the content; SET_ASIDE if the file cannot be read.
        state: Its times of change, by which a later run knows the content; empty in a shard's
            footer and fingerprint.
    """

    path: str
    bytes: int
    sha256: str
    state: NotRequired[str]


@dataclass(frozen=True, slots=True)
class SkippedSample:
    """Where a record that became no document is, and why."""

    reason: str
    place: str
    docid: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class LostRecord(SkippedSample):
    """A record that another run may not lose: see `boilersweep.collection.format.LOSSES`.

    Attributes:
        records: The number of records; more than one if a whole file was set aside.
    """

    records: int


@dataclass(slots=True)
class ShardFacts:
    """What a shard's footer says of it, as JSON.

    Attributes:
        recipe: How the shard was made (options, versions).
        files: All input files, as read.
        records: The number of records read; each is a document or skipped.
        documents: The number of documents.
        without_blocks: The number of documents without a block.
        blocks: The number of blocks.
        words: The number of words.
        unspaced_words: The number of words in blocks with a script without spaces.
        marked_texts: The number of documents read as plain text that look like HTML.
        guessed_encodings: The number of documents whose encoding no label named.
        languages: The numbers of documents by language.
        skipped: The numbers of skipped records by reason.
        samples: A few skipped records with their places.
        lost: All skipped records that another run may not lose.
        failed: The numbers of documents whose metadata could not be read, by the error.
        allowed: What a page could cost if one was lost or failed, else nothing; see
            `segmenting.tasks.allowance`.
    """

    recipe: dict[str, Any]
    files: list[InputFile] = field(default_factory=list)
    records: int = 0
    documents: int = 0
    without_blocks: int = 0
    blocks: int = 0
    words: int = 0
    unspaced_words: int = 0
    marked_texts: int = 0
    guessed_encodings: int = 0
    languages: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    samples: list[SkippedSample] = field(default_factory=list)
    lost: list[LostRecord] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)
    allowed: dict[str, float] = field(default_factory=dict)


class ShardWriter:
    """Writes documents to one Parquet file, some hundred at a time; a context manager.

    Args:
        path: The file.
        facts: The facts of the shard, which the writer completes and writes into the footer.
        metadata: Whether every document has the columns METADATA.
    """

    def __init__(
        self, path: Path, facts: ShardFacts, *, metadata: bool = False
    ) -> None:
        self._facts = facts
        self._schema = schema(metadata=metadata)
        self._stated = [
            name for name in self._schema.names if name not in schema().names
        ]
        self._writer = pq.ParquetWriter(
            path,
            self._schema,
            compression="zstd",
            write_page_checksum=True,
            **encodings(),
        )
        self._documents: list[Document] = []
        self._clues: list[Clue] = []
        self._characters = self._blocks = self._aside = 0

    def __enter__(self) -> "ShardWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._write_rows()
            self._writer.add_key_value_metadata(
                {_METADATA_KEY: json.dumps(asdict(self._facts))}
            )
        self._writer.close()

    def add(self, document: Document, record: Record, clue: Clue) -> None:
        """Add a document; the facts count it.

        Args:
            document: The document.
            record: The record of the collection that it is of.
            clue: What tells its language.
        """
        page = document.page
        self._facts.marked_texts += record.plain and is_marked_up(record.body)
        self._facts.guessed_encodings += document.values["encoding"].endswith(GUESSED)
        self._documents.append(document)
        self._clues.append(clue)
        self._characters += sum(
            len(document.values[name] or "") for name in self._stated
        )
        self._characters += page.all_characters
        self._blocks += page.count + document.structure.count
        self._aside += len(page.title) + len(document.structure.columns["marks"])
        self._facts.documents += 1
        self._facts.without_blocks += not page.count
        self._facts.blocks += page.count
        self._facts.words += page.all_words
        self._facts.unspaced_words += page.unspaced_words
        if (
            len(self._documents) >= _ROWS_AT_A_TIME
            or self._characters >= _CHARACTERS_AT_A_TIME
            or self._blocks >= _BLOCKS_AT_A_TIME
            or self._aside >= _ASIDE_AT_A_TIME
        ):
            self._write_rows()

    def _write_rows(self) -> None:
        if self._documents:
            with self._naming_errors():
                for document, clue in zip(self._documents, self._clues, strict=True):
                    document.values.update(language_values(language_of_clue(clue)))
                    language = document.values["language"]
                    self._facts.languages[language] = (
                        self._facts.languages.get(language, 0) + 1
                    )
                self._writer.write_table(table_of(self._documents, self._schema))
            self._documents, self._clues = [], []
            self._characters = self._blocks = self._aside = 0

    @contextlib.contextmanager
    def _naming_errors(self) -> Iterator[None]:
        """Turn what goes wrong with documents, but for the disk, into an OutputError."""
        try:
            yield
        except (MemoryError, OverflowError, ValueError, pa.ArrowException) as error:
            first, last = self._documents[0].values, self._documents[-1].values
            reason, advice = repr(error), "please report it"
            if isinstance(error, MemoryError):
                reason = "not enough memory"
                advice = "raise `boilersweep segment --max-worker-memory`, or the limit (ulimit -v)"
            raise OutputError(
                f"cannot write the documents from {first['docid']} of {first['source']} to "
                f"{last['docid']} of {last['source']} ({reason}); {advice}"
            ) from error


def read_facts(path: Path) -> ShardFacts:
    """Read the shard's footer; raises StoreError if it is damaged or no shard of ours."""
    with opened_shard(path) as file:
        return decode_json((file.metadata.metadata or {})[_METADATA_KEY], ShardFacts)


def counts_of_rows(path: Path, rows: Sequence[int]) -> dict[str, int]:
    """Return what `ShardFacts` counts of some documents, as far as their rows tell it.

    Args:
        path: The shard.
        rows: The rows of the documents.

    Raises:
        StoreError: The shard is damaged.
    """
    with opened_shard(path) as file:
        table = file.read(columns=["words", "texts", "encoding"]).take(list(rows))
    words, texts, found = (table[name].to_pylist() for name in table.column_names)
    blocks = [
        block
        for page in zip(words, texts, strict=True)
        for block in zip(*page, strict=True)
    ]
    return {
        "documents": len(rows),
        "without_blocks": sum(not page for page in words),
        "blocks": len(blocks),
        "words": sum(number for number, _ in blocks),
        "unspaced_words": sum(number for number, text in blocks if has_unspaced(text)),
        "guessed_encodings": sum(encoding.endswith(GUESSED) for encoding in found),
    }


def read_columns(
    path: Path,
    needs: frozenset[Need] = TEXTS,
    page_texts: Mapping[str, Path] = MappingProxyType({}),
) -> Iterator[BlockColumns]:
    """Yield the shard's documents, some hundred at a time; raises StoreError for damage.

    Documents of many blocks come fewer at a time, at least one.

    Args:
        path: The shard.
        needs: What to read beside the numbers.
        page_texts: The files of texts to read, by their names.
    """
    texts = {name: read_page_texts(file) for name, file in page_texts.items()}
    with opened_shard(path) as file:
        for table in _groups(file, column_names(needs)):
            sizes = as_numpy(table.column("words").combine_chunks().value_lengths())
            for start, end in _few_blocks(sizes):
                columns = block_columns(table.slice(start, end - start))
                arrays = {
                    name: list(islice(of_pages, end - start))
                    for name, of_pages in texts.items()
                }
                yield replace(columns, page_texts=arrays) if arrays else columns


def _few_blocks(sizes: IntArray) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows that together have few blocks.

    Args:
        sizes: (n,) the blocks of each row.
    """
    start = blocks = 0
    for index, size in enumerate(sizes.tolist()):
        if blocks and blocks + size > _BLOCKS_AT_A_TIME:
            yield start, index
            start, blocks = index, 0
        blocks += size
    yield start, len(sizes)


def read_docids(path: Path) -> list[str]:
    """Read the docid of every document; raises StoreError if the shard is damaged."""
    with opened_shard(path) as file:
        docids: list[str] = file.read(columns=["docid"])["docid"].to_pylist()
        return docids


def read_fields(path: Path, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Values of every document, by the names of their columns; "" where there is none.

    Raises:
        StoreError: The shard is damaged.
    """
    with opened_shard(path) as file:
        table = file.read(
            columns=[name for name in names if name in file.schema_arrow.names]
        )
        # In Python: pyarrow's fill_null imports pandas, which takes .3 s.
        values = {
            name: ["" if value is None else value for value in table[name].to_pylist()]
            for name in table.column_names
        }
        none = [""] * file.metadata.num_rows
        return list(zip(*(values.get(name, none) for name in names), strict=True))


@dataclass(slots=True)
class TextFacts:
    """What the footer of a file of texts says of it, as JSON.

    Attributes:
        name: The name of the texts.
        shard: The name of the shard's file.
        failed: The number of pages without a text because their extractor failed.
        lost: Those of them at which a worker died or was too long.
        allowed: As `ShardFacts` has it.
    """

    name: str
    shard: str
    failed: int = 0
    lost: list[LostRecord] = field(default_factory=list)
    allowed: dict[str, float] = field(default_factory=dict)


def write_page_texts(
    path: Path, texts: Iterable[tuple[str, str]], facts: TextFacts
) -> None:
    """Write docids and texts, in the order of a shard, and then their facts, as they are then."""
    columns = pa.schema([("docid", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(
        path, columns, compression="zstd", write_page_checksum=True
    ) as writer:
        pages = iter(texts)
        while some := _some_texts(pages):
            docids, found = zip(*some, strict=True)
            arrays = [string_array("docid", docids), string_array("text", found)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=columns))
        writer.add_key_value_metadata({_METADATA_KEY: json.dumps(asdict(facts))})


def _some_texts(pages: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the next pages that are written together."""
    some: list[tuple[str, str]] = []
    characters = 0
    for page in pages:
        some.append(page)
        characters += len(page[1])
        if len(some) == _ROWS_AT_A_TIME or characters >= _CHARACTERS_AT_A_TIME:
            break
    return some


def read_page_texts(path: Path) -> Iterator[str]:
    """Yield the texts of a shard's documents; raises StoreError if the file is damaged."""
    with opened_shard(path) as file:
        for table in _groups(file, ["text"]):
            yield from table["text"].to_pylist()


def _groups(file: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows that were written together."""
    for group in range(file.num_row_groups):
        yield file.read_row_group(group, columns=columns)


@contextlib.contextmanager
def opened_shard(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a shard; what goes wrong in reading it becomes a StoreError that says what to do."""
    try:
        with contextlib.ExitStack() as stack:
            # pyarrow knows paths; what stands for one at a URL can be opened.
            remote = stack.enter_context(path.open("rb")) if is_remote(path) else None
            source = remote or require_regular(path)
            yield stack.enter_context(
                pq.ParquetFile(source, page_checksum_verification=True)
            )
    except (
        OSError,
        pa.ArrowException,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise_exhausted(error)
        raise StoreError(
            f"{path} is damaged or no shard of a block store ({error}); "
            "delete it and run `boilersweep segment` again"
        ) from error
