"""The comparison table: one line per variant, one cell per figure with what it is sorted by."""

from dataclasses import dataclass
from typing import Any

from boilersweep.eval.report.selection import StudyDocument, chosen_place, ordered, shown_places
from boilersweep.eval.report.wording import (
    interval,
    megabytes,
    p_value,
    score,
    share,
    signed,
    signed_interval,
)

_ROLES = {"baseline": "baseline", "gold": "upper bound"}


@dataclass(frozen=True, slots=True)
class Cell:
    """value: to sort by, None for the end. kind: a class of its look."""

    text: str
    value: float | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head, and what it means."""

    text: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Line:
    """A variant. extra: a threshold that is shown on demand."""

    place: int
    cleaner: str
    remark: str
    extra: bool
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table of a measure."""

    measure: str
    heads: list[Head]
    lines: list[Line]


def comparisons(study: StudyDocument) -> list[Comparison]:
    """A table for each tested measure."""
    shown = set(shown_places(study))
    places = ordered(study, list(range(len(study["variants"]))))
    return [
        Comparison(
            measure,
            _heads(study, measure),
            [_line(study, n, measure, extra=n not in shown) for n in places],
        )
        for measure in study["measures"]["tested"]
    ]


def _heads(study: StudyDocument, measure: str) -> list[Head]:
    level = f"{study['statistics']['level']:.0%}"
    heads = [
        Head(measure, "mean over topics"),
        Head(f"{level} interval", "of the mean, bootstrap over topics"),
        Head("difference", "to the baseline; in colour where it is sure"),
        Head(f"{level} interval", "of the difference, bootstrap over topics"),
        Head("p", "paired randomisation test, corrected by Holm over the whole study"),
        Head("p (t)", "paired t-test, corrected by Holm over the whole study"),
        Head("wins / ties / losses", "topics better, the same, worse than the baseline"),
    ]
    if study["gold"] is not None:
        heads.append(Head("gap closed", "share of the way from the baseline to the gold text"))
    heads += [Head(beside, "mean over topics") for beside in study["measures"]["beside"]]
    heads += [
        Head("left empty", "documents without a token, not indexed"),
        Head("relevant empty", "of these the relevant ones"),
        Head("terms lost", "of the topics\u2019 terms in relevant documents"),
        Head("tokens kept", "of the baseline\u2019s"),
        Head("index", "without positions; \u2018about\u2019 is estimated from the tokens"),
    ]
    return heads


def _line(study: StudyDocument, place: int, measure: str, *, extra: bool) -> Line:
    variant = study["variants"][place]
    result = variant["results"][measure]
    cells = [
        Cell(score(result["mean"]), result["mean"], "strong"),
        Cell(interval(result["interval"]), _low(result["interval"])),
        *_difference_cells(result["difference"], study["statistics"]["significant"]),
    ]
    if study["gold"] is not None:
        cells.append(Cell(share(result["closed"]), result["closed"]))
    for beside in study["measures"]["beside"]:
        mean = variant["results"][beside]["mean"]
        cells.append(Cell(score(mean), mean))
    losses = variant["losses"] or {"relevant_empty": None, "terms_lost": None}
    empty = losses["relevant_empty"]
    cells += [
        Cell(f"{variant['empty']:,}", variant["empty"]),
        Cell("" if empty is None else f"{empty:,}", empty),
        Cell(share(losses["terms_lost"]), losses["terms_lost"]),
        Cell(share(variant["tokens_kept"]), variant["tokens_kept"]),
        Cell(megabytes(variant["index"]), variant["index"]["bytes"]),
    ]
    remark = _ROLES.get(variant["role"], "")
    if place == chosen_place(study):
        remark = ", ".join(filter(None, [remark, "chosen" if study["choice"] else "best"]))
    return Line(place, variant["cleaner"], remark, extra, cells)


def _difference_cells(difference: dict[str, Any] | None, significant: float) -> list[Cell]:
    if difference is None:
        return [Cell("")] * 5
    tests = difference["tests"]
    sure = bool(tests) and tests["randomisation_holm"] < significant
    kind = ("gain" if difference["mean"] > 0 else "loss") if sure else ""
    names = ("randomisation_holm", "t_holm")
    return [
        Cell(signed(difference["mean"]), difference["mean"], kind),
        Cell(signed_interval(difference["interval"]), _low(difference["interval"])),
        *(Cell(p_value(tests[name]), tests[name]) if tests else Cell("") for name in names),
        Cell(
            f"{difference['wins']} / {difference['ties']} / {difference['losses']}",
            difference["wins"] - difference["losses"],
        ),
    ]


def _low(bounds: list[float] | None) -> float | None:
    return None if bounds is None else bounds[0]
