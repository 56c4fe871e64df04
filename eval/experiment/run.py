"""One experiment: variants run on topics, scored by qrels, verified, and written into a folder.

request -> folder -> engines -> runs and scores -> verification -> views -> manifest

A sweep, a grid, a study of runs or of a finished sweep are functions that read in this order: they
differ in their variants, and in what they test and draw of the scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.selection import AlignmentCounts, Cleaner, texts_within
from boilersweep.cleaners.stored import require_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import VerificationError
from boilersweep.eval.experiment.engines import parallel_engine
from boilersweep.eval.experiment.folder import (
    EXPERIMENT,
    INDEXES,
    RESULTS,
    RUNS,
    run_name,
)
from boilersweep.eval.experiment.request import ExperimentRequest, require_means
from boilersweep.eval.experiment.scored import (
    ScoredTopics,
    Scores,
    ScoringJob,
    WrittenRun,
    WrittenRuns,
    score_runs,
)
from boilersweep.eval.experiment.verification import (
    RealIndexes,
    Verified,
    join_verified,
    spread,
    verify,
)
from boilersweep.eval.ranking.exact.divided import MOST_IN_MEMORY, RowFiles
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine, IndexEngine
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.stats.sheets import frame_sheet
from boilersweep.indexer.options import ParallelOptions
from boilersweep.indexer.parallel_indexes import ParallelIndex, build_into
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.columns import Sheet
from boilersweep.outputs.notebook import Framed
from boilersweep.outputs.parts import Part, view
from boilersweep.outputs.writer import Writer, remove_output, writing
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import begin
from boilersweep.work.tasks import prepare_processes

if TYPE_CHECKING:
    import pandas as pd


# The files that a notebook shows of a result: its table and its curve.
_TABLES = ("scores.csv", "compare.csv")
_CURVES = ("curve.svg", "grid.svg")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ExperimentResult(Framed):
    """What every experiment returns; as a frame, its table of a row per variant.

    Attributes:
        rows: The frame: a row per formula and variant, with its result by each measure.
        sheet: The columns of its table of a row per variant.
        table: The table for the terminal.
        files: The files that were written.
        verified: What was compared with real indexes; None if all runs come from real indexes.
        placed: Name of a text that is matched to blocks -> how much of it was matched.
    """

    rows: Sequence[Row]
    sheet: Sheet
    table: str
    files: list[Path]
    verified: Verified | None
    placed: Mapping[str, AlignmentCounts]

    def to_pandas(self) -> "pd.DataFrame":
        """Return the columns of the table's CSV file, with all digits."""
        return self.sheet.to_pandas()

    def frame(self) -> "pd.DataFrame":
        """Return a row for each formula, variant and measure, with all columns of results."""
        return frame_sheet(self.rows, list(self.rows[0].results)).to_pandas()

    def to_latex(self, **options: Any) -> str:
        """Return `table.tex` of the folder if it has one; with options, what pandas writes.

        Args:
            **options: For `to_latex` of pandas.
        """
        for file in self._files("table.tex"):
            if not options:
                return file.read_text("utf-8")
        return Framed.to_latex(self, **options)

    def __repr__(self) -> str:
        [table] = self._files(*_TABLES)
        return f"<{type(self).__name__}: {len(self.rows)} rows in {table}>"

    def _files(self, *names: str) -> list[Path]:
        return [file for file in self.files if file.name in names]

    def _picture(self) -> str:
        drawn = [file.read_text("utf-8") for file in self._files(*_CURVES)]
        return "".join(text[text.index("<svg") :] for text in drawn)


