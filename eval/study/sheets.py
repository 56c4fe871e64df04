"""The sheets of a study: its CSV files are their text."""

from collections.abc import Sequence

from boilersweep.eval.experiment.languages import languages_sheet
from boilersweep.eval.stats.frames import Pair, Result, Row
from boilersweep.eval.stats.sheets import COSTS, add_results, named_sheet, topics_sheet
from boilersweep.eval.study.differences import in_order
from boilersweep.eval.study.results import Study
from boilersweep.outputs.columns import Sheet


def _p_names(study: Study) -> list[str]:
    """Return the names of the p-values in the order of tables."""
    tests = in_order(study.statistics.tests)
    return [
        name for test in tests for name in (test, f"{test}_{study.statistics.method}")
    ]


def compare_sheet(study: Study) -> Sheet:
    """Return a row per variant and formula; what does not apply is empty.

    For each measure its mean is under its name, and its other columns follow under names such as
    `P@10_low`. With several ranking formulas, the first column is the row's; `tuned` has the best
    parameters, if any were tuned.
    """
    rows = study.all_rows
    sheet = named_sheet(rows, ("role", *COSTS))
    for measure in study.baseline.results:
        heads = {"mean": measure}
        add_results(
            sheet,
            Result,
            [row.results[measure] for row in rows],
            _p_names(study),
            lambda name: heads.get(name) or f"{measure}_{_short(name)}",  # noqa: B023
        )
    return sheet


def _short(name: str) -> str:
    return name.replace("difference", "diff")


def pairs_sheet(study: Study) -> Sheet:
    """Return a row per measure and pair of cleaners: by how much the first one is better.

    told_apart: 1 if the difference is statistically significant. detectable: the smallest true
    difference that the topics show four times in five; detectable_corrected: as one of all pairs.
    """
    sheet, pairs = Sheet(), study.pairs.compared if study.pairs else ()
    sheet.add("measure", [pair.measure for pair in pairs])
    sheet.add("first", [study.rows[pair.first].label for pair in pairs])
    sheet.add("second", [study.rows[pair.second].label for pair in pairs])
    add_results(
        sheet,
        Pair,
        pairs,
        _p_names(study),
        lambda name: _short(name).removeprefix("diff_"),
        left_out="mean low high gap_closed gap_low gap_high groups".split(),
    )
    sheet.add("told_apart", [pair.is_significant for pair in pairs])
    return sheet


def study_topics_sheet(study: Study) -> Sheet:
    """Return a row per variant and topic: scores, differences to the baseline, and losses.

    With several ranking formulas, the first column is the row's.
    """
    rows, topics = study.all_rows, [topic.id for topic in study.topics]
    named = Sheet()
    named.add_fields(Row, rows, ["formula"] * bool(study.formulas))
    named.add("cleaner", [row.label for row in rows])
    sheet = topics_sheet(rows, named, topics)
    for measure in study.baseline.scores:
        differences: list[float] = []
        for row in rows:
            if row.role == "baseline":
                base = row.scores[measure]
            pairs = zip(row.scores[measure], base, strict=True)
            differences += [score - one for score, one in pairs]
        sheet.add(f"{measure}_diff", differences)
    unknown: Sequence[None] = [None] * len(topics)
    for name in ("relevant_empty", "terms_lost"):
        lost = [getattr(row, f"{name}_by_topic") or unknown for row in rows]
        sheet.add(name, [one for by_topic in lost for one in by_topic])
    return sheet


def study_languages_sheet(study: Study) -> Sheet:
    """Return all rows under the first formula by language, see `languages_sheet`."""
    return languages_sheet(study.language_results, [row.label for row in study.rows])
