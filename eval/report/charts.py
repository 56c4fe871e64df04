"""The charts of a study, made with Bokeh and given to the page as Bokeh's JSON."""

from typing import Any

from boilersweep.cleaners.rules import AT_LEAST_ONE
from boilersweep.eval.report.bokeh_figures import (
    FONT,
    add_hover,
    embedded,
    new_figure,
    source_of,
)
from boilersweep.eval.report.palette import ACCENT, GOLD, INK, MUTED, PUBLISHED
from boilersweep.eval.report.paper import MEASURES, PaperComparison
from boilersweep.eval.report.wording import UNKNOWN, bracketed, p_value, share, signed
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.eval.sweep.curve import axis_of

_ROW_HEIGHT = 27
_DASHES = {"words": "solid", "density": "dashed"}

LABELS = "labels"
"""Name of the renderer whose texts charts.js places so that they do not overlap."""


def curve_chart(
    study: Study, measure: str, label: str, paper: PaperComparison | None
) -> dict[str, Any]:
    """A measure against the thresholds of a sweep, with its intervals.

    Flat lines: the baseline, what was chosen, the gold text. paper: its figures are drawn, too,
    and the curves of other ranking formulas.
    """
    curve = study.curve(label)
    data = [_fields(row, measure, value) for value, row in curve]
    figure = new_figure(axis_of(label), measure)
    bands = [row for row in data if row["low"] is not None]
    band = source_of(bands, "threshold low high".split())
    figure.varea("threshold", "low", "high", source=band, fill_color=ACCENT, fill_alpha=0.2)
    for row, colour, dash in _flat_lines(study, [row for _, row in curve]):
        one = source_of([_fields(row, measure)], _FIELDS)
        flat = figure.hspan("mean", source=one, line_color=colour)
        flat.glyph.line_dash, flat.glyph.line_width = dash, 1.5
        add_hover(figure, flat, _hover(measure), mode="mouse")
    source = source_of(data, _FIELDS)
    line = figure.line("threshold", "mean", source=source, line_color=ACCENT, line_width=2)
    size = 6 if len(data) <= 30 else 4
    figure.scatter("threshold", "mean", source=source, size=size, color=ACCENT)
    add_hover(figure, line, _hover(measure), mode="vline")
    chosen = [value for value, row in curve if study.choice and row is study.chosen]
    if chosen:
        ring = source_of([_fields(study.chosen, measure, value) for value in chosen], _FIELDS)
        figure.scatter(
            "threshold", "mean", source=ring, size=13, line_color=INK, fill_color=None, line_width=2
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
        line = figure.line("threshold", "mean", source=source, line_color=MUTED, line_width=1.5)
        line.glyph.line_dash = "dotdash"
        dots = figure.scatter("threshold", "mean", source=source, size=3, color=MUTED)
        add_hover(figure, dots, [("formula", "@what"), (measure, "@mean{0.000}")], mode="mouse")
    rows = [
        {"first": f.first, "last": f.last, "mean": f.published(measure), "what": f.kept}
        for f in paper.figures
        if f.feature == feature
    ]
    source = source_of(rows, "first last mean what".split())
    figure.segment("first", "mean", "last", "mean", source=source, color=PUBLISHED, line_width=2)
    ends = [{**row, "threshold": row[end]} for row in rows for end in ("first", "last")]
    source = source_of(ends, "threshold mean what".split())
    marks = figure.scatter(
        "threshold", "mean", source=source, size=10, marker="diamond", color=PUBLISHED
    )
    add_hover(figure, marks, [("the paper", "@what"), (measure, "@mean{0.000}")], mode="mouse")


def means_chart(study: Study, rows: list[StudyRow], measure: str) -> dict[str, Any]:
    """The means of some variants with their intervals, one line each, in this order."""
    lines = [_fields(row, measure) for row in rows]
    colours = [_colour(study, row) for row in rows]
    return _dot_chart("means", measure, lines, "mean low high".split(), colours, None, measure)


def differences_chart(study: Study, rows: list[StudyRow], measure: str) -> dict[str, Any]:
    """The differences of some variants to the baseline, with their intervals."""
    rows = [row for row in rows if row.results[measure].difference]
    lines = [_fields(row, measure) for row in rows]
    colours = [_colour(study, row) for row in rows]
    label = f"difference in {measure}"
    fields = "difference difference_low difference_high".split()
    return _dot_chart("differences", label, lines, fields, colours, 0.0, measure)


def _dot_chart(
    name: str,
    label: str,
    rows: list[dict[str, Any]],
    fields: list[str],
    colours: list[str],
    zero: float | None,
    measure: str,
) -> dict[str, Any]:
    """One dot and one line per variant, the first on top; filled where it is significant."""
    middle, low, high = fields
    for row, colour in zip(rows, colours, strict=True):
        row["colour"] = colour
        row["fill"] = colour if row["significant"] or middle == "mean" else None
        row["name"] = row["cleaner"]
    height = _ROW_HEIGHT * len(rows) + 58
    names = [row["name"] for row in reversed(rows)]
    figure = new_figure(label, None, height=height, factors=names)
    if zero is not None:
        flat = figure.vspan([zero], line_color=MUTED, line_width=1.2)
        flat.glyph.line_dash = "dashed"
    source = source_of(
        [row for row in rows if row[low] is not None], [*_FIELDS, "name", "colour", "fill"]
    )
    figure.segment(low, "name", high, "name", source=source, color="colour", line_width=2)
    source = source_of(rows, [*_FIELDS, "name", "colour", "fill"])
    dots = figure.scatter(
        middle, "name", source=source, size=10, line_color="colour", fill_color="fill"
    )
    dots.glyph.line_width = 2
    wide = figure.scatter(middle, "name", source=source, size=_ROW_HEIGHT - 3, alpha=0)
    add_hover(figure, wide, _hover(measure), mode="hline")
    return embedded(figure, f"{name}-{measure}")


def tradeoff_chart(study: Study, rows: list[StudyRow], measure: str) -> dict[str, Any]:
    """A measure against the share of the tokens that is kept."""
    figure = new_figure("tokens kept, % of the baseline's", measure, height=330)
    for label in dict.fromkeys([*AT_LEAST_ONE, *study.swept]):
        swept = [_fields(row, measure) for _, row in study.curve(label)]
        if len(swept) > 1 and all(one["kept"] is not None for one in swept):
            source = source_of(swept, _FIELDS)
            line = figure.line("kept", "mean", source=source, line_color=MUTED, line_width=1.2)
            line.glyph.line_dash = _DASHES.get(label, "dotted")
            dots = figure.scatter("kept", "mean", source=source, size=3, color=MUTED)
            add_hover(figure, dots, _hover(measure), mode="mouse")
    named = [
        {**_fields(row, measure), "colour": _colour(study, row)}
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
    """Write the names of cleaners beside their dots; where there is no room, those of the first.

    Where exactly is for the page's script to say, which knows the size.
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
    """Show all of these and some room; what lies beyond is cut."""
    if values and max(values) > min(values):
        room = 0.12 * (max(values) - min(values))
        range_.start, range_.end = min(values) - room, max(values) + room


def mixture_chart(suggestion: Suggestion) -> dict[str, Any]:
    """The words of the collection's blocks, and the two kinds of text they are a mixture of."""
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
    """P@10 of the runs of TREC 2006 in their order, ours among them."""
    rows = [
        {"rank": n, "run": run.name, "p10": run.p10, "colour": ACCENT if run.ours else MUTED}
        for n, run in enumerate(paper.ranked(), start=1)
    ]
    figure = new_figure("rank", "P@10")
    source = source_of(rows, "rank run p10 colour".split())
    bars = figure.vbar("rank", top="p10", width=0.75, source=source, color="colour")
    add_hover(
        figure, bars, [("run", "@run"), ("rank", "@rank"), ("P@10", "@p10{0.000}")], mode="vline"
    )
    return embedded(figure, "runs")


_FIELDS = (
    "cleaner threshold mean low high interval difference difference_low difference_high change "
    "change_interval p kept kept_text empty"
).split()


def _fields(row: StudyRow, measure: str, threshold: float | None = None) -> dict[str, Any]:
    """What a chart shows of a variant, and what hovering over it tells.

    threshold: where it is on the curve that is drawn.
    """
    result, kept = row.results[measure], row.tokens_kept
    low, high = result.interval or (None, None)
    difference = result.difference
    tests = difference and difference.tests
    change_low, change_high = (difference and difference.interval) or (None, None)
    return {
        "cleaner": str(row.variant),
        "threshold": threshold,
        "mean": result.mean,
        "low": low,
        "high": high,
        "interval": "" if low is None else f"[{low:.3f}, {high:.3f}]",
        "difference": difference.mean if difference else 0.0,
        "difference_low": change_low,
        "difference_high": change_high,
        "change": signed(difference.mean) if difference else "\u2013",
        "change_interval": bracketed(difference.interval) if difference else "",
        "p": p_value(tests.decisive) if tests else "\u2013",
        "significant": difference is not None and difference.is_significant,
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
