"""Every cleaner against every other one, as a matrix for each measure."""

from dataclasses import dataclass

from boilersweep.eval.report.wording import count, p_equals, score, signed, signed_interval
from boilersweep.eval.study.differences import TEST_NAMES, Difference
from boilersweep.eval.study.pairs import Pair, Pairs
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.tables import rows_to_print

MOST = 16
"""Rows of a matrix: of more the best, the baseline and what was chosen."""


@dataclass(frozen=True, slots=True)
class PairCell:
    """The cleaner of the row less that of the column. p: as corrected. kind: a class of its look.

    says: all that is known of the two, in a sentence.
    """

    text: str
    p: str
    kind: str
    says: str


@dataclass(frozen=True, slots=True)
class PairLine:
    """A cleaner. number: of its row and column. cells: None where it meets itself."""

    number: int
    cleaner: str
    mean: str
    letters: str
    cells: list[PairCell | None]


@dataclass(frozen=True, slots=True)
class Matrix:
    """All pairs by a measure, best first by the first one."""

    measure: str
    lines: list[PairLine]


@dataclass(frozen=True, slots=True)
class PairSection:
    """matrices: of the tested measures. caption: how to read them. left_out: what they lack."""

    matrices: list[Matrix]
    caption: str
    left_out: str


def pair_section(study: Study) -> PairSection | None:
    """The section of a study; None where there are no two cleaners to tell apart."""
    pairs = study.pairs
    if pairs is None:
        return None
    places = rows_to_print(study, pairs, MOST)
    matrices = [_matrix(study, pairs, measure, places) for measure in study.tested]
    caption = (
        "A cell says by how much the cleaner of its row is better than that of its column, and "
        f"the p-value. It is in colour where {TEST_NAMES[study.statistics.tests[0]]} tells the two "
        f"apart: after Holm\u2019s correction for {pairs.comparisons:,} pairs and measures. "
        "Cleaners that share a letter are not told apart. The comparison above corrects for "
        "comparisons with the baseline alone, so a difference to that may count there and not here."
    )
    if study.formulas:
        caption += f" All under {study.formulas[0].name}."
    hidden = len(pairs.rows) - len(places)
    more = [f"{count(hidden, 'more cleaner')} in pairs.csv"] * bool(hidden)
    more += [f"{pairs.left_out:,} compared with the baseline alone"] * bool(pairs.left_out)
    return PairSection(matrices, caption, "; ".join(more))


def _matrix(study: Study, pairs: Pairs, measure: str, places: list[int]) -> Matrix:
    letters = pairs.letters(measure)
    lines = [
        PairLine(
            number,
            str(study.rows[place].variant),
            score(study.rows[place].results[measure].mean),
            letters[place],
            [
                None if place == other else _cell(study, pairs.of(measure, place, other))
                for other in places
            ],
        )
        for number, place in enumerate(places, start=1)
    ]
    return Matrix(measure, lines)


def _cell(study: Study, pair: Pair) -> PairCell:
    difference = pair.difference
    kind = ("gain" if difference.mean > 0 else "loss") if difference.is_significant else ""
    p = p_equals(difference.tests.decisive) if difference.tests else ""
    names = [str(study.rows[place].variant) for place in (pair.first, pair.second)]
    return PairCell(signed(difference.mean), f"p {p}", kind, _says(names, pair, difference))


def _says(names: list[str], pair: Pair, difference: Difference) -> str:
    outcomes = difference.outcomes
    parts = [f"{names[0]} less {names[1]}: {signed(difference.mean)}"]
    if difference.interval:
        parts.append(f"interval {signed_interval(difference.interval)}")
    parts.append(f"{outcomes.wins:,} better, {outcomes.ties:,} the same, {outcomes.losses:,} worse")
    if difference.effect is not None:
        parts.append(f"{signed(difference.effect, 2)} standard deviations")
    if difference.detectable is not None and pair.detectable_corrected is not None:
        parts.append(
            f"the topics would show {score(difference.detectable)} tested alone, "
            f"{score(pair.detectable_corrected)} among all"
        )
    return "; ".join(parts)
