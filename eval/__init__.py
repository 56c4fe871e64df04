"""Topics against indexes: runs, scores, the table and the curve of a sweep.

indexes --search--> runs --scoring--> scores --> scores.csv, table, curve

search_index           topics against one index: a run
run_sweep, run_grid, run_study
                       whole experiments over a block store, in folders of their own
SearchOptions          how their topics are run
BM25, QueryLikelihood  ranking formulas; Classic, Lucene29 for the TF-IDF of today and of 2010
RM3, Rocchio           feedback over BM25 or query likelihood
StudyFormula           one of several formulas of a study, fixed or to be tuned

Importing it loads nothing heavy before a name is used.
"""

from boilersweep.lazy import lazy_names

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from boilersweep.eval.engines import SearchOptions
    from boilersweep.eval.feedback import RM3, Rocchio
    from boilersweep.eval.ranking_models import BM25, Classic, Lucene29, QueryLikelihood
    from boilersweep.eval.search import search_index
    from boilersweep.eval.study.formulas import StudyFormula
    from boilersweep.eval.study.study import StudyResult, run_study
    from boilersweep.eval.sweep.grid import GridResult, run_grid
    from boilersweep.eval.sweep.sweep import SweepResult, run_sweep
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "BM25": "boilersweep.eval.ranking_models",
            "Classic": "boilersweep.eval.ranking_models",
            "GridResult": "boilersweep.eval.sweep.grid",
            "Lucene29": "boilersweep.eval.ranking_models",
            "QueryLikelihood": "boilersweep.eval.ranking_models",
            "RM3": "boilersweep.eval.feedback",
            "Rocchio": "boilersweep.eval.feedback",
            "SearchOptions": "boilersweep.eval.engines",
            "StudyFormula": "boilersweep.eval.study.formulas",
            "StudyResult": "boilersweep.eval.study.study",
            "SweepResult": "boilersweep.eval.sweep.sweep",
            "run_grid": "boilersweep.eval.sweep.grid",
            "run_study": "boilersweep.eval.study.study",
            "run_sweep": "boilersweep.eval.sweep.sweep",
            "search_index": "boilersweep.eval.search",
        },
    )

__all__ = [
    "BM25",
    "RM3",
    "Classic",
    "GridResult",
    "Lucene29",
    "QueryLikelihood",
    "Rocchio",
    "SearchOptions",
    "StudyFormula",
    "StudyResult",
    "SweepResult",
    "run_grid",
    "run_study",
    "run_sweep",
    "search_index",
]
