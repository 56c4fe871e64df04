"""The two frames of results: a row per formula, variant and measure, and a row per pair.

Sweeps, grids, studies and languages all have these rows; a new column is a field here, and is
computed in `results_of`. Tables, CSV files, pictures and study.json are views of the fields.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.syntax.grammar import parse_cleaner
from boilersweep.cleaners.syntax.variants import Sweep, Variant, curves_of
from boilersweep.eval.stats.statistics import (
    SEED,
    SIGNIFICANT,
    TIE,
    bootstrap_intervals,
    detectable_differences,
    differences_to,
    effect_sizes,
    p_text,
    place_of_best,
    share_intervals,
)
from boilersweep.outputs.columns import Column
from boilersweep.outputs.figures import figure, rounded
from boilersweep.outputs.tables import Cell
from boilersweep.pages.columns import FloatArray

# Marks a statistically significant difference.
MARK = "*"

# Marks a p-value within the error of the drawn permutations from SIGNIFICANT.
NEAR = "?"

INTERVAL = "95 % interval"

# The baseline; a named cleaner; a threshold of a sweep; an external run; people's own text.
Role = Literal["baseline", "cleaner", "swept", "run", "gold"]


def span(low: float | None, high: float | None, style: str = ".3f") -> str:
    """Return an interval as people read it; None is empty."""
    return (
        "" if None in (low, high) else f"[{figure(low, style)}, {figure(high, style)}]"
    )


def _interval(name: str, style: str) -> Any:
    """Return a function from a row to the cell of the interval that its fields name."""

    def cell(row: Any) -> Cell:
        low, high = (getattr(row, f"{name}{end}") for end in ("low", "high"))
        return Cell(span(low, high, style), low)

    return cell


def difference_cell(row: "Result") -> Cell:
    """Return the cell of a difference: `gain` or `loss` if it is significant."""
    change = row.difference
    if change is None:
        return Cell("")
    kind = ("gain" if change > 0 else "loss") if row.is_significant else ""
    return Cell(f"{figure(change, '+.3f')}{row.mark}", change, kind)


def _outcomes(row: "Result") -> Cell:
    """Return the cell of won, tied and lost topics."""
    if row.wins is None or row.losses is None:
        return Cell("")
    return Cell(f"{row.wins}/{row.ties}/{row.losses}", row.wins - row.losses)


def _gap_interval(row: "Result") -> Cell:
    """Return the cell of the interval of the closed gap; one of no width says nothing."""
    low, high = row.gap_low, row.gap_high
    return Cell("" if low == high else span(low, high, ".0%"), low)


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A variant's scores by one measure, and their difference to the baseline's.

    What does not apply is None, such as the difference of the baseline to itself, an interval on
    one topic, or the effect where the topics do not vary.

    Attributes:
        mean: The mean over topics, as ir-measures has it.
        low: The lower end of its interval.
        high: The upper end.
        difference: The mean difference to the baseline.
        difference_low: The lower end of its interval.
        difference_high: The upper end.
        tests: The p-values, two-sided: for each test `t` the plain `t`, then each `t_holm`. The
            first test decides; none for untested measures, and for the gold text. In place of
            `holm` stands `bh` if the false discovery rate was asked for.
        not_worse: The corrected p-value, one-sided, of being at most the study's margin worse.
        near: Whether other draws of permutations could change what is significant.
        effect: The mean difference in standard deviations over topics.
        detectable: The smallest true difference that these topics show four times in five, tested
            alone.
        wins: Topics on which the variant is better.
        ties: Topics on which both are equal.
        losses: Topics on which the baseline is better.
        gap_closed: The closed share of the gap from the baseline to the gold text.
        gap_low: The lower end of its interval; None also if the topics leave open whether there is
            a gap.
        gap_high: The upper end.
        groups: The letters of the groups of rows that the tests do not tell apart.
    """

    mean: Annotated[float, Column(meaning="mean over topics")]
    low: Annotated[
        float | None,
        Column(
            INTERVAL,
            meaning="of the mean, bootstrap over topics",
            cell=_interval("", ".3f"),
        ),
    ] = None
    high: Annotated[float | None, Column()] = None
    difference: Annotated[
        float | None,
        Column(
            "difference",
            meaning=f"to the baseline; {MARK} and in colour where statistically significant",
            cell=difference_cell,
        ),
    ] = None
    difference_low: Annotated[
        float | None,
        Column(
            INTERVAL,
            meaning="of the difference, bootstrap over topics; for this comparison alone, "
            "while p is for all",
            cell=_interval("difference_", "+.3f"),
        ),
    ] = None
    difference_high: Annotated[float | None, Column()] = None
    tests: dict[str, float] = {}
    not_worse: Annotated[
        float | None,
        Column(
            "p (not worse)",
            meaning="that it is at most the margin worse, by the test that decides, corrected",
            cell=lambda row: Cell(p_text(row.not_worse), row.not_worse),
            only_with="not_worse",
        ),
    ] = None
    near: bool = False
    effect: Annotated[
        float | None,
        Column(
            "effect",
            "+.2f",
            "the mean difference in standard deviations over topics",
            detail=True,
        ),
    ] = None
    detectable: Annotated[float | None, Column()] = None
    wins: Annotated[
        int | None,
        Column(
            "wins/ties/losses",
            meaning="topics better, the same, worse than the baseline",
            cell=_outcomes,
        ),
    ] = None
    ties: Annotated[int | None, Column()] = None
    losses: Annotated[int | None, Column()] = None
    gap_closed: Annotated[
        float | None,
        Column(
            "gap closed",
            ".1%",
            "share of the way from the baseline to the gold text",
            only_with="gap_closed",
        ),
    ] = None
    gap_low: Annotated[
        float | None,
        Column(
            INTERVAL,
            meaning="of the gap closed",
            detail=True,
            cell=_gap_interval,
            only_with="gap_closed",
        ),
    ] = None
    gap_high: Annotated[float | None, Column()] = None
    groups: Annotated[
        str | None,
        Column(
            "group",
            meaning="cleaners that share a letter are not told apart",
            detail=True,
            cell=lambda row: Cell(row.groups or ""),
            only_with="groups",
        ),
    ] = None

    @property
    def p(self) -> float | None:
        """The corrected p-value of the test that decides; None without a test."""
        first = next(iter(self.tests), "")
        corrected = (
            p for name, p in self.tests.items() if name.startswith(f"{first}_")
        )
        return next(corrected, None)

    @property
    def is_significant(self) -> bool:
        """Whether the difference is statistically significant; never without a test."""
        return self.p is not None and self.p < SIGNIFICANT

    @property
    def mark(self) -> str:
        """MARK for a significant difference, NEAR if other draws could tell otherwise."""
        return MARK * self.is_significant + NEAR * self.near


