"""A study as tables for the terminal, Markdown and LaTeX, with the notes to read them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from boilersweep.eval.experiment.costs import IndexSize
from boilersweep.eval.experiment.languages import LEAST_TOPICS, UNDECIDED, LanguageScore
from boilersweep.eval.figures.drawing import text_table
from boilersweep.eval.stats.statistics import SIGNIFICANT, p_text
from boilersweep.eval.study.differences import MARK, NEAR, SEQUENTIAL, TEST_NAMES, Pairs
from boilersweep.eval.study.result_table import (
    FormulaLine,
    Line,
    ResultTable,
    compared_cleaner,
    formula_lines,
    question,
)
from boilersweep.eval.study.results import Study, StudyRow

# Rows of the tables of pairs: so many columns fit on a page.
MOST_PAIRED = 12

TEST_HEADS = {
    "t": "p (t)",
    "randomisation": "p (rand.)",
    "wilcoxon": "p (Wilc.)",
    SEQUENTIAL: "p (seq.)",
}
_ROLES = {"baseline": " (baseline)", "gold": " (upper bound)", "run": " (run)"}

_LATEX_HEAD = (
    r"""% \input this file; the preamble needs \usepackage{booktabs,graphicx}"""
)
# A table that is too wide is scaled down to the width of the page.
_LATEX_FLOAT = r"""\begin{table*}
\centering
\caption{%s}
\label{%s}
\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%%
\begin{tabular}{%s}
\toprule
%s \\
\midrule
%s \\
\bottomrule
\end{tabular}}
%s\end{table*}"""
_LATEX_SIGNS = {
    **{sign: f"\\{sign}" for sign in "{}&%$#_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    ">=": r"$\geq$",
    "<=": r"$\leq$",
}
_LATEX_SIGN = re.compile("[<>]=|[" + re.escape('{}&%$#_\\~^<>|"') + "]")
_LATEX_NUMBER = re.compile(r"(?<![\w.])([+-])(?=\.?\d)")


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people.

    Attributes:
        title: The title.
        heads: The heads of the columns.
        lines: Lines of cells.
        best: The line and column of the best mean, if one is the best.
    """

    title: str
    heads: list[str]
    lines: list[list[str]]
    best: tuple[int, int] | None = None


def study_tables(table: ResultTable) -> list[Table]:
    """Return a table per tested measure, then one of costs, of the rows to show."""
    study = table.study
    rows = study.ordered(study.shown)
    measures = [
        _measure_table(table.lines(rows, [measure]), table.tests)
        for measure in study.tested
    ]
    return [*measures, _cost_table(table, rows)]


def _measure_table(lines: Sequence[Line], tests: Sequence[str]) -> Table:
    """Return the table of a measure."""
    measure: str = lines[0]["measure"]
    heads = ["kept", measure, "95 % interval", "difference", "95 % interval"]
    heads += [*(TEST_HEADS[test] for test in tests), "effect", "wins/ties/losses"]
    gold = any(line["gap_closed"] is not None for line in lines)
    grouped = any(line["groups"] for line in lines)
    heads += ["gap closed"] * gold + ["group"] * grouped
    mean = "({:.3f})" if SEQUENTIAL in tests else "{:.3f}"
    rows = []
    for line in lines:
        cells = [
            _name(line["cleaner"], line["role"]),
            mean.format(line["mean"]),
            _span(line["low"], line["high"], ".3f"),
            _text(line["difference"], "+.3f") + line["mark"],
            _span(line["difference_low"], line["difference_high"], "+.3f"),
            *(p_text(line[f"{test}_holm"]) for test in tests),
            _text(line["effect"], "+.2f"),
            ""
            if line["wins"] is None
            else f"{line['wins']}/{line['ties']}/{line['losses']}",
        ]
        if gold:
            cells.append(_closed(line))
        if grouped:
            cells.append(line["groups"] or "")
        rows.append(cells)
    ranked = [n for n, line in enumerate(lines) if line["role"] != "gold"]
    best = max(ranked, key=lambda n: lines[n]["mean"])
    return Table(measure, heads, rows, None if SEQUENTIAL in tests else (best, 1))


