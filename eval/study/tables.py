"""The tables of a study, each described once for terminal, papers and report; and their notes."""

from collections import Counter
from collections.abc import Sequence

from boilersweep.eval.experiment.costs import IndexSize
from boilersweep.eval.experiment.languages import (
    LEAST_TOPICS,
    UNDECIDED,
    LanguageScore,
    language_name,
)
from boilersweep.eval.stats.statistics import SIGNIFICANT, p_text
from boilersweep.eval.study.differences import (
    MARK,
    NEAR,
    SEQUENTIAL,
    TEST_NAMES,
    Pair,
    Pairs,
)
from boilersweep.eval.study.result_table import (
    Line,
    ResultTable,
    compared_cleaner,
    formula_lines,
    question,
)
from boilersweep.eval.study.results import Study, StudyRow, best_of
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import Cell, Head, Row, Table
from boilersweep.pages.language import UNKNOWN

# Rows of the tables of pairs: so many columns fit on a page.
MOST_PAIRED = 12

TEST_HEADS = {
    "t": "p (t)",
    "randomisation": "p (rand.)",
    "wilcoxon": "p (Wilc.)",
    SEQUENTIAL: "p (seq.)",
}
_INTERVAL = "95 % interval"
_ROLES = {"baseline": "baseline", "gold": "upper bound", "run": "external run"}

# Costs: the head, the column of the table of results, its format, its meaning, whether a detail.
_COSTS = (
    ("documents", "documents", ",", "indexed documents", True),
    ("left empty", "empty", ",", "documents without a token, not indexed", False),
    ("relevant left empty", "relevant_empty", ",", "of these the relevant ones", True),
    (
        "terms lost",
        "terms_lost",
        ".1%",
        "of topics\u2019 terms in relevant documents",
        True,
    ),
    ("tokens", "tokens", ",", "indexed tokens", True),
    ("tokens kept", "tokens_kept", ".1%", "of the baseline\u2019s", False),
)

# The measure without which scores cannot be read; others beside them are details.
_JUDGED = "Judged@10"

# Languages with a smaller share of the documents need no table, because detectors err.
_LEAST_SHARE = 0.01
_MOST_LANGUAGES = 12


_Column = tuple[Head, list[Cell]]


def score_table(table: ResultTable, measure: str) -> Table:
    """Return every cleaner's scores by a measure, and how they differ from the baseline's."""
    study = table.study
    statistics = study.statistics
    rows = study.ordered(study.rows)
    lines = table.lines(rows, [measure])
    columns = _mean_columns(study, rows, measure)
    meaning = f"to the baseline; {MARK} and in colour where statistically significant"
    changes, spans = zip(*map(difference_cells, lines), strict=True)
    columns.append((Head("difference", meaning), list(changes)))
    by = (
        statistics.correction
        if statistics.are_sequential
        else "bootstrap over topics; for this comparison alone, while p is for all"
    )
    columns.append((Head(_INTERVAL, f"of the difference, {by}"), list(spans)))
    for test in table.tests:
        meaning = f"{TEST_NAMES[test].removeprefix('the ')}, {statistics.correction}"
        head = Head(TEST_HEADS[test], meaning, detail=test != statistics.tests[0])
        columns.append((head, [_p_cell(line[f"{test}_holm"]) for line in lines]))
    meaning = "the mean difference in standard deviations over topics"
    columns += [
        (Head("effect", meaning, detail=True), _numbers(lines, "effect", "+.2f")),
        (
            Head(
                "wins/ties/losses", "topics better, the same, worse than the baseline"
            ),
            list(map(_outcomes, lines)),
        ),
    ]
    if study.gold and any(line["gap_closed"] is not None for line in lines):
        meaning = "share of the way from the baseline to the gold text"
        columns += [
            (Head("gap closed", meaning), _numbers(lines, "gap_closed", ".1%")),
            (
                Head(_INTERVAL, "of the gap closed", detail=True),
                list(map(_gap_interval, lines)),
            ),
        ]
    if any(line["groups"] for line in lines):
        meaning = "cleaners that share a letter are not told apart"
        groups = [Cell(line["groups"] or "") for line in lines]
        columns.append((Head("group", meaning, detail=True), groups))
    return _table(study, measure, rows, columns, measure)


