"""Write Lucene indexes with Lucene's own IndexWriter, which tells when it fails.

pyserini's LuceneIndexer loses documents in silence when the heap or the disk is full; the writer
here raises, and what it wrote is counted again by a reader before it counts as an index.
"""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from boilersweep.errors import IndexingError, raise_exhausted, reason_of
from boilersweep.extras import PYSERINI
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.jvm import anserini_version, compound_reader
from boilersweep.indexer.layout import IndexLayout, PageFields, raw_json
from boilersweep.outputs.locations import require_regular

# The field that is searched, as Anserini names it.
CONTENTS = "contents"

DOCID = "id"

# The field that has a document's source, as Anserini names it.
RAW = "raw"

# The field that names the shard of the store that a document of the index to deploy is from.
SHARD = "shard"

_HEAP_FULL = "java.lang.OutOfMemoryError"

# Exceptions that Lucene raises for an index whose files are missing, damaged or too old.
_NOT_WHOLE = (
    "org.apache.lucene.index.CorruptIndex",
    "org.apache.lucene.index.IndexFormat",
    "org.apache.lucene.index.IndexNotFound",
    "java.io.EOFException",
    "java.nio.file.NoSuchFileException",
)

# Errors that Java raises where a class has changed, as between versions of Lucene.
_CHANGED = (
    "java.lang.NoSuch",
    "java.lang.NoClassDefFound",
    "java.lang.AbstractMethod",
    "java.lang.IncompatibleClassChange",
)

_HEAP_SHARE_OF_BUFFERS = 0.25
_MIN_BUFFER_MEGABYTES = 1.0
_MAX_BUFFER_MEGABYTES = 256.0


class _Reusable(NamedTuple):
    """A document, its fields that take a text each, and those of docid and repeated contents.

    `columns` is the field of what rules read, in an index of blocks.
    """

    document: Any
    fields: list[Any]
    docid: Any
    repeated: Any
    columns: Any = None


# The names of a document's fields, those that are searched apart, and how many more there are for
# repeated contents.
_Alike = tuple[tuple[str, ...], tuple[str, ...], int]

# A document, and what those that are alike have in common.
Reused = tuple[_Alike, _Reusable]


def lucene_errors(path: Path) -> AbstractContextManager[None]:
    """Turn a Java exception of writing or reading the index at `path` into an IndexingError."""
    return java_errors(f"index {path}")


@contextlib.contextmanager
def java_errors(what: str) -> Iterator[None]:
    """Turn a Java exception into an IndexingError that says what failed and what to do."""
    from jnius import JavaException

    try:
        yield
    except JavaException as error:
        classname = error.classname or ""  # pyjnius gives its own errors none
        reason = (
            error.innermessage or classname or str(error).partition(", requested")[0]
        )
        advice = (
            "check that the disk is neither full nor read-only, and the limit of file sizes "
            "(ulimit -f)"
        )
        # A writer that one thread closed by its error raises another one in all other threads.
        trace = [classname, *map(str, error.stacktrace or ())]
        if any(line.startswith(_HEAP_FULL) for line in trace):
            reason = "Java heap space"
            advice = "give Java more memory with `heap`, for example `heap` 4g"
        elif "Too many open files" in str(error):
            advice = "raise the limit of open files (ulimit -n), or sweep fewer thresholds at once"
        elif classname.startswith(_NOT_WHOLE):
            advice = "it is damaged, or of another version of Lucene; delete it and build it again"
        elif not classname or classname.startswith(_CHANGED):
            advice = (
                f"boilersweep and Anserini {anserini_version()} do not fit together: install a "
                f"{PYSERINI}, see `boilersweep doctor`"
            )
        raise IndexingError(f"{what}: {reason}; {advice}") from error


def heap_bytes() -> int:
    """How large Java's heap may become."""
    from jnius import autoclass

    return int(autoclass("java.lang.Runtime").getRuntime().maxMemory())


def buffer_megabytes(writers: int) -> float:
    """Return each writer's buffer size: together a part of Java's heap, and not too much each."""
    share = heap_bytes() / 2**20 * _HEAP_SHARE_OF_BUFFERS / writers
    return float(min(_MAX_BUFFER_MEGABYTES, max(_MIN_BUFFER_MEGABYTES, share)))


