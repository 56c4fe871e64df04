"""Print the text that a cleaner keeps of a page, or write those of many pages.

Print what a cleaner keeps of one page of HTML: the same text that an index of the page contains,
and nothing if the cleaner keeps nothing. Of several files or a folder, write a file for each into
--output. URLs are not fetched: pipe the page, as in `curl -s URL | boilersweep clean`. With
--explain: print a page's blocks with their features and every cleaner's verdict.
"""

import argparse
import io
import re
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path

from boilersweep.cleaning.page import (
    STANDARD_INPUT,
    cleaned,
    files_of,
    read_page,
)
from boilersweep.cli import options
from boilersweep.cli.messages import note, tell, width
from boilersweep.cli.parser import Options, apart
from boilersweep.errors import InputError, PageError, UsageError
from boilersweep.outputs.streams import make_folder_of, require_kind, write_output
from boilersweep.outputs.typed_files import json_text
from boilersweep.work.progress import steps

FORMATS = ("text", "json", "markdown")

_JSON = re.compile(rb"\s*\{")


def _page(text: str) -> Path:
    if "://" in text:
        raise UsageError(
            f"expected a file, or - for standard input, got {text}; URLs are not fetched: pipe the "
            f"page, as in `curl -sL {text} | boilersweep clean`"
        )
    return Path(text)


def _check_keep(args: argparse.Namespace) -> None:
    if len(args.keep) > 1 and not args.explain:
        raise UsageError("--keep: expected one cleaner; --explain takes several")


def _check_explain(args: argparse.Namespace) -> None:
    if args.explain and len(args.pages or ()) > 1:
        raise UsageError("--explain: expected one page, got several")


OPTIONS = (
    Options(
        """
        pages FILE  pages of HTML, plain or .gz, or a folder of *.html, *.htm and *.xhtml; - for
            standard input (default: -)
        """,
        types={"pages": _page},
        nargs="*",
    ),
    options.cleaners.one(
        "--keep",
        "what to keep, such as 'words>=11', bte or trafilatura; with --explain a list, beside all "
        "named cleaners",
        "learned",
        many=True,
    ),
    Options(
        f"""
        --format {{{",".join(FORMATS)}}}
            text has one block per line; json also has title, author, dates, other metadata and
            every block; markdown keeps headings, lists, tables, code and links
        --images
            with markdown: write the images between kept blocks, too
        --explain
            print the page's blocks, their features and every cleaner's verdict, and write them as
            JSON to --output
        """,
        defaults={"format": FORMATS[0]},
    ),
    options.output.file(
        "the file to write (default: standard output); the folder for the texts of several pages, "
        "each with the name of its page and .txt, .json or .md"
    ),
    _check_keep,
    _check_explain,
    apart("--explain", "--format", "--images"),
)


def run(args: argparse.Namespace) -> int:
    if args.images and args.format != "markdown":
        raise UsageError("--images requires --format markdown")
    paths: list[Path] = args.pages or [STANDARD_INPUT]
    if args.explain:
        return _explain(args, paths[0])
    [args.keep] = args.keep
    if len(paths) > 1 or paths[0].is_dir():
        return _clean_all(args, paths)

    if args.output:
        if args.output.resolve() == paths[0].resolve():
            raise UsageError(
                f"--output {args.output}: expected another file than the page"
            )
        make_folder_of(args.output)
    with redirect_stdout(sys.stderr):  # what plug-ins print is no text of the page
        written, why_empty = cleaned(
            paths[0], args.keep, args.format, images=args.images
        )
    if why_empty:
        note(why_empty)
    if args.output:
        write_output(args.output, written)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Whatever the terminal's encoding is
            sys.stdout.reconfigure(encoding="utf-8")
        print(written, end="")
    return 0


def _explain(args: argparse.Namespace, path: Path) -> int:
    """Print every cleaner's verdict on the blocks of a page."""
    # Cleaning starts faster without these.
    from boilersweep.eval.explain.verdicts import explain_page, page_account

    if args.output:
        make_folder_of(args.output)
        require_kind(args.output, _JSON, "JSON")
    page = read_page(path)
    try:
        found = explain_page(page, args.keep if "keep" in args.typed else ())
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    tell(page_account(found, width()))
    if args.output:
        write_output(args.output, json_text(asdict(found)))
        note(str(args.output))
    return 0


def _clean_all(args: argparse.Namespace, paths: list[Path]) -> int:
    """Write a file for each page; status 1 if a page could not be cleaned."""
    if STANDARD_INPUT in paths:
        raise UsageError("expected files or folders, got standard input among them")
    files = files_of(paths)
    if not args.output:
        raise UsageError(
            f"{paths[0]}: several pages need a folder for their texts: give --output DIR"
        )
    if args.output.is_file():
        raise UsageError(f"--output {args.output}: expected a folder, got a file")
    suffix = {"text": ".txt", "json": ".json", "markdown": ".md"}[args.format]
    failed = empty = 0
    with steps("clean", len(files), "pages") as bar:
        for name, path in files.items():
            try:
                written, why_empty = cleaned(
                    path, args.keep, args.format, images=args.images
                )
            except (PageError, InputError) as error:
                failed += 1
                note(str(error))
            else:
                empty += bool(why_empty)
                output = args.output / f"{name}{suffix}"
                make_folder_of(output)
                write_output(output, written)
            bar.update()
    note(
        f"pages cleaned into {args.output}: {len(files) - failed:,}, {empty:,} without text; "
        f"{failed:,} failed"
    )
    return 1 if failed else 0
