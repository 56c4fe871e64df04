"""The charts of a study, as Vega-Lite or Vega; and the meaning of their marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from boilersweep.cleaners.rules import AT_LEAST_ONE
from boilersweep.eval.figures.drawing import axis_of, curve, dots, flat, ring
from boilersweep.eval.report.html import PUBLISHED
from boilersweep.eval.report.paper import MEASURES, PaperComparison
from boilersweep.eval.stats.frames import Row, span
from boilersweep.eval.stats.statistics import p_text
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.tables import difference_cells
from boilersweep.outputs.block_chart import DrawnBlocks, blocks_chart
from boilersweep.outputs.figures import figure
from boilersweep.outputs.pictures import (
    ACCENT,
    GOLD,
    INK,
    MUTED,
    STYLE,
    Spec,
    axis,
    layer,
    tooltip,
    with_text,
)
from boilersweep.outputs.tables import as_typeset

# The page's own font, as its text has it.
_STYLE = {**STYLE, "font": "system-ui, sans-serif"}


@cache
def vega_script() -> str:
    """Return the script of Vega, Vega-Lite and vega-embed, which defines `vegaEmbed`."""
    from vl_convert import javascript_bundle

    return str(javascript_bundle("window.vegaEmbed = vegaEmbed;")).strip()


def embedded(chart: Spec) -> Spec:
    """Return a chart as wide as its place in the page, and 240 pixels high unless it says so."""
    place = {"width": "container", "height": 240, "background": "transparent"}
    return {**place, "config": _STYLE, **chart}


_DASHES = {"words": [], "density": [6, 4]}
_DOTTED = [2, 3]
_PAGE_WIDTH = 560  # of the blocks of a page


def curve_chart(
    study: Study, measure: str, label: str, paper: PaperComparison | None
) -> Spec:
    """Draw a measure against the thresholds of a sweep, with its intervals.

    Flat lines are the baseline, the chosen cleaner and the gold text.

    Args:
        study: The study.
        measure: The measure.
        label: The label of the sweep.
        paper: Figures to draw as well, with the curves of other ranking formulas.

    Returns:
        The chart.
    """
    swept = study.curve(label)
    rows = [_fields(row, measure, value) for value, row in swept]
    x, shown = axis_of(label), _shown(measure)
    beside = [
        flat(_fields(row, measure), measure, style, shown)
        for row, style in _flat_lines(study, [row for _, row in swept])
    ]
    beside += [
        ring([drawn], x, measure)
        for drawn, (_, row) in zip(rows, swept, strict=True)
        if study.choice and row is study.chosen
    ]
    # Above the curve's own, which react in the whole height
    above = _of_paper(paper, measure, label) if paper and measure in MEASURES else []
    chart = curve(rows, x, measure, shown, beside=beside)
    return embedded({**chart, "layer": [*chart["layer"], *above]})


def _flat_lines(study: Study, swept: list[Row]) -> list[tuple[Row, Spec]]:
    lines = [(study.baseline, {"color": MUTED, "strokeDash": [6, 4]})]
    if study.gold is not None:
        lines.append((study.gold, {"color": GOLD, "strokeDash": _DOTTED}))
    if study.chosen is not study.baseline and study.chosen not in swept:
        lines.append((study.chosen, {"color": INK}))
    return lines


def _of_paper(paper: PaperComparison, measure: str, feature: str) -> list[Spec]:
    """Return layers: a line for each formula, and the paper's figures for spans of thresholds."""
    x = axis_of(feature)
    layers = []
    for formula, points in paper.curves(feature, measure).items():
        rows = [
            {"threshold": place, "mean": mean, "what": formula}
            for place, mean in points
        ]
        line = {"type": "line", "color": MUTED, "strokeWidth": 1.5}
        dash = {"strokeDash": [8, 3, 2, 3], "point": {"size": 10, "color": MUTED}}
        shown = tooltip({"what": "formula", "text": measure})
        drawn = with_text(rows, "mean")
        layers.append(_along({**line, **dash}, drawn, x, measure, tooltip=shown))
    spans = [
        {
            "threshold": one.first,
            "last": one.last,
            "mean": one.published(measure),
            "text": figure(one.published(measure)),
            "what": one.kept,
        }
        for one in paper.figures
        if one.feature == feature
    ]
    shown = tooltip({"what": "the paper", "text": measure})
    rule = {"type": "rule", "color": PUBLISHED, "strokeWidth": 2}
    ends = [*spans, *({**span, "threshold": span["last"]} for span in spans)]
    mark = {"type": "point", "filled": True, "shape": "diamond", "color": PUBLISHED}
    return [
        *layers,
        _along(rule, spans, x, measure, x2={"field": "last"}, tooltip=shown),
        _along({**mark, "size": 90}, ends, x, measure, tooltip=shown),
    ]


