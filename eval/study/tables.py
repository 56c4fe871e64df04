"""The tables of a study, each described once for terminal, papers and report; and their notes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from boilersweep.eval.experiment.languages import (
    LEAST_TOPICS,
    UNDECIDED,
    language_name,
)
from boilersweep.eval.stats.frames import (
    INTERVAL,
    MARK,
    NEAR,
    Pair,
    Result,
    Row,
    best_of,
    difference_cell,
    span,
)
from boilersweep.eval.stats.statistics import SIGNIFICANT, p_text
from boilersweep.eval.study.differences import (
    TEST_HEADS,
    TEST_NAMES,
    Pairs,
    in_order,
)
from boilersweep.eval.study.results import Study, best_cleaner
from boilersweep.outputs.columns import columns_of, table_columns
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import Cell, Head, Table
from boilersweep.outputs.tables import Row as TableRow
from boilersweep.pages.language import UNKNOWN

# Rows of the tables of pairs: so many columns fit on a page.
MOST_PAIRED = 12

_ROLES = {"baseline": "baseline", "gold": "upper bound", "run": "external run"}

# The measure without which scores cannot be read; others beside them are details.
_JUDGED = "Judged@10"

# Languages with a smaller share of the documents need no table, because detectors err.
_LEAST_SHARE = 0.01
_MOST_LANGUAGES = 12


_Column = tuple[Head, list[Cell]]


def score_table(study: Study, measure: str) -> Table:
    """Return every cleaner's scores by a measure, and how they differ from the baseline's."""
    rows, statistics = study.ordered(study.rows), study.statistics
    results = [row.results[measure] for row in rows]
    columns = table_columns(Result, results)
    columns = {**_mean_columns(study, rows, measure), **columns}
    if statistics.are_sequential:
        del columns["low"]
        head, cells = columns["difference_low"]
        meaning = f"of the difference, {statistics.correction}"
        columns["difference_low"] = (replace(head, meaning=meaning), cells)
    made: list[_Column] = []
    for name, column in columns.items():
        made.append(column)
        if name == "difference_low":
            made += _p_columns(study, results)
    return _table(study, measure, rows, made, measure)


def _mean_columns(
    study: Study, rows: Sequence[Row], measure: str
) -> dict[str, _Column]:
    """Return the means; in brackets if they compare nothing."""
    results = [row.results[measure] for row in rows]
    meaning = columns_of(Result)["mean"].meaning
    if study.statistics.are_sequential:
        meaning = f"{meaning}; unjudged documents count as irrelevant"
        cells = [
            Cell(f"({figure(result.mean)})", result.mean, "unsupported")
            for result in results
        ]
    else:
        shown = [row for row in rows if row in study.shown and row.role != "gold"]
        best = best_of(shown, measure)
        cells = [
            Cell(figure(one.mean), one.mean, "strong", best=row is best)
            for row, one in zip(rows, results, strict=True)
        ]
    return {"mean": (Head(measure, meaning), cells)}


def _p_columns(study: Study, results: Sequence[Result]) -> list[_Column]:
    """Return the corrected p-values of each test."""
    columns, statistics = [], study.statistics
    for test in in_order(statistics.tests):
        meaning = f"{TEST_NAMES[test].removeprefix('the ')}, {statistics.correction}"
        head = Head(TEST_HEADS[test], meaning, detail=test != statistics.tests[0])
        cells = [
            _p_cell(result.tests.get(f"{test}_{statistics.method}"))
            for result in results
        ]
        columns.append((head, cells))
    return columns


def cost_table(study: Study) -> Table:
    """Return what cleaning takes away, and the measures beside the tested ones."""
    rows = study.ordered(study.rows)
    columns: list[_Column] = []
    for name in study.beside:
        head = Head(name, columns_of(Result)["mean"].meaning, detail=name != _JUDGED)
        means = [row.results[name].mean for row in rows]
        columns.append((head, [Cell(figure(mean), mean) for mean in means]))
    columns += table_columns(Row, rows).values()
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
        heads = [Head(measure), Head("group"), *numbers]
        rows = []
        for number, place in enumerate(places, start=1):
            row = study.rows[place]
            result = row.results[measure]
            cells = [
                Cell(figure(result.mean), result.mean, "strong"),
                Cell(result.groups or "", kind="letters"),
                *(
                    Cell("", kind="self")
                    if other == place
                    else _pair_cell(study, pairs.of(measure, place, other))
                    for other in places
                ),
            ]
            rows.append(TableRow(f"{number} {row.label}", cells, _remark(study, row)))
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
    first, second = (study.rows[place].label for place in (pair.first, pair.second))
    parts = [f"{first} less {second}: {figure(pair.difference, '+.3f')}"]
    cell = difference_cell(pair)
    if interval := span(pair.difference_low, pair.difference_high, "+.3f"):
        parts.append(f"interval {interval}")
    parts.append(f"{pair.wins:,} better, {pair.ties:,} the same, {pair.losses:,} worse")
    if pair.effect is not None:
        parts.append(f"{figure(pair.effect, '+.2f')} standard deviations")
    if pair.detectable is not None and pair.detectable_corrected is not None:
        parts.append(
            f"the topics would show {figure(pair.detectable)} tested alone, "
            f"{figure(pair.detectable_corrected)} among all"
        )
    return Cell(
        cell.text, kind=cell.kind, note=f"p {p_text(pair.p)}", title="; ".join(parts)
    )


def compared_cleaner(study: Study) -> Row:
    """Return the cleaner whose gain to show: the chosen one, or the best if it is the baseline."""
    chosen = study.chosen
    return (
        best_cleaner(study.rows, study.tested[0])
        if chosen is study.baseline
        else chosen
    )


def question(study: Study) -> str:
    """Return the question that the formulas' table answers."""
    if any("+" in formula.model for formula in study.formulas):
        return "Does cleaning still help under feedback?"
    if study.has_tuned:
        return "Does cleaning still help once both sides are tuned?"
    return "Does cleaning help under every formula?"


