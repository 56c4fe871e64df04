"""The steps of every experiment: a sweep, a grid and a study differ only in their plans.

request -> folder -> engines -> runs and scores -> verification -> views -> manifest
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import AlignmentCounts, Cleaner
from boilersweep.eval.experiment.engines import Prepared
from boilersweep.eval.experiment.folder import EXPERIMENT, experiment
from boilersweep.eval.experiment.request import ExperimentRequest, require_means
from boilersweep.eval.experiment.scored import (
    RunToScore,
    ScoredTopics,
    Scores,
    score_runs,
)
from boilersweep.eval.experiment.verification import (
    RealIndexes,
    Verified,
    join_verified,
    spread,
    verify,
)
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.stats.sheets import frame_sheet
from boilersweep.indexer.options import ParallelOptions
from boilersweep.indexer.parallel_indexes import parallel_recipes
from boilersweep.outputs.columns import Sheet
from boilersweep.outputs.folder import OutputFolder
from boilersweep.outputs.notebook import Framed
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


# What the runs of a kind of experiment give.
Found = TypeVar("Found")
Result = TypeVar("Result", bound=ExperimentResult)


@dataclass(frozen=True, slots=True)
class Done(Generic[Found]):
    """An experiment before its views are written.

    Attributes:
        found: What its runs gave.
        prepared: The engines.
        verified: What was compared with real indexes; None if all runs come from real indexes.
        manifest: What the manifest records besides identity and files.
    """

    found: Found
    prepared: Prepared
    verified: Verified | None
    manifest: Mapping[str, Any]

    @property
    def beside(self) -> dict[str, Any]:
        """What every result says beside its scores."""
        return {"verified": self.verified, "placed": self.prepared.placed}


class Plan(ABC, Generic[Found, Result]):
    """What one kind of experiment runs and writes; `run` does the rest.

    Attributes:
        kind: The kind.
        complete: Whether verification leaves real indexes.
        shows_means: Whether it shows means of scores, which not all judgements support.
        request: Topics, judgements, and where the results go.
        variants: The variants to run and score.
    """

    kind: ClassVar[str]
    complete: ClassVar[bool] = False
    shows_means: ClassVar[bool] = True
    request: ExperimentRequest
    variants: Sequence[Variant]

    @property
    def named(self) -> Sequence[Variant]:
        """The variants that the identity names."""
        return self.variants

    @property
    def cleaners(self) -> Sequence[Cleaner]:
        """The cleaners that the store must have what they read for."""
        return [variant.cleaner for variant in self.variants]

    @property
    def reads_vectors(self) -> bool:
        """Whether runs read document vectors, which real indexes must have then."""
        return self.request.search.model.reads_vectors

    @property
    def nested(self) -> Sequence[str]:
        """The folders of further experiments."""
        return ()

    @abstractmethod
    def depends_on(self) -> dict[str, Any]:
        """Return what the results depend on besides the identity of every experiment."""

    def collect(self) -> None:
        """Do work that several processes divide, before one of them holds the folder."""

    @abstractmethod
    def prepare(self, indexes: Path) -> Prepared:
        """Do the long work.

        Args:
            indexes: The folder of real indexes.
        """

    @abstractmethod
    def score(self, prepared: Prepared) -> Found:
        """Write the runs and score them."""

    @abstractmethod
    def to_verify(self, found: Found) -> tuple[list[Variant], list[RankingModel]]:
        """Return the variants to verify, unless the request gives a number, and the formulas."""

    @abstractmethod
    def facts(self, found: Found) -> dict[str, Any]:
        """Return what the manifest records besides provenance."""

    @abstractmethod
    def show(self, done: Done[Found]) -> Result:
        """Write the views."""

    def identity(self) -> dict[str, Any]:
        """Return everything that the results depend on."""
        return self.request.identity(self.kind, self.named, self.depends_on())

    def require_free(self) -> None:
        """Raise OutputError if the output folder has another experiment that is to stay."""
        OutputFolder(self.request.output, EXPERIMENT).finished(
            self.identity(), overwrite=self.request.output_options.overwrite
        )

    def scores(
        self,
        engine: Engine,
        variants: Sequence[Variant],
        paths: Sequence[Path | None],
    ) -> Scores:
        """Run, write and score variants.

        Args:
            engine: Gives the runs.
            variants: The variants.
            paths: The file of each run; None to write none, and to run the judged topics alone.
        """
        request = self.request
        topics = list(request.queries if any(paths) else request.grades)
        scored = ScoredTopics(topics, request.grades, request.measures)
        runs = [RunToScore(engine, *one) for one in zip(variants, paths, strict=True)]
        folder = next((path.parent for path in paths if path), request.runs_folder)
        return Scores(score_runs(runs, scored, folder, request.search.threads))


def run(plan: Plan[Found, Result]) -> Result:
    """Carry out an experiment, and write its folder.

    Args:
        plan: The experiment.

    Returns:
        Its result, with the files that were written.

    Raises:
        UsageError: The judgements support no means of scores, or the store lacks a text that a
            cleaner reads.
        VerificationError: A run differs from that of a real index.
        OutputError: The folder has another experiment, or cannot be written.
        IndexingError: An index has another recipe, is damaged, or cannot be built.
    """
    request, variants = plan.request, plan.variants
    if plan.shows_means and (qrels := request.output_options.sources.get("qrels")):
        require_means(qrels)
    request.store.require_for(plan.cleaners)
    plan.collect()
    options = ParallelOptions(
        analyzer=request.search.analyzer, docvectors=plan.reads_vectors
    )
    recipes = parallel_recipes(request.store, variants, options)
    if request.engine == "exact":
        prepare_processes("boilersweep.eval.experiment.scored", request.search.threads)
    with experiment(
        request.output,
        request.store,
        plan.identity(),
        {variant.name: recipe for variant, recipe in recipes.items()},
        overwrite=request.output_options.overwrite,
        nested=plan.nested,
    ) as folder:
        begin("blocks and terms")
        prepared = plan.prepare(folder.index_folder)
        begin("runs and scores")
        found = plan.score(prepared)
        begin("choice and verification")
        verified = _verify(plan, found, prepared, folder.index_folder)
        if request.engine == "indexes" or plan.reads_vectors:
            folder.use_indexes([variant.name for variant in variants])
        else:
            folder.use_indexes(verified.indexes if verified else ())
        folder.manifest = {
            **request.provenance(verified, prepared.placed),
            **plan.facts(found),
        }
        result = plan.show(Done(found, prepared, verified, folder.manifest))
        folder.files = result.files
    return result


def _verify(
    plan: Plan[Found, Result], found: Found, prepared: Prepared, indexes: Path
) -> Verified | None:
    """Compare computed runs with those of real indexes; None if no run is computed."""
    request = plan.request
    variants, models = plan.to_verify(found)
    if request.verification.variants is not None:
        variants = spread(plan.variants, request.verification.variants)
    real = RealIndexes(
        store=request.store,
        queries=request.queries,
        folder=indexes,
        options=request.search,
        in_blocks=plan.variants if request.verification.full else (),
        complete=plan.complete,
        docvectors=plan.reads_vectors,
    )
    compared = []
    for model in dict.fromkeys(models):
        engine = prepared.engines[model]
        if not engine.needs_java:
            options = replace(request.search, model=model)
            compared.append(verify(engine, variants, replace(real, options=options)))
    return join_verified(compared) if compared else None
