"""The report of a study's folder."""

from pathlib import Path

from boilersweep.eval.report.evidence import gather_evidence
from boilersweep.eval.report.page import write_report
from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.study.study_json import read_study
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels

REPORT = "report.html"


def report_study(
    output: Path,
    store: BlockStore,
    qrels: Qrels,
    analyzer: AnalyzerOptions,
    *,
    paper: PaperComparison | None = None,
) -> Path:
    """Write the page of a finished study beside its other files, and return where.

    paper: what stands beside a study of BLOGS06. Raises OutputError, InputError, StoreError,
    JavaError.
    """
    study = read_study(output / "study.json")
    evidence = gather_evidence(study, output, store, qrels, analyzer)
    return write_report(study, evidence, output / REPORT, paper=paper)
