"""The collection or block store that a command reads, and the stores that commands make of it."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from boilersweep.applications import required
from boilersweep.cli.call import Call
from boilersweep.cli.messages import note, note_losses, note_store
from boilersweep.cli.options.values import (
    Count,
    File,
    OutputFile,
    PagesInput,
    Store,
    listed,
    parsed,
    parsed_each,
    part,
    section,
)
from boilersweep.collection.fetch_options import FetchOptions
from boilersweep.collection.format import Reading
from boilersweep.collection.formats import FORMATS
from boilersweep.collection.inputs import Input, Inputs, parse_dataset, paths_of
from boilersweep.errors import UsageError
from boilersweep.outputs.locations import refuse_inputs
from boilersweep.outputs.parts import MANIFEST, Output
from boilersweep.pages import compiled
from boilersweep.pages.language import parse_languages
from boilersweep.pages.limits import Limits
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.segmenting.tasks import Chosen, read_docids
from boilersweep.segmenting.texts import describe_texts
from boilersweep.store.store import BlockStore, open_store

# The word after --collection for lines of Common Crawl's index.
CDX = "cdx"

_GIB = 2**30

_COLLECTION = section("collection")
_FETCHING = section("pages of Common Crawl, by --collection cdx")
_LIMITS = section("limits", "Pages over a limit are skipped and counted.")
_STORED = section(
    "stored with the blocks",
    "Cleaners with the names of texts then return these texts.",
)
_CHOSEN = section(
    "some documents alone",
    "Scores of such a store are not comparable with those of the whole collection: every document "
    "outside is missing from all rankings.",
)


def _names(text: str) -> list[str]:
    """Return names between commas; those within parentheses belong to a name."""
    return [name for name in re.split(r",(?![^(]*\))", text) if name]


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (equals and path and name.replace("-", "").replace("_", "").isalnum()):
        raise UsageError(
            f"expected NAME=FILE, such as gold=gold.jsonl.gz, got {text!r}"
        )
    return name, Path(path)


Dataset = Annotated[str, parsed(parse_dataset, "irds:ID")]
Extractors = Annotated[Sequence[str], listed(_names)]
Languages = Annotated[Sequence[str], listed(parse_languages)]
NamedFiles = Annotated[
    Sequence[tuple[str, Path]], parsed_each(_named_file, "NAME=FILE")
]


@Parameter(name="*", group=_COLLECTION)
@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a collection, and how they become blocks.

    Attributes:
        input: A folder of pages or one file, or the URL of either, such as s3://bucket/pages; a
            pattern, such as 'crawl-*/*.warc.gz'; @FILE for a list of these, one a line; or - for
            standard input. May be repeated.
        dataset: Take the documents from ir_datasets, such as irds:gov2/trec-tb-2004.
        collection: The format of the collection (default: detected from the input); cdx: lines of
            Common Crawl's index, whose pages are fetched from its server.
        contents: Whether the contents of JSONL are HTML or text; text has one block per line
            (default: text for the keys text and Clean-Text, html for others).
        extractors: Extractors to run on every page, such as cetr,trafilatura or
            my.module:function.
        texts: Texts of the pages from elsewhere, such as human gold texts: JSON lines with id and
            contents, plain or .gz; may be repeated.
        save: The *.warc.gz that keeps the fetched pages; a finished one is not fetched again.
        max_worker_memory: GiB of address space for each worker process.
        strict: Exit with status 1 if records were lost to time, memory or crashes, which another
            run may not lose.
    """

    input: PagesInput | None = None
    dataset: Dataset | None = None
    collection: Annotated[str | None, Parameter(choices=(*FORMATS, CDX))] = None
    contents: Literal["html", "text"] | None = None
    reading: Annotated[Reading, part(Reading, but=("plain",))] = Reading()
    segmentation: Annotated[
        Segmentation,
        part(Segmentation, "follow_links", "on_duplicate", "borders", "metadata"),
    ] = Segmentation()
    save: Annotated[OutputFile | None, Parameter(group=_FETCHING)] = None
    fetching: Annotated[
        FetchOptions,
        part(
            FetchOptions,
            group=_FETCHING,
            but=("at_once", "tries", "first_pause"),
            base="cdx-base",
            per_second="cdx-rate",
        ),
    ] = FetchOptions()
    limits: Annotated[
        Limits,
        part(
            Limits,
            group=_LIMITS,
            but=("attributes", "nesting", "worker_bytes"),
            page_bytes="max-page-bytes",
            page_blocks="max-page-blocks",
            seconds="max-page-seconds",
        ),
    ] = Limits()
    max_worker_memory: Annotated[Count, Parameter(group=_LIMITS)] = 8
    strict: Annotated[bool, Parameter(group=_LIMITS)] = False
    extractors: Annotated[Extractors, Parameter(group=_STORED)] = ()
    texts: Annotated[NamedFiles, Parameter(group=_STORED)] = ()

    def check(self, call: Call, output: Path) -> None:
        """Raise UsageError for options that do not go together."""
        call.apart("--dataset", "--input")
        if self.collection == CDX:
            if self.save is None or not self.save.name.endswith(".warc.gz"):
                raise UsageError(
                    "--collection cdx requires --save FILE.warc.gz, for the fetched pages"
                )
        elif call.given("--save", "--cdx-base"):
            raise UsageError("--save and --cdx-base require --collection cdx")
        refuse_inputs(output, closed=paths_of(self.input) if self.input else ())

    def how(self, chosen: Chosen | None) -> Segmentation:
        """Return how the collection is segmented."""
        given = dict(self.texts)
        plain = self.contents and self.contents == "text"
        return replace(
            self.segmentation,
            collection=self.collection,
            reading=replace(self.reading, plain=plain),
            limits=replace(self.limits, worker_bytes=self.max_worker_memory * _GIB),
            extractors=[name for name in self.extractors if name not in given],
            given=given,
            chosen=chosen,
        )

    def fetched(self) -> "Pages":
        """Fetch the pages that an index names; return their WARC file as the input."""
        if self.collection != CDX or self.save is None or self.input is None:
            return self
        if isinstance(self.input, Inputs):
            raise UsageError("--collection cdx expects one --input, a file or a folder")
        fetch_pages = required(
            "boilersweep.collection.common_crawl:fetch_pages", "--collection cdx"
        )
        report = fetch_pages(self.input, self.save, self.fetching)
        note(
            f"{report.pages:,} of {report.lines:,} pages of the index are in {self.save}"
        )
        for reason, count in report.failed.items():
            sample = report.samples[reason][0][:200]
            note(f"not fetched: {count:,} x {reason}, such as {sample}")
        return replace(self, input=self.save, collection="warc")


