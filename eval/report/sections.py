"""The tables of the page: comparison, pairs, formulas, languages, and kinds of pages."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from boilersweep.eval.experiment.languages import UNDECIDED, LanguageScore
from boilersweep.eval.report.html import (
    UNKNOWN,
    bracketed,
    count,
    interval,
    language_name,
    p_equals,
    p_value,
    score,
    share,
    signed,
    signed_interval,
)
from boilersweep.eval.study.differences import TEST_NAMES, Pair
from boilersweep.eval.study.result_table import (
    FormulaLine,
    Line,
    ResultTable,
    compared_cleaner,
    formula_lines,
    question,
)
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.eval.study.tables import language_notes, rows_to_print, size_text

ABOUT = "\u2248\u2009"

# Rows of a matrix of pairs.
MOST_PAIRED = 16

# The measure without which scores cannot be read; others beside them are details.
_BESIDE = "Judged@10"

_ROLES = {"baseline": "baseline", "gold": "upper bound", "run": "run from elsewhere"}
# Languages with a smaller share of the documents need no table, because detectors err.
_LEAST_SHARE = 0.01

_MOST_LANGUAGES = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: Its text.
        value: The value to sort by; None sorts last.
        kind: Its CSS class.
        spread: Small text behind its text.
        note: Small text below its text.
        title: What pointing at it shows.
    """

    text: str
    value: float | None = None
    kind: str = ""
    spread: str = ""
    note: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column.

    Attributes:
        text: Its text.
        meaning: What pointing at it shows.
        note: Small text below its text.
        detail: Whether the column is shown on demand.
    """

    text: str
    meaning: str = ""
    note: str = ""
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        name: Its head.
        cells: Its cells.
        remark: Small text behind its head.
        title: What pointing at its head shows.
        extra: Whether it is shown on demand.
    """

    name: str
    cells: Sequence[Cell]
    remark: str = ""
    title: str = ""
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        caption: What it shows.
        corner: The head of the rows' heads.
        heads: The heads of the other columns.
        rows: Its rows.
        measure: Its measure, if it has one.
    """

    caption: str
    corner: str
    heads: Sequence[Head]
    rows: Sequence[Row]
    measure: str = ""

    @property
    def details(self) -> list[Head]:
        """The heads of columns that are shown on demand."""
        return [head for head in self.heads if head.detail]


@dataclass(frozen=True, slots=True)
class Section:
    """Tables with their text.

    Attributes:
        grids: The tables.
        notes: Sentences to read them by.
        left_out: What the tables lack.
    """

    grids: Sequence[Grid]
    notes: Sequence[str]
    left_out: str = ""


_Column = tuple[Head, Callable[[StudyRow, Line], Cell]]


def comparisons(table: ResultTable) -> list[Grid]:
    """Return a table per tested measure: every cleaner against the baseline."""
    study = table.study
    shown = set(study.shown)
    grids = []
    for measure in study.tested:
        columns = _columns(study, measure)
        rows = []
        for row in study.ordered(study.rows):
            line = table.of(row, measure)
            cells = [
                replace(cell(row, line), kind="detail")
                if head.detail
                else cell(row, line)
                for head, cell in columns
            ]
            if row.role == "run":  # only scores of external runs are known
                cells = [
                    cell if cell.text else Cell(UNKNOWN, kind=cell.kind)
                    for cell in cells
                ]
            rows.append(
                Row(row.label, cells, _remark(study, row), extra=row not in shown)
            )
        heads = [head for head, _ in columns]
        grids.append(Grid(f"{measure} of every cleaner", "kept", heads, rows, measure))
    return grids


def _columns(study: Study, measure: str) -> list[_Column]:
    """Return the columns of the comparison by a measure."""
    columns = [*_score_columns(study, measure), *_test_columns(study)]
    if study.gold is not None:
        level = f"{study.statistics.level:.0%}"
        meaning = "share of the way from the baseline to the gold text"
        columns += [
            (Head("gap closed", meaning), _number("gap_closed", share)),
            (Head(f"{level} interval", "of the gap closed", detail=True), _gap),
        ]
    for name in study.beside:
        head = Head(name, "mean over topics", detail=name != _BESIDE)
        columns.append((head, _mean_of(name)))
    return [*columns, *_cost_columns()]


def _score_columns(study: Study, measure: str) -> list[_Column]:
    """Return mean and difference, each with its interval."""
    level = f"{study.statistics.level:.0%}"
    kind, meaning = "strong", "mean over topics"
    of_difference = "of the difference, bootstrap over topics"
    mean_interval: list[_Column] = [
        (
            Head(f"{level} interval", "of the mean, bootstrap over topics"),
            lambda row, line: Cell(
                interval(row.results[measure].interval).replace(" to ", "\u2013"),
                line["low"],
            ),
        )
    ]
    if study.statistics.are_sequential:
        kind, mean_interval = "unsupported", []
        meaning += "; unjudged documents count as irrelevant"
        of_difference = f"of the difference, {study.statistics.correction}"
    return [
        (
            Head(measure, meaning),
            lambda _, line: Cell(score(line["mean"]), line["mean"], kind),
        ),
        *mean_interval,
        (
            Head(
                "difference",
                "to the baseline; in colour where it is statistically significant",
            ),
            lambda _, line: Cell(
                _known(signed, line["difference"]),
                line["difference"],
                change_kind(line),
            ),
        ),
        (
            Head(f"{level} interval", of_difference),
            lambda row, line: Cell(
                _change_interval(row, measure), line["difference_low"]
            ),
        ),
    ]


def _test_columns(study: Study) -> list[_Column]:
    """Return p-values, effect size, and won and lost topics."""
    columns: list[_Column] = []
    for number, test in enumerate(study.statistics.tests):
        meaning = (
            f"{TEST_NAMES[test].removeprefix('the ')}, {study.statistics.correction}"
        )
        head = Head(f"p ({test})" if number else "p", meaning, detail=number > 0)
        columns.append((head, _number(f"{test}_holm", p_value)))
    meaning = "the mean difference in standard deviations over topics"
    effect = _number("effect", lambda value: signed(value, 2))
    columns.append((Head("effect", meaning, detail=True), effect))
    meaning = "topics better, the same, worse than the baseline"
    return [*columns, (Head("wins / ties / losses", meaning), _wins)]


def _cost_columns() -> list[_Column]:
    """Return what is left empty, lost and kept."""
    lost = "of the topics\u2019 terms in relevant documents"
    return [
        (
            Head("left empty", "documents without a token, not indexed"),
            _number("empty", "{:,}".format),
        ),
        (
            Head("relevant empty", "of these the relevant ones", detail=True),
            _number("relevant_empty", "{:,}".format),
        ),
        (Head("terms lost", lost, detail=True), _number("terms_lost", share)),
        (Head("tokens kept", "of the baseline\u2019s"), _number("tokens_kept", share)),
        (
            Head("index", f"without positions; {ABOUT}is estimated from the tokens"),
            _index,
        ),
    ]


def _number(
    name: str, text: Callable[[float], str]
) -> Callable[[StudyRow, Line], Cell]:
    """Return a column of the table of results, formatted."""
    return lambda _, line: Cell(_known(text, line[name]), line[name])


def _mean_of(measure: str) -> Callable[[StudyRow, Line], Cell]:
    """Return a column with the means by another measure."""
    return lambda row, _: Cell(
        score(row.results[measure].mean), row.results[measure].mean
    )


def _known(text: Callable[[float], str], value: float | None) -> str:
    """Format a value; None is empty."""
    return "" if value is None else text(value)


def _wins(_: StudyRow, line: Line) -> Cell:
    if line["wins"] is None:
        return Cell("")
    wins, ties, losses = line["wins"], line["ties"], line["losses"]
    return Cell(f"{wins} / {ties} / {losses}", wins - losses)


def _gap(_: StudyRow, line: Line) -> Cell:
    low, high = line["gap_low"], line["gap_high"]
    return (
        Cell("") if low == high else Cell(f"{share(low, 0)} to {share(high, 0)}", low)
    )


def _index(row: StudyRow, _: Line) -> Cell:
    if row.index is None:
        return Cell("")
    return Cell(size_text(row.index).replace("about ", ABOUT), row.index.bytes)


def _change_interval(row: StudyRow, measure: str) -> str:
    difference = row.results[measure].difference
    return signed_interval(difference.interval) if difference else ""


def change_kind(line: Line) -> str:
    """Return the class of a difference: `gain`, `loss`, or none if it is not significant."""
    if not line["significant"]:
        return ""
    return "gain" if line["difference"] > 0 else "loss"


def _remark(study: Study, row: StudyRow) -> str:
    """Return a row's role, and whether it was chosen."""
    chosen = "chosen" if study.choice else "best"
    return ", ".join(
        filter(None, [_ROLES.get(row.role, ""), chosen * (row is study.chosen)])
    )


