"""Print the text that a cleaner keeps of a page.

Print what a cleaner keeps of one page of HTML: the same text that an index of the page contains,
and nothing if the cleaner keeps nothing. URLs are not fetched: pipe the page, as in `curl -s URL |
boilersweep clean`.
"""

import argparse
import io
import sys
from pathlib import Path

from boilersweep.cli import options
from boilersweep.cli.parser import Parser, declare
from boilersweep.errors import UsageError

FORMATS = ("text", "json", "markdown")


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "page",
        nargs="?",
        type=_page,
        default="-",
        metavar="FILE",
        help="a page of HTML, plain or .gz; - for standard input (default: -)",
    )
    options.cleaners.add_one(
        parser, "--keep", "what to keep, such as 'words>=11', bte or trafilatura", "learned"
    )
    declare(
        parser,
        f"""
        --format {{{",".join(FORMATS)}}}
            text has one block per line; json also has title, author, dates, other metadata and
            every block; markdown keeps headings, lists, tables, code and links
        --images
            with markdown: write the images between kept blocks, too
        """,
        defaults={"format": FORMATS[0]},
    )
    options.output.add_file(parser, "the file to write (default: standard output)")


def _page(text: str) -> Path:
    if "://" in text:
        raise UsageError(
            f"expected a file, or - for standard input, got {text}; URLs are not fetched: pipe the "
            f"page, as in `curl -sL {text} | boilersweep clean`"
        )
    return Path(text)


def run(args: argparse.Namespace) -> int:
    from boilersweep.cleaning.clean import clean
    from boilersweep.cleaning.page import as_json, page
    from boilersweep.cleaning.page_file import STANDARD_INPUT, read_page
    from boilersweep.cli.messages import note
    from boilersweep.errors import PageError
    from boilersweep.outputs.files import make_folder_of, write_output

    if args.images and args.format != "markdown":
        raise UsageError("--images requires --format markdown")
    name = "standard input" if args.page == STANDARD_INPUT else args.page
    if args.output:
        make_folder_of(args.output)
    html = read_page(args.page)
    try:
        if args.format == "json":
            cleaned = page(html, args.keep)
            text, written = cleaned.text, as_json(cleaned, args.keep)
        else:
            written = text = clean(html, args.keep, format=args.format, images=args.images)
    except PageError as error:
        raise PageError(f"{name}: {error}") from error
    if not text:
        why = "it is empty" if not html.strip() else f"{args.keep} keeps nothing of it"
        note(f"{name}: no text, {why}")
    ended = f"{written}\n" if written else ""
    if args.output:
        write_output(args.output, ended)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # whatever the terminal's encoding is
        print(ended, end="")
    return 0
