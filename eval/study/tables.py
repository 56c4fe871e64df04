"""A study as tables for the terminal, Markdown and LaTeX: one per measure tested, one of costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tabulate import tabulate

from boilersweep.eval.significance import SIGNIFICANT
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.differences import DEFAULT_TESTS, MARK, NEAR, TEST_NAMES, in_order
from boilersweep.eval.study.pairs import Pairs
from boilersweep.eval.study.results import IndexSize, Result, Study, StudyRow, ordered

MOST_PAIRED = 12
"""Rows of the tables of pairs: so many columns fit on a page."""

Letters = Mapping[StudyRow, str]
"""The groups of rows, see `Study.letters`."""

TEST_HEADS = {"t": "p (t)", "randomisation": "p (rand.)", "wilcoxon": "p (Wilc.)"}
_ROLES = {"baseline": " (baseline)", "gold": " (upper bound)", "run": " (run)"}


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people. heads: of the columns. lines: of cells."""

    title: str
    heads: list[str]
    lines: list[list[str]]


def study_tables(
    rows: Sequence[StudyRow],
    tested: Sequence[str],
    beside: Sequence[str],
    *,
    tests: Sequence[str] = DEFAULT_TESTS,
    letters: Mapping[str, Letters] = MappingProxyType({}),
) -> list[Table]:
    """A table for each tested measure, then what cleaning takes away.

    rows: those to show. beside: measures that are in the last table. letters: measure -> groups.
    """
    lines = ordered(rows, tested[0])
    tables = [
        _measure_table(lines, measure, in_order(tests), letters.get(measure, {}))
        for measure in tested
    ]
    return [*tables, _cost_table(lines, beside)]


def pair_tables(study: Study) -> list[Table]:
    """For each tested measure by how much a row is better than those below it."""
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
            lines.append([f"{at + 1} {_name(study.rows[place])}", *cells])
        tables.append(Table(f"{measure}: row less column", ["", *numbers], lines))
    return tables


def rows_to_print(study: Study, pairs: Pairs, most: int) -> list[int]:
    """Places of paired rows, best first: the baseline, what was chosen, and the best others."""
    means = {n: study.rows[n].results[study.tested[0]].mean for n in pairs.rows}
    needed = {0, study.rows.index(study.chosen)}
    best = sorted(pairs.rows, key=lambda n: (n not in needed, -means[n], n))[:most]
    return sorted(best, key=lambda n: (-means[n], n))


def table_notes(
    topics: int,
    comparisons: int,
    left_out: int,
    *,
    tests: Sequence[str] = DEFAULT_TESTS,
    pairs: Pairs | None = None,
) -> list[str]:
    """What to know to read the tables."""
    names = [TEST_NAMES[test] for test in in_order(tests)]
    decides = TEST_NAMES[tests[0]]
    notes = [
        f"Means over {topics:,} topics; 95 % bootstrap intervals (BCa). p: of {and_so_on(names)}, "
        f"each corrected (Holm) over all {comparisons:,} comparisons of this study; {MARK} that of "
        f"{decides} is below {SIGNIFICANT}, {NEAR} within the error of its draws from that. "
        "Effect: the mean difference in standard deviations over topics.",
        "Terms lost: of the topics' terms in relevant documents. Index: without positions; "
        "`about` is estimated from the tokens.",
    ]
    if pairs:
        notes.append(
            f"Group: {decides} does not tell apart cleaners that share a letter; corrected over "
            f"all {pairs.comparisons:,} pairs and measures (pairs.csv), not over the comparisons "
            "with the baseline alone, as p is."
        )
        if pairs.left_out:
            notes.append(f"{pairs.left_out:,} more cleaners are compared with the baseline alone.")
    if left_out:
        notes.append(f"{left_out:,} more thresholds are in compare.csv.")
    return notes