def _mean_columns(
    study: Study, rows: Sequence[StudyRow], measure: str
) -> list[_Column]:
    """Return the means, with their intervals or, if they compare nothing, in brackets."""
    results = [row.results[measure] for row in rows]
    meaning = "mean over topics"
    if study.statistics.are_sequential:
        head = Head(measure, f"{meaning}; unjudged documents count as irrelevant")
        return [
            (
                head,
                [
                    Cell(f"({figure(one.mean)})", one.mean, "unsupported")
                    for one in results
                ],
            )
        ]
    best = best_of(
        [row for row in rows if row in study.shown and row.role != "gold"], measure
    )
    means = [
        Cell(figure(one.mean), one.mean, "strong", best=row is best)
        for row, one in zip(rows, results, strict=True)
    ]
    spans = [
        Cell(span(one.interval, ".3f"), one.interval and one.interval[0])
        for one in results
    ]
    head = Head(_INTERVAL, "of the mean, bootstrap over topics")
    return [(Head(measure, meaning), means), (head, spans)]


def cost_table(table: ResultTable) -> Table:
    """Return what cleaning takes away, and the measures beside the tested ones."""
    study = table.study
    rows = study.ordered(study.rows)
    lines = table.lines(rows, study.tested[:1])
    columns: list[_Column] = []
    for name in study.beside:
        head = Head(name, "mean over topics", detail=name != _JUDGED)
        columns.append((head, _numbers(table.lines(rows, [name]), "mean", ".3f")))
    for text, name, style, meaning, detail in _COSTS:
        head = Head(text, meaning, detail=detail)
        columns.append((head, _numbers(lines, name, style)))
    sizes = [
        Cell(size_text(row.index), row.index.bytes) if row.index else Cell("")
        for row in rows
    ]
    meaning = "without positions; \u2248 or about: estimated from the tokens"
    columns.append((Head("index", meaning), sizes))
    for n, row in enumerate(rows):
        if row.role == "run":  # only scores of external runs are known
            for _, cells in columns:
                cells[n] = cells[n] if cells[n].text else Cell("-")
    return _table(study, "What cleaning takes away", rows, columns)


def pair_tables(study: Study) -> list[Table]:
    """Return a table per tested measure: by how much a row is better than each other one."""
    pairs = study.pairs
    if pairs is None:
        return []
    places = rows_to_print(study, pairs, MOST_PAIRED)
    numbers = [
        Head(str(number), study.rows[place].label)
        for number, place in enumerate(places, start=1)
    ]
    tables = []
    for measure in study.tested:
        letters = pairs.letters(measure)
        heads = [Head(measure), Head("group"), *numbers]
        rows = []
        for number, place in enumerate(places, start=1):
            row = study.rows[place]
            cells = [
                number_cell(row.results[measure].mean, ".3f", kind="strong"),
                Cell(letters[place], kind="letters"),
                *(
                    Cell("", kind="self")
                    if other == place
                    else _pair_cell(study, pairs.of(measure, place, other))
                    for other in places
                ),
            ]
            rows.append(Row(f"{number} {row.label}", cells, _remark(study, row)))
        title = f"{measure}: row less column"
        tables.append(Table(title, "kept", heads, rows, measure))
    return tables


def rows_to_print(study: Study, pairs: Pairs, most: int) -> list[int]:
    """Return places of paired rows, best first: baseline, choice, and the best others."""
    means = {n: study.rows[n].results[study.tested[0]].mean for n in pairs.rows}
    needed = {0, study.rows.index(study.chosen)}
    best = sorted(pairs.rows, key=lambda n: (n not in needed, -means[n], n))[:most]
    return sorted(best, key=lambda n: (-means[n], n))