@Parameter(name="*", group=_COLLECTION)
@dataclass(frozen=True, slots=True)
class PagesOrStore:
    """A block store, or the pages of a collection with the few options that they need.

    Attributes:
        input: A collection, which is segmented first, as by `boilersweep segment`, which has more
            options for that: a folder of pages, one file, a URL, a pattern, @FILE for a list of
            these, or - for standard input; may be repeated.
        store: Instead of --input: a block store from `boilersweep segment`.
        collection: The format of the collection (default: detected from the input).
        extractors: Extractors to run on every page, such as cetr,trafilatura or
            my.module:function.
    """

    input: PagesInput | None = None
    store: Store | None = None
    collection: Annotated[str | None, Parameter(choices=tuple(FORMATS))] = None
    reading: Annotated[Reading, part(Reading, "docid")] = Reading()
    segmentation: Annotated[Segmentation, part(Segmentation, "borders")] = (
        Segmentation()
    )
    extractors: Extractors = ()

    def check(self, call: Call, output: Path) -> None:
        """Raise UsageError for options of pages beside a store, which would change nothing."""
        call.apart("--store", "--input")
        unused = call.given("--collection", "--docid", "--borders", "--extractors")
        if self.store and unused:
            raise UsageError(
                f"{', '.join(unused)}: the store was segmented before; give this to `boilersweep "
                "segment`, or use --input instead of --store"
            )
        refuse_inputs(output, closed=paths_of(self.input) if self.input else ())

    def opened(self) -> BlockStore | None:
        """Return the given store, None without one."""
        return open_store(self.store) if self.store else None

    def how(
        self, cleaners: Sequence[Any] = (), *, metadata: bool = False
    ) -> Segmentation:
        """Return how the collection is segmented; raise UsageError for unknown extractors.

        Args:
            cleaners: Cleaners whose texts have to be made.
            metadata: Whether to store what pages state.
        """
        from boilersweep.cleaners.registry import find_text_cleaner
        from boilersweep.cleaners.selection import page_texts_of

        names = page_texts_of(cleaners)
        for name in names:
            find_text_cleaner(name)
        return replace(
            self.segmentation,
            collection=self.collection,
            reading=self.reading,
            metadata=metadata,
            extractors=list(dict.fromkeys((*self.extractors, *names))),
        )


