"""`boilersweep sweep`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from cyclopts import Parameter

from boilersweep.applications import required
from boilersweep.cleaners.stored import require_for
from boilersweep.cleaners.syntax.grammar import as_cleaner, elsewhere
from boilersweep.cleaners.syntax.variants import (
    PAPER_SWEEPS,
    Grid,
    Sweep,
    collect_variants,
)
from boilersweep.cli.call import Call, ThisCall
from boilersweep.cli.messages import note, print_results, tell
from boilersweep.cli.options.cleaners import TwoSweeps
from boilersweep.cli.options.collection import (
    PagesOrStore,
    own_store,
    report_losses,
    required_input,
)
from boilersweep.cli.options.experiment import (
    Experimenting,
    Measures,
    note_size,
)
from boilersweep.cli.options.output import Cluster
from boilersweep.cli.options.searching import FeedbackSearching
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.folder import EXPERIMENT
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    OutputOptions,
    require_means,
)
from boilersweep.eval.ranking.search import EngineName
from boilersweep.eval.stats.frames import best_of
from boilersweep.eval.sweep.grid import GridResult, run_grid
from boilersweep.eval.sweep.overlap import OVERLAP
from boilersweep.eval.sweep.sweep import SweepResult, run_sweep
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic, describe


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeping(Experimenting):
    """Which pages are scored at which thresholds, how, and where the results go.

    Attributes:
        grid: Two sweeps, such as words=1:40 'link_density<=0.1:1:0.1': score what both keep at
            every pair of values with the exact engine, and draw a heat map.
        measures: Any measures of ir-measures, or trec_eval's names; the first two are drawn
            (default: P@10 nDCG@10 Judged@10 AP; with --grid without AP).
    """

    source: PagesOrStore = PagesOrStore()
    grid: TwoSweeps | None = None
    measures: Measures = ()
    searching: FeedbackSearching = FeedbackSearching()
    cluster: Cluster = Cluster()

    @property
    def default_engine(self) -> EngineName:
        """The engine if the call names none: only the exact one has grids and top tens."""
        return "exact" if self.grid or not self.queries.are_judged else "indexes"

    @property
    def pairs(self) -> Grid | None:
        """The requested grid; raises UsageError for two sweeps that make none."""
        return Grid(*self.grid) if self.grid else None

    @property
    def sweeps(self) -> tuple[Sweep, ...]:
        """The requested sweeps, those of the paper if the call names no variant."""
        default = () if self.variants.cleaners else PAPER_SWEEPS
        return tuple(self.variants.sweep or default)

    def check(self, call: Call) -> None:
        """Raise UsageError for options that do not go together."""
        call.apart("--sweep", "--grid")
        call.apart("--grid", "--cleaners")
        grid = self.pairs
        if grid and self.engine.engine == "indexes":
            raise UsageError(
                "--grid requires --engine exact: it has too many variants for indexes"
            )
        if grid and call.given("--cluster"):
            raise UsageError(
                "--cluster requires --sweep or --cleaners: a grid has no files of rows"
            )
        self.queries.check(call)

    def top_tens(self) -> int:
        """Show how the top ten changes with the threshold, without judgements."""
        self.searching.start_java("exact")
        store = self.source.opened() or own_store(
            required_input(self.source),
            self.output,
            self.source.how(self.variants.cleaners),
            OVERLAP,
            threads=self.searching.workers.threads,
            overwrite=self.existing.overwrite,
        )
        return self.compare_top_tens(store, self.sweeps, as_cleaner("words>=1"))

    def scored(self, options: ExperimentOptions) -> int:
        """Score the variants by judgements."""
        collection = {} if self.source.store else {"input": self.source.input}
        inputs = self.queries.sources(**collection)
        require_means(inputs["qrels"])
        workers = self.searching.workers
        topics, qrels, agreement, noted = self.queries.read_judged(inputs, workers.heap)
        variants = collect_variants(self.sweeps, self.variants.cleaners)
        existing = self.source.opened()
        if existing:
            require_for(existing, [variant.cleaner for variant in variants])
        how = self.source.how(self.variants.cleaners)  # rejects unknown names
        engine = options.engine or "indexes"
        self.searching.start_java(engine)
        with self.cluster.executor() as executor:
            store = existing or own_store(
                inputs["input"],
                self.output,
                how,
                EXPERIMENT,
                threads=workers.threads,
                executor=executor,
                overwrite=self.existing.overwrite,
            )
            store = self.in_languages(store, qrels, agreement.evaluated)
            if engine == "indexes":
                note_size(store, variants)
            sources = {name: inputs[name] for name in ("topics", "qrels")}
            options = replace(options, executor=executor)
            result = self._score(store, topics, qrels, sources, options)
        note(*(line for line in describe(result.agreement) if line not in noted))
        tell(f"{result.table}\n")
        if isinstance(result, SweepResult):
            best = best_of(result.rows, next(iter(result.rows[0].results)))
            note(*elsewhere(best.variant.cleaner))
        print_results(result, self.output)
        return report_losses(store)

    def _score(
        self,
        store: BlockStore,
        topics: list[Topic],
        qrels: Qrels,
        sources: dict[str, Path],
        options: ExperimentOptions,
    ) -> SweepResult | GridResult:
        """Run and score the sweep or the grid."""
        output_options = OutputOptions(
            title=f"What cleaning does to retrieval: {store.collection}",
            sources=sources,
            overwrite=self.existing.overwrite,
        )
        if self.pairs:
            return run_grid(
                store,
                self.pairs,
                topics,
                qrels,
                self.output,
                options=options,
                output_options=output_options,
            )
        return run_sweep(
            store,
            self.sweeps,
            topics,
            qrels,
            self.output,
            cleaners=self.variants.cleaners,
            options=options,
            output_options=output_options,
        )


def run(
    *,
    preset: Literal["blogs06"] | None = None,
    sweeping: Sweeping,
    call: ThisCall,
) -> int:
    """Score every threshold on a collection with topics and qrels.

    Segment a collection, index what every threshold keeps, run the topics, score the runs, and
    write table, curve, runs and indexes. If run again, it skips completed work. Without --qrels:
    how the top ten changes with the threshold. With --preset blogs06: check that the BLOGS06
    permalink documents, topics 851-900 and their qrels exist, run the paper's grid and BTE, under
    the requested formula and that of 2010, and compare the results with the paper's figures and the
    runs of TREC 2006.

    Args:
        preset: The settings of the 2010 paper: words 1 to 100, density 1 to 20 and BTE, blocks
            between any two tags, no titles, apostrophes as written.
    """
    sweeping.source.check(call, sweeping.output)
    if preset:
        paper = required("boilersweep.cli.blogs06:Paper", "--preset blogs06")
        status: int = paper(sweeping.source, sweeping).run(call)
        return status
    sweeping.check(call)
    options = sweeping.options()
    if sweeping.queries.are_judged:
        return sweeping.scored(options)
    return sweeping.top_tens()
