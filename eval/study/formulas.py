"""The ranking formulas of a study: one, or several beside each other, fixed or tuned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.eval.provenance import ranking_identity
from boilersweep.eval.ranking_models import RankingModel


@dataclass(frozen=True, slots=True)
class StudyFormula:
    """A ranking formula of a study. name: of the folder of its runs, such as `bm25`.

    among: models to tune for every variant by cross-validation; none where the model is fixed.
    model: the fixed one, and what stands for all of them where they are tuned. tested: whether
    differences under it are, and so count for the correction, or are only beside the others.
    """

    name: str
    model: RankingModel
    among: tuple[RankingModel, ...] = ()
    tested: bool = True

    @property
    def models(self) -> tuple[RankingModel, ...]:
        """All that it ranks by."""
        return self.among or (self.model,)

    @property
    def identity(self) -> dict[str, Any]:
        """What its runs depend on."""
        if self.among:
            return {"tuned among": [str(model) for model in self.among]}
        return ranking_identity(self.model)

    def __str__(self) -> str:
        if not self.among:
            return str(self.model)
        first, *_, last = self.among
        return f"tuned among {len(self.among)} settings, {first} to {last}"


def models_of(formulas: Sequence[StudyFormula]) -> list[RankingModel]:
    """All models that some formulas rank by, each once."""
    return list(dict.fromkeys(model for formula in formulas for model in formula.models))


def formulas_identity(formulas: Sequence[StudyFormula]) -> Mapping[str, Any]:
    """What the results of several formulas depend on, by their names."""
    return {formula.name: formula.identity for formula in formulas}


def check_formulas(formulas: Sequence[StudyFormula]) -> None:
    """Raises UsageError where two have one name, or the first, which chooses, is not tested."""
    names = [formula.name for formula in formulas]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"formulas: expected each once, got {twice[0]} twice")
    if formulas and not formulas[0].tested:
        raise UsageError(f"formulas: {names[0]} comes first, and is not tested")