def formula_tables(study: Study) -> list[Table]:
    """Return the formulas' answers by each tested measure, then all cleaners under all formulas."""
    if len(study.formulas) < 2:
        return []
    answers = [_answers(study, measure) for measure in study.tested]
    return [*answers, _every(study, study.tested[0])]


def _answers(study: Study, measure: str) -> Table:
    """Return the formulas' answers by a measure."""
    compared = compared_cleaner(study)
    heads = ["baseline", "cleaner", "difference", INTERVAL]
    heads += [TEST_HEADS[study.statistics.tests[0]], "best under it"]
    heads += ["baseline tuned to", "cleaner tuned to"] * study.has_tuned
    lines = []
    for formula in study.formulas:
        rows = study.by_formula[formula.name]
        row = next(row for row in rows if row.name == compared.name)
        best, result = best_cleaner(rows, measure), row.results[measure]
        cells = [
            Cell(figure(before := rows[0].results[measure].mean), before),
            Cell(figure(result.mean), result.mean),
            *difference_cells(result),
            _p_cell(result.p),
            Cell(f"{best.label} {figure(best.results[measure].mean)}"),
        ]
        if study.has_tuned:
            both = (rows[0].tuned, row.tuned)
            cells += [Cell((one or "") if all(both) else "") for one in both]
        lines.append(TableRow(formula.name, cells, title=formula.model))
    title = f"{question(study)} {measure} of {compared.label}"
    return Table(title, "formula", list(map(Head, heads)), lines, measure)


def _every(study: Study, measure: str) -> Table:
    """Return every shown cleaner under every formula."""
    shown = [row for row in study.ordered(study.shown) if row.role != "run"]
    columns = []
    for name, rows in study.by_formula.items():
        under = {row.name: row.results[measure] for row in rows}
        cells = []
        for result in (under[row.name] for row in shown):
            change = difference_cell(result).text
            cells.append(Cell(f"{figure(result.mean)} {change}".rstrip()))
        columns.append((Head(name), cells))
    title = f"{measure} of every cleaner under every formula"
    return _table(study, title, shown, columns, measure)


