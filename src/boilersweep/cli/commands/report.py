"""`boilersweep report`."""

from pathlib import Path

from boilersweep.applications import provided
from boilersweep.cli.messages import note
from boilersweep.cli.options.output import Title
from boilersweep.cli.options.values import Count, Folder, OutputFile
from boilersweep.eval.report.archive import archive_study
from boilersweep.eval.report.report import no_paper, redraw_report
from boilersweep.outputs.streams import is_stream, make_folder_of


def run(
    folder: Folder,
    /,
    *,
    output: OutputFile | None = None,
    overwrite: bool = False,
    evidence_size: Count | None = None,
    archive: OutputFile | None = None,
    title: Title | None = None,
) -> None:
    """Draw report.html of a finished study again.

    The page is drawn from the files of a finished compare or sweep --preset blogs06, without
    running anything. The evidence for topics that win and lose comes from the study's block store
    and qrels; if these are missing or changed, the page is drawn without it.

    Args:
        folder: The --output of compare or of sweep --preset blogs06.
        output: The HTML page, outside of the study (default: DIR/report.html).
        overwrite: Draw DIR/report.html again even if it was edited (default: say so and stop).
        evidence_size: Megabytes of the page that evidence may fill; documents that lose come first,
            and each one left out has the command that explains it (default: 4.9).
        archive: Also write its runs, scores, figures, manifest and report as a ZIP file, without
            its indexes; the same study gives the same bytes.
        title: The title of the report and its figures (default: the study's).
    """
    for file in filter(None, (output, archive)):
        make_folder_of(file, closed=[folder])
    paper = provided("boilersweep.eval.blogs06:paper_comparison")
    drawn = redraw_report(
        folder,
        paper=paper or no_paper,
        title=title,
        page=output,
        overwrite=overwrite,
        **({"most": evidence_size * 10**6} if evidence_size else {}),
    )
    if drawn.without_evidence:
        note(f"without the evidence for topics: {drawn.without_evidence}")
    _print_path(drawn.page)
    if archive:
        names = archive_study(folder, archive)
        note(f"{len(names)} files of the study in {archive}")
        _print_path(archive)


def _print_path(page: Path) -> None:
    if not is_stream(page):
        print(page)
