"""Arguments that several commands share.

Names are those of pyserini and ir-measures where these have one.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from boilersweep.cleaners.parsing import parse_cleaners
from boilersweep.cleaners.variants import parse_sweep
from boilersweep.collection.irds_datasets import parse_dataset
from boilersweep.errors import UsageError
from boilersweep.indexer.analyzer import STEMMERS
from boilersweep.indexer.analyzer_languages import LANGUAGES, checked_language
from boilersweep.indexer.jvm import checked_heap
from boilersweep.indexer.layout import SEARCHABLE
from boilersweep.outputs.locations import location
from boilersweep.pages.language import parse_languages

Value = TypeVar("Value")
Commands = Any  # argparse has no public name for what add_subparsers returns

FORMATS = ("blogs06", "trecweb", "warc", "html", "jsonl")
EXPORT_FORMATS = ("jsonl", "parquet", "bulk", "trecweb", "text")
DEDUP_METHODS = ("exact", "minhash")
"""Choices whose own modules are too slow to import for a help text; a test compares the two."""


def checked(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """A parser of ours as argparse wants it: UsageError becomes argparse's own error."""

    def parse_argument(text: str) -> Value:
        try:
            return parse(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parse_argument


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def add_output(parser: argparse.ArgumentParser, what: str, default: str | None = None) -> None:
    """--output."""
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        required=default is None,
        default=default,
        help=what + (f" (default: {default})" if default else ""),
    )


def add_title(parser: argparse.ArgumentParser, default: str) -> None:
    """--title."""
    parser.add_argument(
        "--title",
        type=_title,
        metavar="TEXT",
        help=f"what stands above the report and its figures (default: {default})",
    )


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title:
        raise argparse.ArgumentTypeError("expected a title, got an empty text")
    return title


def add_collection(
    parser: argparse.ArgumentParser, *, formats: bool = True, store: bool = False
) -> None:
    """--input and, where the format is open, --collection; and how the pages are cut.

    store: a block store made before may be named in place of the input.
    """
    group = parser.add_argument_group("collection")
    # A sweep's --dataset names topics and qrels, too, and goes with --store.
    source = group.add_mutually_exclusive_group(required=not store) if formats else group
    source.add_argument(
        "--input",
        type=checked(location),
        required=not formats,
        metavar="PATH",
        help="a folder of pages, or one file, or either's URL, such as s3://bucket/pages; or - for "
        "what comes through a pipe",
    )
    if formats and not store:
        add_dataset(source, "the documents")
    if store:
        source.add_argument(
            "--store",
            type=checked(location),
            metavar="DIR",
            help="in place of --input: a block store, as `boilersweep segment` makes it",
        )
    if formats:
        group.add_argument(
            "--collection",
            choices=FORMATS,
            help="the format of the collection (default: recognised from the input)",
        )
        group.add_argument(
            "--contents",
            choices=("html", "text"),
            help="what the contents of JSONL are; text has one block per line (default: text for "
            "the keys text and Clean-Text, html for others)",
        )
        for field, what, known in (
            ("id", "the docid", "id, _id, ClueWeb22-ID"),
            ("text", "the page or text", "contents, text, Clean-Text, html"),
            ("url", "the address", "url, URL"),
        ):
            group.add_argument(
                f"--{field}-field",
                metavar="KEY",
                help=f"key of {what} in JSONL (default: the first there of {known})",
            )
        group.add_argument(
            "--docid",
            choices=("uri", "record", "trec"),
            help="what names the pages of WARC: WARC-Target-URI, WARC-Record-ID or WARC-TREC-ID "
            "(default: trec where there is one, else record)",
        )
    group.add_argument(
        "--follow-links",
        action="store_true",
        help="read linked folders below the input, too, and files outside of it that links lead to",
    )
    group.add_argument(
        "--on-duplicate",
        choices=("error", "first", "latest"),
        default="error",
        help="a docid that stands twice is an error, or its first document is kept, or that with "
        "the latest date, the last of several (default: error)",
    )
    group.add_argument(
        "--inline-tags",
        choices=("border", "transparent"),
        default="border",
        help="whether b, em, span and their like end a block, as in the paper (default: border)",
    )


def add_dataset(parser: argparse._ActionsContainer, what: str) -> None:
    """--dataset, of ir_datasets."""
    parser.add_argument(
        "--dataset",
        type=checked(parse_dataset),
        metavar="irds:ID",
        help=f"take {what} from ir_datasets, such as irds:gov2/trec-tb-2004",
    )


