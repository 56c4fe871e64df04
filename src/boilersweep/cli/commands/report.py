"""Draw report.html of a finished study again.

The page is drawn from the files of a finished compare or sweep --preset blogs06, without running
anything. The evidence for topics that win and lose comes from the study's block store and qrels; if
these are missing or changed, the page is drawn without it.
"""

import argparse
from pathlib import Path

from boilersweep.cli import options
from boilersweep.cli.messages import note
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.eval.blogs06 import paper_comparison
from boilersweep.eval.report.archive import archive_study
from boilersweep.eval.report.report import redraw_report
from boilersweep.outputs.locations import output_path
from boilersweep.outputs.streams import is_stream, make_folder_of


def _check_outside(args: argparse.Namespace) -> None:
    """Raise UsageError for a file inside the study, where it would be taken for a part of it."""
    files = {"--output": args.output, "--archive": args.archive}
    for option, file in files.items():
        if file and args.folder.resolve() in file.resolve().parents:
            raise UsageError(
                f"{option}: expected a file outside of {args.folder}, got {file}"
            )


OPTIONS = (
    Options("folder DIR  the --output of compare or of sweep --preset blogs06"),
    options.output.file(
        "the HTML page, outside of the study (default: DIR/report.html)"
    ),
    Options(
        """
        --overwrite  draw DIR/report.html again even if it was edited (default: say so and stop)
        --evidence-size N  megabytes of the page that evidence may fill; documents that lose come
            first, and each one left out has the command that explains it (default: 4.9)
        --archive FILE  also write its runs, scores, figures, manifest and report as a ZIP file,
            without its indexes; the same study gives the same bytes
        """,
        types={"archive": output_path},
    ),
    _check_outside,
    options.output.title("the study's"),
)


def run(args: argparse.Namespace) -> None:
    for file in filter(None, (args.output, args.archive)):
        make_folder_of(file)
    drawn = redraw_report(
        args.folder,
        paper=paper_comparison,
        title=args.title,
        page=args.output,
        overwrite=args.overwrite,
        **({"most": args.evidence_size * 10**6} if args.evidence_size else {}),
    )
    if drawn.without_evidence:
        note(f"without the evidence for topics: {drawn.without_evidence}")
    _print_path(drawn.page)
    if args.archive:
        names = archive_study(args.folder, args.archive)
        note(f"{len(names)} files of the study in {args.archive}")
        _print_path(args.archive)


def _print_path(page: Path) -> None:
    if not is_stream(page):
        print(page)