def _closed(line: Line) -> str:
    """Return the closed share of the gap; an interval of no width says nothing."""
    share = _text(line["gap_closed"], ".1%")
    low, high = line["gap_low"], line["gap_high"]
    return share if low == high else f"{share} {_span(low, high, '.0%')}"


def _cost_table(table: ResultTable, rows: Sequence[StudyRow]) -> Table:
    """Return the table of what cleaning takes away."""
    study = table.study
    heads = ["kept", *study.beside, "documents", "left empty", "relevant left empty"]
    heads += ["terms lost", "tokens", "tokens kept", "index"]
    lines = []
    for row in rows:
        line = table.of(row, study.tested[0])
        cells = [
            *(f"{row.results[measure].mean:.3f}" for measure in study.beside),
            _text(line["documents"], ","),
            _text(line["empty"], ","),
            _text(line["relevant_empty"], ","),
            _text(line["terms_lost"], ".1%"),
            _text(line["tokens"], ","),
            _text(line["tokens_kept"], ".1%"),
            size_text(row.index) if row.index else "",
        ]
        if row.role == "run":  # only scores of external runs are known
            cells = [cell or "-" for cell in cells]
        lines.append([_name(row.label, row.role), *cells])
    return Table("What cleaning takes away", heads, lines)


def pair_tables(study: Study) -> list[Table]:
    """Return a table per tested measure: by how much a row is better than those below it."""
    pairs = study.pairs
    if pairs is None:
        return []
    places = rows_to_print(study, pairs, MOST_PAIRED)
    numbers = [str(number) for number in range(1, len(places) + 1)]
    tables = []
    for measure in study.tested:
        lines = []
        for at, place in enumerate(places):
            cells = [""] * (at + 1)
            for other in places[at + 1 :]:
                difference = pairs.of(measure, place, other).difference
                cells.append(f"{difference.mean:+.3f}{difference.mark}")
            row = study.rows[place]
            lines.append([f"{at + 1} {_name(row.label, row.role)}", *cells])
        tables.append(Table(f"{measure}: row less column", ["", *numbers], lines))
    return tables


def rows_to_print(study: Study, pairs: Pairs, most: int) -> list[int]:
    """Return places of paired rows, best first: baseline, choice, and the best others."""
    means = {n: study.rows[n].results[study.tested[0]].mean for n in pairs.rows}
    needed = {0, study.rows.index(study.chosen)}
    best = sorted(pairs.rows, key=lambda n: (n not in needed, -means[n], n))[:most]
    return sorted(best, key=lambda n: (-means[n], n))


def formula_tables(table: ResultTable) -> list[Table]:
    """Return the formulas' answers by each tested measure, then all cleaners under all formulas."""
    study = table.study
    answers = {measure: formula_lines(table, measure) for measure in study.tested}
    tables = [
        _answers(study, measure, lines) for measure, lines in answers.items() if lines
    ]
    return [*tables, _every(table, study.tested[0])] if tables else []


def _answers(study: Study, measure: str, lines: Sequence[FormulaLine]) -> Table:
    """Return the formulas' answers by a measure."""
    heads = [
        "formula",
        study.baseline.label,
        compared_cleaner(study).label,
        "difference",
    ]
    heads += ["95 % interval", TEST_HEADS[study.statistics.tests[0]], "best under it"]
    tuned = any(line.tuned for line in lines)
    if tuned:
        heads += ["baseline tuned to", "cleaner tuned to"]
    rows = []
    for line in lines:
        after, best = line.after, line.best
        cells = [
            line.formula.name,
            _text(line.before["mean"], ".3f"),
            _text(after["mean"], ".3f"),
            _text(after["difference"], "+.3f") + after["mark"],
            _span(after["difference_low"], after["difference_high"], "+.3f"),
            p_text(after["p"]),
            f"{best['cleaner']} {best['mean']:.3f}",
        ]
        rows.append([*cells, *(line.tuned or ("", ""))] if tuned else cells)
    return Table(f"{question(study)} {measure}", heads, rows)


