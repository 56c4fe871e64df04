"""The collection or block store that a command reads, and how its pages become blocks."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cli.options.fields import Fields
from boilersweep.cli.options.output import add_strict
from boilersweep.cli.parser import Parser, declare, positive
from boilersweep.collection.format import Reading
from boilersweep.collection.irds_datasets import parse_dataset
from boilersweep.errors import UsageError
from boilersweep.outputs.locations import location
from boilersweep.pages.language import parse_languages
from boilersweep.segmenting.limits import Limits

if TYPE_CHECKING:
    from boilersweep.pages.elements import Borders
    from boilersweep.segmenting.segment import Segmentation
    from boilersweep.store.store import BlockStore
    from boilersweep.work.cluster import ClusterPool

FORMATS = ("blogs06", "trecweb", "warc", "html", "jsonl")
"""The modules of the formats are too slow to import for a help text; a test compares the two."""

_READING = Fields(
    Reading,
    {
        "plain": "--contents {html,text}  whether the contents of JSONL are HTML or text; text has "
        "one block per line (default: text for the keys text and Clean-Text, html for others)",
        "id_field": "--id-field KEY  key of the docid in JSONL (default: the first that exists of "
        "id, _id, ClueWeb22-ID)",
        "text_field": "--text-field KEY  key of the page or text in JSONL (default: the first that "
        "exists of contents, text, Clean-Text, html)",
        "url_field": "--url-field KEY  key of the address in JSONL (default: the first that exists "
        "of url, URL)",
        "docid": "--docid {uri,record,trec}  which header names the pages of WARC: WARC-Target-URI,"
        " WARC-Record-ID or WARC-TREC-ID (default: trec if it exists, else record)",
    },
)
_LIMITS = Fields(
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


def add(parser: Parser, *, formats: bool = True, store: bool = False) -> None:
    """--input and the options of its format, and how its pages become blocks.

    formats: the format is not fixed. store: a block store may replace the input, else --dataset.
    """
    group = parser.add_argument_group("collection")
    source = group.add_mutually_exclusive_group() if formats else group
    text = """
        --input PATH  a folder of pages or one file, or the URL of either, such as
            s3://bucket/pages; or - for standard input
        """
    declare(source, text, types={"input": location}, required=not formats)
    if store:
        _add_store(source, "instead of --input: a block store from `boilersweep segment`")
    elif formats:
        add_dataset(source, "the documents")
    if formats:
        text = f"""
            --collection {{{",".join(FORMATS)}}}
                the format of the collection (default: detected from the input)
            """
        declare(group, text)
        _READING.add(group)
        parser.check(resolve_dataset)
    declare(
        group,
        """
        --follow-links
            also read linked folders below the input, and files outside of it that links lead to
        --on-duplicate {error,first,latest}
            if a docid is duplicate: stop with an error, keep its first document, or keep the
            document with the latest date, the last of several (default: error)
        """,
    )
    add_borders(group, None if formats else "paper")
    _add_limits(parser)
    _add_texts(parser)


def add_borders(parser: argparse._ActionsContainer, default: "Borders | None" = "block") -> None:
    """--borders. default: None for block, except where a store to update has another value."""
    text = f"""
        --borders {{block,paper}}  where a block ends: at block elements, as browsers show text, or
            at every tag but a, as in the paper (default: {default or "block"})
        """
    declare(parser, text, defaults={"borders": default})


def _add_limits(parser: Parser) -> None:
    group = parser.add_argument_group("limits", "Pages over a limit are skipped and counted.")
    _LIMITS.add(group)
    add_strict(group)


def _add_texts(parser: Parser) -> None:
    group = parser.add_argument_group(
        "stored with the blocks", "Cleaners with the names of texts then return these texts."
    )
    add_extractors(group)
    declare(
        group,
        """
        --metadata  what pages state: headline, author, dates of publication and of changes, site,
            image and canonical address
        """,
    )
    text = """
        --texts NAME=FILE ...  texts of the pages from elsewhere, such as human gold texts: JSON
            lines with id and contents, plain or .gz; may be repeated
        """
    declare(group, text, types={"texts": _named_file}, default=[])


def add_extractors(parser: argparse._ActionsContainer, *, required: bool = False) -> None:
    """--extractors."""
    text = """
        --extractors LIST  extractors to run on every page, such as cetr,trafilatura or
            my.module:function
        """
    declare(parser, text, types={"extractors": _names}, required=required, default=[])


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (equals and path and name.replace("-", "").replace("_", "").isalnum()):
        raise UsageError(f"expected NAME=FILE, such as gold=gold.jsonl.gz, got {text!r}")
    return name, Path(path)


def add_dataset(parser: argparse._ActionsContainer, what: str) -> None:
    """--dataset of ir_datasets; the parser must check `resolve_dataset`."""
    text = f"--dataset irds:ID  take {what} from ir_datasets, such as irds:gov2/trec-tb-2004"
    declare(parser, text, types={"dataset": parse_dataset})


def resolve_dataset(args: argparse.Namespace) -> None:
    """Use --dataset for the inputs that are missing. Raises UsageError for those it cannot give."""
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


def add_store(parser: Parser, *, required: bool = True) -> None:
    """--store."""
    _add_store(parser, "a block store from `boilersweep segment`, or its URL", required=required)


def _add_store(parser: argparse._ActionsContainer, what: str, *, required: bool = False) -> None:
    declare(parser, f"--store DIR  {what}", types={"store": location}, required=required)


def add_store_input(parser: Parser, *, required: bool = True) -> None:
    """--input of an existing store, whose pages are read again."""
    text = """
        --input PATH  the collection that the store was made from, wherever it is now; or - for
            standard input
        """
    declare(parser, text, types={"input": location}, required=required)


def add_languages(parser: Parser, which: str = "") -> None:
    """--languages. which: the condition under which they work."""
    text = f"""
        --languages LIST  {which}use only documents in these languages, such as de,fr; und means
            documents whose language is unknown (default: all documents)
        """
    declare(parser, text, types={"languages": parse_languages}, default=())


def segmentation(
    args: argparse.Namespace, collection: str | None, before: "Segmentation | None" = None
) -> "Segmentation":
    """How the arguments want the collection to be segmented; prints a note if that is slow.

    before: how a store was segmented; only the options in the call change it.
    """
    from boilersweep.cli.messages import note
    from boilersweep.pages import compiled
    from boilersweep.segmenting.segment import Segmentation

    if why := compiled.why_missing():
        note(f"the segmenter in pure Python cuts the pages, half as fast: {why}")
    chosen: dict[str, Any] = {
        "collection": collection,
        "follow_links": args.follow_links,
        "extractors": requested_extractors(args),
        "given": dict(args.texts),
        "borders": args.borders,
        "metadata": args.metadata,
        "on_duplicate": args.on_duplicate,
    }
    chosen = {name: value for name, value in chosen.items() if value}
    chosen["limits"] = _LIMITS.build(args, before and before.limits)
    if hasattr(args, "collection"):
        plain = args.contents and args.contents == "text"
        chosen["reading"] = _READING.build(args, before and before.reading, plain=plain)
    return replace(before or Segmentation(), **chosen)


def requested_extractors(args: argparse.Namespace) -> list[str]:
    """The requested extractors, with those whose texts are cleaners; raises UsageError."""
    given = dict(args.texts)
    wanted = list(args.extractors)
    if cleaners := getattr(args, "cleaners", []):
        from boilersweep.cleaners.registry import find_text_cleaner
        from boilersweep.cleaners.selection import page_texts_of

        names = page_texts_of(cleaners)
        for name in names:
            if name not in given:
                find_text_cleaner(name)
        wanted += names
    return [name for name in dict.fromkeys(wanted) if name not in given]


def segmented(
    args: argparse.Namespace,
    output: Path,
    collection: str | None,
    cluster: "ClusterPool | None" = None,
    **within: Any,
) -> "BlockStore":
    """Segment the collection and describe the store on stderr.

    cluster: workers of a cluster; None for processes of this machine. within: more for
    `segment_collection`.
    """
    from boilersweep.cli.messages import note_store
    from boilersweep.segmenting.segment import segment_collection

    store = segment_collection(
        args.input,
        output,
        segmentation(args, collection),
        workers=args.threads,
        cluster=cluster,
        overwrite=args.overwrite,
        verify_input=args.verify_input,
        **within,
    )
    note_store(store)
    return store


def own_store(
    args: argparse.Namespace,
    collection: str | None,
    cluster: "ClusterPool | None",
    folder: str,
    finished: object,
    make_way: Callable[..., None],
    **more: Sequence[str],
) -> "BlockStore":
    """Segment the collection into a folder of the command's own output.

    Existing results are removed before the store changes; a finished output's store accepts no new
    files. finished: the manifest of what the folder has. more: for `make_way`.
    """
    return segmented(
        args,
        args.output / folder,
        collection,
        cluster,
        may_grow=finished is None,
        make_way=partial(make_way, args.output, overwrite=args.overwrite, **more),
    )


def note_losses(args: argparse.Namespace, store: "BlockStore") -> int:
    """Print what the store lost of its input; the exit status, 1 if --strict forbids losses."""
    from boilersweep.cli.messages import note_losses
    from boilersweep.outputs.folder import MANIFEST

    note_losses(store.lost, str(store.path / MANIFEST))
    return int(args.strict and store.lost.total() > 0)
