"""Finished studies side by side: cleaners as rows, studies as columns, what differs on top.

Nothing is computed anew: figures, intervals and tests are those of each study, against its own
baseline and corrected by itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.errors import InputError, UsageError
from boilersweep.eval.check import FinishedExperiment
from boilersweep.eval.report.finished import STUDY, require_study
from boilersweep.eval.report.wording import count, score, signed
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.results import FormulaRows, Result, Study, StudyRow
from boilersweep.eval.study.study_json import read_study
from boilersweep.outputs.identity import digest_of, some_of
from boilersweep.outputs.manifest_file import faults

_SHOWN = 8  # letters of a digest
_ORDER = {"baseline": 0, "cleaner": 1, "swept": 1, "run": 1, "gold": 2}


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A finished study, under one of its formulas where it has several.

    name: of its column. identity, run: of its manifest.
    """

    name: str
    folder: Path
    study: Study
    identity: dict[str, Any]
    run: dict[str, Any]
    formula: FormulaRows | None = None

    @property
    def rows(self) -> list[StudyRow]:
        """The first formula has the runs from elsewhere beside it."""
        is_first = self.formula in (None, *self.study.formulas[:1])
        return self.study.rows if is_first or self.formula is None else self.formula.rows

    @property
    def model(self) -> str:
        """The ranking formula with its parameters."""
        return self.formula.model if self.formula else str(self.run.get("model", "unknown"))

    def has_chosen(self, row: StudyRow) -> bool:
        """Whether it is what the study chose, or found best."""
        return row is self.study.chosen


