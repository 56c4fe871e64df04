"""The report of a study's folder, drawn as the study ends or later from its files."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.cleaners.selection import identity_of
from boilersweep.errors import BoilersweepError, InputError, OutputError, UsageError
from boilersweep.eval.check import FinishedExperiment
from boilersweep.eval.experiment import EXPERIMENT, RUNS
from boilersweep.eval.report.answer import answer_of
from boilersweep.eval.report.evidence import Evidence, gather_evidence, rows_to_explain
from boilersweep.eval.report.finished import REPORT, STUDY, require_study
from boilersweep.eval.report.page import MOST_BYTES, render, write_report
from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.report.pictures import Picture, gather_pictures
from boilersweep.eval.report.provenance import method_of
from boilersweep.eval.report.templates import environment
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.study_json import read_study
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.outputs.files import only_writer, write_output
from boilersweep.outputs.folder import OutputFolder
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.manifest_file import fault, faults
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, read_qrels

_FIGURES = {
    "curve.png": "Scores against thresholds",
    "forest.png": "Differences from the baseline, with their intervals",
}
"""Of a study in brief: the first that is in its folder."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """page: its file. without_evidence: why there is none in it; None where it has it."""

    page: Path
    without_evidence: str | None


def report_study(
    output: Path,
    store: BlockStore,
    qrels: Qrels,
    analyzer: AnalyzerOptions | None = None,
    *,
    paper: PaperComparison | None = None,
) -> Path:
    """Write the page of a finished study beside its other files, and return where.

    analyzer: the study's, None for English. paper: what is beside a study of BLOGS06.
    Raises OutputError, InputError, StoreError, JavaError.
    """
    study = read_study(output / STUDY)
    analyzer = analyzer or AnalyzerOptions()
    evidence = gather_evidence(study, output, store, qrels, analyzer)
    pictures = gather_pictures(store, evidence)
    return write_report(study, evidence, output / REPORT, pictures=pictures, paper=paper)


def redraw_report(
    output: Path,
    *,
    paper: Callable[[Path], PaperComparison | None] = lambda _: None,
    title: str | None = None,
    page: Path | None = None,
    overwrite: bool = False,
    most: int = MOST_BYTES,
    brief: Path | None = None,
) -> Drawn:
    """Draw the page of a finished study again from its files, and list it in the manifest.

    page: a file to write in place of the one in the folder, which stays as it is. overwrite:
    replace that one even if it was edited. title: in place of the study's. paper: gives what stands
    beside the study, from its folder. most: bytes of the page.
    brief: a file for the study in brief. The evidence is left out where the block store, the qrels
    or a cleaner's model is not there any more as the study had it.
    Raises OutputError where no study is finished in the folder, another process writes there or
    the page was edited, UsageError where it is part of another experiment, InputError where its
    files were changed or damaged, and JavaError.
    """
    _require_whole(output)
    with only_writer(output):
        finished = _require_whole(output)
        used = {
            name: entry
            for name, entry in finished.files.items()
            if Path(name).name == STUDY or RUNS in Path(name).parts[:-1]
        }
        if changes := faults(output, used):
            raise InputError(
                f"{output} is not as it was written: {some_of(changes)}; run the study again"
            )
        if not (page or overwrite) and (change := _edited(output, finished)):
            raise OutputError(
                f"{output / REPORT} {change}; pass --overwrite to draw it again, or name another "
                "file with --output"
            )
        study = read_study(output / STUDY)
        if title:
            study = replace(study, title=title)
        found, pictures, reason = _evidence(study, finished)
        text = render(study, found, pictures=pictures, paper=paper(output), most=most)
        if brief:
            write_output(brief, _brief(study, output))
        if page:
            write_output(page, text)
        else:
            OutputFolder(output, EXPERIMENT).replace_file(REPORT, text)
    return Drawn(page or output / REPORT, reason)


def _edited(output: Path, finished: FinishedExperiment) -> str | None:
    """How the page differs from the one that was written; None where it does not, or is gone."""
    entry = finished.files.get(REPORT)
    return fault(output / REPORT, entry) if entry and (output / REPORT).exists() else None


def _require_whole(output: Path) -> FinishedExperiment:
    """The finished study in a folder that is no part of another experiment."""
    finished = require_study(output)
    folder = output.resolve()
    try:
        whole = FinishedExperiment(folder.parent)
    except BoilersweepError:
        return finished
    if folder in whole.nested:
        raise UsageError(f"{output} is part of {folder.parent}; draw the report of that")
    return finished


def _evidence(
    study: Study, finished: FinishedExperiment
) -> tuple[list[Evidence], dict[str, Picture | None], str | None]:
    """The evidence and its pictures; none where they cannot be had any more, and why."""
    try:
        store = finished.store
    except BoilersweepError as error:
        return [], {}, str(error)
    if store is None:
        return [], {}, f"the block store {finished.store_path} is not there any more"
    source = finished.manifest["sources"].get("qrels")
    if source is None:
        return [], {}, "the study does not say which file its qrels were read from"
    path = Path(source["path"])
    if change := fault(path, source):
        return [], {}, f"the qrels {path}: the file {change}"
    then = finished.manifest["identity"]
    for row in (study.baseline, *rows_to_explain(study)):
        try:
            now = identity_of(row.cleaner)
        except BoilersweepError as error:
            return [], {}, str(error)
        for term, kind in (("models", "model"), ("plugins", "plug-in")):
            for name, digest in now.get(term, {}).items():
                if then.get(term, {}).get(name) != digest:
                    return [], {}, f"the {kind} of {row.variant} ({name}) is another now"
    analyzer = AnalyzerOptions(**finished.manifest["analyzer"])
    found = gather_evidence(study, finished.folder, store, read_qrels(path), analyzer)
    return found, gather_pictures(store, found), None


def _brief(study: Study, folder: Path) -> str:
    """A page for a mail: the answer, a figure, and what was run."""
    name = next(name for name in _FIGURES if (folder / name).is_file())
    values = {
        "study": study,
        "answer": answer_of(study),
        "method": method_of(study),
        "figure": base64.b64encode((folder / name).read_bytes()).decode(),
        "alt": _FIGURES[name],
    }
    page: str = environment().get_template("brief.html.jinja").render(values)
    return page