def _along(
    mark: Spec, rows: Sequence[Mapping[str, Any]], x: str, y: str, **channels: Any
) -> Spec:
    return layer(mark, rows, x=axis("threshold", x), y=axis("mean", y), **channels)


def means_chart(study: Study, rows: list[Row], measure: str) -> Spec:
    """Draw the means of some variants with their intervals, one line each, in this order."""
    lines = []
    for row in rows:
        colour = _colour(study, row)
        style = {"name": row.label, "colour": colour, "fill": colour}
        lines.append({**_fields(row, measure), **style})
    return embedded(dots(lines, measure, _shown(measure)))


def differences_chart(study: Study, rows: list[Row], measure: str) -> Spec:
    """Draw the differences of some variants to the baseline, with their intervals.

    The first is on top; significant differences are filled.
    """
    lines = []
    for row in rows:
        if row.results[measure].difference is not None:
            fields = _fields(row, measure)
            colour = _colour(study, row)
            fill = colour if fields["significant"] else None
            place = {
                "mean": fields["difference"],
                "low": fields["difference_low"],
                "high": fields["difference_high"],
            }
            style = {"name": row.label, "colour": colour, "fill": fill}
            lines.append({**fields, **place, **style})
    chart = dots(lines, f"difference in {measure}", _shown(measure), zero=True)
    return embedded(chart)


def tradeoff_chart(study: Study, rows: list[Row], measure: str) -> Spec:
    """Draw a measure against the share of kept tokens, as Vega, which places the names."""
    shown = tooltip(_shown(measure))
    named = [
        {**_fields(row, measure), "colour": _colour(study, row)}
        for row in rows
        if row.tokens_kept is not None and (row.role != "swept" or row is study.chosen)
    ]
    curves = {
        label: [_fields(row, measure) for _, row in study.curve(label)]
        for label in dict.fromkeys([*AT_LEAST_ONE, *study.swept])
    }
    curves = {
        label: swept
        for label, swept in curves.items()
        if len(swept) > 1 and all(row["kept"] is not None for row in swept)
    }
    # Names of the first rows are placed first
    order = {ACCENT: 0, GOLD: 1, MUTED: 2, INK: 3}
    named.sort(key=lambda row: (order[row["colour"]], -row["mean"]))
    drawn = [*named, *(row for swept in curves.values() for row in swept)]
    x = axis(
        "kept",
        "tokens kept, % of the baseline's",
        scale=_limits([row["kept"] for row in drawn]),
    )
    y = axis("mean", measure, scale=_limits([row["mean"] for row in drawn]))
    layers, places = [], {"x": x, "y": y, "tooltip": shown}
    for label, swept in curves.items():
        line = {"type": "line", "strokeWidth": 1.2, "color": MUTED}
        dash = {"strokeDash": _DASHES.get(label, _DOTTED)}
        point = {"point": {"size": 12, "color": MUTED}}
        curve_layer = layer({**line, **dash, **point}, swept, **places)
        curve_layer["encoding"]["order"] = {"field": "threshold"}
        layers.append(curve_layer)
    colour = {"field": "colour", "type": "nominal", "scale": None}
    dot = {"type": "point", "filled": True, "size": 90, "opacity": 0.85}
    layers.append({**layer(dot, named, **places, color=colour), "name": "named"})
    return _with_names(embedded({"height": 290, "layer": layers}))


def _limits(values: Sequence[float]) -> Spec:
    """Return a scale of these values, which are not negative, with some room."""
    if not values or max(values) == min(values):
        return {"zero": False}
    room = 0.12 * (max(values) - min(values))
    return {"domain": [max(0, min(values) - room), max(values) + room], "nice": False}