class DocumentMaker:
    """Makes Lucene documents as Anserini's DefaultLuceneDocumentGenerator does.

    What is stored of a text is what the page has.
    """

    def __init__(self, layout: IndexLayout, given: Callable[[str], str]) -> None:
        """Prepare to make documents.

        Args:
            layout: The layout of the index.
            given: Returns a text as the analyzer is given it, see `AnalyzerOptions.given`.
        """
        from jnius import autoclass, cast

        self._layout, self._given = layout, given
        self._type = _searched_type(layout)
        self._document = autoclass("org.apache.lucene.document.Document")
        self._field = autoclass("org.apache.lucene.document.Field")
        self._string_field = autoclass("org.apache.lucene.document.StringField")
        self._doc_values = autoclass("org.apache.lucene.document.BinaryDocValuesField")
        self._bytes = autoclass("org.apache.lucene.util.BytesRef")
        self._stored_field = autoclass("org.apache.lucene.document.StoredField")
        self._stored = autoclass("org.apache.lucene.document.Field$Store").YES
        self._not_stored = autoclass("org.apache.lucene.document.Field$Store").NO
        self._free: dict[_Alike, list[_Reusable]] = defaultdict(list)
        self._taken: list[Reused] = []
        self._empty = cast("java.lang.CharSequence", autoclass("java.lang.String")(b""))

    def document(
        self,
        docid: str,
        kept: KeptText,
        shard: str = "",
        page: PageFields | None = None,
    ) -> Any:
        """Return a Lucene document with what the layout asks for; it will be reused.

        Args:
            docid: The docid.
            kept: The kept text; a stored field has it once.
            shard: The name of the shard that the document is from; "" if the index names none.
            page: What the store knows of the page.
        """
        texts = {DOCID: docid}
        if shard:
            texts[SHARD] = shard
        if page and self._layout.page_fields:
            texts |= {name: text for name, text in page._asdict().items() if text}
        if page and self._layout.raw:
            texts[RAW] = raw_json(docid, page, kept.contents)
        names = (name for name in self._layout.fields if name in texts)
        searched = {CONTENTS: kept.contents, **{name: texts[name] for name in names}}
        if self._layout.contents:
            texts[CONTENTS] = kept.contents
        again = kept.times - 1 if kept.repeated else 0
        alike = (tuple(texts), tuple(searched), again)
        free = self._free[alike]
        # To make a document takes longer than all the rest.
        reusable = free.pop() if free else self._make(*alike)
        self._taken.append((alike, reusable))
        reusable.docid.setBytesValue(docid.encode())
        # The constructors corrupt characters beyond the BMP.
        values = (*texts.values(), *map(self._given, searched.values()))
        for field, value in zip(reusable.fields, values, strict=True):
            field.setStringValue(value)
        if kept.repeated:
            reusable.repeated.setStringValue(self._given(kept.repeated))
        return reusable.document

    def taken(self) -> list[Reused]:
        """Return all documents made since the last call; they may be reused later."""
        taken, self._taken = self._taken, []
        return taken

    def give_back(self, taken: Sequence[Reused]) -> None:
        """Allow these documents to be reused: they have been added."""
        for alike, reusable in taken:
            self._free[alike].append(reusable)

    def _make(
        self, names: Sequence[str], searched: Sequence[str], again: int
    ) -> _Reusable:
        """Make a document without values.

        Args:
            names: The names of the fields that are stored, or found whole.
            searched: The names of those whose words are searched.
            again: The number of further fields for the repeated contents.
        """
        fields = [self._page_field(name) for name in names]
        fields += [self._searched_field(name) for name in searched]
        docid = self._doc_values(DOCID, self._bytes(b""))
        repeated = self._field(CONTENTS, self._empty, self._type)
        document = self._document()
        for field in (*fields, docid, *[repeated] * again):
            document.add(field)
        return _Reusable(document, fields, docid, repeated)

    def _page_field(self, name: str) -> Any:
        if name in (DOCID, SHARD):
            return self._string_field(
                name, "", self._stored if name == DOCID else self._not_stored
            )
        return self._stored_field(name, "")

    def _searched_field(self, name: str) -> Any:
        return self._field(name, self._empty, self._type)


def _searched_type(layout: IndexLayout) -> Any:
    """Return the type of a text field, as Anserini indexes it."""
    from jnius import autoclass

    options = autoclass("org.apache.lucene.index.IndexOptions")
    kind = autoclass("org.apache.lucene.document.FieldType")()
    kind.setIndexOptions(
        options.DOCS_AND_FREQS_AND_POSITIONS
        if layout.positions
        else options.DOCS_AND_FREQS
    )
    kind.setStoreTermVectors(layout.docvectors)
    kind.setStoreTermVectorPositions(layout.docvectors and layout.positions)
    kind.freeze()
    return kind


