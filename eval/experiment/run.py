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
from boilersweep.errors import VerificationError
from boilersweep.eval.experiment.engines import Prepared
from boilersweep.eval.experiment.folder import (
    EXPERIMENT,
    Experiment,
    experiment,
    run_name,
)
from boilersweep.eval.experiment.request import ExperimentRequest, require_means
from boilersweep.eval.experiment.scored import (
    RunToScore,
    ScoredTopics,
    Scores,
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
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.stats.sheets import frame_sheet
from boilersweep.outputs.atomic import make_folder
from boilersweep.outputs.columns import Sheet
from boilersweep.outputs.notebook import Framed
from boilersweep.outputs.parts import Part
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
        indexes: The names of the real indexes that were used.
    """

    found: Found
    prepared: Prepared
    verified: Verified | None
    manifest: Mapping[str, Any]
    indexes: Sequence[str] = ()

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
        folder: The experiment's folder, once it is held.
    """

    kind: ClassVar[str]
    complete: ClassVar[bool] = False
    shows_means: ClassVar[bool] = True
    request: ExperimentRequest
    variants: Sequence[Variant]
    folder: Experiment

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

    @abstractmethod
    def prepare(self) -> Prepared:
        """Do the long work."""

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
        EXPERIMENT.listed(
            self.request.output,
            self.identity(),
            overwrite=self.request.output_options.overwrite,
        )

    def engine_of(self, engine: Engine, variants: Sequence[Variant]) -> Engine:  # noqa: ARG002
        """Return the engine that gives the runs of some variants, to be verified."""
        return engine

    def missing(
        self, variants: Sequence[Variant], formula: str = "", more: Any = None
    ) -> list[Variant]:
        """Have runs among the parts of the experiment; return the variants that lack theirs.

        Args:
            variants: The variants.
            formula: The name of the formula, if the experiment has several.
            more: What the runs depend on besides what all runs do.
        """
        parts = {
            run_name(one.name, formula): self.request.run_recipe(one, more)
            for one in variants
        }
        wanted = [Part(n, recipe, serves=_has_counts) for n, recipe in parts.items()]
        missing = {part.name for part in self.folder.writer.want(wanted)}
        return [one for one in variants if run_name(one.name, formula) in missing]

    def scores(
        self,
        engine: Engine,
        variants: Sequence[Variant],
        formula: str = "",
        more: Any = None,
    ) -> Scores:
        """Run and score variants, and write the runs that do not exist.

        Args:
            engine: Gives the runs that do not exist.
            variants: The variants.
            formula: See `missing`.
            more: See `missing`.
        """
        request, writer = self.request, self.folder.writer
        missing = set(self.missing(variants, formula, more))
        names = {one: run_name(one.name, formula) for one in variants}
        written = WrittenRuns(
            {
                str(one): (writer.folder / name, writer.entries[name].facts)
                for one, name in names.items()
                if one not in missing
            }
        )
        runs = [
            RunToScore(engine, one, writer.folder / names[one])
            if one in missing
            else RunToScore(written, one)
            for one in variants
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


def _has_counts(facts: Any) -> bool:
    """Return whether a run's facts are its counts of documents, empty ones and tokens."""
    return isinstance(facts, list) and [*map(type, facts)] == [int] * 3


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
    request = plan.request
    if plan.shows_means and (qrels := request.output_options.sources.get("qrels")):
        require_means(qrels)
    request.store.require_for(plan.cleaners)
    plan.require_free()
    if request.engine == "exact":
        prepare_processes("boilersweep.eval.experiment.scored", request.search.threads)
    with experiment(
        request.output,
        plan.identity(),
        request.output_options.title,
        inputs=request.output_options.sources.values(),
        store=request.store.path,
        overwrite=request.output_options.overwrite,
        nested=plan.nested,
    ) as folder:
        plan.folder = folder
        begin("blocks and terms")
        prepared = plan.prepare()
        begin("runs and scores")
        found = plan.score(prepared)
        begin("choice and verification")
        try:
            verified = _verify(plan, found, prepared)
        except VerificationError:
            folder.withdraw_runs()
            raise
        folder.facts = {
            **request.provenance(verified, prepared.placed),
            **plan.facts(found),
        }
        result = plan.show(
            Done(found, prepared, verified, folder.facts, folder.indexes)
        )
        folder.files = result.files
    return result


def _verify(
    plan: Plan[Found, Result], found: Found, prepared: Prepared
) -> Verified | None:
    """Compare computed runs with those of real indexes; None if no run is computed."""
    request = plan.request
    variants, models = plan.to_verify(found)
    if request.verification.variants is not None:
        variants = spread(plan.variants, request.verification.variants)
    real = RealIndexes(
        store=request.store,
        queries=request.queries,
        folder=plan.folder.index_folder,
        build=plan.folder.build,
        options=request.search,
        in_blocks=plan.variants if request.verification.full else (),
        complete=plan.complete,
        docvectors=plan.reads_vectors,
    )
    compared = []
    for model in dict.fromkeys(models):
        engine = prepared.engines[model]
        if not engine.needs_java:
            engine = plan.engine_of(engine, [*variants, *real.in_blocks])
            options = replace(request.search, model=model)
            compared.append(verify(engine, variants, replace(real, options=options)))
    return join_verified(compared) if compared else None
