"""The charts of a study, made with Bokeh, as Bokeh's JSON; and the meaning of their marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from boilersweep.cleaners.rules import AT_LEAST_ONE
from boilersweep.eval.figures.drawing import axis_of
from boilersweep.eval.report.html import (
    ACCENT,
    GOLD,
    INK,
    LINE,
    MUTED,
    PUBLISHED,
    UNKNOWN,
    bracketed,
    p_value,
    share,
    signed,
)
from boilersweep.eval.report.paper import MEASURES, PaperComparison
from boilersweep.eval.study.result_table import ResultTable
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.eval.study.suggestion import Suggestion

FONT = "system-ui, sans-serif"


@cache
def bokeh_script() -> str:
    """Return BokehJS's core: the charts, without widgets, tables, formulas and WebGL."""
    import bokeh

    folder = Path(bokeh.__file__).parent / "server" / "static" / "js"
    return (folder / "bokeh.min.js").read_text("utf-8").strip()


def source_of(rows: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> Any:
    """Return a column data source of some fields of the rows; None is missing."""
    from bokeh.models import ColumnDataSource

    return ColumnDataSource({field: [row[field] for row in rows] for field in fields})


def new_figure(
    x: str, y: str | None, *, height: int = 280, factors: Sequence[str] | None = None
) -> Any:
    """Return an empty figure as wide as its place.

    Args:
        x: The label of the x-axis.
        y: The label of the y-axis.
        height: The height in pixels.
        factors: Names along the y-axis, from below.
    """
    from bokeh.models import BasicTicker
    from bokeh.plotting import figure

    ranges: dict[str, Any] = {"y_range": list(factors)} if factors else {}
    chart = figure(
        height=height,
        sizing_mode="stretch_width",
        toolbar_location=None,
        output_backend="svg",  # sharp on paper, too
        tools="",
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
        min_border_right=12,
        **ranges,
    )
    chart.xaxis.axis_label = x
    chart.yaxis.axis_label = y
    for axis in chart.axis:
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "12px"
        axis.axis_label_text_color = MUTED
        axis.major_label_text_color = INK if factors and axis in chart.yaxis else MUTED
        axis.axis_line_color = LINE
        axis.major_tick_line_color = LINE
        axis.minor_tick_line_color = None
    if factors:
        # Names leave little room on a phone
        chart.xaxis.ticker = BasicTicker(desired_num_ticks=4)
    chart.grid.grid_line_color = LINE
    chart.xgrid.grid_line_color = LINE if factors else None
    return chart


def add_hover(
    figure: Any,
    renderer: Any,
    tooltips: list[tuple[str, str]],
    *,
    mode: Literal["mouse", "vline", "hline"],
) -> None:
    """Show figures while pointing at a renderer.

    Args:
        figure: The figure.
        renderer: The renderer.
        tooltips: Names and formats of the figures.
        mode: `mouse`; `vline` or `hline` react in the whole height or width.
    """
    from bokeh.models import HoverTool

    tool = HoverTool(
        renderers=[renderer], tooltips=tooltips, mode=mode, line_policy="nearest"
    )
    figure.add_tools(tool)


def embedded(figure: Any, name: str) -> dict[str, Any]:
    """Return the figure for `Bokeh.embed.embed_item`, with names in place of Bokeh's ids."""
    from bokeh.embed import json_item

    item: dict[str, Any] = dict(json_item(figure))
    names: dict[str, str] = {}
    renamed: dict[str, Any] = _renamed(item, names, name)
    renamed["target_id"] = None
    return renamed


def _renamed(value: Any, names: dict[str, str], prefix: str) -> Any:
    if isinstance(value, Mapping):
        return {
            key: names.setdefault(one, f"{prefix}-{len(names)}")
            if key in ("id", "root_id") and isinstance(one, str)
            else _renamed(one, names, prefix)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_renamed(one, names, prefix) for one in value]
    return value


_ROW_HEIGHT = 27
_DASHES = {"words": "solid", "density": "dashed"}

# Name of the renderer whose texts charts.js places so that they do not overlap.
LABELS = "labels"


def curve_chart(
    table: ResultTable, measure: str, label: str, paper: PaperComparison | None
) -> dict[str, Any]:
    """Draw a measure against the thresholds of a sweep, with its intervals.

    Flat lines are the baseline, the chosen cleaner and the gold text.

    Args:
        table: The table of results.
        measure: The measure.
        label: The label of the sweep.
        paper: Figures to draw as well, with the curves of other ranking formulas.

    Returns:
        The chart.
    """
    study = table.study
    curve = study.curve(label)
    data = [_fields(table, row, measure, value) for value, row in curve]
    figure = new_figure(axis_of(label), measure)
    bands = [row for row in data if row["low"] is not None]
    band = source_of(bands, "threshold low high".split())
    figure.varea(
        "threshold", "low", "high", source=band, fill_color=ACCENT, fill_alpha=0.2
    )
    for row, colour, dash in _flat_lines(study, [row for _, row in curve]):
        one = source_of([_fields(table, row, measure)], _FIELDS)
        flat = figure.hspan("mean", source=one, line_color=colour)
        flat.glyph.line_dash, flat.glyph.line_width = dash, 1.5
        add_hover(figure, flat, _hover(measure), mode="mouse")
    source = source_of(data, _FIELDS)
    line = figure.line(
        "threshold", "mean", source=source, line_color=ACCENT, line_width=2
    )
    size = 6 if len(data) <= 30 else 4
    figure.scatter("threshold", "mean", source=source, size=size, color=ACCENT)
    add_hover(figure, line, _hover(measure), mode="vline")
    chosen = [value for value, row in curve if study.choice and row is study.chosen]
    if chosen:
        ring = source_of(
            [_fields(table, study.chosen, measure, value) for value in chosen], _FIELDS
        )
        figure.scatter(
            "threshold",
            "mean",
            source=ring,
            size=13,
            line_color=INK,
            fill_color=None,
            line_width=2,
        )
    if paper and measure in MEASURES:
        _add_paper(figure, paper, measure, label)
    return embedded(figure, f"curve-{measure}-{label}")


def _flat_lines(study: Study, curve: list[StudyRow]) -> list[tuple[StudyRow, str, str]]:
    lines = [(study.baseline, MUTED, "dashed")]
    if study.gold is not None:
        lines.append((study.gold, GOLD, "dotted"))
    if study.chosen is not study.baseline and study.chosen not in curve:
        lines.append((study.chosen, INK, "solid"))
    return lines


def _add_paper(figure: Any, paper: PaperComparison, measure: str, feature: str) -> None:
    for formula, points in paper.curves(feature, measure).items():
        rows = [{"threshold": x, "mean": y, "what": formula} for x, y in points]
        source = source_of(rows, "threshold mean what".split())
        line = figure.line(
            "threshold", "mean", source=source, line_color=MUTED, line_width=1.5
        )
        line.glyph.line_dash = "dotdash"
        dots = figure.scatter("threshold", "mean", source=source, size=3, color=MUTED)
        add_hover(
            figure,
            dots,
            [("formula", "@what"), (measure, "@mean{0.000}")],
            mode="mouse",
        )
    rows = [
        {"first": f.first, "last": f.last, "mean": f.published(measure), "what": f.kept}
        for f in paper.figures
        if f.feature == feature
    ]
    source = source_of(rows, "first last mean what".split())
    figure.segment(
        "first", "mean", "last", "mean", source=source, color=PUBLISHED, line_width=2
    )
    ends = [{**row, "threshold": row[end]} for row in rows for end in ("first", "last")]
    source = source_of(ends, "threshold mean what".split())
    marks = figure.scatter(
        "threshold", "mean", source=source, size=10, marker="diamond", color=PUBLISHED
    )
    add_hover(
        figure, marks, [("the paper", "@what"), (measure, "@mean{0.000}")], mode="mouse"
    )


def means_chart(
    table: ResultTable, rows: list[StudyRow], measure: str
) -> dict[str, Any]:
    """Draw the means of some variants with their intervals, one line each, in this order."""
    return _dot_chart(table, rows, measure, "mean low high".split(), "means")


def differences_chart(
    table: ResultTable, rows: list[StudyRow], measure: str, name: str = "differences"
) -> dict[str, Any]:
    """Draw the differences of some variants to the baseline, with their intervals."""
    rows = [row for row in rows if row.results[measure].difference]
    fields = "difference difference_low difference_high".split()
    return _dot_chart(table, rows, measure, fields, name)


def _dot_chart(
    table: ResultTable,
    rows: list[StudyRow],
    measure: str,
    fields: list[str],
    name: str,
) -> dict[str, Any]:
    """Draw a dot and a line per variant, the first on top; significant differences are filled.

    Args:
        table: The table of results.
        rows: The variants.
        measure: The measure.
        fields: The fields with the dot's place and the ends of its line.
        name: The chart's name, without the measure.
    """
    middle, low, high = fields
    is_difference = middle == "difference"
    lines = [_fields(table, row, measure) for row in rows]
    for line, row in zip(lines, rows, strict=True):
        line["name"] = row.label
        line["colour"] = _colour(table.study, row)
        line["fill"] = (
            None if is_difference and not line["significant"] else line["colour"]
        )
    height = _ROW_HEIGHT * len(rows) + 58
    names = [row.label for row in reversed(rows)]
    label = f"difference in {measure}" if is_difference else measure
    figure = new_figure(label, None, height=height, factors=names)
    if is_difference:
        flat = figure.vspan([0.0], line_color=MUTED, line_width=1.2)
        flat.glyph.line_dash = "dashed"
    columns = [*_FIELDS, "name", "colour", "fill"]
    source = source_of([line for line in lines if line[low] is not None], columns)
    figure.segment(
        low, "name", high, "name", source=source, color="colour", line_width=2
    )
    source = source_of(lines, columns)
    dots = figure.scatter(
        middle, "name", source=source, size=10, line_color="colour", fill_color="fill"
    )
    dots.glyph.line_width = 2
    wide = figure.scatter(middle, "name", source=source, size=_ROW_HEIGHT - 3, alpha=0)
    add_hover(figure, wide, _hover(measure), mode="hline")
    return embedded(figure, f"{name}-{measure}")


def tradeoff_chart(
    table: ResultTable, rows: list[StudyRow], measure: str
) -> dict[str, Any]:
    """Draw a measure against the share of kept tokens."""
    study = table.study
    figure = new_figure("tokens kept, % of the baseline's", measure, height=330)
    for label in dict.fromkeys([*AT_LEAST_ONE, *study.swept]):
        swept = [_fields(table, row, measure) for _, row in study.curve(label)]
        if len(swept) > 1 and all(one["kept"] is not None for one in swept):
            source = source_of(swept, _FIELDS)
            line = figure.line(
                "kept", "mean", source=source, line_color=MUTED, line_width=1.2
            )
            line.glyph.line_dash = _DASHES.get(label, "dotted")
            dots = figure.scatter("kept", "mean", source=source, size=3, color=MUTED)
            add_hover(figure, dots, _hover(measure), mode="mouse")
    named = [
        {**_fields(table, row, measure), "colour": _colour(study, row)}
        for row in rows
        if row.tokens_kept is not None and row.role != "swept"
    ]
    source = source_of(named, [*_FIELDS, "colour"])
    dots = figure.scatter("kept", "mean", source=source, size=10, color="colour")
    dots.glyph.fill_alpha = 0.85
    add_hover(figure, dots, _hover(measure), mode="mouse")
    _name(figure, named)
    _limit(figure.x_range, [one["kept"] for one in named])
    _limit(figure.y_range, [one["mean"] for one in named])
    return embedded(figure, f"tradeoff-{measure}")


def _name(figure: Any, rows: list[dict[str, Any]]) -> None:
    """Write the names of cleaners beside their dots; if space is short, only the first ones.

    The page's script, which knows the size, places them.
    """
    from bokeh.core.properties import value

    order = {ACCENT: 0, GOLD: 1, MUTED: 2, INK: 3}
    first = sorted(rows, key=lambda row: (order[row["colour"]], -row["mean"]))
    placed = [{**row, "dx": 9, "dy": 0, "align": "left", "label": ""} for row in first]
    fields = "kept mean cleaner colour dx dy align label".split()
    figure.text(
        "kept",
        "mean",
        "label",
        source=source_of(placed, fields),
        name=LABELS,
        text_color="colour",
        text_font=value(FONT),
        text_font_size="12px",
        text_align="align",
        text_baseline="middle",
        x_offset="dx",
        y_offset="dy",
    )


def _limit(range_: Any, values: list[float]) -> None:
    """Show these values with some room, and cut what lies beyond."""
    if values and max(values) > min(values):
        room = 0.12 * (max(values) - min(values))
        range_.start, range_.end = min(values) - room, max(values) + room


def mixture_chart(suggestion: Suggestion) -> dict[str, Any]:
    """Draw the words of the collection's blocks, and their mixture of two kinds of text."""
    rows = [
        {"words": n, "observed": 100 * seen, "short": 100 * short, "long": 100 * long}
        for n, (seen, short, long) in enumerate(
            zip(suggestion.observed, suggestion.short, suggestion.long, strict=True),
            start=1,
        )
    ]
    figure = new_figure("words of a block", "blocks, %")
    source = source_of(rows, "words observed short long".split())
    bars = figure.vbar("words", top="observed", width=0.8, source=source, color=MUTED)
    bars.glyph.fill_alpha, bars.glyph.line_color = 0.35, None
    figure.line("words", "short", source=source, line_color=GOLD, line_width=2)
    figure.line("words", "long", source=source, line_color=ACCENT, line_width=2)
    hover = [
        ("words", "@words"),
        *((kind, f"@{kind}{{0.000}} %") for kind in ("observed", "short", "long")),
    ]
    add_hover(figure, bars, hover, mode="vline")
    return embedded(figure, "mixture")


def runs_chart(paper: PaperComparison) -> dict[str, Any]:
    """Draw P@10 of the runs of TREC 2006 in their order, with ours."""
    rows = [
        {
            "rank": n,
            "run": run.name,
            "p10": run.p10,
            "colour": ACCENT if run.ours else MUTED,
        }
        for n, run in enumerate(paper.ranked(), start=1)
    ]
    figure = new_figure("rank", "P@10")
    source = source_of(rows, "rank run p10 colour".split())
    bars = figure.vbar("rank", top="p10", width=0.75, source=source, color="colour")
    add_hover(
        figure,
        bars,
        [("run", "@run"), ("rank", "@rank"), ("P@10", "@p10{0.000}")],
        mode="vline",
    )
    return embedded(figure, "runs")


_FIELDS = (
    "cleaner threshold mean low high interval difference difference_low difference_high change "
    "change_interval p kept kept_text empty"
).split()


def _fields(
    table: ResultTable, row: StudyRow, measure: str, threshold: float | None = None
) -> dict[str, Any]:
    """Return a variant's values, and the texts that appear when pointing at it.

    Args:
        table: The table of results.
        row: The variant.
        measure: The measure.
        threshold: Its place on the drawn curve.
    """
    line = table.of(row, measure)
    low, high, change, kept = (
        line[name] for name in ("low", "high", "difference", "tokens_kept")
    )
    ends = line["difference_low"], line["difference_high"]
    return {
        **line,
        "threshold": threshold,
        "interval": "" if low is None else f"[{low:.3f}, {high:.3f}]",
        "difference": change or 0.0,
        "change": UNKNOWN if change is None else signed(change),
        "change_interval": bracketed(None if ends[0] is None else ends),
        "p": UNKNOWN if line["p"] is None else p_value(line["p"]),
        "kept": None if kept is None else 100 * kept,
        "kept_text": share(kept) or UNKNOWN,
        "empty": UNKNOWN if row.empty is None else f"{row.empty:,}",
    }


def _hover(measure: str) -> list[tuple[str, str]]:
    return [
        ("kept", "@cleaner"),
        (measure, "@mean{0.000} @interval"),
        ("difference", "@change @change_interval"),
        ("corrected p", "@p"),
        ("tokens kept", "@kept_text"),
        ("left empty", "@empty"),
    ]


def _colour(study: Study, row: StudyRow) -> str:
    if row.role == "gold":
        return GOLD
    if row is study.chosen:
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
