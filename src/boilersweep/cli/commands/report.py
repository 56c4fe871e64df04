"""`boilersweep report`: the page of a finished study, drawn again; or several side by side."""

import argparse
from pathlib import Path

from boilersweep.cli import arguments
from boilersweep.cli.terminal import tell
from boilersweep.errors import UsageError


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "report",
        help="draw report.html of a finished study again, or lay several side by side",
        description="Draw report.html again from the files of a finished compare or blogs06, "
        "without running anything. The evidence for topics that win and lose comes from the block "
        "store and the qrels of the study; where these are gone or changed, the page is drawn "
        "without it. Of several studies a table with one column for each: what differs between "
        "them, and every cleaner with its scores, intervals and tests.",
    )
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="what compare or blogs06 wrote (their --output)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the HTML page, outside of the studies (default: of one study DIR/report.html, of "
        "several none but the table)",
    )
    arguments.add_title(parser, "the study's, or the folders' names")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.outputs.files import make_folder_of

    if options.output:
        _require_outside(options.output, options.folders)
    if len(options.folders) > 1:
        return _side_by_side(options)
    if options.output:
        make_folder_of(options.output)
    return _again(options)


def _require_outside(output: Path, folders: list[Path]) -> None:
    """A page in a study's folder would be taken for a part of it."""
    for folder in folders:
        if folder.resolve() in output.resolve().parents:
            raise UsageError(f"--output: expected a file outside of {folder}, got {output}")


def _again(options: argparse.Namespace) -> int:
    from boilersweep.cli.messages import note
    from boilersweep.eval.papers.blogs06 import paper_comparison
    from boilersweep.eval.report.report import redraw_report

    (folder,) = options.folders
    drawn = redraw_report(folder, paper=paper_comparison, title=options.title, page=options.output)
    if drawn.without_evidence:
        note(f"without the evidence for topics: {drawn.without_evidence}")
    _print_path(drawn.page)
    return 0


def _side_by_side(options: argparse.Namespace) -> int:
    from boilersweep.eval.report.side_by_side import read_sides
    from boilersweep.eval.report.side_by_side_page import render_side_by_side, side_by_side_text
    from boilersweep.outputs.files import make_folder_of, write_output

    sides = read_sides(options.folders)
    if options.output:
        make_folder_of(options.output)
        write_output(options.output, render_side_by_side(sides, options.title))
    tell(side_by_side_text(sides))
    if options.output:
        print()
        _print_path(options.output)
    return 0


def _print_path(page: Path) -> None:
    from boilersweep.outputs.files import is_stream

    if not is_stream(page):
        print(page)
