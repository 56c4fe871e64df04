"""`boilersweep clean`: one page to the text that a cleaner keeps of it."""

import argparse
import io
import sys
from pathlib import Path

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cli import arguments

FORMATS = ("text", "json", "markdown")
"""A test compares them with those of the module that writes them."""


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "clean",
        help="one page to the text that a cleaner keeps of it",
        description="Print what a cleaner keeps of one page of HTML: the same text that an index "
        "of the page would have. Nothing where it keeps nothing. A URL is not read: pipe the page, "
        "as in `curl -s URL | boilersweep clean`.",
    )
    parser.add_argument(
        "page",
        nargs="?",
        type=_page,
        default="-",
        metavar="FILE",
        help="a page of HTML, plain or .gz; - for standard input (default: -)",
    )
    parser.add_argument(
        "--keep",
        type=arguments.checked(parse_cleaner),
        default="learned",
        metavar="CLEANER",
        help="what to keep, such as 'words>=11', bte or trafilatura (default: learned)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="text has one block per line; json has title, URL, language and every block, too; "
        "markdown keeps headings, lists, tables and links (default: text)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where it goes (default: standard output)"
    )
    parser.set_defaults(run=run)


def _page(text: str) -> Path:
    if "://" in text:
        raise argparse.ArgumentTypeError(
            f"expected a file, or - for standard input, got {text}; URLs are not read: pipe the "
            f"page, as in `curl -sL {text} | boilersweep clean`"
        )
    return Path(text)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cleaning.formats import FORMATS, cleaned_page
    from boilersweep.cleaning.page_file import STANDARD_INPUT, read_page
    from boilersweep.cli.messages import note
    from boilersweep.errors import PageError
    from boilersweep.outputs.files import make_folder_of, write_output

    name = "standard input" if options.page == STANDARD_INPUT else options.page
    if options.output:
        make_folder_of(options.output)
    html = read_page(options.page)
    try:
        page = cleaned_page(html, options.keep)
    except PageError as error:
        raise PageError(f"{name}: {error}") from error
    if not page.text:
        why = "it is empty" if not html.strip() else f"{options.keep} keeps nothing of it"
        note(f"{name}: no text, {why}")
    written = FORMATS[options.format](page)
    ended = f"{written}\n" if written else ""
    if options.output:
        write_output(options.output, ended)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # whatever that of the terminal
        print(ended, end="")
    return 0