def add_reuse(
    parser: argparse.ArgumentParser, *, segments: bool = False, update: str | None = None
) -> None:
    """--overwrite, where pages are cut --verify-input, and --update, which does what it says."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--overwrite",
        action="store_true",
        help="make anew what stands at --output and is not what is asked for (default: refuse, "
        "and name the differences)",
    )
    if update:
        which.add_argument(
            "--update",
            action="store_true",
            help=f"bring what stands at --output to the state of its input: {update}",
        )
    if segments:
        add_verify_input(parser)


def add_verify_input(parser: argparse.ArgumentParser) -> None:
    """--verify-input."""
    parser.add_argument(
        "--verify-input",
        action="store_true",
        help="compare input files by SHA-256 even if size, times of change and inode are unchanged",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Caps on what one page may cost."""
    group = parser.add_argument_group("limits", "A page over a limit is skipped and counted.")
    group.add_argument(
        "--max-page-bytes",
        type=positive,
        metavar="N",
        default=16 * 2**20,
        help="of a page (default: 16 MiB)",
    )
    group.add_argument(
        "--max-page-blocks",
        type=positive,
        metavar="N",
        default=500_000,
        help="of a page, and elements that hold them (default: 500,000)",
    )
    group.add_argument(
        "--max-page-seconds",
        type=positive,
        metavar="N",
        default=60,
        help="for reading and cutting a page; time for which the process is stopped or waits "
        "for a processor or a disk does not count (default: 60)",
    )
    group.add_argument(
        "--max-worker-memory",
        type=positive,
        metavar="N",
        default=8,
        help="GiB of address space for each worker process (default: 8)",
    )
    add_strict(group)


def add_strict(parser: argparse._ActionsContainer) -> None:
    """--strict."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with status 1 where records were lost to time, memory or crashes, which "
        "another run may not lose",
    )


def add_no_sandbox(parser: argparse._ActionsContainer) -> None:
    """--no-sandbox; `take_no_sandbox` obeys it."""
    parser.add_argument(
        "--no-sandbox",
        action="store_true",
        help="draw pages without Chromium's own sandbox: needed as root outside a container",
    )


def take_no_sandbox(options: argparse.Namespace) -> None:
    """Start browsers as --no-sandbox says."""
    from boilersweep.rendering.chromium import allow_no_sandbox

    allow_no_sandbox(options.no_sandbox)


def add_threads(parser: argparse.ArgumentParser) -> None:
    """--threads."""
    parser.add_argument(
        "--threads",
        type=positive,
        metavar="N",
        help="worker processes and threads (default: one per processor)",
    )


def add_progress(parser: argparse.ArgumentParser) -> None:
    """--log-every; `cli.main` sees to it."""
    parser.add_argument(
        "--log-every",
        type=positive,
        metavar="SECONDS",
        default=30,
        help="without a terminal on stderr, say so often how far the work is (default: 30)",
    )


def add_java(parser: argparse.ArgumentParser) -> None:
    """--heap."""
    parser.add_argument(
        "--heap",
        type=checked(checked_heap),
        metavar="SIZE",
        help="Java's largest heap, such as 4g (default: a quarter of the memory)",
    )


def add_store(parser: argparse.ArgumentParser) -> None:
    """--store."""
    parser.add_argument(
        "--store",
        type=checked(location),
        required=True,
        metavar="DIR",
        help="a block store, as `boilersweep segment` makes it; or its URL",
    )


def add_store_input(parser: argparse.ArgumentParser) -> None:
    """--input of a store that is there: its pages are read once more."""
    parser.add_argument(
        "--input",
        type=checked(location),
        required=True,
        metavar="PATH",
        help="what the store was made of, wherever that is now; or - for what comes through a pipe",
    )


def add_sweeps(parser: argparse._ActionsContainer, default: str) -> None:
    """--sweep, once or more."""
    parser.add_argument(
        "--sweep",
        action="append",
        dest="sweeps",
        type=checked(parse_sweep),
        metavar="RULE",
        help="a rule with a range in the place of a number: words=1:100 (short for words>=1:100), "
        "density=1,5,10.5, 'link_density<=0:1:0.05', 'ancestor(numwords-rules, {1:5})'; may be "
        f"given again{default}",
    )


def add_grid(parser: argparse._ActionsContainer) -> None:
    """--grid."""
    parser.add_argument(
        "--grid",
        nargs=2,
        type=checked(parse_sweep),
        metavar="RULE",
        help="two sweeps, such as words=1:40 'link_density<=0.1:1:0.1': what both keep at every "
        "pair of values, through the exact engine, as a heat map",
    )


def add_cleaners(parser: argparse.ArgumentParser, what: str, *, required: bool = False) -> None:
    """--cleaners."""
    parser.add_argument(
        "--cleaners",
        type=checked(parse_cleaners),
        required=required,
        default=[],
        metavar="LIST",
        help=f"{what}, with commas between them, such as 'bte,ancestor(numwords-rules),"
        "density>=10.5 & link_density<=0.33'; `boilersweep cleaners` lists their names",
    )


def add_extractors(parser: argparse.ArgumentParser) -> None:
    """--extractors and --texts."""
    group = parser.add_argument_group(
        "texts beside the blocks", "Cleaners of the same names are then these texts."
    )
    add_extractor_names(group)
    group.add_argument(
        "--texts",
        action="append",
        default=[],
        type=checked(_named_file),
        metavar="NAME=FILE",
        help="texts of the pages from elsewhere, such as people's gold text: JSON lines with id "
        "and contents, plain or .gz; may be given again",
    )


def add_extractor_names(parser: argparse._ActionsContainer, *, required: bool = False) -> None:
    """--extractors."""
    parser.add_argument(
        "--extractors",
        type=lambda text: [name for name in text.split(",") if name],
        required=required,
        default=[],
        metavar="LIST",
        help="extractors to run over every page, such as cetr,trafilatura or my.module:function",
    )


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (equals and path and name.replace("-", "").replace("_", "").isalnum()):
        raise UsageError(f"expected NAME=FILE, such as gold=gold.jsonl.gz, got {text!r}")
    return name, Path(path)


def add_files(parser: argparse.ArgumentParser) -> None:
    """What an export's files are."""
    group = parser.add_argument_group("files")
    group.add_argument(
        "--format",
        choices=EXPORT_FORMATS,
        default="jsonl",
        help="JSON lines with id and contents, as pyserini and Hugging Face datasets read them; "
        "Parquet; requests to OpenSearch's bulk API; TREC web; or texts alone (default: jsonl)",
    )
    group.add_argument(
        "--blocks",
        action="store_true",
        help="with the place of every kept block in the text; not in trecweb and text",
    )
    group.add_argument(
        "--passages",
        type=positive,
        metavar="N",
        help="in place of whole documents passages of N words, DOCID#0, DOCID#1 and so on",
    )
    group.add_argument(
        "--overlap",
        type=positive,
        metavar="M",
        help="with --passages: words that a passage and the next one have both (default: none)",
    )


