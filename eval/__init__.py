"""Topics against indexes: runs, scores, the table and the curve of a sweep.

indexes --search--> runs --scoring--> scores --> scores.csv, table, curve

search_index           topics against one index: a run
run_sweep, run_grid, run_study
                       whole experiments over a block store, in folders of their own
compare_sweep          a study of what a finished sweep ran, by its runs
ExperimentOptions      how they run, score and verify
SearchOptions          how they search
Verification           how they compare the exact engine's runs with real indexes
OutputOptions          what their folders record
BM25, QueryLikelihood  ranking formulas; Classic, Lucene29 for the TF-IDF of today and of 2010
RM3, Rocchio           feedback over BM25 or query likelihood
StudyOptions           what a study compares, and how
StudyFormula           one of several formulas of a study, fixed or to be tuned
report_study           writes a study's report: StudyOptions(report=report_study)

Importing it loads nothing heavy before a name is used.
"""

from boilersweep.lazy import TYPE_CHECKING, lazy_names

if TYPE_CHECKING:
    from boilersweep.eval.experiment.request import (
        ExperimentOptions,
        OutputOptions,
        Verification,
    )
    from boilersweep.eval.ranking.formulas import (
        BM25,
        RM3,
        Classic,
        Lucene29,
        QueryLikelihood,
        Rocchio,
    )
    from boilersweep.eval.ranking.search import SearchOptions, search_index
    from boilersweep.eval.report.report import report_study
    from boilersweep.eval.study.plan import StudyFormula, StudyOptions
    from boilersweep.eval.study.results import StudyResult
    from boilersweep.eval.study.study import compare_sweep, run_study
    from boilersweep.eval.sweep.grid import GridResult, run_grid
    from boilersweep.eval.sweep.sweep import SweepResult, run_sweep
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "BM25": "boilersweep.eval.ranking.formulas",
            "Classic": "boilersweep.eval.ranking.formulas",
            "ExperimentOptions": "boilersweep.eval.experiment.request",
            "GridResult": "boilersweep.eval.sweep.grid",
            "Lucene29": "boilersweep.eval.ranking.formulas",
            "OutputOptions": "boilersweep.eval.experiment.request",
            "QueryLikelihood": "boilersweep.eval.ranking.formulas",
            "RM3": "boilersweep.eval.ranking.formulas",
            "Rocchio": "boilersweep.eval.ranking.formulas",
            "SearchOptions": "boilersweep.eval.ranking.search",
            "StudyFormula": "boilersweep.eval.study.plan",
            "StudyOptions": "boilersweep.eval.study.plan",
            "StudyResult": "boilersweep.eval.study.results",
            "SweepResult": "boilersweep.eval.sweep.sweep",
            "Verification": "boilersweep.eval.experiment.request",
            "compare_sweep": "boilersweep.eval.study.study",
            "report_study": "boilersweep.eval.report.report",
            "run_grid": "boilersweep.eval.sweep.grid",
            "run_study": "boilersweep.eval.study.study",
            "run_sweep": "boilersweep.eval.sweep.sweep",
            "search_index": "boilersweep.eval.ranking.search",
        },
    )

__all__ = [
    "BM25",
    "RM3",
    "Classic",
    "ExperimentOptions",
    "GridResult",
    "Lucene29",
    "OutputOptions",
    "QueryLikelihood",
    "Rocchio",
    "SearchOptions",
    "StudyFormula",
    "StudyOptions",
    "StudyResult",
    "SweepResult",
    "Verification",
    "compare_sweep",
    "report_study",
    "run_grid",
    "run_study",
    "run_sweep",
    "search_index",
]