@dataclass(slots=True)
class Experiment:
    """An experiment while it runs.

    Attributes:
        request: Topics, judgements, and where the results go.
        variants: All variants.
        writer: The one writer of its folder.
        identity: Everything that the results depend on.
        engines: Ranking formula -> the engine that gives its runs.
        verified: What was compared with real indexes; None if all runs come from real indexes.
        indexes: The names of the real indexes that were used.
        facts: What the manifest says of the whole.
        files: The views that were written.
    """

    request: ExperimentRequest
    variants: Sequence[Variant]
    writer: Writer[dict[str, Any]]
    identity: dict[str, Any]
    engines: dict[RankingModel, ExactEngine | IndexEngine] = field(default_factory=dict)
    verified: Verified | None = None
    indexes: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    files: Sequence[Path] = ()

    @property
    def placed(self) -> Mapping[str, AlignmentCounts]:
        """Name of a text that is matched to blocks -> how much of it was matched."""
        return next((engine.placed for engine in self.engines.values()), {})

    def build(
        self, store: BlockStore, variants: Sequence[Variant], options: ParallelOptions
    ) -> list[ParallelIndex]:
        """Build real indexes, those that are missing; they are parts of the experiment."""
        built = build_into(self.writer, store, variants, options, f"{INDEXES}/")
        self.indexes += [index.variant.name for index in built]
        return built

    def run(self) -> Scores:
        """Run and score all variants under the request's formula.

        The exact engine ranks the variants without a run, in files for an executor and for stores
        that memory does not hold.
        """
        request = self.request
        store, executor = request.store, request.options.executor
        if request.engine == "indexes":
            self.engines_for([request.search.model])
        else:
            needed = set(self.missing(self.variants))
            # How much of a text is in blocks is said in any case.
            ranked = [
                variant
                for variant in self.variants
                if variant in needed or texts_within([variant.cleaner])
            ]
            files = RowFiles(request.output, executor, request.search.heap)
            in_files = executor or store.documents > MOST_IN_MEMORY
            self.engines[request.search.model] = ExactEngine(
                store,
                ranked or self.variants[:1],
                request.queries,
                request.search,
                files if in_files else None,
            )
        return self.scores(self.engines[request.search.model], self.variants)

    def engines_for(self, models: Sequence[RankingModel]) -> None:
        """Have an engine of all variants for each ranking formula, with one pass for all.

        Whatever the request's engine is, feedback takes the runs from real indexes.
        """
        request = self.request
        store, queries, options = request.store, request.queries, request.search
        computed: Sequence[RankingModel] = ()
        if request.engine == "exact":
            # If it can compute none of the models, the exact engine itself raises the error.
            computed = [model for model in models if not model.reads_vectors] or models
        exact: list[ExactEngine] = []
        for model in computed:
            shared = next((e for other in exact if (e := other.under(model))), None)
            if shared is None:
                search = replace(options, model=model)
                shared = ExactEngine(store, self.variants, queries, search)
                exact.append(shared)
            self.engines[model] = shared
        searched = [model for model in models if model not in self.engines]
        if searched:
            real = parallel_engine(
                store,
                self.variants,
                queries,
                self.build,
                options,
                docvectors=any(model.reads_vectors for model in searched),
                executor=request.options.executor,
            )
            self.engines |= {model: real.under(model) for model in searched}

    def missing(
        self, variants: Sequence[Variant], formula: str = "", more: Any = None
    ) -> list[Variant]:
        """Have runs among the parts of the experiment; return the variants that lack theirs.

        Args:
            variants: The variants.
            formula: The name of the formula, if the experiment has several.
            more: What the runs depend on besides what all runs do.
        """
        wanted = [
            Part(run_name(one.name, formula), recipe, serves=_has_counts)
            for one, recipe in zip(
                variants, self.request.run_recipes(variants, more), strict=True
            )
        ]
        missing = {part.name for part in self.writer.want(wanted)}
        return [
            variant
            for variant in variants
            if run_name(variant.name, formula) in missing
        ]

    def scores(
        self,
        engine: Engine,
        variants: Sequence[Variant],
        formula: str = "",
        more: Any = None,
        elsewhere: Mapping[str, WrittenRun] | None = None,
    ) -> Scores:
        """Run and score variants, and write the runs that do not exist.

        Args:
            engine: Gives the runs that do not exist.
            variants: The variants.
            formula: See `missing`.
            more: See `missing`.
            elsewhere: Text of a variant -> a run of it that is taken as it is.
        """
        begin("runs and scores")
        request, writer = self.request, self.writer
        missing = set(self.missing(variants, formula, more))
        names = {variant: run_name(variant.name, formula) for variant in variants}
        own = {
            str(one): WrittenRun(writer.folder / name, writer.entries[name].facts)
            for one, name in names.items()
            if one not in missing
        }
        written = {**(elsewhere or {}), **own}
        reading = WrittenRuns(written)
        runs = [
            ScoringJob(
                reading if str(variant) in written else engine,
                variant,
                writer.folder / names[variant] if variant in missing else None,
            )
            for variant in variants
        ]
        folder = (writer.folder / run_name("", formula)).parent
        make_folder(folder)
        scored = ScoredTopics(list(request.queries), request.grades, request.measures)
        rows = score_runs(runs, scored, folder, request.search.threads)
        for row in rows:
            if row.variant in missing:
                counts = (row.documents, row.empty, row.tokens)
                writer.add(names[row.variant], counts)
        return Scores(rows)

    def verify(
        self,
        variants: Sequence[Variant],
        models: Sequence[RankingModel],
        *,
        complete: bool = False,
    ) -> None:
        """Compare computed runs with those of real indexes.

        Args:
            variants: The variants to verify, unless the request gives a number.
            models: The formulas.
            complete: Whether to leave real indexes.

        Raises:
            VerificationError: A run differs.
            IndexingError: An index has another recipe, is damaged, or cannot be built.
        """
        begin("choice and verification")
        request = self.request
        verification = request.options.verification
        if verification.variants is not None:
            variants = spread(self.variants, verification.variants)
        real = RealIndexes(
            store=request.store,
            queries=request.queries,
            folder=self.writer.folder / INDEXES,
            build=self.build,
            options=request.search,
            in_blocks=self.variants if verification.full else (),
            complete=complete,
            docvectors=any(model.reads_vectors for model in self.engines),
        )
        compared = []
        for model in dict.fromkeys(models):
            engine: Engine = self.engines[model]
            if engine.needs_java:
                continue
            options = replace(request.search, model=model)
            every = list(dict.fromkeys([*variants, *real.in_blocks]))
            if not self.engines[model].variants.keys() >= set(every):
                # Variants whose runs existed are ranked again.
                engine = ExactEngine(request.store, every, request.queries, options)
            compared.append(verify(engine, variants, replace(real, options=options)))
        self.verified = join_verified(compared) if compared else None

    def record(self, facts: Mapping[str, Any]) -> None:
        """Set what the manifest says of the whole: the provenance, and some facts."""
        self.facts = {**self.request.provenance(self.verified, self.placed), **facts}

    def withdraw_runs(self) -> None:
        """Remove the runs, which proved wrong, and the manifest."""
        runs = [name for name in self.writer.entries if name.startswith(f"{RUNS}/")]
        self.writer.withdraw(runs)


