"""How far assessors agree: Cohen's kappa of each pair, Krippendorff's alpha of all people."""

import itertools
import math
import warnings
from dataclasses import dataclass

from boilersweep.eval.assess.judgements import ADJUDICATOR, Judgements, Kind
from boilersweep.extras import require


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """a, b: assessors. kappa: None where both always gave the same single grade."""

    a: str
    b: str
    documents: int
    same: int
    kappa: float | None


def agreements(judgements: Judgements) -> list[PairAgreement]:
    """Of every pair of assessors, programs among them, that judged a document in common."""
    require("sklearn")
    from sklearn.metrics import cohen_kappa_score

    everyone: list[tuple[Kind, str]] = [
        (kind, name)
        for kind, by_name in judgements.records.items()
        for name in by_name
        if name != ADJUDICATOR
    ]
    found = []
    for one, other in itertools.combinations(everyone, 2):
        a, b = judgements.grades_of(*one), judgements.grades_of(*other)
        both = [(a[pair], b[pair]) for pair in a if pair in b]
        graded = [(x, y) for x, y in both if x is not None and y is not None]
        if graded:
            first, second = zip(*graded, strict=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a single grade
                kappa = float(cohen_kappa_score(first, second))
            found.append(
                PairAgreement(
                    *(_named(*one), _named(*other), len(graded)),
                    sum(x == y for x, y in graded),
                    None if math.isnan(kappa) else kappa,
                )
            )
    return found


def krippendorff_alpha(judgements: Judgements) -> float | None:
    """Of all people, grades as ordinals; None without two grades of a document that differ."""
    require("krippendorff")
    import krippendorff

    names = [name for name in judgements.records["people"] if name != ADJUDICATOR]
    grades = [judgements.grades_of("people", name) for name in names]
    pairs = sorted({pair for one in grades for pair in one})
    table = [[one.get(pair) for pair in pairs] for one in grades]
    data = [[math.nan if value is None else float(value) for value in row] for row in table]
    compared = [[v for v in column if not math.isnan(v)] for column in zip(*data, strict=True)]
    together = [column for column in compared if len(column) > 1]
    if len({value for column in together for value in column}) < 2:
        return None
    return float(krippendorff.alpha(data, level_of_measurement="ordinal"))


def _named(kind: Kind, name: str) -> str:
    return name if kind == "people" else f"program {name}"
