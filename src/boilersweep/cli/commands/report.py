"""Draw report.html of a finished study again, or compare several studies.

Draw report.html again from the files of a finished compare or blogs06, without running anything.
The evidence for topics that win and lose comes from the study's block store and qrels; if these are
missing or changed, the page is drawn without it. For several studies, print a table with a column
for each: their differences, and every cleaner with its scores, intervals and tests.
"""

import argparse
from pathlib import Path

from boilersweep.cli import options
from boilersweep.cli.parser import Parser, declare
from boilersweep.cli.terminal import tell
from boilersweep.errors import UsageError


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="the --output of compare or blogs06",
    )
    options.output.add_file(
        parser,
        "the HTML page, outside of the studies (default: DIR/report.html for one study; for "
        "several only the table is printed)",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="draw DIR/report.html again even if it was edited (default: say so and stop)",
    )
    declare(
        parser,
        "--evidence-size N  megabytes of the page that evidence may fill; documents that lose come "
        "first, and each one left out has the command that explains it (default: 4.9)",
    )
    declare(
        parser,
        "--brief FILE  for one study: also write a short page for a mail, with the answer, a "
        "figure and what was run",
    )
    declare(
        parser,
        "--archive FILE  for one study: also write its runs, scores, figures, manifest and report "
        "as a ZIP file, without its indexes; the same study gives the same bytes",
    )
    parser.check(_check_outside, _check_more_files)
    options.output.add_title(parser, "the study's, or the folders' names")


def run(args: argparse.Namespace) -> int:
    from boilersweep.outputs.files import make_folder_of

    if len(args.folders) > 1:
        return _side_by_side(args)
    if args.output:
        make_folder_of(args.output)
    for file in filter(None, (args.archive, args.brief)):
        make_folder_of(file)
    return _again(args)


def _check_outside(args: argparse.Namespace) -> None:
    """A page in a study's folder would be taken for a part of the study."""
    for folder in args.folders if args.output else ():
        if folder.resolve() in args.output.resolve().parents:
            raise UsageError(f"--output: expected a file outside of {folder}, got {args.output}")


def _check_more_files(args: argparse.Namespace) -> None:
    for option, file in (("--archive", args.archive), ("--brief", args.brief)):
        if file and len(args.folders) > 1:
            raise UsageError(f"{option}: expected one study, got {len(args.folders)}")
        if file and args.folders[0].resolve() in file.resolve().parents:
            raise UsageError(f"{option}: expected a file outside of {args.folders[0]}")


def _again(args: argparse.Namespace) -> int:
    from boilersweep.cli.messages import note
    from boilersweep.eval.papers.blogs06 import paper_comparison
    from boilersweep.eval.report.archive import archive_study
    from boilersweep.eval.report.report import redraw_report

    (folder,) = args.folders
    drawn = redraw_report(
        folder,
        paper=paper_comparison,
        title=args.title,
        page=args.output,
        brief=args.brief,
        overwrite=args.overwrite,
        **({"most": args.evidence_size * 10**6} if args.evidence_size else {}),
    )
    if drawn.without_evidence:
        note(f"without the evidence for topics: {drawn.without_evidence}")
    _print_path(drawn.page)
    if args.brief:
        _print_path(args.brief)
    if args.archive:
        names = archive_study(folder, args.archive)
        note(f"{len(names)} files of the study in {args.archive}")
        _print_path(args.archive)
    return 0


def _side_by_side(args: argparse.Namespace) -> int:
    from boilersweep.eval.report.side_by_side import read_sides
    from boilersweep.eval.report.side_by_side_page import render_side_by_side, side_by_side_text
    from boilersweep.outputs.files import make_folder_of, write_output

    sides = read_sides(args.folders)
    if args.output:
        make_folder_of(args.output)
        write_output(args.output, render_side_by_side(sides, args.title))
    tell(side_by_side_text(sides))
    if args.output:
        print()
        _print_path(args.output)
    return 0


def _print_path(page: Path) -> None:
    from boilersweep.outputs.files import is_stream

    if not is_stream(page):
        print(page)