class Pair(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of one row against another in place of the baseline.

    Attributes:
        measure: The measure.
        first: The place of the row.
        second: The place of the other.
        detectable_corrected: As `detectable`, as one of all pairs, at the level of Holm's first
            step.
    """

    measure: str
    first: int
    second: int
    detectable_corrected: Annotated[float | None, Column()] = None

    @property
    def mirrored(self) -> "Pair":
        """The pair of the second row and the first."""

        def negative(value: float | None) -> float | None:
            return None if value is None else 0.0 - value

        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=negative(self.difference),
            difference_low=negative(self.difference_high),
            difference_high=negative(self.difference_low),
            effect=negative(self.effect),
            wins=self.losses,
            losses=self.wins,
        )


def size_text(row: "Row") -> str:
    """Return the size of an index in megabytes, with `about` for an estimate; "" if unknown."""
    if row.index_bytes is None:
        return ""
    megabytes = row.index_bytes / 1e6
    about = "" if row.index_measured else "about "
    return f"{about}{figure(megabytes, ',.1f' if megabytes < 100 else ',.0f')} MB"


class Row(Struct, frozen=True, kw_only=True, eq=False, omit_defaults=True, dict=True):
    """A variant, or an external run, under one ranking formula, with its result by each measure.

    Attributes:
        formula: The name of the formula, where an experiment has several; None for external runs.
        tuned: The formula's parameters that all topics choose, if they were tuned.
        tuned_folds: Those that the topics outside each fold choose, in the order of the folds.
        name: The variant's name in files, or the run's.
        cleaner: The cleaner's text; None for an external run, whose counts and sizes are None too.
        role: The variant's role.
        feature: The label of the first sweep that has the variant, such as `words`.
        threshold: The variant's value on that sweep.
        documents: Indexed documents.
        empty: Documents left without a token.
        relevant_empty: The relevant ones of these; None, like all losses, if the analyzer does not
            work block by block.
        terms_lost: The share of the baseline's pairs of a query term and a relevant document that
            the variant loses; None also if the baseline has no such pair.
        tokens: Indexed tokens.
        tokens_kept: The share of the baseline's tokens, each counted once; None if it has none.
        index_bytes: The size of an index without positions.
        index_measured: Whether it is the size of a real index, or an estimate.
        relevant_empty_by_topic: (t,) relevant documents left without a token.
        terms_lost_by_topic: (t,) lost pairs of a query term and a relevant document.
        results: Measure -> result.
        scores: Measure -> (t,) scores of the evaluated topics.
        run: The path of the TREC run, below the experiment's folder.
    """

    formula: str | None = None
    tuned: str | None = None
    tuned_folds: tuple[str, ...] = ()
    name: str
    cleaner: str | None
    role: Role
    feature: str | None = None
    threshold: Annotated[float | None, Column(file=number_text)] = None
    documents: Annotated[
        int | None, Column("documents", ",", "indexed documents", detail=True)
    ] = None
    empty: Annotated[
        int | None,
        Column("left empty", ",", "documents without a token, not indexed"),
    ] = None
    relevant_empty: Annotated[
        int | None,
        Column("relevant left empty", ",", "of these the relevant ones", detail=True),
    ] = None
    terms_lost: Annotated[
        float | None,
        Column(
            "terms lost",
            ".1%",
            "of topics\u2019 terms in relevant documents",
            detail=True,
        ),
    ] = None
    tokens: Annotated[
        int | None, Column("tokens", ",", "indexed tokens", detail=True)
    ] = None
    tokens_kept: Annotated[
        float | None, Column("tokens kept", ".1%", "of the baseline\u2019s")
    ] = None
    index_bytes: Annotated[
        int | None,
        Column(
            "index",
            meaning="without positions; \u2248 or about: estimated from the tokens",
            cell=lambda row: Cell(size_text(row), row.index_bytes),
        ),
    ] = None
    index_measured: Annotated[bool | None, Column()] = None
    relevant_empty_by_topic: list[int] | None = None
    terms_lost_by_topic: list[int] | None = None
    results: dict[str, Result]
    scores: dict[str, list[float]] = {}
    run: str = ""

    @property
    def label(self) -> str:
        """The text that people read: the cleaner, or the name of an external run."""
        return self.cleaner or self.name

    @property
    def variant(self) -> Variant:
        """The variant; raises TypeError for an external run."""
        if self.cleaner is None:
            raise TypeError(f"{self.name} is an external run, which has no cleaner")
        return parse_variant(self.cleaner)

    @property
    def keeps_all(self) -> bool:
        """Whether a threshold keeps every block: each has a word, and a density of 1."""
        point = self.variant.point
        return point is not None and point.value == 1


@cache
def parse_variant(text: str) -> Variant:
    """Return the variant of a cleaner's text; raises UsageError for an unknown cleaner."""
    return Variant(parse_cleaner(text))


def best_of(rows: Sequence[Row], measure: str) -> Row:
    """Return the row with the best mean; of equal ones the first."""
    return rows[place_of_best([row.results[measure].mean for row in rows])]


def baseline_of(rows: Sequence[Row]) -> Row | None:
    """Return the first row that keeps everything, None if no row does."""
    return next((row for row in rows if row.keeps_all), None)


def sweeps_of(
    rows: Sequence[Row], sweeps: Sequence[Sweep] = ()
) -> dict[str, list[tuple[float, Row]]]:
    """Return the rows of each sweep with their values, by its label, as `curves_of` does."""
    swept = [row for row in rows if row.cleaner is not None]
    curves = curves_of([row.variant for row in swept], sweeps)
    return {
        label: [(value, swept[place]) for value, place in curve]
        for label, curve in curves.items()
    }


# Label of a sweep, and a threshold of it; None for a variant of no sweep.
Point = tuple[str, float] | tuple[None, None]


def points_of(variants: Sequence[Variant], sweeps: Sequence[Sweep] = ()) -> list[Point]:
    """Return label and value of the first sweep that has each variant; None without a sweep."""
    points: dict[int, tuple[str, float]] = {}
    for label, curve in curves_of(variants, sweeps).items():
        for value, place in curve:
            points.setdefault(place, (label, value))
    return [points.get(place, (None, None)) for place in range(len(variants))]


def results_of(
    scores: Mapping[str, FloatArray],
    means: Mapping[str, Sequence[float]],
    *,
    baseline: int | None = 0,
    gold: int | None = None,
    seed: int = SEED,
    has_intervals: bool = True,
) -> list[dict[str, Result]]:
    """Compute the results of variants, without tests.

    Args:
        scores: Measure -> (t, v) scores of topics and variants.
        means: Measure -> (v,) means.
        baseline: The baseline's place; None to compute no difference.
        gold: The gold text's place; None without a gold text.
        seed: The seed of the resamples.
        has_intervals: Whether the topics suffice for intervals.

    Returns:
        For each variant, measure -> result.
    """
    both = {name: [values] for name, values in scores.items()}
    if baseline is not None:
        for values in both.values():
            values.append(differences_to(values[0], values[0][:, baseline]))
    # All from the same resamples, which cost more than the means of a column.
    together = np.concatenate([one for pair in both.values() for one in pair], axis=1)
    bounds = np.full((together.shape[1], 2), np.nan)
    if has_intervals:
        bounds = bootstrap_intervals(together, seed=seed)
    count = together.shape[1] // sum(map(len, both.values()))
    parts = iter(np.split(bounds, len(bounds) // count))
    results: list[dict[str, Result]] = [{} for _ in range(count)]
    for name, (_, *differences) in both.items():
        own, described = next(parts), dict[str, Any]()
        columns: dict[str, Any] = {
            "mean": means[name],
            "low": own[:, 0],
            "high": own[:, 1],
        }
        for gains in differences:
            described = describe(gains, next(parts))
            columns |= _gap(gains, gold, seed)
        for index, row in enumerate(rows_of(columns | described)):
            left_out = described if index == baseline else ()
            shown = {key: row[key] for key in row if key not in left_out}
            results[index][name] = Result(**shown)
    return results


def describe(differences: FloatArray, bounds: FloatArray) -> dict[str, Any]:
    """Return columns of `Result` that describe differences, by name.

    Args:
        differences: (t, k) differences over topics.
        bounds: (k, 2) bounds of their means.
    """
    return {
        "difference": differences.mean(axis=0),
        "difference_low": bounds[:, 0],
        "difference_high": bounds[:, 1],
        "effect": effect_sizes(differences),
        "detectable": detectable_differences(differences, alpha=SIGNIFICANT),
        "wins": (differences > 0).sum(axis=0),
        "ties": (differences == 0).sum(axis=0),
        "losses": (differences < 0).sum(axis=0),
    }


def _gap(gains: FloatArray, gold: int | None, seed: int) -> dict[str, Any]:
    """Return the columns of the closed gap; none if the gold text is not better, or missing."""
    if gold is None or gains[:, gold].mean() <= TIE:
        return {}
    bounds = share_intervals(gains, gains[:, gold], seed=seed)
    shares = gains.mean(axis=0) / gains[:, gold].mean()
    return {"gap_closed": shares, "gap_low": bounds[:, 0], "gap_high": bounds[:, 1]}


def rows_of(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return (k,) columns as k rows, with the digits that figures have; nan becomes None."""
    listed = [
        [
            None if value != value else rounded(value)
            for value in np.asarray(column).tolist()
        ]
        for column in columns.values()
    ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*listed, strict=True)]