def _pair_cell(study: Study, pair: Pair) -> Cell:
    """Return the cell of two cleaners."""
    one = pair.difference
    first, second = (study.rows[place].label for place in (pair.first, pair.second))
    parts = [f"{first} less {second}: {figure(one.mean, '+.3f')}"]
    if one.interval:
        parts.append(f"interval {span(one.interval, '+.3f')}")
    parts.append(f"{one.wins:,} better, {one.ties:,} the same, {one.losses:,} worse")
    if one.effect is not None:
        parts.append(f"{figure(one.effect, '+.2f')} standard deviations")
    if one.detectable is not None and pair.detectable_corrected is not None:
        parts.append(
            f"the topics would show {figure(one.detectable)} tested alone, "
            f"{figure(pair.detectable_corrected)} among all"
        )
    return Cell(
        f"{figure(one.mean, '+.3f')}{one.mark}",
        kind=_kind(one.mean, significant=one.is_significant),
        note=f"p {p_text(one.p)}",
        title="; ".join(parts),
    )


def formula_tables(table: ResultTable) -> list[Table]:
    """Return the formulas' answers by each tested measure, then all cleaners under all formulas."""
    study = table.study
    if len(study.formulas) < 2:
        return []
    answers = [_answers(table, measure) for measure in study.tested]
    return [*answers, _every(table, study.tested[0])]


def _answers(table: ResultTable, measure: str) -> Table:
    """Return the formulas' answers by a measure."""
    study, lines = table.study, formula_lines(table, measure)
    tuned = any(line.tuned for line in lines)
    heads = ["baseline", "cleaner", "difference", _INTERVAL]
    heads += [TEST_HEADS[study.statistics.tests[0]], "best under it"]
    heads += ["baseline tuned to", "cleaner tuned to"] * tuned
    rows = []
    for line in lines:
        cells = [
            number_cell(line.before["mean"], ".3f"),
            number_cell(line.after["mean"], ".3f"),
            *difference_cells(line.after),
            _p_cell(line.after["p"]),
            Cell(f"{line.best['cleaner']} {figure(line.best['mean'])}"),
        ]
        if tuned:
            cells += map(Cell, line.tuned or ("", ""))
        rows.append(Row(line.formula.name, cells, title=line.formula.model))
    title = f"{question(study)} {measure} of {compared_cleaner(study).label}"
    return Table(title, "formula", list(map(Head, heads)), rows, measure)


def _every(table: ResultTable, measure: str) -> Table:
    """Return every shown cleaner under every formula."""
    study = table.study
    shown = [row for row in study.ordered(study.shown) if row.role != "run"]
    columns = []
    for name, rows in study.by_formula.items():
        under = {row.name: table.of(row, measure) for row in rows}
        cells = []
        for line in (under[row.name] for row in shown):
            change = difference_cells(line)[0].text
            cells.append(Cell(f"{figure(line['mean'])} {change}".rstrip()))
        columns.append((Head(name), cells))
    title = f"{measure} of every cleaner under every formula"
    return _table(study, title, shown, columns, measure)


def language_tables(study: Study) -> list[Table]:
    """Return a table per tested measure; none if all topics are of one language."""
    groups, rows = study.by_language, study.ordered(study.shown)
    heads = [Head(group.head, language_name(group.language)) for group in groups]
    tables = []
    for measure in study.tested if groups else ():
        scores = study.language_scores(rows, measure)
        columns = [
            (head, list(map(_language_cell, of_language)))
            for head, of_language in zip(heads, scores, strict=True)
        ]
        title = f"{measure} by language of the topics"
        tables.append(_table(study, title, rows, columns, measure))
    return tables


def _language_cell(score: LanguageScore) -> Cell:
    """Return the mean, and the difference to the baseline; below them their intervals."""
    change = "" if score.difference is None else f" {figure(score.difference, '+.3f')}"
    spans = span(score.interval, ".3f"), span(score.difference_interval, "+.3f")
    return Cell(f"{figure(score.mean)}{change}", note=" ".join(filter(None, spans)))