def _has_counts(facts: Any) -> bool:
    """Return whether a run's facts are its counts of documents, empty ones and tokens."""
    return isinstance(facts, list) and [*map(type, facts)] == [int] * 3


@contextmanager
def experiment(
    request: ExperimentRequest,
    variants: Sequence[Variant],
    identity: dict[str, Any],
    *,
    cleaners: Sequence[Cleaner] | None = None,
    nested: Sequence[str] = (),
    shows_means: bool = True,
) -> Iterator[Experiment]:
    """Hold the folder of an experiment; its manifest is written at the end.

    Args:
        request: Topics, judgements, and where the results go.
        variants: The variants.
        identity: Everything that the results depend on, see `ExperimentRequest.identity`.
        cleaners: The cleaners that the store must have what they read for; None for the variants'.
        nested: The folders of further experiments in it.
        shows_means: Whether it shows means of scores, which not all judgements support.

    Yields:
        The experiment, whose facts and files the caller sets.

    Raises:
        UsageError: The judgements support no means of scores, the store lacks a text that a
            cleaner reads, or a result would replace an input.
        VerificationError: A run differs from that of a real index.
        OutputError: The folder has another experiment, or cannot be written.
        IndexingError: An index has another recipe, is damaged, or cannot be built.
    """
    output, options = request.output, request.output_options
    if shows_means and (qrels := options.sources.get("qrels")):
        require_means(qrels)
    if cleaners is None:
        cleaners = [variant.cleaner for variant in variants]
    require_for(request.store, cleaners)
    EXPERIMENT.listed(output, identity, overwrite=options.overwrite)
    if request.engine == "exact":
        prepare_processes("boilersweep.eval.experiment.scored", request.search.threads)
    views = [view(name, [identity, options.title]) for name in RESULTS]
    with writing(
        EXPERIMENT,
        output,
        identity,
        views,
        inputs=options.sources.values(),
        closed=[request.store.path],
        overwrite=options.overwrite,
    ) as writer:
        for name in writer.before.facts.get("nested", ()) if writer.before else ():
            if name not in nested:
                remove_output(EXPERIMENT, output / name)
        writer.discard_missing()
        make_folder(output / RUNS)
        running = Experiment(request, variants, writer, identity)
        begin("blocks and terms")
        try:
            yield running
        except VerificationError:
            running.withdraw_runs()
            raise
        for path in running.files:
            name = path.relative_to(output).as_posix()
            if name in RESULTS:
                writer.add(name)
        writer.finish({**running.facts, "nested": list(nested)})