def _every(table: ResultTable, measure: str) -> Table:
    """Return every shown cleaner under every formula."""
    study = table.study
    by_name = [{row.name: row for row in rows} for rows in study.by_formula.values()]
    lines = []
    for row in study.ordered(study.shown):
        if row.role != "run":
            cells = [row.label]
            for rows in by_name:
                line = table.of(rows[row.name], measure)
                change = _text(line["difference"], "+.3f") + line["mark"]
                cells.append(f"{line['mean']:.3f} {change}".rstrip())
            lines.append(cells)
    return Table(
        f"{measure} of every cleaner under every formula",
        ["kept", *study.by_formula],
        lines,
    )


def language_tables(study: Study) -> list[Table]:
    """Return a table per tested measure; none if all topics are of one language."""
    groups = study.by_language
    rows = study.ordered(study.shown)
    heads = ["kept", *(group.head for group in groups)]
    tables = []
    for measure in study.tested if groups else ():
        scores = study.language_scores(rows, measure)
        lines = [
            [row.label, *(_language_cell(of_group[place]) for of_group in scores)]
            for place, row in enumerate(rows)
        ]
        tables.append(Table(f"{measure} by language of the topics", heads, lines))
    return tables


def _language_cell(score: LanguageScore) -> str:
    """Return the mean, and the difference to the baseline."""
    return f"{score.mean:.3f} {_text(score.difference, '+.3f')}".rstrip()


def notes(study: Study) -> list[str]:
    """Return what to know to read the tables."""
    return [*_table_notes(study), *_formula_notes(study), *language_notes(study)]


def _table_notes(study: Study) -> list[str]:
    """Return the notes on scores, tests and groups."""
    statistics, pairs = study.statistics, study.pairs
    names = [name for test, name in TEST_NAMES.items() if test in statistics.tests]
    decides = TEST_NAMES[statistics.tests[0]]
    lines = [
        f"Means over {len(study.topics):,} topics; 95 % bootstrap intervals (BCa). p: of "
        f"{and_so_on(names)}, each corrected (Holm) over all {statistics.comparisons:,} "
        f"comparisons of this study; {MARK} that of {decides} is below {SIGNIFICANT}, {NEAR} "
        "within the error of its draws from that. "
        "Effect: the mean difference in standard deviations over topics.",
        "Terms lost: of the topics' terms in relevant documents. Index: without positions; "
        "`about` is estimated from the tokens.",
    ]
    if statistics.are_sequential:
        lines[0] = (
            f"Differences on the topics judged so far; their intervals, and p, are those of "
            f"{decides}, together for all {statistics.comparisons:,} comparisons. In parentheses: "
            "means that count unjudged documents as irrelevant, and so compare nothing."
        )
    if pairs:
        lines.append(
            f"Group: {decides} does not tell apart cleaners that share a letter; corrected over "
            f"all {pairs.comparisons:,} pairs and measures (pairs.csv), not over the comparisons "
            "with the baseline alone, as p is."
        )
        if pairs.left_out:
            lines.append(
                f"{pairs.left_out:,} more cleaners are compared with the baseline alone."
            )
    if left_out := len(study.rows) - len(study.shown):
        lines.append(f"{left_out:,} more thresholds are in compare.csv.")
    return lines


def _formula_notes(study: Study) -> list[str]:
    """Return the notes on several formulas; none for a single one."""
    if not study.formulas:
        return []
    lines = [
        f"Formulas: {'; '.join(f'{one.name} is {one.model}' for one in study.formulas)}. One "
        "correction over all; the tables above that name none are under "
        f"{study.formulas[0].name}, by which is "
        "chosen. compare.csv has every cleaner under every formula."
    ]
    untested = [formula.name for formula in study.formulas if not formula.tested]
    if untested:
        lines.append(
            f"Not tested, and not among the comparisons: {', '.join(untested)}."
        )
    if study.has_tuned:
        lines.append(
            "Tuned: each side, the baseline, too, chooses its parameters on four fifths of the "
            "topics and is scored on the fifth that is left; the parameters shown are those that "
            "all topics choose."
        )
    return lines