def as_text(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """For the terminal."""
    parts = [f"{table.title}\n{_drawn(table, 'simple')}" for table in tables]
    return "\n\n".join([*parts, "\n".join(notes)])


def as_markdown(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """With pipes, as GitHub and pandoc read it."""
    parts = []
    for table in tables:
        lines = [list(map(_markdown, line)) for line in table.lines]
        drawn = _drawn(Table(table.title, list(map(_markdown, table.heads)), lines), "pipe")
        parts.append(f"**{_markdown(table.title)}**\n\n{drawn}")
    return "\n\n".join([*parts, *map(_markdown, notes)]) + "\n"


_LATEX_HEAD = r"""\documentclass[varwidth=\maxdimen]{standalone}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\begin{document}"""


def as_latex(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """A document with a tabular for each table; notes as comments.

    It compiles alone; a paper that uses the package standalone can input it.
    """
    parts = [f"% {table.title}\n{_drawn(table, 'latex_booktabs')}" for table in tables]
    body = "\n\n".join([*parts, "\n".join(f"% {note}" for note in notes)])
    return f"{_LATEX_HEAD}\n{body}\n\\end{{document}}\n"


def _drawn(table: Table, style: str) -> str:
    align = ("left", *("right",) * (len(table.heads) - 1))
    drawn: str = tabulate(
        table.lines, table.heads, tablefmt=style, colalign=align, disable_numparse=True
    )
    return drawn


def _markdown(text: str) -> str:
    for sign in "\\|*_<`":
        text = text.replace(sign, f"\\{sign}")
    return text


def _measure_table(
    rows: Sequence[StudyRow], measure: str, tests: Sequence[str], letters: Letters
) -> Table:
    heads = [
        *("kept", measure, "95 % interval", "difference", "95 % interval"),
        *(TEST_HEADS[test] for test in tests),
        *("effect", "wins/ties/losses"),
    ]
    gold = any(row.results[measure].closed is not None for row in rows)
    heads += ["gap closed"] * gold + ["group"] * bool(letters)
    lines = []
    for row in rows:
        result = row.results[measure]
        line = [_name(row), f"{result.mean:.3f}", _interval(result.interval)]
        line += _difference(result, tests)
        if gold:
            line.append(_closed(result))
        if letters:
            line.append(letters.get(row, ""))
        lines.append(line)
    return Table(measure, heads, lines)


def _difference(result: Result, tests: Sequence[str]) -> list[str]:
    difference = result.difference
    if difference is None:
        return [""] * (4 + len(tests))
    ps = difference.tests
    wins = difference.outcomes
    return [
        f"{difference.mean:+.3f}{difference.mark}",
        _interval(difference.interval, "+"),
        *(p_text(ps.holm[test]) if ps else "" for test in tests),
        "" if difference.effect is None else f"{difference.effect:+.2f}",
        f"{wins.wins}/{wins.ties}/{wins.losses}",
    ]


def _closed(result: Result) -> str:
    """The share of the gap that is closed; an interval says something of what is between."""
    bounds = result.closed_interval
    if bounds is None or bounds[0] == bounds[1]:
        return _share(result.closed)
    return f"{_share(result.closed)} [{bounds[0]:.0%}, {bounds[1]:.0%}]"


def _cost_table(rows: Sequence[StudyRow], beside: Sequence[str]) -> Table:
    heads = [
        *("kept", *beside, "documents", "left empty", "relevant left empty"),
        *("terms lost", "tokens", "tokens kept", "index"),
    ]
    lines = [
        [
            _name(row),
            *(f"{row.results[measure].mean:.3f}" for measure in beside),
            _count(row.documents),
            _count(row.empty),
            f"{row.losses.relevant_empty:,}" if row.losses else "",
            _share(row.losses.terms_lost) if row.losses else "",
            _count(row.tokens),
            _share(row.tokens_kept),
            "" if row.index is None else size_text(row.index),
        ]
        for row in rows
    ]
    for row, line in zip(rows, lines, strict=True):
        if row.role == "run":  # of these nothing but scores is known
            line[1:] = [cell or "-" for cell in line[1:]]
    return Table("What cleaning takes away", heads, lines)


def _name(row: StudyRow) -> str:
    return f"{row.variant}{_ROLES.get(row.role, '')}"


def _interval(interval: Interval | None, sign: str = "") -> str:
    return "" if interval is None else f"[{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def and_so_on(parts: Sequence[str]) -> str:
    """Some things in one sentence."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def p_text(p: float) -> str:
    """A p-value as people write it."""
    return "<.001" if p < 0.001 else f"{p:.3f}"


def size_text(index: IndexSize) -> str:
    """A size in megabytes, with `about` where it is estimated."""
    megabytes = index.size / 1e6
    return f"{'' if index.measured else 'about '}{megabytes:,.{1 if megabytes < 100 else 0}f} MB"
