"""How far assessors agree: Cohen's kappa of each pair, Krippendorff's alpha of all people.

A program's grades are compared with those that people agreed on, grade by grade.
"""

import itertools
import math
import warnings
from collections import Counter
from dataclasses import dataclass

from tabulate import tabulate

from boilersweep.eval.assess.judgements import ADJUDICATOR, AssessorKind, Judgements
from boilersweep.extras import require


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How two assessors agree.

    Attributes:
        a: One assessor.
        b: The other one.
        documents: How many documents both graded.
        same: How many of them have the same grade.
        kappa: Cohen's kappa; None if both always gave the same single grade.
    """

    a: str
    b: str
    documents: int
    same: int
    kappa: float | None


def agreements(judgements: Judgements) -> list[PairAgreement]:
    """Compare every pair of assessors, with programs, that judged a document in common."""
    require("sklearn")
    from sklearn.metrics import cohen_kappa_score

    everyone: list[tuple[AssessorKind, str]] = [
        (kind, name)
        for kind, by_name in judgements.records.items()
        for name in by_name
        if name != ADJUDICATOR
    ]
    agreements = []
    for one, other in itertools.combinations(everyone, 2):
        a, b = judgements.grades_of(*one), judgements.grades_of(*other)
        both = [(a[pair], b[pair]) for pair in a if pair in b]
        graded = [(x, y) for x, y in both if x is not None and y is not None]
        if graded:
            first, second = zip(*graded, strict=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a single grade
                kappa = float(cohen_kappa_score(first, second))
            agreements.append(
                PairAgreement(
                    _named(*one),
                    _named(*other),
                    len(graded),
                    sum(x == y for x, y in graded),
                    None if math.isnan(kappa) else kappa,
                )
            )
    return agreements


def krippendorff_alpha(judgements: Judgements) -> float | None:
    """Return the alpha of all people, grades as ordinals; None unless two grades differ."""
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


@dataclass(frozen=True, slots=True)
class ProgramAgreement:
    """How a program's grades differ from people's.

    Attributes:
        program: The program.
        counts: How many documents have people's grade and the program's grade.
    """

    program: str
    counts: Counter[tuple[int, int]]

    @property
    def leniency(self) -> float:
        """By how many grades the program is more lenient than people, on average."""
        total = sum((given - right) * count for (right, given), count in self.counts.items())
        return total / self.counts.total()

    def table(self, most: int) -> str:
        """Return the counts as a table, with a row for each of people's grades to the highest."""
        grades = range(most + 1)
        rows = [
            [f"people: {right}", *(self.counts[right, given] for given in grades)]
            for right in grades
        ]
        return tabulate(rows, [self.program, *(f"{given}" for given in grades)])


def program_agreements(judgements: Judgements) -> list[ProgramAgreement]:
    """Compare each program that judged documents of people with these people."""
    right = judgements.merged()
    compared = []
    for name in judgements.records["programs"]:
        grades = judgements.grades_of("programs", name)
        counts = Counter(
            (right[pair], grade)
            for pair, grade in grades.items()
            if pair in right and grade is not None
        )
        if counts:
            compared.append(ProgramAgreement(name, counts))
    return compared


def _named(kind: AssessorKind, name: str) -> str:
    return name if kind == "people" else f"program {name}"
