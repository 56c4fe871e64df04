"""What a study compares and how: decided before the long work, and recorded in its manifest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.cleaners.variants import Sweep
from boilersweep.eval.assess.answers import JudgedFolder
from boilersweep.eval.ranking_models import RankingModel
from boilersweep.eval.request import Request
from boilersweep.eval.study.about import about_cleaners
from boilersweep.eval.study.formulas import StudyFormula, formulas_identity, models_of
from boilersweep.eval.study.outside import RunFile
from boilersweep.eval.study.preparation import Prepared, prepare
from boilersweep.eval.study.results import run_path
from boilersweep.eval.study.variants import StudyVariants
from boilersweep.eval.verification import Verified


@dataclass(frozen=True, slots=True, eq=False)
class StudyPlan:
    """request: with all measures. tested: those to compare by, the first one to choose by.

    tests: the first one decides. formulas: several, or tuned ones, in place of the model of the
    request's options. outside: runs made elsewhere. seed: of resamples, permutations and folds.
    judged: where `assess` collected the qrels.
    """

    request: Request
    compared: StudyVariants
    sweeps: Sequence[Sweep]
    tested: list[str]
    tests: tuple[str, ...]
    formulas: Sequence[StudyFormula]
    outside: Sequence[RunFile]
    seed: int
    title: str
    judged: JudgedFolder | None = None

    @property
    def beside(self) -> list[str]:
        """The measures that are only shown."""
        return [name for name in self.request.measure_names if name not in self.tested]

    @property
    def ways(self) -> Sequence[StudyFormula]:
        """The formulas to rank by, one at least."""
        return self.formulas or (StudyFormula("", self.request.options.model),)

    @property
    def models(self) -> list[RankingModel]:
        """All models that the formulas rank by."""
        return models_of(self.ways)

    @property
    def reads_vectors(self) -> bool:
        """Whether a model reads document vectors, which real indexes must have then."""
        return any(model.reads_vectors for model in self.models)

    def identity(self) -> dict[str, Any]:
        """What the results depend on beside what those of every experiment do."""
        request, compared = self.request, self.compared
        gold = compared.gold
        return {
            "tests": list(self.tests),
            "baseline": str(compared.variants[0].cleaner),
            "gold": None if gold is None else str(compared.variants[gold]),
            "roles": list(compared.roles),
            "engine": request.engine,
            "seed": self.seed,
            **({"formulas": formulas_identity(self.formulas)} if self.formulas else {}),
            **({"runs": {run.name: run.digest for run in self.outside}} if self.outside else {}),
            **({"judged": self.judged.identity} if self.judged else {}),
        }

    def manifest(self, verified: Verified | None, prepared: Prepared) -> dict[str, Any]:
        """What the manifest says beside identity and files."""
        named = zip(self.compared.variants, self.compared.roles, strict=True)
        formulas: Mapping[str, str] = {way.name: str(way) for way in self.formulas}
        return {
            **self.request.provenance(verified, prepared.placed),
            "variants": [(str(variant), role) for variant, role in named],
            "measures": self.request.measure_names,
            "tests": list(self.tests),
            "seed": self.seed,
            **({"formulas": formulas} if formulas else {}),
            **({"runs": {run.name: run.facts for run in self.outside}} if self.outside else {}),
            "about": about_cleaners(
                variant.cleaner
                for variant, role in zip(self.compared.variants, self.compared.roles, strict=True)
                if role != "swept"
            ),
        }

    def prepare(self, indexes: Path) -> Prepared:
        """Do the long work, once for all formulas. indexes: the folder of real indexes."""
        request = self.request
        return prepare(
            *(request.store, self.compared.variants, request.queries, request.relevant),
            *(indexes, request.options, self.models),
            engine=request.engine,
        )

    def run_file(self, name: str, formula: StudyFormula | None = None) -> Path:
        """Where a run is written."""
        return self.request.output / run_path(name, formula.name or None if formula else None)
