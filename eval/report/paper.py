"""The 2010 paper's figures and the runs of TREC 2006, shown beside ours.

Sources: Kohlschütter, Fankhauser and Nejdl, WSDM 2010, section 6; NIST's per-run summaries of
the opinion task of TREC 2006's Blog track (`topicrel_P10`: P@10 by topical relevance;
`opinion_P10`: of opinions alone), kept in `trec2006-blog-runs.csv` beside this module.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.report.html import packaged
from boilersweep.eval.stats.frames import Row, baseline_of, best_of, sweeps_of
from boilersweep.outputs.figures import figure

# The measures that the paper reports.
MEASURES = ("P@10", "nDCG@10")
# P@10 that counts opinions alone: grades 2 to 4 of TREC 2006.
OPINIONS = "P(rel=2)@10"
# Of the 16 contestants that the paper counts, NIST's summaries have the runs of these many.
GROUPS = 14


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure of section 6.2.

    Attributes:
        kept: The kept text, as printed.
        p10: P@10 as printed.
        ndcg10: nDCG@10 as printed.
        feature: The feature of its thresholds; None for a cleaner without one.
        first: The first threshold that it is given for.
        last: The last one.
        cleaner: The cleaner without a threshold.
    """

    kept: str
    p10: float
    ndcg10: float
    feature: str | None = None
    first: float | None = None
    last: float | None = None
    cleaner: str | None = None

    def published(self, measure: str) -> float:
        """Return the paper's value; raises KeyError for a measure it does not report."""
        return {"P@10": self.p10, "nDCG@10": self.ndcg10}[measure]

    def ours(self, rows: Sequence[Row], measure: str) -> tuple[float, float] | None:
        """Return our lowest and highest score for the figure's variants; None without any."""
        means = [
            row.results[measure].mean for row in rows if self.holds_for(row.variant)
        ]
        return (min(means), max(means)) if means else None

    def holds_for(self, variant: Variant) -> bool:
        """Whether the figure is given for the variant."""
        if self.first is None or self.last is None:
            return str(variant) == self.cleaner
        point = variant.point
        return (
            point is not None
            and point.feature == self.feature
            and self.first <= point.value <= self.last
        )


PAPER = (
    PaperFigure("all (words >= 1)", 0.18, 0.0985, "words", 1, 1),
    PaperFigure("density >= 14", 0.32, 0.1823, "density", 14, 14),
    PaperFigure("words >= 11 to 100", 0.44, 0.2476, "words", 11, 100),
    PaperFigure("BTE", 0.33, 0.1627, cleaner="bte"),
)


def with_gain(low: float, high: float, baseline: float | None, style: str) -> str:
    """Return a score or a range of scores, and in brackets its improvement over the baseline.

    Args:
        low: The lowest score.
        high: The highest one.
        baseline: The baseline's score; None or 0 for no improvement.
        style: Python's format of a score.
    """
    ends = dict.fromkeys(figure(end, style) for end in (low, high))
    gains = dict.fromkeys(
        figure(end / baseline - 1, "+.0%") for end in (low, high) if baseline
    )
    is_baseline = low == high == baseline
    shown = f" ({' to '.join(gains)})" if gains and not is_baseline else ""
    return " to ".join(ends) + shown


@dataclass(frozen=True, slots=True)
class TrecRun:
    """A run.

    Attributes:
        name: Its name.
        p10: Its P@10.
        opinions: Its P@10 of opinions; None if it was not measured.
        group: The group of TREC 2006 that sent it; "" if it is ours.
    """

    name: str
    p10: float
    opinions: float | None = None
    group: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is ours, not one of TREC 2006."""
        return not self.group

    def place(self) -> int:
        """Return its place by P@10 among the groups of 2006, each with its best run."""
        best: dict[str, float] = {}
        for run in trec_runs():
            best[run.group] = max(run.p10, best.get(run.group, 0.0))
        return 1 + sum(p10 > self.p10 for p10 in best.values())


@dataclass(frozen=True, slots=True)
class PaperComparison:
    """The figures beside a study of BLOGS06.

    Attributes:
        sweeps: Name of a ranking formula -> its rows; the first is the study's own.
        caveat: Why the figures differ from the paper's experiment; None if nothing is known.
        figures: The paper's figures.
    """

    sweeps: Mapping[str, Sequence[Row]]
    caveat: str | None = None
    figures: tuple[PaperFigure, ...] = PAPER

    @property
    def others(self) -> list[str]:
        """The ranking formulas but the study's own."""
        return list(self.sweeps)[1:]

    def curves(
        self, feature: str, measure: str
    ) -> dict[str, list[tuple[float, float]]]:
        """Return formula -> ascending thresholds with scores, of all formulas but the first."""
        curves = {}
        for formula in self.others:
            swept = sweeps_of(self.sweeps[formula]).get(feature)
            if swept:
                curves[formula] = [
                    (value, row.results[measure].mean) for value, row in swept
                ]
        return curves

    def paper_cell(self, published: PaperFigure, measure: str) -> str:
        """Return a figure of the paper as printed, with its improvement over everything."""
        value, everything = (
            run.published(measure) for run in (published, self.figures[0])
        )
        style = ".2f" if measure == "P@10" else ".4f"
        return with_gain(value, value, everything, style)

    def our_cell(self, published: PaperFigure, formula: str, measure: str) -> str:
        """Return our scores for a figure of the paper, likewise; "-" without any."""
        rows = self.sweeps[formula]
        mean = published.ours(rows, measure)
        everything = self.figures[0].ours(rows, measure)
        baseline = everything[0] if everything else None
        return with_gain(*mean, baseline, ".3f") if mean else "-"

    def ranked(self) -> list[TrecRun]:
        """Rank the runs of TREC 2006 and ours, the best P@10 first; of equal ones TREC's first.

        Ours: with each formula the baseline, BTE, and the best threshold of each sweep.
        """
        runs = [*trec_runs()]
        for formula, rows in self.sweeps.items():
            runs += [_our_run(row, formula) for row in _representatives(rows)]
        return sorted(runs, key=lambda run: (-run.p10, run.ours))


def _our_run(row: Row, formula: str) -> TrecRun:
    opinions = row.results.get(OPINIONS)
    return TrecRun(
        f"{row.label}, {formula}",
        row.results["P@10"].mean,
        None if opinions is None else opinions.mean,
    )


def _representatives(rows: Sequence[Row]) -> list[Row]:
    chosen = [row for row in [baseline_of(rows)] if row]
    chosen += [row for row in rows if row.cleaner == "bte"]
    for feature in ("words", "density"):
        swept = [
            row for _, row in sweeps_of(rows).get(feature, []) if not row.keeps_all
        ]
        if swept:
            chosen.append(best_of(swept, "P@10"))
    return chosen


@cache
def trec_runs() -> tuple[TrecRun, ...]:
    """Return the 57 runs of TREC 2006's Blog track with P@10, by relevance and of opinions."""
    text = packaged("trec2006-blog-runs.csv")
    return tuple(
        TrecRun(line["run"], float(line["P@10"]), float(line[OPINIONS]), line["group"])
        for line in csv.DictReader(io.StringIO(text.partition("\n")[2]))
    )