def pair_section(study: Study) -> Section | None:
    """Return every cleaner against every other one; None without two cleaners."""
    pairs = study.pairs
    if pairs is None:
        return None
    places = rows_to_print(study, pairs, MOST_PAIRED)
    heads = [
        Head(str(number), study.rows[place].label)
        for number, place in enumerate(places, start=1)
    ]
    grids = []
    for measure in study.tested:
        letters = pairs.letters(measure)
        rows = []
        for number, place in enumerate(places, start=1):
            row = study.rows[place]
            cells = [
                Cell(score(row.results[measure].mean), kind="strong"),
                Cell(letters[place], kind="letters"),
            ]
            for other in places:
                is_self = other == place
                pair = None if is_self else pairs.of(measure, place, other)
                cells.append(_pair_cell(study, pair) if pair else Cell("", kind="self"))
            rows.append(Row(f"{number} {row.label}", cells))
        caption = f"{measure}: the cleaner of the row less that of the column"
        grids.append(
            Grid(caption, "kept", [Head(measure), Head("group"), *heads], rows, measure)
        )
    note = (
        "A cell says by how much the cleaner of its row is better than that of its column, and "
        f"the p-value. It is in colour where {TEST_NAMES[study.statistics.tests[0]]} tells the two "
        f"apart: after Holm\u2019s correction for {pairs.comparisons:,} pairs and measures. "
        "Cleaners that share a letter are not told apart. The comparison above corrects for "
        "comparisons with the baseline alone, so a difference to that may count there and not here."
    )
    if study.formulas:
        note += f" All under {study.formulas[0].name}."
    hidden = len(pairs.rows) - len(places)
    more = [f"{count(hidden, 'more cleaner')} in pairs.csv"] * bool(hidden)
    more += [f"{pairs.left_out:,} compared with the baseline alone"] * bool(
        pairs.left_out
    )
    return Section(grids, [note], left_out="; ".join(more))


