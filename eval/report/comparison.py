"""The comparison table: one line per variant; each cell has what it is sorted by."""

from collections.abc import Sequence
from dataclasses import dataclass

from boilersweep.eval.report.wording import (
    UNKNOWN,
    interval,
    p_value,
    score,
    share,
    signed,
    signed_interval,
)
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.differences import TEST_NAMES, Difference
from boilersweep.eval.study.results import Result, Study, StudyRow
from boilersweep.eval.study.tables import size_text

ABOUT = "\u2248\u2009"

_BESIDE = "Judged@10"
"""Of the measures that are beside the scores the one without which these cannot be read."""

_ROLES = {"baseline": "baseline", "gold": "upper bound", "run": "run from elsewhere"}


@dataclass(frozen=True, slots=True)
class Cell:
    """value: to sort by, None for the end. kind: a class of its look."""

    text: str
    value: float | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head, and what it means. detail: the column is shown on demand."""

    text: str
    meaning: str
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A variant. extra: a threshold that is shown on demand."""

    cleaner: str
    remark: str
    extra: bool
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table of a measure. A line has a cell for each head."""

    measure: str
    heads: list[Head]
    lines: list[Line]

    @property
    def details(self) -> list[int]:
        """Places of the columns that are shown on demand."""
        return [place for place, head in enumerate(self.heads) if head.detail]


def comparisons(study: Study) -> list[Comparison]:
    """A table for each tested measure."""
    shown = set(study.shown)
    rows = study.ordered(study.rows)
    return [
        Comparison(
            measure,
            _heads(study, measure),
            [_line(study, row, measure, extra=row not in shown) for row in rows],
        )
        for measure in study.tested
    ]


def _heads(study: Study, measure: str) -> list[Head]:
    level = f"{study.statistics.level:.0%}"
    heads = [
        Head(measure, "mean over topics"),
        Head(f"{level} interval", "of the mean, bootstrap over topics"),
        Head("difference", "to the baseline; in colour where it is statistically significant"),
        Head(f"{level} interval", "of the difference, bootstrap over topics"),
        *(
            Head(
                f"p ({test})" if number else "p",
                f"{TEST_NAMES[test].removeprefix('the ')}, corrected by Holm over the whole study",
                detail=number > 0,
            )
            for number, test in enumerate(study.statistics.tests)
        ),
        Head("effect", "the mean difference in standard deviations over topics", detail=True),
        Head("wins / ties / losses", "topics better, the same, worse than the baseline"),
    ]
    if study.gold is not None:
        heads += [
            Head("gap closed", "share of the way from the baseline to the gold text"),
            Head(f"{level} interval", "of the gap closed", detail=True),
        ]
    heads += [Head(beside, "mean over topics", detail=beside != _BESIDE) for beside in study.beside]
    heads += [
        Head("left empty", "documents without a token, not indexed"),
        Head("relevant empty", "of these the relevant ones", detail=True),
        Head("terms lost", "of the topics\u2019 terms in relevant documents", detail=True),
        Head("tokens kept", "of the baseline\u2019s"),
        Head("index", f"without positions; {ABOUT}is estimated from the tokens"),
    ]
    return heads


def _line(study: Study, row: StudyRow, measure: str, *, extra: bool) -> Line:
    result = row.results[measure]
    cells = [
        Cell(score(result.mean), result.mean, "strong"),
        Cell(interval(result.interval).replace(" to ", "\u2013"), _low(result.interval)),
        *_difference_cells(result.difference, study.statistics.tests),
    ]
    if study.gold is not None:
        cells += [Cell(share(result.closed), result.closed), _closed_interval(result)]
    for beside in study.beside:
        mean = row.results[beside].mean
        cells.append(Cell(score(mean), mean))
    empty = row.losses.relevant_empty if row.losses else None
    terms_lost = row.losses.terms_lost if row.losses else None
    cells += [
        Cell("" if row.empty is None else f"{row.empty:,}", row.empty),
        Cell("" if empty is None else f"{empty:,}", empty),
        Cell(share(terms_lost), terms_lost),
        Cell(share(row.tokens_kept), row.tokens_kept),
        Cell(size_text(row.index).replace("about ", ABOUT), row.index.size)
        if row.index
        else Cell(""),
    ]
    if row.role == "run":  # of these nothing but scores is known
        cells = [cell if cell.text else Cell(UNKNOWN) for cell in cells]
    remark = _ROLES.get(row.role, "")
    if row is study.chosen:
        remark = ", ".join(filter(None, [remark, "chosen" if study.choice else "best"]))
    return Line(str(row.variant), remark, extra, cells)


def _difference_cells(difference: Difference | None, tests: Sequence[str]) -> list[Cell]:
    if difference is None:
        return [Cell("")] * (4 + len(tests))
    outcomes = difference.outcomes
    kind = ("gain" if difference.mean > 0 else "loss") if difference.is_significant else ""
    ps = [found.holm[test] for test in tests] if (found := difference.tests) else []
    effect = difference.effect
    return [
        Cell(signed(difference.mean), difference.mean, kind),
        Cell(signed_interval(difference.interval), _low(difference.interval)),
        *([Cell(p_value(p), p) for p in ps] or [Cell("")] * len(tests)),
        Cell("" if effect is None else signed(effect, 2), effect),
        Cell(
            f"{outcomes.wins} / {outcomes.ties} / {outcomes.losses}",
            outcomes.wins - outcomes.losses,
        ),
    ]


def _closed_interval(result: Result) -> Cell:
    bounds = result.closed_interval
    if bounds is None or bounds[0] == bounds[1]:
        return Cell("")
    return Cell(" to ".join(share(end, 0) for end in bounds), bounds[0])


def _low(bounds: Interval | None) -> float | None:
    return None if bounds is None else bounds[0]