def add_dedup(parser: argparse.ArgumentParser, which: str = "") -> None:
    """Near-duplicates. which: when they can be left out, where that is not always."""
    group = parser.add_argument_group(
        "near-duplicates",
        f"{which}The first document stays; those left out are named in duplicates.csv.",
    )
    group.add_argument(
        "--dedup",
        choices=DEDUP_METHODS,
        help="leave out documents of which the same text is kept as of an earlier one; with "
        "minhash, nearly the same: so many of their shingles of five words",
    )
    group.add_argument(
        "--dedup-threshold",
        type=float,
        metavar="S",
        help="with minhash: the least Jaccard similarity, from 0.5 to 1 (default: 0.8)",
    )


def add_languages(parser: argparse.ArgumentParser, which: str = "") -> None:
    """--languages. which: when documents can be chosen, where that is not always."""
    parser.add_argument(
        "--languages",
        type=checked(parse_languages),
        default=(),
        metavar="LIST",
        help=f"{which}leave out documents in other languages than these, such as de,fr; und is for "
        "those of which it is not known (default: all documents)",
    )


def add_layout(parser: argparse.ArgumentParser) -> None:
    """What an index holds, as Anserini's IndexCollection has it."""
    group = parser.add_argument_group(
        "what the index holds",
        "With --keep, beside docids, terms and their positions, titles, URLs and dates.",
    )
    for name, what in (
        ("storeContents", "the cleaned text"),
        ("storeRaw", "JSON with id, url, title, date and the cleaned text as contents"),
        ("storeDocvectors", "document vectors, which --rm3 and --rocchio read; with --sweep, too"),
    ):
        group.add_argument(f"--{name}", action="store_true", help=what)
    group.add_argument(
        "--fields",
        nargs="+",
        default=[],
        choices=SEARCHABLE,
        help="fields to search beside the contents",
    )
    group.add_argument("--optimize", action="store_true", help="merge all into one segment")


def add_analyzer(parser: argparse.ArgumentParser) -> None:
    """Anserini's options of its analyzer."""
    group = parser.add_argument_group("analyzer")
    group.add_argument(
        "--language",
        type=checked(checked_language),
        choices=sorted(LANGUAGES),
        default="en",
        metavar="CODE",
        help=f"one of {', '.join(sorted(LANGUAGES))} (default: en)",
    )
    group.add_argument(
        "--stemmer",
        choices=STEMMERS,
        default="porter",
        help="for English (default: porter)",
    )
    group.add_argument("--keepStopwords", action="store_true", help="for English")
    blank = "split at white space and do nothing else"
    group.add_argument("--pretokenized", action="store_true", help=blank)
