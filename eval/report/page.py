"""The report as one HTML page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.eval.report import palette
from boilersweep.eval.report.answer import answer_of
from boilersweep.eval.report.bokeh_figures import bokeh_script
from boilersweep.eval.report.charts import (
    curve_chart,
    differences_chart,
    means_chart,
    mixture_chart,
    runs_chart,
    tradeoff_chart,
)
from boilersweep.eval.report.comparison import comparisons
from boilersweep.eval.report.downloads import mixture_csv, runs_csv, topics_csv, variants_csv
from boilersweep.eval.report.evidence import Evidence, pack
from boilersweep.eval.report.formulas import formulas_csv, formulas_of
from boilersweep.eval.report.inline_data import content_policy, data_address, script_json
from boilersweep.eval.report.languages import language_section
from boilersweep.eval.report.legends import (
    curves_legend,
    differences_legend,
    means_legend,
    mixture_legend,
    runs_legend,
    tradeoff_legend,
)
from boilersweep.eval.report.page_kinds import page_kinds
from boilersweep.eval.report.pairs import pair_section
from boilersweep.eval.report.paper import MEASURES, PaperComparison
from boilersweep.eval.report.pictures import (
    Picture,
    pack_pictures,
    picture_script,
    picture_style,
)
from boilersweep.eval.report.provenance import explain_command, notes_of, provenance_of
from boilersweep.eval.report.templates import environment, packaged, style
from boilersweep.eval.study.differences import in_order
from boilersweep.eval.study.files import pairs_csv
from boilersweep.eval.study.languages import study_languages_csv
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.results import Result, Study, StudyRow
from boilersweep.eval.sweep.curve import axis_of
from boilersweep.outputs.files import write_text

_SCRIPTS = ("charts.js", "tables.js", "topics.js", "evidence.js", "start.js")
_FIRST_SCREEN = 6
_NONE: Mapping[str, Picture | None] = {}

MOST_BYTES = 4_900_000
"""Of a page: what the evidence may fill it up to unless told otherwise."""

_EVIDENCE = '<script type="text/plain" id="evidence-data">'
_PICTURES = '<script type="text/plain" id="picture-data">'
_PICTURES_SHARE = 8  # an eighth of what is left for evidence


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart's place in the page. name: of its JSON. says: what it shows, in words."""

    name: str
    title: str
    says: str


def write_report(
    study: Study,
    evidence: Sequence[Evidence],
    output: Path,
    *,
    pictures: Mapping[str, Picture | None] = _NONE,
    paper: PaperComparison | None = None,
) -> Path:
    """Write the page to `output`, whole or not at all. Raises OutputError. See `render`."""
    write_text(output, render(study, evidence, pictures=pictures, paper=paper))
    return output


