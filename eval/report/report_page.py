"""The report as one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boilersweep.eval.figures.drawing import axis_of
from boilersweep.eval.report.charts import (
    curve_chart,
    differences_chart,
    embedded,
    legends_of,
    means_chart,
    page_blocks_chart,
    runs_chart,
    tradeoff_chart,
    vega_script,
)
from boilersweep.eval.report.evidence import Evidence, pack
from boilersweep.eval.report.html import (
    content_policy,
    data_address,
    environment,
    packaged,
    script_json,
    style,
)
from boilersweep.eval.report.paper import MEASURES, OPINIONS, PaperComparison
from boilersweep.eval.report.provenance import (
    about,
    explain_command,
    notes_of,
    provenance_of,
)
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.stats.sheets import frame_sheet
from boilersweep.eval.study.advice import answer_of, export_command
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.sheets import pairs_sheet, study_languages_sheet
from boilersweep.eval.study.suggestion import Suggestion, mixture_chart
from boilersweep.eval.study.tables import (
    cost_table,
    document_tables,
    formula_notes,
    formula_tables,
    language_notes,
    language_tables,
    page_kind_tables,
    pair_notes,
    pair_tables,
    score_table,
)
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.pictures import Spec
from boilersweep.outputs.tables import beside

_SCRIPTS = ("tables.js", "topics.js", "evidence.js", "start.js")
_FIRST_SCREEN = 6
_FIRST_MEASURES = 2

# The most bytes of a page with its evidence, by default.
MOST_BYTES = 4_900_000

_EVIDENCE = '<script type="text/plain" id="evidence-data">'


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart's place in the page.

    Attributes:
        name: The name of its JSON.
        title: Its title.
        says: What it shows.
    """

    name: str
    title: str
    says: str


def render(
    study: Study,
    evidence: Sequence[Evidence],
    *,
    paper: PaperComparison | None = None,
    most: int = MOST_BYTES,
) -> str:
    """Return the page of a study; it is the same for the same arguments.

    Args:
        study: The study.
        evidence: Evidence on the baseline and some cleaners, see `rows_to_explain`.
        paper: The figures beside a study of BLOGS06.
        most: The most bytes of the page.
    """
    charts, data = _charts(study, paper)
    topics = study.listed_topics
    scripts = [vega_script(), "\n".join(map(packaged, _SCRIPTS))]
    values = {
        "study": study,
        "answer": answer_of(study),
        "about": about(study, study.chosen),
        "export": export_command(study),
        "charts": charts,
        "legends": legends_of(study, paper),
        "comparisons": [
            beside(score_table(study, name), cost_table(study)) for name in study.tested
        ],
        "formulas": formula_tables(study)[:1],
        "formula_notes": formula_notes(study),
        "pairs": pair_tables(study),
        "pair_notes": pair_notes(study),
        "languages": [*document_tables(study), *language_tables(study)],
        "language_notes": language_notes(study),
        "page_kinds": page_kind_tables(study),
        "extra": len(study.rows) - len(study.shown),
        "paper": paper,
        "paper_measures": [measure for measure in MEASURES if measure in study.tested],
        "provenance": provenance_of(study),
        "notes": notes_of(study),
        "suggestion": _suggestion_line(study.suggestion),
        "listed": len(topics),
        "downloads": _downloads(study, topics, paper),
        "policy": content_policy(scripts),
        "style": style(),
        "scripts": scripts,
        "chart_json": script_json(data),
        "study_json": script_json(_for_topics(study, topics)),
    }
    page: str = environment().get_template("page.html.jinja").render(values)
    most = max(most - len(page.encode()), 0)
    # Its text is no markup.
    before, mark, after = page.partition(_EVIDENCE)
    return before + mark + pack(study, evidence, most=most) + after


def _charts(
    study: Study, paper: PaperComparison | None
) -> tuple[dict[str, list[Chart]], dict[str, Any]]:
    """Return the charts by section, and as Vega-Lite or Vega by name."""
    shown = study.ordered(study.shown)
    first, baseline = study.tested[0], study.baseline.label
    sections: dict[str, list[Chart]] = {"means": [], "curves": [], "differences": []}
    sections |= {"tradeoff": [], "mixture": [], "runs": []}
    # Filled by evidence.js for each page that it shows
    data: dict[str, Any] = {"page": page_blocks_chart()}

    def add(section: str, title: str, says: str, item: Spec) -> None:
        name = f"{section}-{len(sections[section])}"
        sections[section].append(Chart(name, title, says))
        data[name] = item

    says = (
        "One dot per cleaner, with its interval; the comparison table has the figures."
    )
    # `assess` supports differences alone
    has_means = not study.statistics.are_sequential
    for measure in study.tested[:_FIRST_MEASURES]:
        title, item = _first_chart(study, shown, measure)
        add("means", title, says, item)
    for measure in study.tested:
        for label in study.swept:
            says = (
                f"{measure} at every {axis_of(label)}, with the interval of its mean; the "
                "comparison table and the CSV have the figures."
            )
            item = curve_chart(study, measure, label, paper)
            add("curves", f"{measure} against {label}", says, item)
        if len(shown) > 1:
            says = f"The difference of each cleaner to {baseline}, with its interval."
            add("differences", measure, says, differences_chart(study, shown, measure))
    if has_means:
        says = f"{first} of every cleaner against the share of the tokens it keeps."
        add("tradeoff", "Score and size", says, tradeoff_chart(study, shown, first))
    if study.suggestion:
        says = "The share of blocks with so many words, and the two kinds of text fitted to them."
        add(
            "mixture",
            "Words of the blocks",
            says,
            embedded(mixture_chart(study.suggestion)),
        )
    if paper:
        says = "P@10 of 57 runs of TREC 2006 and of ours, best first; the table has the figures."
        add("runs", "Among the runs of TREC 2006", says, runs_chart(paper))
    return sections, data


