"""What an exact pass computes, of a whole store or of a part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boilersweep.cleaners.selection import Cleaner
from boilersweep.eval.ranking.exact.rows import Rows, collect_rows
from boilersweep.eval.ranking.exact.top_hits import Queries
from boilersweep.eval.ranking.formulas import Formula, exact_formula
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.outputs.identity import CodeVersion
from boilersweep.pages.stray_characters import as_shown
from boilersweep.store.store import BlockStore

RANK_CODE = CodeVersion("rank", 2)


def exact_analyzer(options: AnalyzerOptions) -> BlockAnalyzer:
    """Return the analyzer of these options; raise UsageError where it cannot be swept exactly."""
    analyzer = BlockAnalyzer(options)
    analyzer.require_blockwise(
        "they cannot be swept exactly: build real indexes with `engine` indexes"
    )
    return analyzer


@dataclass(frozen=True, slots=True)
class ExactPlan:
    """What an exact pass computes."""

    cleaners: tuple[Cleaner, ...]
    queries: Queries
    formula: Formula
    analyzer: AnalyzerOptions

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of all queries, each once."""
        return tuple(
            dict.fromkeys(term for query in self.queries.values() for term in query)
        )

    def collect(
        self,
        store: BlockStore,
        *,
        lengths: bool = False,
        threads: int = 1,
    ) -> Rows:
        """Collect the rows of a store in one pass over it; raise StoreError or JavaError.

        Args:
            store: The block store.
            lengths: Whether to keep the lengths of signatures.
            threads: The number of threads.
        """
        return collect_rows(
            store,
            self.cleaners,
            self.terms,
            exact_analyzer(self.analyzer),
            self.formula.encode,
            lengths=lengths,
            threads=threads,
        )


def plan_exact(
    cleaners: Sequence[Cleaner], queries: Mapping[str, str], options: SearchOptions
) -> ExactPlan:
    """Analyse queries, topic id -> text.

    Raises:
        UsageError: The analyzer is not blockwise (see `BlockAnalyzer`), or the model is feedback.
        JavaError: No Java can be started.
    """
    formula = exact_formula(options.model)
    shown = [as_shown(query) for query in queries.values()]  # as indexes search for it
    tokens = exact_analyzer(options.analyzer).tokens(shown)
    analysed = {
        topic: split_tokens(text) for topic, text in zip(queries, tokens, strict=True)
    }
    return ExactPlan(tuple(cleaners), analysed, formula, options.analyzer)