def language_notes(study: Study) -> list[str]:
    """Return the notes on languages; none if all topics are of one."""
    groups = study.by_language
    if not groups:
        return []
    lines = [
        "By language: a topic is of the language that more than half of its relevant documents in "
        "the collection are in. Differences by language are not tested; languages.csv has their "
        "intervals."
    ]
    decided = [group for group in groups if group.language != UNDECIDED]
    if len(decided) < len(groups):
        count = len(groups[-1].places)
        topics = "topic is" if count == 1 else "topics are"
        lines.append(
            f"{count:,} {topics} undecided: no language has most of their documents."
        )
    few = [group.language for group in decided if not group.has_intervals]
    if few:
        lines.append(
            f"Fewer than {LEAST_TOPICS} topics, too few for intervals: {', '.join(few)}."
        )
    return lines


def as_text(tables: Sequence[Table], lines: Sequence[str]) -> str:
    """Return tables and notes for the terminal."""
    parts = [
        f"{table.title}\n{text_table(table.lines, table.heads)}" for table in tables
    ]
    return "\n\n".join([*parts, "\n".join(lines)])


def as_markdown(tables: Sequence[Table], lines: Sequence[str]) -> str:
    """Return tables and notes with pipes, as GitHub and pandoc read them."""
    parts = []
    for table in tables:
        cells = [list(map(_markdown, line)) for line in table.lines]
        drawn = text_table(cells, list(map(_markdown, table.heads)), style="pipe")
        parts.append(f"**{_markdown(table.title)}**\n\n{drawn}")
    return "\n\n".join([*parts, *map(_markdown, lines)]) + "\n"


def as_latex(tables: Sequence[Table], lines: Sequence[str], title: str) -> str:
    """Return a `table*` for each table, for a paper to input; the notes are below the first one.

    The best mean is bold, marks of significance are raised.

    Args:
        tables: The tables.
        lines: The notes.
        title: What the captions begin with.
    """
    parts = []
    for number, table in enumerate(tables):
        rows = [list(map(_latex, line)) for line in table.lines]
        if table.best:
            row, column = table.best
            rows[row][column] = rf"\textbf{{{rows[row][column]}}}"
        name = re.sub(r"\W+", "-", table.title.lower()).strip("-")
        below = _latex_notes(lines) if number == 0 else ""
        parts.append(
            _LATEX_FLOAT
            % (
                _latex(f"{title}. {table.title}."),
                f"tab:boilersweep-{number + 1}-{name}",
                "l" + "r" * (len(table.heads) - 1),
                " & ".join(map(_latex, table.heads)),
                # Not [ behind \\, which would be its argument
                " \\\\\n".join("{}" + " & ".join(row) for row in rows),
                below,
            )
        )
    return "\n\n".join([_LATEX_HEAD, *parts]) + "\n"


def _latex_notes(lines: Sequence[str]) -> str:
    notes = "\\par ".join(map(_latex, ["Bold: the best mean.", *lines]))
    return f"\\par\\smallskip\n\\parbox{{\\textwidth}}{{\\footnotesize {notes}}}\n"


def _latex(text: str) -> str:
    """Escape the signs of LaTeX; signs of numbers become minus and plus, marks go up."""
    quoted = re.sub("`([^`]*)`", r"`\1'", text)
    escaped = _LATEX_SIGN.sub(lambda found: _LATEX_SIGNS[found[0]], quoted)
    signed = _LATEX_NUMBER.sub(r"$\1$", escaped)
    return re.sub(rf"(?<=\d)([{MARK}{NEAR}])$", r"$^{\1}$", signed)


def _markdown(text: str) -> str:
    """Escape the signs of Markdown."""
    for sign in "\\|*_<`":
        text = text.replace(sign, f"\\{sign}")
    return text


def _name(label: str, role: str) -> str:
    """Return a row's name with its role."""
    return f"{label}{_ROLES.get(role, '')}"


def _text(value: float | None, style: str) -> str:
    """Format a number; None is empty."""
    return "" if value is None else format(value, style)


def _span(low: float | None, high: float | None, style: str) -> str:
    """Format an interval; None is empty."""
    return "" if low is None or high is None else f"[{low:{style}}, {high:{style}}]"


def and_so_on(parts: Sequence[str]) -> str:
    """Join parts of a sentence."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def size_text(index: IndexSize) -> str:
    """Format a size in megabytes, with `about` for an estimate."""
    megabytes = index.bytes / 1e6
    return f"{'' if index.measured else 'about '}{megabytes:,.{1 if megabytes < 100 else 0}f} MB"
