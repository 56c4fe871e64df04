"""An experiment or an assessment: engine, measures, documents, queries, judgements."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.syntax.grammar import as_cleaner
from boilersweep.cleaners.syntax.variants import Sweep, Variant
from boilersweep.cli.call import Call
from boilersweep.cli.messages import by_language, note, tell
from boilersweep.cli.options.index import Analyzer
from boilersweep.cli.options.output import JavaWorkers
from boilersweep.cli.options.ranking import OneFormula, Ranking, RankingLists
from boilersweep.cli.options.topics import Topics
from boilersweep.cli.options.values import Count, File, parsed
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.languages import judgements_left_out
from boilersweep.eval.experiment.request import ExperimentOptions, Verification
from boilersweep.eval.ranking.exact.plan import exact_analyzer
from boilersweep.eval.ranking.formulas import FEEDBACK, FORMULAS
from boilersweep.eval.ranking.search import HITS, EngineName, SearchOptions
from boilersweep.eval.stats.scoring import parse_measures
from boilersweep.eval.sweep.overlap import compare_unjudged
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.parallel_indexes import estimate_bytes
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic, describe_fields, read_query_log

if TYPE_CHECKING:
    pass

_MUCH = 2 * 10**9
_SAMPLE = 50


def _verification(text: str) -> Verification:
    """Parse --verify: `full`, a number, or both; raises UsageError."""
    parts = text.split(",")
    numbers = [part for part in parts if part != "full"]
    is_right = len(parts) <= len(numbers) + 1 and len(numbers) <= 1
    if not is_right or not all(one.isdigit() and int(one) for one in numbers):
        raise UsageError(
            f"expected a whole number of at least 1, `full`, or both as in `3,full`, got {text!r}"
        )
    variants = int(numbers[0]) if numbers else None
    return Verification(variants=variants, full=len(parts) > len(numbers))


def _columns(text: str) -> tuple[str | None, str | None]:
    """Parse `QUERY,COUNT`, of which one may be missing."""
    query, _, count = text.partition(",")
    return query or None, count or None


def check_measures(measures: Sequence[str]) -> None:
    """Raise UsageError for names that ir-measures does not know."""
    if measures:
        parse_measures(measures)


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
        self, default: EngineName, ranking: OneFormula | Ranking | RankingLists
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


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class QueryLog:
    """A query log in place of topics.

    Attributes:
        queries: A query log in place of --topics: a query per line, a table with the names of its
            columns in the first line, JSON lines, a slow log, or a web server's log.
        columns: With --queries: the columns or keys of the query and of its count, or their numbers
            from 1, or the query's parameter in requests; one of the two may be left out.
        sample: With --queries: how many different queries, drawn by their counts (default: 50).
    """

    queries: File | None = None
    columns: Annotated[
        tuple[str | None, str | None] | None, parsed(_columns, "QUERY,COUNT")
    ] = None
    sample: Count | None = None

    def check(self, call: Call, topics: Path | None) -> None:
        """Raise UsageError unless topics or queries are given, with the options of either."""
        call.needs("--sample", "--queries")
        call.needs("--columns", "--queries")
        call.apart("--queries", "--qrels", "--topic-prefix")
        if (topics is None) == (self.queries is None):
            raise UsageError("expected --topics or --queries, one of the two")

    def read(self, topics: Topics, seed: int = 1) -> tuple[list[Topic], list[Topic]]:
        """Return a sample of the query log, and the rest of the log; or all topics.

        Args:
            topics: The topics in place of a log, and the fields that form the query.
            seed: What the sample depends on.
        """
        if not self.queries:
            return topics.read(topics.topics or Path()), []
        log = read_query_log(self.queries, *(self.columns or (None, None)))
        note(str(log))
        drawn, count = log.sample(len(log.counts), seed), self.sample or _SAMPLE
        describe_fields(drawn, topics.of_topics)
        note(
            f"{min(count, len(drawn)):,} of {len(drawn):,} different queries were drawn by their "
            "counts (--sample)"
        )
        return drawn[:count], drawn[count:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """How a command searches: what its options of ranking, analysis and work say together."""

    ranking: OneFormula | Ranking | RankingLists
    topics: Topics
    analyzer: Analyzer
    workers: JavaWorkers

    def options(self) -> SearchOptions:
        """Return how topics are run."""
        return SearchOptions(
            model=self.ranking.model(),
            fields=self.topics.of_topics,
            threads=self.workers.count,
            analyzer=self.analyzer.options(),
            heap=self.workers.heap,
            hits=getattr(self.ranking, "hits", None) or HITS,
        )

    def experiment(
        self,
        engine: EngineName,
        verification: Verification | None,
        measures: Sequence[str],
    ) -> ExperimentOptions:
        """Return how topics are run, scored and verified."""
        return ExperimentOptions(
            search=self.options(),
            measures=list(measures) or None,
            engine=engine,
            verification=verification or Verification(),
        )

    def start_java(self, engine: str) -> None:
        """Start the JVM and create the requested analyzer, before the long work."""
        start_jvm(self.workers.heap)
        make = exact_analyzer if engine == "exact" else make_analyzer
        make(self.analyzer.options())


def note_size(store: BlockStore, variants: Sequence[Variant]) -> None:
    """Print how much disk real indexes need if it is much, and name the other engine."""
    size = estimate_bytes(store, variants)
    if size >= _MUCH:
        note(
            f"{len(variants)} indexes will take about {size / 1e9:,.0f} GB; "
            "--engine exact gives the same runs and scores without them"
        )


def select_languages(
    store: BlockStore, languages: Sequence[str], qrels: Qrels, evaluated: Sequence[str]
) -> BlockStore:
    """Return the documents in the requested languages, and note the judgements left out."""
    found = store.in_languages(languages)
    if found.other_languages:
        note(
            f"{found.documents:,} documents in {', '.join(languages)}; left out in other "
            f"languages: {by_language(found.other_languages)}"
        )
    note(
        *judgements_left_out(found, {topic: qrels.grades[topic] for topic in evaluated})
    )
    return found


# What `sweep` and `compare` take with judgements alone.
_OF_JUDGEMENTS = (
    *(
        "--measures",
        "--verify",
        "--grid",
        "--cluster",
        "--choose",
        "--gold",
    ),
    *("--tests", "--runs", "--engine"),
)


def check_unjudged(call: Call) -> None:
    """Raise UsageError for options that need judgements."""
    if given := call.given(*_OF_JUDGEMENTS):
        raise UsageError(f"{', '.join(given)}: expected --qrels, too")


def run_unjudged(
    store: BlockStore,
    queries: Sequence[Topic],
    output: Path,
    *,
    cleaners: Sequence[Cleaner],
    sweeps: Sequence[Sweep],
    search: SearchOptions,
    baseline: Cleaner | None = None,
    overwrite: bool = False,
) -> int:
    """Compare top tens, as `sweep` and `compare` do without --qrels; return the exit status."""
    table, files = compare_unjudged(
        store,
        queries,
        baseline or as_cleaner("words>=1"),
        cleaners,
        sweeps,
        output,
        options=search,
        title=f"What cleaning does to the top ten: {store.collection}",
        overwrite=overwrite,
    )
    tell(f"{table}\n")
    print(*files, sep="\n")
    return 0
