"""The legends of the charts: the meaning of each kind of mark that occurs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boilersweep.eval.report.paper import MEASURES, PaperComparison
from boilersweep.eval.study.results import Study, StudyRow


@dataclass(frozen=True, slots=True)
class Mark:
    """A kind of mark.

    Attributes:
        kind: A CSS class of report.css.
        text: What it means.
    """

    kind: str
    text: str


def curves_legend(study: Study, paper: PaperComparison | None) -> list[Mark]:
    """Return the legend of the curves of all sweeps."""
    features, chosen = study.swept, study.chosen
    marks = [
        Mark("line", f"threshold, with its {study.statistics.level:.0%} interval"),
        Mark("baseline", f"baseline, {study.baseline.label}"),
    ]
    name = f"{_chosen(study)}, {chosen.label}"
    on_curve = [any(row is chosen for _, row in study.curve(label)) for label in features]
    if chosen is not study.baseline and not all(on_curve):
        marks.append(Mark("chosen", name))
    if study.choice and any(on_curve):
        marks.append(Mark("ring", name))
    if study.gold is not None:
        marks.append(Mark("gold", "people\u2019s own text, the upper bound"))
    drawn = [measure for measure in study.tested if measure in MEASURES]
    if paper and drawn:
        if any(figure.feature in features for figure in paper.figures):
            marks.append(Mark("published", "the paper\u2019s Figure 7"))
        curves = {
            formula
            for feature in features
            for measure in drawn
            for formula in paper.curves(feature, measure)
        }
        marks += [Mark("other", formula) for formula in paper.others if formula in curves]
    return marks


def differences_legend(study: Study, rows: Iterable[StudyRow]) -> list[Mark]:
    """Return the legend of differences to the baseline, by all tested measures."""
    rows = [row for row in rows if row is not study.baseline]
    marks = [mark for mark in means_legend(study, rows) if mark.kind != "dot"]
    tested = {
        difference.is_significant
        for row in rows
        for measure in study.tested
        if (difference := row.results[measure].difference) and difference.tests
    }
    if True in tested:
        marks.append(Mark("dot", "statistically significant"))
    if False in tested or any(row.role == "gold" for row in rows):
        text = "not significant" if False in tested else ""
        untested = "not tested" if any(row.role == "gold" for row in rows) else ""
        marks.append(Mark("hollow", ", or ".join(filter(None, [text, untested]))))
    return marks


def tradeoff_legend(study: Study, rows: Sequence[StudyRow]) -> list[Mark]:
    """Return the legend of scores and sizes."""
    drawn = [row for row in rows if row.role != "swept" and row.tokens_kept is not None]
    marks = means_legend(study, drawn)
    kinds = {"words": "thin", "density": "thin-dashed"}
    for label in dict.fromkeys([*kinds, *study.swept]):
        swept = [row for _, row in study.curve(label)]
        if len(swept) > 1 and all(row.tokens_kept is not None for row in swept):
            marks.append(Mark(kinds.get(label, "thin-dotted"), f"thresholds of {label}"))
    return marks


RUNS_LEGEND = [Mark("bar", "ours"), Mark("bar-other", "runs of TREC 2006")]
MIXTURE_LEGEND = [
    Mark("observed", "seen"),
    Mark("gold-line", "short text"),
    Mark("line", "long text"),
]


def means_legend(study: Study, rows: Sequence[StudyRow]) -> list[Mark]:
    """Return the legend of the means of some cleaners, by the colours that `charts` gives them."""
    chosen, baseline, gold = study.chosen, study.baseline, study.gold
    marks = []
    if chosen in rows:
        marks.append(Mark("dot-chosen", f"{_chosen(study)}, {chosen.label}"))
    if any(row not in (chosen, baseline, gold) for row in rows):
        marks.append(Mark("dot", "others"))
    if baseline in rows and baseline is not chosen:
        marks.append(Mark("dot-baseline", f"baseline, {baseline.label}"))
    if gold is not None and gold in rows:
        marks.append(Mark("dot-gold", "people\u2019s own text, the upper bound"))
    return marks


def _chosen(study: Study) -> str:
    return "chosen" if study.choice else "best"
