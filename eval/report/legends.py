"""The legends of the charts: the meaning of each kind of mark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.study.results import Study


@dataclass(frozen=True, slots=True)
class Mark:
    """A kind of mark.

    Attributes:
        kind: A CSS class of report.css.
        text: What it means.
    """

    kind: str
    text: str


_UPPER_BOUND = "people\u2019s own text, the upper bound"
_THIN = {"words": "thin", "density": "thin-dashed"}


def legends_of(
    study: Study, paper: PaperComparison | None
) -> Mapping[str, Sequence[Mark]]:
    """Return the legends by section, by the colours that `charts` gives the marks."""
    name = f"{'chosen' if study.choice else 'best'}, {study.chosen.label}"
    baseline = [Mark("dot-baseline", f"baseline, {study.baseline.label}")]
    of_baseline = baseline if study.chosen is not study.baseline else []
    of_gold = [Mark("dot-gold", _UPPER_BOUND)] if study.gold is not None else []
    dots = [Mark("dot-chosen", name), Mark("dot", "others"), *of_baseline, *of_gold]
    thresholds = [
        Mark(_THIN.get(label, "thin-dotted"), f"thresholds of {label}")
        for label in study.swept
    ]
    return {
        "means": dots,
        "curves": _curves(study, paper, name),
        "differences": [
            Mark("dot-chosen", name),
            *of_gold,
            Mark("dot", "statistically significant"),
            Mark("hollow", "not significant, or not tested"),
        ],
        "tradeoff": [*dots, *thresholds],
        "runs": [Mark("bar", "ours"), Mark("bar-other", "runs of TREC 2006")],
        "mixture": [
            Mark("observed", "seen"),
            Mark("gold-line", "short text"),
            Mark("line", "long text"),
        ],
    }


def _curves(study: Study, paper: PaperComparison | None, name: str) -> list[Mark]:
    """Return the legend of all sweeps, in which the chosen cleaner is called `name`."""
    is_swept = study.chosen.role == "swept"
    marks = [
        Mark("line", f"threshold, with its {study.statistics.level:.0%} interval"),
        Mark("baseline", f"baseline, {study.baseline.label}"),
    ]
    if study.chosen is not study.baseline and (not is_swept or len(study.swept) > 1):
        marks.append(Mark("chosen", name))
    if study.choice and is_swept:
        marks.append(Mark("ring", name))
    if study.gold is not None:
        marks.append(Mark("gold", _UPPER_BOUND))
    if paper:
        marks.append(Mark("published", "the paper\u2019s Figure 7"))
        marks += [Mark("other", formula) for formula in paper.others]
    return marks