@dataclass(frozen=True, slots=True)
class Aspect:
    """What studies were made of, one text for each."""

    term: str
    texts: list[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cleaner in one study. difference: None for the baseline.

    chosen: what the study chose, or found best.
    """

    mean: float
    interval: Interval | None
    difference: float | None
    change: Interval | None
    significant: bool
    chosen: bool

    @property
    def text(self) -> str:
        """As the terminal has it."""
        interval = "" if self.interval is None else f" [{_ends(self.interval)}]"
        if self.difference is None:
            return f"{score(self.mean)}{interval}, baseline"
        mark = "*" if self.significant else ""
        return f"{score(self.mean)}{interval} {self.difference:+.3f}{mark}"

    @property
    def change_text(self) -> str:
        """The difference with its interval."""
        if self.difference is None:
            return "baseline"
        if self.change is None:
            return signed(self.difference)
        return f"{signed(self.difference)} [{signed(self.change[0])}, {signed(self.change[1])}]"

    @property
    def interval_text(self) -> str:
        """The interval of the mean."""
        return "" if self.interval is None else f"[{_ends(self.interval)}]"


@dataclass(frozen=True, slots=True)
class Line:
    """A cleaner, with a cell for each study; None where it has not this cleaner."""

    cleaner: str
    cells: list[Cell | None]


@dataclass(frozen=True, slots=True)
class SideTable:
    """A measure. low, high: of all intervals."""

    measure: str
    lines: list[Line]
    low: float
    high: float


def read_sides(folders: Sequence[Path]) -> list[Side]:
    """The studies of some folders, at least two.

    Raises UsageError where one is named twice, OutputError where one has no finished study, and
    InputError where its study is damaged or of another version.
    """
    resolved = [folder.resolve() for folder in folders]
    if twice := [f for n, f in enumerate(folders) if resolved[n] in resolved[:n]]:
        raise UsageError(f"expected every study once, got {twice[0]} twice")
    names = _names(resolved)
    return [
        side for name, folder in zip(names, folders, strict=True) for side in _sides(name, folder)
    ]


def _sides(name: str, folder: Path) -> Iterator[Side]:
    finished: FinishedExperiment = require_study(folder)
    listed = {key: entry for key, entry in finished.files.items() if key == STUDY}
    if changes := faults(folder, listed):
        raise InputError(
            f"{folder} is not as it was written: {some_of(changes)}; run the study again"
        )
    study = read_study(folder / STUDY)
    manifest = finished.manifest
    formulas: Sequence[FormulaRows | None] = study.formulas or [None]
    for formula in formulas:
        column = f"{name}, {formula.name}" if formula else name
        yield Side(column, folder, study, manifest["identity"], manifest, formula)


def _names(folders: Sequence[Path]) -> list[str]:
    """The last parts of the paths, as many as tell them apart."""
    for parts in range(1, max(len(folder.parts) for folder in folders) + 1):
        names = ["/".join(folder.parts[-parts:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return names


def _plugins(side: Side) -> str:
    return ", ".join(side.identity.get("plugins", {}).values()) or "none"


_ASPECTS: tuple[tuple[str, Callable[[Side], Any], Callable[[Side], str]], ...] = (
    ("collection", lambda s: s.identity["store"], lambda s: _collection(s)),
    ("topics", lambda s: s.identity["topics"], lambda s: _topics(s)),
    ("judgements", lambda s: s.identity["qrels"], lambda s: _source(s, "qrels")),
    ("ranking", lambda s: s.model, lambda s: s.model),
    ("hits", lambda s: s.identity["hits"], lambda s: f"{s.identity['hits']:,}"),
    ("analyzer", lambda s: s.identity["analyzer"], lambda s: _analyzer(s.identity["analyzer"])),
    ("baseline", lambda s: s.identity["baseline"], lambda s: str(s.identity["baseline"])),
    ("upper bound", lambda s: s.identity["gold"], lambda s: str(s.identity["gold"] or "none")),
    ("cleaners", lambda s: s.identity["variants"], lambda s: _cleaners(s.study)),
    ("runs from elsewhere", lambda s: s.identity.get("runs", {}), lambda s: _runs(s)),
    ("models", lambda s: s.identity["models"], lambda s: ", ".join(s.identity["models"]) or "none"),
    ("plug-ins", lambda s: s.identity.get("plugins", {}), lambda s: _plugins(s)),
    ("measures", lambda s: s.study.tested, lambda s: ", ".join(s.study.tested)),
    ("engine", lambda s: s.identity["engine"], lambda s: str(s.identity["engine"])),
    ("seed", lambda s: s.identity["seed"], lambda s: str(s.identity["seed"])),
    ("boilersweep", lambda s: s.study.version, lambda s: s.study.version),
    (
        "anserini",
        lambda s: s.identity["anserini"],
        lambda s: s.identity["anserini"].partition(" ")[0],
    ),
    ("code", lambda s: s.identity["code"], lambda s: ", ".join(s.identity["code"])),
)
"""Of a study's manifest: a name, what must be equal, and how people read it."""


def aspects(sides: Sequence[Side]) -> tuple[list[Aspect], list[str]]:
    """What differs between studies, and the names of what does not."""
    different, same = [], []
    for term, value_of, text_of in _ASPECTS:
        keys = [digest_of(value_of(side)) for side in sides]
        if len(set(keys)) == 1:
            same.append(term)
            continue
        texts = [text_of(side) for side in sides]
        if len(set(zip(keys, texts, strict=True))) > len(set(texts)):
            texts = [f"{text} ({key[:_SHOWN]})" for text, key in zip(texts, keys, strict=True)]
        different.append(Aspect(term, texts))
    return different, same


def side_tables(sides: Sequence[Side]) -> list[SideTable]:
    """A table for each measure that any study was compared by."""
    measures = dict.fromkeys(measure for side in sides for measure in side.study.tested)
    return [_table(sides, measure) for measure in measures]


def _table(sides: Sequence[Side], measure: str) -> SideTable:
    rows = [{str(row.variant): row for row in side.rows} for side in sides]
    shown = {
        str(row.variant): row
        for side in reversed(sides)
        for row in side.study.ordered(side.study.shown)
    }

    def place(name: str) -> tuple[int, float]:
        """The best difference on the mean of the studies that have it first."""
        found = [one[name].results[measure].difference for one in rows if _has(one, name, measure)]
        changes = [difference.mean if difference else 0.0 for difference in found]
        return _ORDER[shown[name].role], -sum(changes) / max(len(changes), 1)

    lines = [
        Line(
            name,
            [
                _cell(side, one[name], measure) if _has(one, name, measure) else None
                for side, one in zip(sides, rows, strict=True)
            ],
        )
        for name in sorted(shown, key=place)
    ]
    bounds = [
        bound
        for line in lines
        for cell in filter(None, line.cells)
        for bound in (cell.interval or (cell.mean,))
    ]
    return SideTable(measure, lines, min(bounds, default=0.0), max(bounds, default=1.0))


def _has(rows: dict[str, StudyRow], name: str, measure: str) -> bool:
    return name in rows and measure in rows[name].results


def _cell(side: Side, row: StudyRow, measure: str) -> Cell:
    result: Result = row.results[measure]
    difference = result.difference
    return Cell(
        mean=result.mean,
        interval=result.interval,
        difference=difference.mean if difference else None,
        change=difference.interval if difference else None,
        significant=difference is not None and difference.is_significant,
        chosen=side.has_chosen(row),
    )


def _runs(side: Side) -> str:
    return ", ".join(side.identity.get("runs", {})) or "none"


def _collection(side: Side) -> str:
    return (
        f"{Path(str(side.run.get('input', 'unknown'))).name}, {side.run['documents']:,} documents"
    )


def _topics(side: Side) -> str:
    fields = " ".join(side.identity["topics"]["fields"])
    found = f"{_source(side, 'topics')}, {count(len(side.study.topics), 'topic')}"
    return found if fields == "title" else f"{found}, {fields}"


def _source(side: Side, what: str) -> str:
    source = side.run.get("sources", {}).get(what)
    return Path(source["path"]).name if source else "of an unknown file"


def _analyzer(options: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in options.items())


def _cleaners(study: Study) -> str:
    swept = sum(row.role == "swept" for row in study.rows)
    named = sum(row.role == "cleaner" for row in study.rows)
    thresholds = f" and {count(swept, 'threshold')}" if swept else ""
    return f"{count(named, 'cleaner')}{thresholds}"


def _ends(interval: Interval) -> str:
    return f"{score(interval[0])}, {score(interval[1])}"
