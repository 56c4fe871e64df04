"""The report of a study's folder, drawn as the study ends or later from its files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from boilersweep.cleaners.selection import identity_of
from boilersweep.errors import BoilersweepError, InputError, OutputError, UsageError
from boilersweep.eval.experiment.finished import FinishedExperiment
from boilersweep.eval.experiment.folder import EXPERIMENT, RUNS
from boilersweep.eval.experiment.request import ExperimentRequest
from boilersweep.eval.report.evidence import Evidence, gather_evidence, rows_to_explain
from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.report.report_page import MOST_BYTES, render
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.study_json import read_study
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.manifest_file import fault, faults
from boilersweep.outputs.parts import view
from boilersweep.outputs.streams import write_output
from boilersweep.outputs.writer import writing
from boilersweep.topics import read_qrels

REPORT = "report.html"
STUDY = "study.json"


def no_paper(_: Path) -> PaperComparison | None:
    """Return no figures beside a study."""
    return None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn page.

    Attributes:
        page: Its file.
        without_evidence: Why it has no evidence; None if it has.
    """

    page: Path
    without_evidence: str | None


def report_study(
    request: ExperimentRequest, *, paper: PaperComparison | None = None
) -> list[Path]:
    """Write the page of a study beside its other files, as `StudyOptions.report`.

    Args:
        request: What the study was run on, and where.
        paper: The figures beside a study of BLOGS06.

    Returns:
        The page's file alone.

    Raises:
        OutputError: The page cannot be written.
        InputError: The study is damaged.
        StoreError: The store is damaged.
        JavaError: Java does not start.
    """
    study = read_study(request.output / STUDY)
    evidence = gather_evidence(
        study, request.output, request.store, request.qrels, request.search.analyzer
    )
    page = request.output / REPORT
    write_text(page, render(study, evidence, paper=paper))
    return [page]


def redraw_report(
    output: Path,
    *,
    paper: Callable[[Path], PaperComparison | None] = no_paper,
    title: str | None = None,
    page: Path | None = None,
    overwrite: bool = False,
    most: int = MOST_BYTES,
) -> Drawn:
    """Draw the page of a finished study again from its files, and list it in the manifest.

    The page has no evidence if the block store, the qrels or a cleaner's model is missing or
    changed.

    Args:
        output: The study's folder.
        paper: Returns the figures beside a study of BLOGS06, from its folder.
        title: A title in place of the study's.
        page: A file to write instead of the page in the folder, which stays unchanged.
        overwrite: Whether to replace an edited page in the folder.
        most: The most bytes of the page.

    Returns:
        The page.

    Raises:
        OutputError: The folder has no finished study, another process writes there, or the page was
            edited.
        UsageError: The study is part of another experiment.
        InputError: Its files were changed or damaged.
        JavaError: Java does not start.
    """
    finished = _require_whole(output)
    _require_unchanged(output, finished, edited=page is not None or overwrite)
    study = read_study(output / STUDY)
    if title:
        study = replace(study, title=title)
    evidence: list[Evidence] = []
    missing = _missing(study, finished)
    if not missing and finished.store:
        qrels = read_qrels(finished.source("qrels"))
        analyzer = finished.manifest.analyzer
        evidence = gather_evidence(
            study, finished.folder, finished.store, qrels, analyzer
        )
    text = render(study, evidence, paper=paper(output), most=most)
    if page:  # the study may be read-only
        write_output(page, text)
        return Drawn(page, missing)
    recipe, facts = finished.listing.recipe, finished.listing.facts
    drawn = [view(REPORT, [recipe, study.title])]
    of_study = replaced(EXPERIMENT, keeps=True)
    with writing(of_study, output, recipe, drawn, overwrite=overwrite) as writer:
        writer.text(REPORT, text)
        writer.finish(facts)
    return Drawn(output / REPORT, missing)


def _require_unchanged(
    output: Path, finished: FinishedExperiment, *, edited: bool
) -> None:
    """Raise InputError for changed files, and OutputError for an edited page unless accepted."""
    used = {
        name: entry
        for name, entry in finished.files.items()
        if Path(name).name == STUDY or RUNS in Path(name).parts[:-1]
    }
    if changes := faults(output, used):
        raise InputError(
            f"{output} is not as it was written: {some_of(changes)}; run the study again"
        )
    entry, page = finished.files.get(REPORT), output / REPORT
    if not edited and entry and page.exists() and (change := fault(page, entry)):
        raise OutputError(
            f"{page} {change}; pass `overwrite` to draw it again, or name another "
            "file as `output`"
        )


def _require_whole(output: Path) -> FinishedExperiment:
    """Return the finished study of a folder; raises UsageError for a part of an experiment."""
    finished = require_study(output)
    folder = output.resolve()
    try:
        whole = FinishedExperiment(folder.parent)
    except BoilersweepError:
        return finished
    if folder in whole.nested:
        raise UsageError(
            f"{output} is part of {folder.parent}; draw the report of that"
        )
    return finished


def _missing(study: Study, finished: FinishedExperiment) -> str | None:
    """Return which input of the evidence is missing or changed; None if all are as they were."""
    try:
        if finished.store is None:
            return f"the block store {finished.store_path} is not there any more"
        finished.source("qrels")
    except BoilersweepError as error:
        return str(error)
    reasons = [
        _changed(row, finished.listing.recipe)
        for row in (study.baseline, *rows_to_explain(study))
    ]
    return next(filter(None, reasons), None)


def _changed(row: Row, identity: Mapping[str, Any]) -> str | None:
    """Return how a cleaner's model or plug-in changed; None if it did not."""
    try:
        now = identity_of(row.variant.cleaner)
    except BoilersweepError as error:
        return str(error)
    for term, kind in (("models", "model"), ("plugins", "plug-in")):
        for name, digest in now.get(term, {}).items():
            if identity.get(term, {}).get(name) != digest:
                return f"the {kind} of {row.label} ({name}) is another now"
    return None


def require_study(folder: Path) -> FinishedExperiment:
    """Return the finished study of a folder; raises OutputError without one."""
    finished = FinishedExperiment(folder)
    kind = finished.identity.kind
    if kind != "study":
        raise OutputError(
            f"{folder} has a {kind}, which has no report; expected what `boilersweep compare` or "
            "`sweep --preset blogs06` wrote"
        )
    return finished
