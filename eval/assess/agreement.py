"""How far assessors agree: Cohen's kappa of each pair, Krippendorff's alpha of all people.

A program's grades are compared with those that people agreed on, grade by grade.
"""

import itertools
import math
import operator
import statistics
import warnings
from collections import Counter
from collections.abc import Iterator

from boilersweep.eval.assess.judgements import ADJUDICATOR, Judgements
from boilersweep.eval.assess.log import HIGHEST_GRADE
from boilersweep.extras import require
from boilersweep.outputs.tables import text_table


def agreements(judgements: Judgements) -> Iterator[str]:
    """Describe how every pair of assessors agrees, with programs, on documents that both graded.

    Cohen's kappa is undefined if both always gave the same single grade.
    """
    require("sklearn")
    from sklearn.metrics import cohen_kappa_score

    grades = {
        name if kind == "people" else f"program {name}": judgements.grades_of(
            kind, name
        )
        for kind, by_name in judgements.records.items()
        for name in by_name
        if name != ADJUDICATOR
    }
    for (one, a), (other, b) in itertools.combinations(grades.items(), 2):
        both = [pair for pair in a if None not in (a[pair], b.get(pair))]
        if both:
            first, second = [a[pair] for pair in both], [b[pair] for pair in both]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a single grade
                kappa = float(cohen_kappa_score(first, second))
            same = sum(map(operator.eq, first, second))
            yield (
                f"{one} and {other}: {same} of {len(both)} documents graded alike, Cohen's kappa "
                f"{'undefined' if math.isnan(kappa) else f'{kappa:.2f}'}"
            )


def krippendorff_alpha(judgements: Judgements) -> float | None:
    """Return the alpha of all people, grades as ordinals; None unless two grades differ."""
    require("krippendorff")
    import krippendorff

    names = [name for name in judgements.records["people"] if name != ADJUDICATOR]
    grades = [judgements.grades_of("people", name) for name in names]
    pairs = sorted({pair for one in grades for pair in one})
    table = [[one.get(pair) for pair in pairs] for one in grades]
    data = [
        [math.nan if value is None else float(value) for value in row] for row in table
    ]
    compared = [
        [v for v in column if not math.isnan(v)] for column in zip(*data, strict=True)
    ]
    together = [column for column in compared if len(column) > 1]
    if len({value for column in together for value in column}) < 2:
        return None
    return float(krippendorff.alpha(data, level_of_measurement="ordinal"))


def compare_with_people(judgements: Judgements, program: str) -> list[str]:
    """Describe how a program's grades differ from those that people agreed on.

    Args:
        judgements: All judgements.
        program: The program.

    Returns:
        A table with a row for each of people's grades, and a sentence; [] for no document of both.
    """
    right = judgements.merged()
    grades = judgements.grades_of("programs", program)
    both = [
        (right[pair], grade)
        for pair, grade in grades.items()
        if pair in right and grade is not None
    ]
    if not both:
        return []
    counts = Counter(both)
    columns = range(HIGHEST_GRADE + 1)
    rows = [
        [f"people: {row}", *(counts[row, column] for column in columns)]
        for row in columns
    ]
    leniency = statistics.fmean(given - known for known, given in both)
    return [
        text_table(rows, [program, *map(str, columns)]),
        f"{program} is {leniency:+.2f} grades more lenient than people, in the mean of "
        f"{len(both):,} documents",
    ]
