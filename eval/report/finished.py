"""Finished studies that reports are drawn of."""

from pathlib import Path

from boilersweep.errors import OutputError
from boilersweep.eval.check import FinishedExperiment

REPORT = "report.html"
STUDY = "study.json"


def require_study(folder: Path) -> FinishedExperiment:
    """The finished study in a folder; raises OutputError where there is none."""
    finished = FinishedExperiment(folder)
    kind = finished.manifest["identity"]["kind"]
    if kind != "study":
        raise OutputError(
            f"{folder} has a {kind}, which has no report; expected what `boilersweep compare` or "
            "`blogs06` wrote"
        )
    return finished