class IndexWriter:
    """One Lucene index in the making, from nothing or from what is in its folder."""

    def __init__(
        self,
        path: Path,
        analyzer: Any,
        buffer_megabytes: float,
        *,
        compound: bool = False,
    ) -> None:
        """Open the index to write it.

        Args:
            path: The folder of the index.
            analyzer: Java's analyzer.
            buffer_megabytes: The size of the buffer in memory.
            compound: Whether to write few files, as there are many indexes.
        """
        from jnius import autoclass

        self.path = path
        with lucene_errors(path):
            config = autoclass("org.apache.lucene.index.IndexWriterConfig")(analyzer)
            config.setRAMBufferSizeMB(buffer_megabytes)
            config.setUseCompoundFile(compound)
            # No deleted document stays in a segment, as statistics would count it.
            policy = autoclass("org.apache.lucene.index.TieredMergePolicy")()
            policy.setForceMergeDeletesPctAllowed(0.0)
            if compound:
                policy.setNoCFSRatio(1.0)
                # Many writers, each in a thread: one more for a merge makes nothing faster.
                serial = autoclass("org.apache.lucene.index.SerialMergeScheduler")
                config.setMergeScheduler(serial())
            config.setMergePolicy(policy)
            directory = open_directory(path)
            self._writer = autoclass("org.apache.lucene.index.IndexWriter")(
                directory, config
            )
        self._has_deleted = False

    def add(self, documents: Any) -> None:
        """Add a java.util.List of documents, all or none; raises IndexingError."""
        with lucene_errors(self.path):
            self._writer.addDocuments(documents)

    def add_counted(self, batch: Any, contents: bytes) -> None:
        """Add contents of a CountedBatch, their numbers as int32; raises IndexingError."""
        with lucene_errors(self.path):
            batch.add(self._writer, contents)

    def flush(self) -> None:
        """Write to disk what one thread added, if no other flush does; raises IndexingError."""
        with lucene_errors(self.path):
            self._writer.flushNextBuffer()

    def delete_shard(self, name: str) -> None:
        """Delete all documents of a shard that were added before; raises IndexingError."""
        from jnius import autoclass, cast

        term = autoclass("org.apache.lucene.index.Term")(SHARD, name)
        query = autoclass("org.apache.lucene.search.TermQuery")(term)
        self._has_deleted = True
        with lucene_errors(self.path):
            # pyjnius tells the overloads apart by the class as it is written.
            self._writer.deleteDocuments(cast("org.apache.lucene.search.Query", query))

    def optimize(self) -> None:
        """Merge everything into one segment; raises IndexingError."""
        with lucene_errors(self.path):
            self._writer.forceMerge(1)

    def commit(self) -> None:
        """Write everything to disk, nothing that was deleted, and close; raises IndexingError."""
        with lucene_errors(self.path):
            if self._has_deleted:  # two methods have this name: not for several threads
                self._writer.forceMergeDeletes()
            self._writer.commit()
            self._writer.close()

    def abandon(self) -> None:
        """Close without committing; quiet, for use when something has gone wrong already."""
        from jnius import JavaException

        with contextlib.suppress(JavaException):
            self._writer.rollback()


def open_directory(path: Path) -> Any:
    """Return Lucene's Directory for a path.

    Raises:
        IndexingError: A file is a FIFO or a device: Lucene would wait for it.
    """
    from jnius import autoclass

    for file in path.iterdir() if path.is_dir() else ():
        try:
            if file.exists() and not file.is_dir():
                require_regular(file)
        except OSError as error:
            raise_exhausted(error)
            raise IndexingError(
                f"index {path}: {file.name}: {reason_of(error)}; it is damaged: delete the index "
                "and build it again"
            ) from error
    paths = autoclass("java.nio.file.Paths")
    return autoclass("org.apache.lucene.store.FSDirectory").open(
        paths.get(java_path(path))
    )


def java_path(path: Path) -> str:
    """Return a path for Java, which stays in the working directory that it was started in."""
    return str(path.absolute())


def count_index(path: Path) -> tuple[int, int]:
    """Open an index, and count its documents and the tokens of their contents, with repeats.

    Raises:
        IndexingError: The index cannot be opened.
    """
    from jnius import autoclass

    with lucene_errors(path):
        reader = autoclass("org.apache.lucene.index.DirectoryReader").open(
            open_directory(path)
        )
        try:
            return reader.numDocs(), reader.getSumTotalTermFreq(CONTENTS)
        finally:
            reader.close()


def file_sizes(path: Path) -> dict[str, int]:
    """Return the size in bytes of each file by name, for a compound file of the files in it.

    Raises:
        IndexingError: The index cannot be opened.
    """
    from jnius import autoclass, cast

    def sizes(directory: Any) -> dict[str, int]:
        directory = cast("org.apache.lucene.store.Directory", directory)
        return {name: int(directory.fileLength(name)) for name in directory.listAll()}

    with lucene_errors(path):
        directory = open_directory(path)
        files = {
            name: size
            for name, size in sizes(directory).items()
            if not name.endswith(".cfs")
        }
        infos = autoclass("org.apache.lucene.index.SegmentInfos").readLatestCommit(
            directory
        )
        for index in range(infos.size()):
            segment = infos.info(index).info
            if segment.getUseCompoundFile():
                files |= sizes(compound_reader(directory, segment))
        return files
