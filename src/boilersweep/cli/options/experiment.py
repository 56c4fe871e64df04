"""An experiment: engine, measures, variants, documents, queries, and its results' folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.syntax.variants import Sweep, Variant
from boilersweep.cli.messages import by_language, note, tell
from boilersweep.cli.options.cleaners import Variants
from boilersweep.cli.options.collection import Languages
from boilersweep.cli.options.index import note_languages
from boilersweep.cli.options.output import Existing
from boilersweep.cli.options.ranking import OneFormula, RankingLists
from boilersweep.cli.options.searching import Searching
from boilersweep.cli.options.topics import JudgedQueries
from boilersweep.cli.options.values import OutputFolder, parsed
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.languages import judgements_left_out
from boilersweep.eval.experiment.request import ExperimentOptions, Verification
from boilersweep.eval.ranking.formulas import FEEDBACK, FORMULAS
from boilersweep.eval.ranking.search import EngineName
from boilersweep.eval.stats.scoring import parse_measures
from boilersweep.eval.sweep.overlap import compare_unjudged
from boilersweep.indexer.parallel_indexes import estimate_bytes
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels

_MUCH = 2 * 10**9


def _verification(text: str) -> Verification:
    """Parse --verify: `full`, a number, or both; raises UsageError."""
    parts = text.split(",")
    numbers = [part for part in parts if part != "full"]
    is_right = len(parts) <= len(numbers) + 1 and len(numbers) <= 1
    if not is_right or not all(number.isdigit() and int(number) for number in numbers):
        raise UsageError(
            f"expected a whole number of at least 1, `full`, or both as in `3,full`, got {text!r}"
        )
    variants = int(numbers[0]) if numbers else None
    return Verification(variants=variants, full=len(parts) > len(numbers))


Measures = Annotated[Sequence[str], Parameter(consume_multiple=True, metavar="MEASURE")]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Engine:
    """What searches.

    Attributes:
        engine: Build a Lucene index for every variant, or compute the same runs in one pass over
            the block store (default: exact for `compare` and for --grid, otherwise indexes).
        verify: With --engine exact: N compares every hit of N thresholds with Lucene's (default:
            the baseline and the best threshold); `full` also compares all variants with an index of
            blocks, of which Lucene analyses all texts; `N,full` does both.
    """

    engine: EngineName | None = None
    verify: Annotated[Verification | None, parsed(_verification, "WHAT")] = None

    def chosen(
        self, default: EngineName, ranking: OneFormula | RankingLists
    ) -> EngineName:
        """Return the engine; raise UsageError for options that it does not have.

        Args:
            default: The engine if the call names none.
            ranking: The requested formulas.
        """
        engine = self.engine or default
        names = ranking.names
        if engine == "exact":
            if all(name in FEEDBACK for name in names):
                of_its_own = names[0] in ranking.feedback
                option = names[0] if of_its_own else f"formula {names[0]}"
                raise UsageError(
                    f"--{option} requires --engine indexes: feedback reads document vectors, which "
                    "the exact engine lacks"
                )
            return engine
        if self.verify is not None:
            raise UsageError(
                "--verify requires --engine exact: real indexes need no verification"
            )
        for name in names:
            if name in FORMULAS and not FORMULAS[name].lucene:
                raise UsageError(
                    f"--formula {name} requires --engine exact: current Lucene lacks it"
                )
        return engine


def note_size(store: BlockStore, variants: Sequence[Variant]) -> None:
    """Print how much disk real indexes need if it is much, and name the other engine."""
    size = estimate_bytes(store, variants)
    if size >= _MUCH:
        note(
            f"{len(variants)} indexes will take about {size / 1e9:,.0f} GB; "
            "--engine exact gives the same runs and scores without them"
        )


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Experimenting:
    """What an experiment runs, by which queries, how, and where the results go.

    Attributes:
        languages: Use only documents in these languages, such as de,fr; und means documents whose
            language is unknown (default: all documents).
        output: The folder for all results.
    """

    variants: Variants = Variants()
    measures: Measures = ()
    languages: Languages = ()
    queries: JudgedQueries = JudgedQueries()
    output: OutputFolder
    existing: Existing = Existing()
    engine: Engine = Engine()
    searching: Searching

    @property
    def default_engine(self) -> EngineName:
        """The engine if the call names none."""
        return "exact"

    def options(self) -> ExperimentOptions:
        """Return how topics are run, scored and verified.

        Raises:
            UsageError: A measure is unknown, or the engine lacks an option.
        """
        if self.measures:
            parse_measures(self.measures)
        return ExperimentOptions(
            search=self.searching.options(self.queries.topics.of_topics),
            measures=list(self.measures) or None,
            engine=self.engine.chosen(self.default_engine, self.searching.ranking),
            verification=self.engine.verify or Verification(),
        )

    def in_languages(
        self, store: BlockStore, qrels: Qrels, evaluated: Sequence[str]
    ) -> BlockStore:
        """Return the documents in the requested languages, and note what these leave out."""
        selected = store.in_languages(self.languages)
        if selected.other_languages:
            note(
                f"{selected.documents:,} documents in {', '.join(self.languages)}; left out in "
                f"other languages: {by_language(selected.other_languages)}"
            )
        grades = {topic: qrels.grades[topic] for topic in evaluated}
        note(*judgements_left_out(selected, grades))
        note_languages(self.searching.analyzer.options(), self.languages, selected)
        return selected

    def compare_top_tens(
        self, store: BlockStore, sweeps: Sequence[Sweep], baseline: Cleaner
    ) -> int:
        """Show how the top ten changes, without judgements; return the exit status."""
        queries, _ = self.queries.read()
        table, files = compare_unjudged(
            store.in_languages(self.languages),
            queries,
            baseline,
            self.variants.cleaners,
            sweeps,
            self.output,
            options=self.options().search,
            title=f"What cleaning does to the top ten: {store.collection}",
            overwrite=self.existing.overwrite,
        )
        tell(f"{table}\n")
        print(*files, sep="\n")
        return 0
