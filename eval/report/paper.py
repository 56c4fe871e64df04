"""The 2010 paper's figures and the runs of TREC 2006, to stand beside ours.

Sources: Kohlschütter, Fankhauser and Nejdl, WSDM 2010, section 6; NIST's per-run summaries of
the opinion task of TREC 2006's Blog track (`topicrel_P10`: P@10 by topical relevance), kept in
`trec2006-blog-runs.csv` beside this module.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from boilersweep.eval.papers.blogs06 import PAPER, PaperFigure
from boilersweep.eval.sweep.table import SweepRow, sweeps_of


@dataclass(frozen=True, slots=True)
class TrecRun:
    """A run and its P@10. ours: it is none of TREC 2006."""

    name: str
    p10: float
    ours: bool = False


@dataclass(frozen=True, slots=True)
class PaperComparison:
    """What a study of BLOGS06 has beside it.

    sweeps: name of a ranking formula -> rows found with it; the first is the study's own. caveat:
    why the figures are not those of the paper's experiment, None where nothing is known to differ.
    """

    sweeps: Mapping[str, Sequence[SweepRow]]
    caveat: str | None = None
    figures: tuple[PaperFigure, ...] = PAPER

    @property
    def others(self) -> list[str]:
        """The ranking formulas but the study's own."""
        return list(self.sweeps)[1:]

    def curves(self, feature: str, measure: str) -> dict[str, list[tuple[float, float]]]:
        """Formula -> thresholds and scores in ascending order, of all formulas but the first."""
        curves = {}
        for formula in self.others:
            swept = sweeps_of(self.sweeps[formula]).get(feature)
            if swept:
                curves[formula] = [(value, row.scores[measure]) for value, row in swept]
        return curves

    def ranked(self) -> list[TrecRun]:
        """The runs of TREC 2006 and ours, the best P@10 first; of equal ones TREC's first.

        Ours: with each formula the baseline, BTE, and the best threshold of each sweep.
        """
        runs = [*trec_runs()]
        for formula, rows in self.sweeps.items():
            runs += [
                TrecRun(f"{row.variant}, {formula}", row.scores["P@10"], ours=True)
                for row in _representatives(rows)
            ]
        return sorted(runs, key=lambda run: (-run.p10, run.ours))


def _representatives(rows: Sequence[SweepRow]) -> list[SweepRow]:
    found = [row for row in rows if row.is_baseline][:1]
    found += [row for row in rows if str(row.variant) == "bte"]
    for feature in ("words", "density"):
        swept = [row for _, row in sweeps_of(rows).get(feature, []) if not row.is_baseline]
        if swept:
            found.append(max(swept, key=lambda row: row.scores["P@10"]))
    return found


def trec_runs() -> list[TrecRun]:
    """The 57 runs of TREC 2006's Blog track with their P@10 by topical relevance."""
    text = resources.files(__package__).joinpath("trec2006-blog-runs.csv").read_text("utf-8")
    lines = csv.DictReader(io.StringIO(text.partition("\n")[2]))
    return [TrecRun(line["run"], float(line["P@10"])) for line in lines]