def _with_names(chart: Spec) -> Spec:
    """Return a chart as Vega, with names beside the dots of its layer `named`.

    They hide no line, no dot and no other name: if space is short, only the first ones are seen.
    Vega-Lite lacks this transform.
    """
    from vl_convert import vegalite_to_vega

    vega: Spec = vegalite_to_vega(chart)
    *others, dots_ = [mark["name"] for mark in vega["marks"]]
    sides = "right left top bottom top-right bottom-right top-left bottom-left".split()
    vega["marks"].append(
        {
            "type": "text",
            "from": {"data": dots_},
            "interactive": False,
            "encode": {
                "enter": {
                    "text": {"field": "datum.cleaner"},
                    "fill": {"field": "datum.colour"},
                    "font": {"value": _STYLE["font"]},
                    "fontSize": {"value": 12},
                }
            },
            "transform": [
                {
                    "type": "label",
                    "size": {"signal": "[max(1, width), height]"},
                    "anchor": sides,
                    "offset": [4],
                    "avoidMarks": others,
                }
            ],
        }
    )
    return vega


def page_blocks_chart() -> Spec:
    """Return the chart of a page's blocks and of what cleaners keep, without a page."""
    return {
        **blocks_chart(DrawnBlocks({"words": []}), _PAGE_WIDTH),
        "background": "transparent",
        "config": _STYLE,
    }


def runs_chart(paper: PaperComparison) -> Spec:
    """Draw P@10 of the runs of TREC 2006 in their order, with ours."""
    rows = [
        {
            "rank": rank,
            "run": run.name,
            "p10": run.p10,
            "text": figure(run.p10),
            "colour": ACCENT if run.ours else MUTED,
        }
        for rank, run in enumerate(paper.ranked(), start=1)
    ]
    ranks = {"field": "rank", "type": "ordinal", "title": "rank"}
    bars = layer(
        {"type": "bar"},
        rows,
        x={**ranks, "axis": {"labelOverlap": True, "labelAngle": 0}},
        y=axis("p10", "P@10", scale={"zero": True}),
        color={"field": "colour", "type": "nominal", "scale": None},
        tooltip=tooltip({"run": "run", "rank": "rank", "text": "P@10"}),
    )
    return embedded(bars)


def _fields(row: Row, measure: str, threshold: float | None = None) -> dict[str, Any]:
    """Return a variant's values, and the texts that appear when pointing at it.

    Args:
        row: The variant.
        measure: The measure.
        threshold: Its place on the drawn curve.
    """
    result, kept = row.results[measure], row.tokens_kept
    texts = {
        "score": f"{figure(result.mean)} {span(result.low, result.high)}",
        "change": " ".join(cell.text for cell in difference_cells(result)),
        "p": p_text(result.p),
        "kept_text": figure(kept, ".1%"),
        "empty": figure(row.empty, ","),
    }
    return {
        "cleaner": row.label,
        "threshold": threshold,
        "mean": result.mean,
        "low": result.low,
        "high": result.high,
        "significant": result.is_significant,
        "difference": result.difference or 0.0,
        "difference_low": result.difference_low,
        "difference_high": result.difference_high,
        "kept": None if kept is None else 100 * kept,
        **{name: as_typeset(text.strip() or "-") for name, text in texts.items()},
    }


def _shown(measure: str) -> dict[str, str]:
    return {
        "cleaner": "kept",
        "score": measure,
        "change": "difference",
        "p": "corrected p",
        "kept_text": "tokens kept",
        "empty": "left empty",
    }


def _colour(study: Study, row: Row) -> str:
    if row.role == "gold":
        return GOLD
    if row is study.chosen and study.distinction:
        return ACCENT
    return MUTED if row.role == "baseline" else INK


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
    name = f"{study.distinction}, {study.chosen.label}"
    chosen = [Mark("dot-chosen", name)] if study.distinction else []
    baseline = [Mark("dot-baseline", f"baseline, {study.baseline.label}")]
    is_marked = study.chosen is study.baseline and study.distinction
    of_gold = [Mark("dot-gold", _UPPER_BOUND)] if study.gold is not None else []
    dots = [*chosen, Mark("dot", "others"), *(baseline * (not is_marked)), *of_gold]
    thresholds = [
        Mark(_THIN.get(label, "thin-dotted"), f"thresholds of {label}")
        for label in study.swept
    ]
    return {
        "means": dots,
        "curves": _curves(study, paper, name),
        "differences": [
            *chosen,
            *of_gold,
            Mark("dot", "statistically significant"),
            Mark("hollow", "not significant, or not tested"),
        ],
        "tradeoff": [*dots, *thresholds],
        "runs": [Mark("bar", "ours"), Mark("bar-other", "runs of TREC 2006")],
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
