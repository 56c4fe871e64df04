"""The collection or block store that a command reads, and the stores that commands make of it."""

import argparse
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from boilersweep.cli.messages import note, note_losses, note_store
from boilersweep.cli.options.output import STRICT
from boilersweep.cli.parser import Fields, Group, Options, needs
from boilersweep.collection.format import Reading
from boilersweep.collection.formats import FORMATS
from boilersweep.collection.irds import parse_dataset
from boilersweep.collection.range_source import FetchOptions
from boilersweep.errors import UsageError
from boilersweep.outputs.folder import MANIFEST
from boilersweep.outputs.locations import location, output_path, require_outside
from boilersweep.outputs.parts import Output
from boilersweep.pages import compiled
from boilersweep.pages.language import parse_languages
from boilersweep.pages.limits import Limits
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.segmenting.tasks import Chosen, read_docids
from boilersweep.segmenting.texts import describe_texts
from boilersweep.store.store import BlockStore

# The word after --collection for lines of Common Crawl's index.
CDX = "cdx"

# Format's options, by the fields of Reading that they set.
_OF_FORMATS = {
    field: option for form in FORMATS.values() for field, option in form.options.items()
}
READING = Fields(Reading, _OF_FORMATS)
LIMITS = Fields(Limits)
SEGMENTATION = Fields(Segmentation)
FETCHING = Fields(FetchOptions)
# The options of segmenting that `segment` alone has.
_OF_SEGMENT = (
    *(*READING.names, *LIMITS.names, *SEGMENTATION.names, *FETCHING.names),
    *("save", "strict", "texts", "verify_input"),
)
_COLLECTION = "collection"


def pages() -> Group:
    """Return the options of a collection, and how its pages become blocks."""
    text = """
        --input PATH  a folder of pages or one file, or the URL of either, such as
            s3://bucket/pages; or - for standard input
        """
    source = Options(text, types={"input": location})
    return Group(
        Group(
            Group(source, dataset("the documents"), exclusive=True),
            _collection((*FORMATS, CDX)),
            READING.options(),
            SEGMENTATION.options("follow_links", "on_duplicate", "borders"),
            title=_COLLECTION,
        ),
        _FETCHING,
        resolve_dataset,
        _check_output,
        Group(
            LIMITS.options(),
            STRICT,
            title="limits",
            about="Pages over a limit are skipped and counted.",
        ),
        Group(
            _EXTRACTORS,
            SEGMENTATION.options("metadata"),
            Options(
                """
                --texts NAME=FILE ...  texts of the pages from elsewhere, such as human gold texts:
                    JSON lines with id and contents, plain or .gz; may be repeated
                """,
                types={"texts": _named_file},
                default=[],
            ),
            title="stored with the blocks",
            about="Cleaners with the names of texts then return these texts.",
        ),
    )


def pages_or_store() -> Group:
    """Return --store, and the few options of a collection that commands take in place of one."""
    text = """
        --input PATH  a collection, which is segmented first, as by `boilersweep segment`, which has
            more options for that: a folder of pages, one file, a URL, or - for standard input
        """
    source = Options(text, types={"input": location})
    other = _store("instead of --input: a block store from `boilersweep segment`")
    return Group(
        Group(
            Group(source, other, exclusive=True),
            _collection(tuple(FORMATS)),
            Fields(Reading, {"docid": _OF_FORMATS["docid"]}).options(),
            SEGMENTATION.options("borders"),
            _EXTRACTORS,
            title=_COLLECTION,
        ),
        resolve_dataset,
        _check_output,
        _check_store,
        {"of_segment": _OF_SEGMENT},
    )


def _collection(names: Sequence[str]) -> Options:
    """Return --collection."""
    text = (
        f"--collection {{{','.join(names)}}}  the format of the collection (default: detected "
        "from the input)"
    )
    if CDX in names:
        text += "; cdx: lines of Common Crawl's index, whose pages are fetched from its server"
    return Options(text)


def _check_store(args: argparse.Namespace) -> None:
    """Raise UsageError for options of pages beside a store, which would change nothing."""
    unused = sorted(
        args.typed.keys() & {"collection", "docid", "borders", "extractors"}
    )
    if args.store and unused:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in unused)
        raise UsageError(
            f"{flags}: the store was segmented before; give this to `boilersweep segment`, or use "
            "--input instead of --store"
        )


