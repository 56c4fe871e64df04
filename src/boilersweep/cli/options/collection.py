"""The collection or block store that a command reads, and how its pages become blocks."""

import argparse
from pathlib import Path

from boilersweep.cli.options.fields import Fields
from boilersweep.cli.options.output import STRICT
from boilersweep.cli.parser import Group, Options, Part, positive
from boilersweep.collection.format import Reading
from boilersweep.collection.formats import FORMATS
from boilersweep.collection.irds import parse_dataset
from boilersweep.errors import UsageError
from boilersweep.outputs.locations import location, output_path, require_outside
from boilersweep.pages.elements import Borders
from boilersweep.pages.language import parse_languages
from boilersweep.segmenting.limits import Limits

# The word after --collection for lines of Common Crawl's index.
CDX = "cdx"

READING = Fields(
    Reading,
    {
        field: option
        for form in FORMATS.values()
        for field, option in form.options.items()
    },
)
LIMITS = Fields(
    Limits,
    {
        "page_bytes": "--max-page-bytes N  bytes of a page (default: 16 MiB)",
        "page_blocks": "--max-page-blocks N  blocks of a page, and elements with text (default: "
        "500,000)",
        "seconds": "--max-page-seconds N  seconds to read and segment a page, not counting time in "
        "which the process is stopped or waits for a processor or a disk",
        "worker_bytes": "--max-worker-memory N  GiB of address space for each worker process",
    },
    types={"seconds": lambda text: float(positive(text))},
    units={"worker_bytes": 2**30},
)
_COLLECTION = "collection"
_FOLLOWED = Options(
    """
    --follow-links
        also read linked folders below the input, and files outside of it that links lead to
    --on-duplicate {error,first,latest}
        if a docid is duplicate: stop with an error, keep its first document, or keep the
        document with the latest date, the last of several (default: error)
    """
)


def pages(*, formats: bool = True, store: bool = False) -> Group:
    """Return --input, the options of its format, and how its pages become blocks.

    Args:
        formats: Whether the collection may have any format.
        store: Whether a block store may replace the input; otherwise, --dataset may.
    """
    text = """
        --input PATH  a folder of pages or one file, or the URL of either, such as
            s3://bucket/pages; or - for standard input
        """
    source: Part = Options(text, types={"input": location}, required=not formats)
    if store:
        other = _store("instead of --input: a block store from `boilersweep segment`")
        source = Group(source, other, exclusive=True)
    elif formats:
        source = Group(source, dataset("the documents"), exclusive=True)
    collection = [source]
    parts: list[Part] = []
    if formats:
        text = f"""
            --collection {{{",".join((*FORMATS, CDX))}}}
                the format of the collection (default: detected from the input); cdx: lines of
                Common Crawl's index, whose pages are fetched from its server
            """
        collection += [Options(text), READING.options()]
        parts += [_FETCHING, resolve_dataset]
    collection += [_FOLLOWED, borders("block" if formats else "paper")]
    parts += [_check_output, _LIMITS, _TEXTS]
    if store:
        parts.append(_check_store)
    return Group(Group(*collection, title=_COLLECTION), *parts)


def _check_store(args: argparse.Namespace) -> None:
    """Raise UsageError for options of pages beside a store, which would change nothing."""
    titles = {_COLLECTION, _FETCHING.title, _LIMITS.title, _TEXTS.title}
    groups = [group for group in args.parser._action_groups if group.title in titles]
    ignored = {action.dest for group in groups for action in group._group_actions}
    unused = sorted(args.typed.keys() & (ignored - {"input", "store", "strict"}))
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
    elif args.save or args.cdx_base:
        raise UsageError("--save and --cdx-base require --collection cdx")


def _check_chosen(args: argparse.Namespace) -> None:
    if args.sample and not (args.only_docids or args.only_judged):
        raise UsageError("--sample adds documents to --only-docids or --only-judged")


def _check_output(args: argparse.Namespace) -> None:
    """Raise UsageError if the output would be written among the pages."""
    if args.input and args.output:
        require_outside(args.input, args.output)


def borders(default: Borders = "block") -> Options:
    """Return --borders."""
    text = f"""
        --borders {{block,paper}}  where a block ends: at block elements, as browsers show text, or
            at every tag but a, as in the paper (default: {default})
        """
    return Options(text, defaults={"borders": default})


def extractors() -> Options:
    """Return --extractors."""
    text = """
        --extractors LIST  extractors to run on every page, such as cetr,trafilatura or
            my.module:function
        """
    return Options(text, types={"extractors": _names}, default=[])


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
        """
        --save FILE  the *.warc.gz that keeps the fetched pages; a finished one is not fetched again
        --cdx-base URL  what the index's file names are relative to: the address of the crawl's
            files, s3://BUCKET, or a folder (default: that of Common Crawl)
        --cdx-rate N  requests per second, at most
        """,
        types={"save": output_path},
        defaults={"cdx_rate": 20},
    ),
    _check_fetching,
    title="pages of Common Crawl, by --collection cdx",
)
_LIMITS = Group(
    LIMITS.options(),
    STRICT,
    title="limits",
    about="Pages over a limit are skipped and counted.",
)
_TEXTS = Group(
    extractors(),
    Options(
        """
        --metadata  what pages state: headline, author, dates of publication and of changes, site,
            image and canonical address
        """
    ),
    Options(
        """
        --texts NAME=FILE ...  texts of the pages from elsewhere, such as human gold texts: JSON
            lines with id and contents, plain or .gz; may be repeated
        """,
        types={"texts": _named_file},
        default=[],
    ),
    title="stored with the blocks",
    about="Cleaners with the names of texts then return these texts.",
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
    _check_chosen,
    title="some documents alone",
    about="Scores of such a store are not comparable with those of the whole collection: every "
    "document outside is missing from all rankings.",
)