def language_tables(study: Study) -> list[Table]:
    """Return a table per tested measure; none if all topics are of one language."""
    rows = study.ordered(study.shown)
    places = [study.rows.index(row) for row in rows]
    tables = []
    for measure in study.tested if study.by_language else ():
        columns = [
            (
                Head(group.head, language_name(group.language)),
                [_language_cell(results[place][measure]) for place in places],
            )
            for group, results in study.language_results
        ]
        title = f"{measure} by language of the topics"
        tables.append(_table(study, title, rows, columns, measure))
    return tables


def _language_cell(result: Result) -> Cell:
    """Return the mean, and the difference to the baseline; below them their intervals."""
    text = f"{figure(result.mean)} {figure(result.difference, '+.3f')}".rstrip()
    spans = (
        span(result.low, result.high),
        span(result.difference_low, result.difference_high, "+.3f"),
    )
    return Cell(text, note=" ".join(filter(None, spans)))


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
        rows.append(TableRow(name, list(map(Cell, texts))))
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
        *margin_notes(study),
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
        f"{and_so_on(names)}, each corrected ({statistics.corrector}) over all "
        f"{statistics.comparisons:,} comparisons of this study; {MARK} that of {decides} is below "
        f"{SIGNIFICANT}, {NEAR} within the error of its draws from that. Intervals are for one "
        "comparison, p for all: an interval may exclude zero where p is large. "
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


def margin_notes(study: Study) -> list[str]:
    """Say of each cleaner whether it is at most the margin worse, and how much it takes away."""
    margin, lines = study.statistics.margin, []
    for row in study.rows:
        for measure in study.tested:
            result = row.results[measure]
            if margin is None or result.not_worse is None:
                continue
            saved = None if row.tokens_kept is None else 1 - row.tokens_kept
            tokens = "" if saved is None else f"{saved:.0%} fewer tokens, "
            sure = "certain" if result.not_worse < SIGNIFICANT else "not certain"
            p = p_text(result.not_worse)
            lines.append(
                f"{row.label}: {tokens}at most {margin:g} worse in {measure}: {sure} (p "
                f"{p if p.startswith('<') else f'= {p}'}, {study.statistics.correction})."
            )
    if lines:
        lines.append(
            "A difference that is not significant does not show that two cleaners are equal; a "
            "certain margin shows that one is worse by no more than that."
        )
    return lines


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
    rows: Sequence[Row],
    columns: Sequence[_Column],
    measure: str = "",
) -> Table:
    """Return a table of the study's rows."""
    by_row = zip(*(cells for _, cells in columns), strict=True)
    made = [
        TableRow(row.label, cells, _remark(study, row), extra=row not in study.shown)
        for row, cells in zip(rows, by_row, strict=True)
    ]
    return Table(title, "kept", [head for head, _ in columns], made, measure)


def _remark(study: Study, row: Row) -> str:
    """Return a row's role, and whether it was chosen."""
    parts = [_ROLES[row.role]] if row.role in _ROLES else []
    if row is study.chosen and study.distinction:
        parts.append(study.distinction)
    return ", ".join(parts)


def _p_cell(p: float | None) -> Cell:
    """Return the cell of a p-value."""
    return Cell(p_text(p), p)


def difference_cells(result: Result) -> list[Cell]:
    """Return the cells of a difference to the baseline and its interval."""
    ends = span(result.difference_low, result.difference_high, "+.3f")
    return [difference_cell(result), Cell(ends, result.difference_low)]


def and_so_on(parts: Sequence[str]) -> str:
    """Join parts of a sentence."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def count(number: int, one: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {one if number == 1 else one + 's'}"