def document_tables(study: Study) -> list[Table]:
    """Return documents and topics by language; nothing if the store has one language."""
    documents: dict[str, int] = study.run["languages"]
    total = sum(documents.values())
    if sum(number >= _LEAST_SHARE * total for number in documents.values()) < 2:
        return []
    topics = Counter(topic.language for topic in study.topics if topic.language)
    ranked = sorted(documents, key=lambda name: (-documents[name], name))
    more = ranked[_MOST_LANGUAGES:]
    names = {language_name(name): [name] for name in ranked[:_MOST_LANGUAGES]}
    if more:
        names[f"{len(more):,} more"] = more
    rows = []
    for name, languages in names.items():
        number = sum(documents[language] for language in languages)
        of_topics = f"{sum(topics[language] for language in languages):,}"
        # No topic is of the unknown language
        is_known = bool(topics) and languages != [UNKNOWN]
        texts = [
            f"{number:,}",
            figure(number / total, ".1%"),
            of_topics if is_known else "-",
        ]
        rows.append(Row(name, list(map(Cell, texts))))
    heads = list(map(Head, ("documents", "share", "topics")))
    title = "Documents by language, and the topics whose relevant documents are in it"
    return [Table(title, "language", heads, rows)]


def page_kind_tables(study: Study) -> list[Table]:
    """Return the share of the words that cleaners keep by kind of page; nothing without kinds."""
    pages = sum(kind.pages for kind in study.kinds)
    if not pages:
        return []
    rows = [row for row in study.ordered(study.shown) if row.role != "run"]
    columns = []
    for kind in study.kinds:
        head = Head(
            kind.kind, note=f"{kind.pages:,}, {figure(kind.pages / pages, '.1%')}"
        )
        kept = [kind.kept[row.name] / max(kind.words, 1) for row in rows]
        columns.append((head, [Cell(figure(share, ".1%")) for share in kept]))
    title = (
        "The share of the words that every cleaner keeps, by kind of page, of "
        f"{pages:,} pages"
    )
    return [_table(study, title, rows, columns)]


def notes(study: Study) -> list[str]:
    """Return what to know to read the tables."""
    return [
        *_table_notes(study),
        *pair_notes(study),
        *_left_out(study),
        *formula_notes(study),
        *language_notes(study),
    ]


def _table_notes(study: Study) -> list[str]:
    """Return the notes on scores, tests and costs."""
    statistics = study.statistics
    names = [name for test, name in TEST_NAMES.items() if test in statistics.tests]
    decides = TEST_NAMES[statistics.tests[0]]
    scores = (
        f"Means over {len(study.topics):,} topics; 95 % bootstrap intervals (BCa). p: of "
        f"{and_so_on(names)}, each corrected (Holm) over all {statistics.comparisons:,} "
        f"comparisons of this study; {MARK} that of {decides} is below {SIGNIFICANT}, {NEAR} "
        "within the error of its draws from that. Intervals are for one comparison, p for all: "
        "an interval may exclude zero where p is large. "
        "Effect: the mean difference in standard deviations over topics."
    )
    if statistics.are_sequential:
        scores = (
            f"Differences on the topics judged so far; their intervals, and p, are those of "
            f"{decides}, together for all {statistics.comparisons:,} comparisons. In parentheses: "
            "means that count unjudged documents as irrelevant, and so compare nothing."
        )
    costs = (
        "Terms lost: of the topics' terms in relevant documents. Index: without positions; "
        "`about` is estimated from the tokens."
    )
    return [scores, costs]


def _left_out(study: Study) -> list[str]:
    """Return how many thresholds the tables lack."""
    left_out = len(study.rows) - len(study.shown)
    return [f"{left_out:,} more thresholds are in compare.csv."] * bool(left_out)