def render(
    study: Study,
    evidence: Sequence[Evidence],
    *,
    pictures: Mapping[str, Picture | None] = _NONE,
    paper: PaperComparison | None = None,
    most: int = MOST_BYTES,
) -> str:
    """The page of a study, of at most so many bytes; the same for the same arguments.

    evidence: of the baseline and some cleaners of the study, see `rows_to_explain`. pictures: of
    the pages in it, see `gather_pictures`. paper: what is beside a study of BLOGS06.
    """
    charts, data = _charts(study, paper)
    shown = study.ordered(study.shown)
    topics = study.listed_topics
    parts = [packaged(name) for name in _SCRIPTS]
    if pictures:
        parts.insert(-1, picture_script())
    scripts = [bokeh_script(), "\n".join(parts)]
    values = {
        "study": study,
        "answer": answer_of(study),
        "charts": charts,
        "legends": {
            "means": means_legend(study, _leaders(study, shown)),
            "curves": curves_legend(study, paper),
            "differences": differences_legend(study, shown),
            "tradeoff": tradeoff_legend(study, shown),
            "runs": runs_legend(),
            "mixture": mixture_legend(),
        },
        "comparisons": comparisons(study),
        "formulas": formulas_of(study),
        "pairs": pair_section(study),
        "languages": language_section(study),
        "page_kinds": page_kinds(study),
        "extra": len(study.rows) - len(study.shown),
        "paper": paper,
        "paper_measures": [measure for measure in MEASURES if measure in study.tested],
        "provenance": provenance_of(study),
        "notes": notes_of(study),
        "suggestion": _suggestion_line(study.suggestion),
        "listed": len(topics),
        "downloads": _downloads(study, topics, paper),
        "policy": content_policy(scripts),
        "style": f"{style()}\n{picture_style()}" if pictures else style(),
        "pictures": bool(pictures),
        "scripts": scripts,
        "chart_json": script_json({"items": data, "dark": palette.DARK}),
        "study_json": script_json(_for_topics(study, topics)),
    }
    page: str = environment().get_template("page.html.jinja").render(values)
    most = max(most - len(page.encode()), 0)
    if pictures:
        packed = pack_pictures(study, evidence, pictures, most=most // _PICTURES_SHARE)
        page = _filled(page, _PICTURES, packed)
        most = max(most - len(packed), 0)
    return _filled(page, _EVIDENCE, pack(study, evidence, most=most))


def _filled(page: str, element: str, data: str) -> str:
    """The page with data in an empty element; its text is no markup."""
    before, mark, after = page.partition(element)
    return before + mark + data + after


def _charts(
    study: Study, paper: PaperComparison | None
) -> tuple[dict[str, list[Chart]], dict[str, Any]]:
    """The charts by section, and their JSON by name."""
    shown = study.ordered(study.shown)
    first, baseline = study.tested[0], study.baseline.variant
    sections: dict[str, list[Chart]] = {"means": [], "curves": [], "differences": []}
    sections |= {"tradeoff": [], "mixture": [], "runs": []}
    data: dict[str, Any] = {}

    def add(section: str, title: str, says: str, item: dict[str, Any]) -> None:
        name = f"{section}-{len(sections[section])}"
        sections[section].append(Chart(name, title, says))
        data[name] = item

    compared = ["the best", "the baseline", *(["the gold text"] if study.gold is not None else [])]
    says = "One dot per cleaner, with its interval; the comparison table has the figures."
    add(
        "means",
        f"{first}: {', '.join(compared)}",
        says,
        means_chart(study, _leaders(study, shown), first),
    )
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
    says = f"{first} of every cleaner against the share of the tokens it keeps."
    add("tradeoff", "Score and size", says, tradeoff_chart(study, shown, first))
    if study.suggestion:
        says = "The share of blocks with so many words, and the two kinds of text fitted to them."
        add("mixture", "Words of the blocks", says, mixture_chart(study.suggestion))
    if paper:
        says = "P@10 of 57 runs of TREC 2006 and of ours, best first; the table has the figures."
        add("runs", "Among the runs of TREC 2006", says, runs_chart(paper))
    return sections, data


def _leaders(study: Study, shown: list[StudyRow]) -> list[StudyRow]:
    """What the first screen compares: the chosen one, the next best, the baseline, the gold."""
    baseline, gold = study.baseline, study.gold
    others = [row for row in [study.chosen, *shown] if row not in (baseline, gold)]
    best = list(dict.fromkeys(others))[: _FIRST_SCREEN - 2]
    return [*([gold] if gold else []), *study.ordered(best), baseline]


def _downloads(
    study: Study, topics: Sequence[int], paper: PaperComparison | None
) -> dict[str, str]:
    swept = (row for label in study.swept for _, row in study.curve(label))
    tests = in_order(study.statistics.tests)
    both = [*study.tested, *study.beside]
    texts = {
        "curves.csv": variants_csv(study, dict.fromkeys(swept), study.tested, tests),
        "comparison.csv": variants_csv(study, study.rows, both, tests),
        "topics.csv": topics_csv(study, study.shown, topics),
    }
    if study.formulas:
        texts["formulas.csv"] = formulas_csv(study)
    if study.pairs:
        texts["pairs.csv"] = pairs_csv(study)
    if study.by_language:
        texts["languages.csv"] = study_languages_csv(study)
    if study.suggestion:
        texts["mixture.csv"] = mixture_csv(study.suggestion)
    if paper:
        texts["runs.csv"] = runs_csv(paper)
    return {name: data_address(text, "text/csv") for name, text in texts.items()}


def _suggestion_line(suggestion: Suggestion | None) -> str:
    if suggestion is None:
        return ""
    fit = suggestion.r2_adjusted
    fitted = "" if fit is None else f" (adjusted R² {fit:.3f})"
    if suggestion.variant is None:
        return f"Short and long text do not cross in the mixture{fitted}: nothing is suggested."
    return (
        f"Fitted to {suggestion.blocks:,} blocks{fitted}, short and long text cross at "
        f"{suggestion.variant}: from there on a block is likelier long text, mostly content. "
        "It needs no judgements, and knows nothing of retrieval."
    )


def _for_topics(study: Study, topics: Sequence[int]) -> dict[str, Any]:
    """What the page's script needs to list topics by gain and loss. topics: their places."""
    places = {row: place for place, row in enumerate(study.rows)}
    return {
        "measures": study.tested,
        "explain": explain_command(study),
        "chosen": places[study.chosen],
        "topics": [
            {key: getattr(study.topics[n], key) for key in ("id", "query", "judged", "relevant")}
            for n in topics
        ],
        "variants": [
            {
                "place": places[row],
                "cleaner": str(row.variant),
                "role": row.role,
                "scores": {name: row.topic_scores[name][topics].tolist() for name in study.tested},
                "outcomes": {name: _outcomes(row.results[name]) for name in study.tested},
            }
            for row in study.ordered(study.shown)
        ],
    }


def _outcomes(result: Result) -> list[int] | None:
    """Topics of the whole study that win, lose and tie; None for the baseline."""
    if result.difference is None:
        return None
    outcomes = result.difference.outcomes
    return [outcomes.wins, outcomes.losses, outcomes.ties]