@Parameter(name="*", group=_CHOSEN)
@dataclass(frozen=True, slots=True)
class ChosenDocuments:
    """Some documents of a collection.

    Attributes:
        only_docids: The documents named in a file, one docid per line.
        only_judged: The documents that qrels judge.
        sample: Also N other documents, drawn at random.
        seed: What the sample depends on.
    """

    only_docids: File | None = None
    only_judged: File | None = None
    sample: int = 0
    seed: int = 0

    def read(self) -> Chosen | None:
        """Return the documents, None for all; print what that means."""
        docids: frozenset[str] = frozenset()
        if self.only_docids:
            docids |= read_docids(self.only_docids)
        if self.only_judged:
            from boilersweep.topics.read import read_qrels

            judged = read_qrels(self.only_judged).grades.values()
            docids |= {docid for grades in judged for docid in grades}
        if not docids:
            return None
        note(
            f"only {len(docids):,} chosen documents and {self.sample:,} others are segmented: all "
            "others are missing from every ranking, so scores are higher than on the whole "
            "collection"
        )
        return Chosen(docids, self.sample, self.seed)


def from_dataset(
    dataset: str | None, inputs: Mapping[str, Any], *, or_store: bool = False
) -> dict[str, Any]:
    """Return inputs, the missing ones from a dataset of ir_datasets.

    Args:
        dataset: Its id, None without one.
        inputs: The parameters of the inputs -> what the call gives.
        or_store: Whether a store may be given in place of the input.

    Raises:
        UsageError: Inputs are missing.
    """
    missing = [name for name, path in inputs.items() if path is None]
    if missing and dataset is None:
        names = [
            f"--{name}{' or --store' * (or_store and name == 'input')}"
            for name in missing
        ]
        raise UsageError(
            f"expected {' and '.join(names)}; or --dataset irds:ID for what ir_datasets has"
        )
    return {name: path or Path(dataset or "") for name, path in inputs.items()}


def required_input(source: PagesOrStore) -> Input:
    """Return the collection; raise UsageError without one."""
    if source.input is None:
        raise UsageError("expected --input or --store")
    return source.input


def segmented(
    pages: Input,
    output: Path,
    how: Segmentation,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    overwrite: bool = False,
    verify_input: bool = False,
) -> BlockStore:
    """Segment a collection; describe the store, and what slows the work, on stderr.

    Args:
        pages: The collection.
        output: The folder of the store.
        how: How it is segmented.
        threads: The number of worker processes; None for one per processor.
        executor: Does the work instead of processes of this machine.
        overwrite: See `segment_collection`.
        verify_input: See `segment_collection`.

    Returns:
        The store.
    """
    if why := compiled.why_missing():
        note(f"the segmenter in pure Python cuts the pages, a third as fast: {why}")
    store = segment_collection(
        pages,
        output,
        how,
        workers=threads,
        executor=executor,
        overwrite=overwrite,
        verify_input=verify_input,
    )
    note_store(store)
    docids = set(store.docids()) if how.given else set()
    for name, path in how.given.items():
        note(describe_texts(name, path, docids))
    return store


def own_store(
    pages: Input,
    output: Path,
    how: Segmentation,
    kind: Output[Any],
    **work: Any,
) -> BlockStore:
    """Segment a collection into a folder of the command's own output.

    Results that are there stay, though they are those of the store as it was.

    Args:
        pages: The collection.
        output: The folder of the output.
        how: How the collection is segmented.
        kind: The kind of output.
        work: See `segmented`.

    Raises:
        BoilersweepError: The kind's error: the folder has an output of another kind.
    """
    kind.read(output, overwrite=work.get("overwrite", False))
    return segmented(pages, output / "store", how, **work)


def report_losses(store: BlockStore, *, strict: bool = False) -> int:
    """Print what the store lost of its input; return 1 if --strict forbids losses, else 0."""
    note_losses(store.lost, str(store.path / MANIFEST))
    return int(strict and store.lost.total() > 0)