def _check_fetching(args: argparse.Namespace) -> None:
    if args.collection == CDX:
        if args.save is None or not args.save.name.endswith(".warc.gz"):
            raise UsageError(
                "--collection cdx requires --save FILE.warc.gz, for the fetched pages"
            )
    elif args.save or "cdx_base" in args.typed:
        raise UsageError("--save and --cdx-base require --collection cdx")


def _check_output(args: argparse.Namespace) -> None:
    """Raise UsageError if the output would be written among the pages."""
    if args.input and args.output:
        require_outside(args.input, args.output)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (equals and path and name.replace("-", "").replace("_", "").isalnum()):
        raise UsageError(
            f"expected NAME=FILE, such as gold=gold.jsonl.gz, got {text!r}"
        )
    return name, Path(path)


def dataset(what: str) -> Options:
    """Return --dataset of ir_datasets; the command must check `resolve_dataset`."""
    text = f"--dataset irds:ID  take {what} from ir_datasets, such as irds:gov2/trec-tb-2004"
    return Options(text, types={"dataset": parse_dataset})


def resolve_dataset(args: argparse.Namespace) -> None:
    """Use --dataset for missing inputs; raise UsageError for those that it cannot give."""
    wanted = [name for name in ("input", "topics", "qrels") if hasattr(args, name)]
    if getattr(args, "store", None):
        wanted = [name for name in wanted if name != "input"]
    if getattr(args, "may_be_unjudged", False) and not args.dataset:
        wanted.remove("qrels")
        if args.queries:
            wanted.remove("topics")
    missing = [name for name in wanted if getattr(args, name) is None]
    has_dataset = hasattr(args, "dataset")
    if missing and not (has_dataset and args.dataset):
        or_store = " or --store" if hasattr(args, "store") else ""
        names = [f"--{name}" + or_store * (name == "input") for name in missing]
        more = "; or --dataset irds:ID for what ir_datasets has"
        raise UsageError(f"expected {' and '.join(names)}{more * has_dataset}")
    for name in missing:
        setattr(args, name, Path(args.dataset))


def store(*, required: bool = True) -> Options:
    """Return --store."""
    return _store(
        "a block store from `boilersweep segment`, or its URL", required=required
    )


def _store(what: str, *, required: bool = False) -> Options:
    return Options(f"--store DIR  {what}", types={"store": location}, required=required)


def languages(which: str = "") -> Options:
    """Return --languages, with the condition under which they work."""
    text = f"""
        --languages LIST  {which}use only documents in these languages, such as de,fr; und means
            documents whose language is unknown (default: all documents)
        """
    return Options(text, types={"languages": parse_languages}, default=())


_FETCHING = Group(
    Options(
        "--save FILE  the *.warc.gz that keeps the fetched pages; a finished one is not fetched "
        "again",
        types={"save": output_path},
    ),
    FETCHING.options(),
    _check_fetching,
    title="pages of Common Crawl, by --collection cdx",
)
_EXTRACTORS = Options(
    """
    --extractors LIST  extractors to run on every page, such as cetr,trafilatura or
        my.module:function
    """,
    types={"extractors": _names},
    default=[],
)
CHOSEN = Group(
    Options(
        """
        --only-docids FILE  the documents named in a file, one docid per line
        --only-judged FILE  the documents that qrels judge
        --sample N  also N other documents, drawn at random (default: 0)
        --seed N  what the sample depends on (default: 0)
        """,
        types={"sample": int, "seed": int},
        defaults={"sample": 0, "seed": 0},
    ),
    needs("--sample", "--only-docids", "--only-judged"),
    title="some documents alone",
    about="Scores of such a store are not comparable with those of the whole collection: every "
    "document outside is missing from all rankings.",
)


