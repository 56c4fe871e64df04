"""The 2010 paper's figures and the runs of TREC 2006, shown beside ours.

Sources: Kohlschütter, Fankhauser and Nejdl, WSDM 2010, section 6; NIST's per-run summaries of
the opinion task of TREC 2006's Blog track (`topicrel_P10`: P@10 by topical relevance), kept in
`trec2006-blog-runs.csv` beside this module.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boilersweep.cleaners.language.variants import Variant
from boilersweep.eval.report.html import packaged
from boilersweep.eval.stats.frames import Row, baseline_of, best_of, sweeps_of

# The measures that the paper reports.
MEASURES = ("P@10", "nDCG@10")


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
        found = [
            row.results[measure].mean for row in rows if self.holds_for(row.variant)
        ]
        return (min(found), max(found)) if found else None

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


@dataclass(frozen=True, slots=True)
class TrecRun:
    """A run.

    Attributes:
        name: Its name.
        p10: Its P@10.
        ours: Whether it is ours, not one of TREC 2006.
    """

    name: str
    p10: float
    ours: bool = False


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

    def ranked(self) -> list[TrecRun]:
        """Rank the runs of TREC 2006 and ours, the best P@10 first; of equal ones TREC's first.

        Ours: with each formula the baseline, BTE, and the best threshold of each sweep.
        """
        runs = [*trec_runs()]
        for formula, rows in self.sweeps.items():
            runs += [
                TrecRun(f"{row.label}, {formula}", row.results["P@10"].mean, ours=True)
                for row in _representatives(rows)
            ]
        return sorted(runs, key=lambda run: (-run.p10, run.ours))


def _representatives(rows: Sequence[Row]) -> list[Row]:
    found = [row for row in [baseline_of(rows)] if row]
    found += [row for row in rows if row.cleaner == "bte"]
    for feature in ("words", "density"):
        swept = [
            row for _, row in sweeps_of(rows).get(feature, []) if not row.keeps_all
        ]
        if swept:
            found.append(best_of(swept, "P@10"))
    return found


def trec_runs() -> list[TrecRun]:
    """Return the 57 runs of TREC 2006's Blog track with their P@10 by topical relevance."""
    text = packaged("trec2006-blog-runs.csv")
    lines = csv.DictReader(io.StringIO(text.partition("\n")[2]))
    return [TrecRun(line["run"], float(line["P@10"])) for line in lines]