def _first_chart(study: Study, shown: list[Row], measure: str) -> tuple[str, Spec]:
    """Return a chart of the first screen with its title: means, or differences of `assess`."""
    leaders = _leaders(study, shown)
    if study.statistics.are_sequential:
        title = f"{measure}: difference to {study.baseline.label}"
        return title, differences_chart(study, leaders, measure)
    gold = ", the gold text" if study.gold is not None else ""
    title = f"{measure}: the best, the baseline{gold}"
    return title, means_chart(study, leaders, measure)


def _leaders(study: Study, shown: list[Row]) -> list[Row]:
    """Return the rows of the first screen: gold text, chosen and next best, baseline."""
    baseline, gold = study.baseline, study.gold
    others = [row for row in [study.chosen, *shown] if row not in (baseline, gold)]
    best = list(dict.fromkeys(others))[: _FIRST_SCREEN - 2]
    return [*([gold] if gold else []), *study.ordered(best), baseline]


def _downloads(
    study: Study, topics: Sequence[int], paper: PaperComparison | None
) -> dict[str, str]:
    """Return the data behind tables and charts: name of a CSV file -> its address."""
    swept = dict.fromkeys(row for label in study.swept for _, row in study.curve(label))
    both = [*study.tested, *study.beside]
    texts = {
        "comparison.csv": frame_sheet(study.rows, both).csv,
        "topics.csv": _topics_csv(study, topics),
    }
    if swept:
        texts["curves.csv"] = frame_sheet(list(swept), study.tested).csv
    if study.formulas:
        rows = [row for under in study.by_formula.values() for row in under]
        texts["formulas.csv"] = frame_sheet(rows, both).csv
    if study.pairs:
        texts["pairs.csv"] = pairs_sheet(study).csv
    if study.by_language:
        texts["languages.csv"] = study_languages_sheet(study).csv
    if suggestion := study.suggestion:
        shares = zip(
            suggestion.observed, suggestion.short, suggestion.long, strict=True
        )
        lines = [[words, *row] for words, row in enumerate(shares, start=1)]
        texts["mixture.csv"] = csv_text("words observed short long".split(), lines)
    if paper:
        runs = [
            [rank, run.name, run.group or "ours", run.p10, run.opinions]
            for rank, run in enumerate(paper.ranked(), start=1)
        ]
        texts["runs.csv"] = csv_text(f"rank run source P@10 {OPINIONS}".split(), runs)
    return {name: data_address(text, "text/csv") for name, text in texts.items()}


def _topics_csv(study: Study, topics: Sequence[int]) -> str:
    """Return a row per topic, shown variant and tested measure.

    Args:
        study: The study.
        topics: Places of the topics.
    """
    lines = []
    for row in study.shown:
        for measure in study.tested:
            scores, base = row.scores[measure], study.baseline.scores[measure]
            for n in topics:
                values = (scores[n], base[n], scores[n] - base[n])
                cells = [figure(value, ".4f") for value in values]
                lines.append([study.topics[n].id, row.label, measure, *cells])
    return csv_text("topic cleaner measure score baseline difference".split(), lines)


def _suggestion_line(suggestion: Suggestion | None) -> str:
    """Return the suggestion without judgements in words."""
    if suggestion is None:
        return ""
    fit = suggestion.r2_adjusted
    fitted = "" if fit is None else f" (adjusted R² {figure(fit)})"
    if suggestion.cleaner is None:
        return f"Short and long text do not cross in the mixture{fitted}: nothing is suggested."
    return (
        f"Fitted to {suggestion.blocks:,} blocks{fitted}, short and long text cross at "
        f"{suggestion.cleaner}: from there on a block is likelier long text, mostly content. "
        "It needs no judgements, and knows nothing of retrieval."
    )


def _for_topics(study: Study, topics: Sequence[int]) -> dict[str, Any]:
    """Return what the page's script needs to list topics by gain and loss.

    Args:
        study: The study.
        topics: Places of the topics.
    """
    places = {row: index for index, row in enumerate(study.rows)}
    return {
        "measures": study.tested,
        "explain": explain_command(study),
        "chosen": places[study.chosen],
        "topics": [
            {
                key: getattr(study.topics[n], key)
                for key in ("id", "query", "judged", "relevant")
            }
            for n in topics
        ],
        "variants": [
            {
                "place": places[row],
                "cleaner": row.label,
                "role": row.role,
                "scores": {m: [row.scores[m][n] for n in topics] for m in study.tested},
                "outcomes": {m: _outcomes(row, m) for m in study.tested},
            }
            for row in study.ordered(study.shown)
        ],
    }


def _outcomes(row: Row, measure: str) -> list[int] | None:
    """Return how many topics win, lose and tie; None for the baseline."""
    result = row.results[measure]
    counts = (result.wins, result.losses, result.ties)
    return [one for one in counts if one is not None] or None
