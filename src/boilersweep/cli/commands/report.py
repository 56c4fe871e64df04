"""`boilersweep report`: the page of a finished study, drawn again."""

import argparse
from pathlib import Path

from boilersweep.cli import arguments


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "report",
        help="draw report.html of a finished study again",
        description="Draw report.html again from the files of a finished compare or blogs06, "
        "without running anything. The evidence for topics that win and lose comes from the block "
        "store and the qrels of the study; where these are gone or changed, the page is drawn "
        "without it.",
    )
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="what compare or blogs06 wrote (their --output)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import note
    from boilersweep.eval.papers.blogs06 import paper_comparison
    from boilersweep.eval.report.report import redraw_report

    drawn = redraw_report(options.folder, paper=paper_comparison)
    if drawn.without_evidence:
        note(f"without the evidence for topics: {drawn.without_evidence}")
    print(drawn.page)
    return 0