def pair_notes(study: Study) -> list[str]:
    """Return the notes on pairs and their groups; none without pairs."""
    pairs = study.pairs
    if pairs is None:
        return []
    lines = [
        f"Group: {TEST_NAMES[study.statistics.tests[0]]} does not tell apart cleaners that share "
        f"a letter; corrected over all {pairs.comparisons:,} pairs and measures (pairs.csv), not "
        "over the comparisons with the baseline alone, as p is."
    ]
    if pairs.left_out:
        lines.append(
            f"{pairs.left_out:,} more cleaners are compared with the baseline alone."
        )
    return lines


def formula_notes(study: Study) -> list[str]:
    """Return the notes on several formulas; none for a single one."""
    if not study.formulas:
        return []
    lines = [
        f"Formulas: {'; '.join(f'{one.name} is {one.model}' for one in study.formulas)}. One "
        f"correction over all; tables that name none are under {study.formulas[0].name}, by which "
        "is chosen. compare.csv has every cleaner under every formula."
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


def _table(
    study: Study,
    title: str,
    rows: Sequence[StudyRow],
    columns: Sequence[_Column],
    measure: str = "",
) -> Table:
    """Return a table of the study's rows."""
    by_row = zip(*(cells for _, cells in columns), strict=True)
    made = [
        Row(row.label, cells, _remark(study, row), extra=row not in study.shown)
        for row, cells in zip(rows, by_row, strict=True)
    ]
    return Table(title, "kept", [head for head, _ in columns], made, measure)


def _remark(study: Study, row: StudyRow) -> str:
    """Return a row's role, and whether it was chosen."""
    parts = [_ROLES[row.role]] if row.role in _ROLES else []
    if row is study.chosen and study.distinction:
        parts.append(study.distinction)
    return ", ".join(parts)


def number_cell(value: float | None, style: str, *, kind: str = "") -> Cell:
    """Return the cell of a number; None is empty."""
    return Cell(figure(value, style), value, kind)


def _p_cell(p: float | None) -> Cell:
    """Return the cell of a p-value."""
    return Cell(p_text(p), p)


def _numbers(lines: Sequence[Line], name: str, style: str) -> list[Cell]:
    """Return a column of numbers of the table of results."""
    return [number_cell(line[name], style) for line in lines]


def difference_cells(line: Line) -> list[Cell]:
    """Return the cells of a difference to the baseline and its interval."""
    change, low = line["difference"], line["difference_low"]
    text = "" if change is None else f"{figure(change, '+.3f')}{line['mark']}"
    ends = span((low, line["difference_high"]), "+.3f")
    kind = _kind(change, significant=line["significant"])
    return [Cell(text, change, kind), Cell(ends, low)]


def _kind(change: float, *, significant: bool) -> str:
    """Return the class of a difference: `gain`, `loss`, or none if it is not significant."""
    return ("gain" if change > 0 else "loss") if significant else ""


def _outcomes(line: Line) -> Cell:
    """Return the cell of won, tied and lost topics."""
    wins, ties, losses = line["wins"], line["ties"], line["losses"]
    return Cell("") if wins is None else Cell(f"{wins}/{ties}/{losses}", wins - losses)


def _gap_interval(line: Line) -> Cell:
    """Return the cell of the interval of the closed gap; one of no width says nothing."""
    low, high = line["gap_low"], line["gap_high"]
    return Cell("" if low == high else span((low, high), ".0%"), low)


def span(bounds: tuple[float | None, float | None] | None, style: str) -> str:
    """Format an interval; None is empty."""
    if bounds is None or None in bounds:
        return ""
    return "[{}, {}]".format(*(figure(bound, style) for bound in bounds))


def and_so_on(parts: Sequence[str]) -> str:
    """Join parts of a sentence."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def count(number: int, one: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {one if number == 1 else one + 's'}"


def size_text(index: IndexSize) -> str:
    """Format a size in megabytes, with `about` for an estimate."""
    megabytes = index.bytes / 1e6
    return f"{'' if index.measured else 'about '}{megabytes:,.{1 if megabytes < 100 else 0}f} MB"
