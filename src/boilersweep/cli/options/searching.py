"""How a command searches: ranking formula, analyzer, and Java's work."""

from dataclasses import dataclass

from cyclopts import Parameter

from boilersweep.cli.options.index import Analyzer
from boilersweep.cli.options.output import JavaWorkers
from boilersweep.cli.options.ranking import OneFormula, Ranking, RankingLists
from boilersweep.eval.ranking.exact.plan import exact_analyzer
from boilersweep.eval.ranking.search import HITS, SearchOptions
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.jvm import start_jvm


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """How a command searches; each kind of `ranking` has its group below."""

    ranking: OneFormula | RankingLists
    analyzer: Analyzer = Analyzer()
    workers: JavaWorkers = JavaWorkers()

    def options(self, fields: tuple[str, ...]) -> SearchOptions:
        """Return how topics are run; `fields` of them form the query."""
        return SearchOptions(
            model=self.ranking.model(),
            fields=fields,
            threads=self.workers.count,
            analyzer=self.analyzer.options(),
            heap=self.workers.heap,
            hits=getattr(self.ranking, "hits", None) or HITS,
        )

    def start_java(self, engine: str) -> None:
        """Start the JVM and create the requested analyzer, before the long work."""
        start_jvm(self.workers.heap)
        make = exact_analyzer if engine == "exact" else make_analyzer
        make(self.analyzer.options())


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class OneFormulaSearching(Searching):
    """Search under a formula over terms."""

    ranking: OneFormula = OneFormula()


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackSearching(Searching):
    """Search under a formula, with or without feedback."""

    ranking: Ranking = Ranking()


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class FormulasSearching(Searching):
    """Search under several formulas, with several values of their parameters."""

    ranking: RankingLists = RankingLists()
