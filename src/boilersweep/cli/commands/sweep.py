"""`boilersweep sweep`."""

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from boilersweep.applications import required
from boilersweep.cleaners.stored import require_for
from boilersweep.cleaners.syntax.grammar import elsewhere
from boilersweep.cleaners.syntax.variants import (
    PAPER_SWEEPS,
    Grid,
    Sweep,
    collect_variants,
)
from boilersweep.cli.call import Call, ThisCall
from boilersweep.cli.messages import note, print_results, tell
from boilersweep.cli.options.cleaners import TwoSweeps, Variants
from boilersweep.cli.options.collection import (
    Languages,
    PagesOrStore,
    from_dataset,
    own_store,
    report_losses,
    required_input,
)
from boilersweep.cli.options.experiment import (
    Engine,
    Measures,
    QueryLog,
    Searching,
    check_measures,
    check_unjudged,
    note_size,
    run_unjudged,
    select_languages,
)
from boilersweep.cli.options.index import Analyzer, note_languages
from boilersweep.cli.options.output import Cluster, Existing, JavaWorkers
from boilersweep.cli.options.ranking import Ranking
from boilersweep.cli.options.topics import Judgements, Topics, topics_and_qrels
from boilersweep.cli.options.values import OutputFolder
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


def run(
    *,
    preset: Literal["blogs06"] | None = None,
    source: PagesOrStore = PagesOrStore(),
    variants: Variants = Variants(),
    grid: TwoSweeps | None = None,
    measures: Measures = (),
    languages: Languages = (),
    topics: Topics = Topics(),
    judgements: Judgements = Judgements(),
    queries: QueryLog = QueryLog(),
    output: OutputFolder,
    existing: Existing = Existing(),
    engine: Engine = Engine(),
    ranking: Ranking = Ranking(),
    analyzer: Analyzer = Analyzer(),
    workers: JavaWorkers = JavaWorkers(),
    cluster: Cluster = Cluster(),
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
        grid: Two sweeps, such as words=1:40 'link_density<=0.1:1:0.1': score what both keep at
            every pair of values with the exact engine, and draw a heat map.
        measures: Any measures of ir-measures, or trec_eval's names; the first two are drawn
            (default: P@10 nDCG@10 Judged@10 AP; with --grid without AP).
        languages: Use only documents in these languages, such as de,fr; und means documents whose
            language is unknown (default: all documents).
        output: The folder for all results.
    """
    source.check(call, output)
    topics.check()
    check_measures(measures)
    searching = Searching(
        ranking=ranking, topics=topics, analyzer=analyzer, workers=workers
    )
    if preset:
        paper = required("boilersweep.cli.blogs06:Paper", "--preset blogs06")(
            source=source,
            judgements=judgements,
            searching=searching,
            engine=engine,
            output=output,
            overwrite=existing.overwrite,
        )
        status: int = paper.run(call)
        return status
    is_unjudged = judgements.qrels is None and judgements.dataset is None
    chosen = _engine(call, engine, ranking, exact=bool(grid) or is_unjudged)
    sweep = _Sweep(
        source=source,
        sweeps=variants.sweeps_or(PAPER_SWEEPS),
        variants=variants,
        grid=Grid(*grid) if grid else None,
        languages=languages,
        searching=searching,
        experiment=searching.experiment(chosen, engine.verify, measures),
        output=output,
        overwrite=existing.overwrite,
    )
    if is_unjudged:
        check_unjudged(call)
        queries.check(call, topics.topics)
        return sweep.unjudged(queries)
    call.apart("--queries", "--qrels", "--dataset", "--topic-prefix")
    wanted: dict[str, Any] = {"topics": topics.topics, "qrels": judgements.qrels}
    if source.store is None:
        wanted = {"input": source.input, **wanted}
    inputs = from_dataset(judgements.dataset, wanted, or_store=True)
    require_means(inputs["qrels"])
    return sweep.judged(inputs, cluster)


def _engine(call: Call, engine: Engine, ranking: Ranking, *, exact: bool) -> EngineName:
    """Return the engine; raise UsageError for options that it or a grid does not have."""
    call.apart("--sweep", "--grid")
    call.apart("--grid", "--cleaners")
    if call.given("--grid") and engine.engine == "indexes":
        raise UsageError(
            "--grid requires --engine exact: it has too many variants for indexes"
        )
    if call.given("--grid") and call.given("--cluster"):
        raise UsageError(
            "--cluster requires --sweep or --cleaners: a grid has no files of rows"
        )
    return engine.chosen("exact" if exact else "indexes", ranking)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sweep:
    """What is scored, on which documents, how, and into which folder."""

    source: PagesOrStore
    sweeps: tuple[Sweep, ...]
    variants: Variants
    grid: Grid | None
    languages: Languages
    searching: Searching
    experiment: ExperimentOptions
    output: Path
    overwrite: bool

    def unjudged(self, queries: QueryLog) -> int:
        """Show how the top ten changes with the threshold, without judgements."""
        self.searching.start_java("exact")
        store = self.source.opened() or own_store(
            required_input(self.source),
            self.output,
            self.source.how(self.variants.cleaners),
            OVERLAP,
            threads=self.searching.workers.threads,
            overwrite=self.overwrite,
        )
        read, _ = queries.read(self.searching.topics)
        return run_unjudged(
            store.in_languages(self.languages),
            read,
            self.output,
            cleaners=self.variants.cleaners,
            sweeps=self.sweeps,
            search=self.searching.options(),
            overwrite=self.overwrite,
        )

    def judged(self, inputs: dict[str, Path], cluster: Cluster) -> int:
        """Score the variants by judgements.

        Args:
            inputs: The files of topics and qrels, and without a store the collection.
            cluster: The cluster that does the work, if any.
        """
        workers = self.searching.workers
        topics, qrels, agreement, noted = topics_and_qrels(
            self.searching.topics, inputs, workers.heap
        )
        variants = collect_variants(self.sweeps, self.variants.cleaners)
        existing = self.source.opened()
        if existing:
            require_for(existing, [one.cleaner for one in variants])
        how = self.source.how(self.variants.cleaners)  # rejects unknown names
        engine = self.experiment.engine or "indexes"
        self.searching.start_java(engine)
        with cluster.executor() as executor:
            store = existing or own_store(
                inputs["input"],
                self.output,
                how,
                EXPERIMENT,
                threads=workers.threads,
                executor=executor,
                overwrite=self.overwrite,
            )
            store = select_languages(store, self.languages, qrels, agreement.evaluated)
            analyzer = self.experiment.search.analyzer
            note_languages(analyzer, self.languages, store)
            if engine == "indexes":
                note_size(store, variants)
            sources = {name: inputs[name] for name in ("topics", "qrels")}
            result = self._score(store, topics, qrels, sources, executor)
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
        executor: Executor | None,
    ) -> SweepResult | GridResult:
        """Run and score the sweep or the grid."""
        output_options = OutputOptions(
            title=f"What cleaning does to retrieval: {store.collection}",
            sources=sources,
            overwrite=self.overwrite,
        )
        experiment = replace(self.experiment, executor=executor)
        if self.grid:
            return run_grid(
                store,
                self.grid,
                topics,
                qrels,
                self.output,
                options=experiment,
                output_options=output_options,
            )
        return run_sweep(
            store,
            self.sweeps,
            topics,
            qrels,
            self.output,
            cleaners=self.variants.cleaners,
            options=experiment,
            output_options=output_options,
        )