def _pair_cell(study: Study, pair: Pair) -> Cell:
    """Return the cell of two cleaners."""
    difference = pair.difference
    kind = (
        ("gain" if difference.mean > 0 else "loss") if difference.is_significant else ""
    )
    first, second = (study.rows[place].label for place in (pair.first, pair.second))
    parts = [f"{first} less {second}: {signed(difference.mean)}"]
    if difference.interval:
        parts.append(f"interval {signed_interval(difference.interval)}")
    parts.append(
        f"{difference.wins:,} better, {difference.ties:,} the same, {difference.losses:,} worse"
    )
    if difference.effect is not None:
        parts.append(f"{signed(difference.effect, 2)} standard deviations")
    if difference.detectable is not None and pair.detectable_corrected is not None:
        parts.append(
            f"the topics would show {score(difference.detectable)} tested alone, "
            f"{score(pair.detectable_corrected)} among all"
        )
    p = _known(p_equals, difference.p)
    return Cell(
        signed(difference.mean), kind=kind, note=f"p {p}", title="; ".join(parts)
    )


def formula_section(table: ResultTable) -> Section | None:
    """Return the formulas' answers by the first measure; None for a single formula."""
    study = table.study
    measure = study.tested[0]
    lines = formula_lines(table, measure)
    if not lines:
        return None
    heads = [
        Head(text)
        for text in ("baseline", "cleaner", "difference", "95% interval", "p")
    ]
    rows = []
    for line in lines:
        after = line.after
        ends = (after["difference_low"], after["difference_high"])
        cells = [
            Cell(score(line.before["mean"])),
            Cell(score(after["mean"])),
            Cell(_known(signed, after["difference"]), kind=change_kind(after)),
            Cell(bracketed(ends if ends[0] is not None else None)),
            Cell(_known(p_value, after["p"]) or UNKNOWN),
        ]
        rows.append(Row(line.formula.name, cells, title=line.formula.model))
    caption = f"{question(study)} {measure} of {compared_cleaner(study).label}"
    grid = Grid(caption, "ranked by", heads, rows, measure)
    return Section([grid], _formula_notes(study, lines))