def segmentation(args: argparse.Namespace) -> Segmentation:
    """Return how the collection is segmented; print a note if that is slow."""
    if why := compiled.why_missing():
        note(f"the segmenter in pure Python cuts the pages, a third as fast: {why}")
    plain = getattr(args, "contents", None)
    return SEGMENTATION.build(
        args,
        collection=args.collection,
        reading=READING.build(args, plain=plain and plain == "text"),
        limits=LIMITS.build(args),
        extractors=requested_extractors(args),
        given=dict(_texts(args)),
        chosen=chosen_documents(args),
    )


def _texts(args: argparse.Namespace) -> Sequence[tuple[str, Path]]:
    """Return the names and files of texts from elsewhere; `segment` alone takes some."""
    return getattr(args, "texts", ())


def requested_extractors(args: argparse.Namespace) -> list[str]:
    """Return the requested extractors, with those whose texts are cleaners; raise UsageError."""
    given = dict(_texts(args))
    wanted = list(args.extractors)
    if cleaners := getattr(args, "cleaners", []):
        # `segment` has no cleaners, and starts faster without these.
        from boilersweep.cleaners.registry import find_text_cleaner
        from boilersweep.cleaners.selection import page_texts_of

        names = page_texts_of(cleaners)
        for name in names:
            if name not in given:
                find_text_cleaner(name)
        wanted += names
    return [name for name in dict.fromkeys(wanted) if name not in given]


def fetch(args: argparse.Namespace) -> None:
    """Fetch the pages that an index names; the call's input is then their WARC file."""
    if getattr(args, "collection", None) != CDX:
        return
    from boilersweep.collection.common_crawl import fetch_pages

    report = fetch_pages(args.input, args.save, FETCHING.build(args))
    note(f"{report.pages:,} of {report.lines:,} pages of the index are in {args.save}")
    for reason, count in report.failed.items():
        note(
            f"not fetched: {count:,} x {reason}, such as {report.samples[reason][0][:200]}"
        )
    args.input, args.collection = args.save, "warc"


def chosen_documents(args: argparse.Namespace) -> Chosen | None:
    """Return the documents that the arguments name, None for all; print what that means."""
    docids: frozenset[str] = frozenset()
    if getattr(args, "only_docids", None):
        docids |= read_docids(args.only_docids)
    if getattr(args, "only_judged", None):
        from boilersweep.topics.read import read_qrels

        judged = read_qrels(args.only_judged).grades.values()
        docids |= {docid for grades in judged for docid in grades}
    if not docids:
        return None
    note(
        f"only {len(docids):,} chosen documents and {args.sample:,} others are segmented: all "
        "others are missing from every ranking, so scores are higher than on the whole collection"
    )
    return Chosen(docids, args.sample, args.seed)


def segmented(
    args: argparse.Namespace,
    output: Path,
    executor: Executor | None = None,
) -> BlockStore:
    """Segment the collection and describe the store on stderr.

    Args:
        args: The options.
        output: The folder of the store.
        executor: Does the work instead of processes of this machine.

    Returns:
        The store.
    """
    fetch(args)
    store = segment_collection(
        args.input,
        output,
        segmentation(args),
        workers=args.threads,
        executor=executor,
        overwrite=args.overwrite,
        verify_input=getattr(args, "verify_input", False),
    )
    note_store(store)
    note_texts(args, store)
    return store


def note_texts(args: argparse.Namespace, store: BlockStore) -> None:
    """Print how the given texts and the documents of a store match."""
    docids = set(store.docids()) if _texts(args) else set()
    for name, path in _texts(args):
        note(describe_texts(name, path, docids))


def own_store(
    args: argparse.Namespace,
    kind: Output[Any],
    executor: Executor | None = None,
) -> BlockStore:
    """Segment the collection into a folder of the command's own output.

    Results that are there stay, though they are those of the store as it was.

    Args:
        args: The parsed call.
        kind: The kind of output.
        executor: See `segmented`.

    Raises:
        BoilersweepError: The kind's error: the folder has an output of another kind.
    """
    kind.read(args.output, overwrite=args.overwrite)
    return segmented(args, args.output / "store", executor)


def report_losses(args: argparse.Namespace, store: BlockStore) -> int:
    """Print what the store lost of its input; return 1 if --strict forbids losses, else 0."""
    note_losses(store.lost, str(store.path / MANIFEST))
    return int(getattr(args, "strict", False) and store.lost.total() > 0)