def _formula_notes(study: Study, lines: Sequence[FormulaLine]) -> list[str]:
    """Return what to know to read the formulas' answers."""
    notes = [
        f"p {study.statistics.correction}; in colour where the difference is statistically "
        "significant."
    ]
    if untested := [line.formula.name for line in lines if not line.formula.tested]:
        notes.append(f"Not tested, only shown: {', '.join(untested)}.")
    for line in lines:
        if line.tuned:
            before, after = line.tuned
            sides = f"the baseline chooses {before}, the cleaner {after}"
            notes.append(
                f"{line.formula.name}: each side chose its parameters on four fifths of the topics "
                "and is scored on the fifth that is left. By all topics "
                f"{f'both choose {after}' if before == after else sides}."
            )
    others = [
        f"{line.best['cleaner']} under {line.formula.name} ({score(line.best['mean'])})"
        for line in lines
        if line.best["cleaner"] != compared_cleaner(study).label
    ]
    if others:
        notes.append(f"Another is best: {', '.join(others)}.")
    return notes


def language_section(study: Study) -> Section | None:
    """Return documents and scores by language; None if store and topics have one language each."""
    groups, rows = study.by_language, study.ordered(study.shown)
    grids = _documents(study)
    heads = [
        Head(
            group.language
            if group.language == UNDECIDED
            else language_name(group.language),
            note=count(len(group.places), "topic"),
        )
        for group in groups
    ]
    for measure in study.tested if groups else ():
        scores = study.language_scores(rows, measure)
        lines = [
            Row(
                row.label,
                [_language_cell(of_language[place]) for of_language in scores],
                _ROLES.get(row.role, ""),
            )
            for place, row in enumerate(rows)
        ]
        caption = (
            f"{measure} of every cleaner on the topics of each language, and below it the "
            "difference to the baseline"
        )
        grids.append(Grid(caption, "kept", heads, lines, measure))
    return Section(grids, language_notes(study)) if grids else None


def _documents(study: Study) -> list[Grid]:
    """Return the documents and topics by language; nothing if the store has one language."""
    documents: dict[str, int] = study.run["languages"]
    total = sum(documents.values())
    if sum(number >= _LEAST_SHARE * total for number in documents.values()) < 2:
        return []
    topics = Counter(topic.language for topic in study.topics if topic.language)
    ranked = sorted(documents, key=lambda name: (-documents[name], name))
    more = ranked[_MOST_LANGUAGES:]
    names = {name: [name] for name in ranked[:_MOST_LANGUAGES]} | (
        {"": more} if more else {}
    )
    rows = []
    for name, languages in names.items():
        number = sum(documents[language] for language in languages)
        of_topics = sum(topics[language] for language in languages)
        cells = [
            f"{number:,}",
            share(number / total),
            f"{of_topics:,}" if topics else UNKNOWN,
        ]
        head = language_name(name) if name else f"{len(more):,} more"
        rows.append(Row(head, list(map(Cell, cells))))
    heads = [Head(text) for text in ("documents", "share", "topics")]
    caption = "Documents by language, and the topics whose relevant documents are in it"
    return [Grid(caption, "language", heads, rows)]


def _language_cell(result: LanguageScore) -> Cell:
    """Return a cleaner's scores on the topics of a language."""
    change = _known(signed, result.difference)
    if result.difference_interval:
        change += f" {bracketed(result.difference_interval)}"
    spread = interval(result.interval).replace(" to ", "\u2013")
    return Cell(score(result.mean), spread=spread, note=change)


def page_kinds(study: Study) -> Section | None:
    """Return the share of the words that each cleaner keeps by kind of page; None without any."""
    pages = sum(kind.pages for kind in study.kinds)
    if not pages:
        return None
    heads = [
        Head(kind.kind, note=f"{kind.pages:,}, {share(kind.pages / pages)}")
        for kind in study.kinds
    ]
    rows = []
    for row in study.ordered(study.shown):
        if row.role != "run":
            kept = [kind.kept[row.name] / max(kind.words, 1) for kind in study.kinds]
            rows.append(Row(row.label, [Cell(share(part)) for part in kept]))
    caption = "The share of the words that every cleaner keeps, by kind of page"
    return Section([Grid(caption, "kept", heads, rows)], [count(pages, "page")])
