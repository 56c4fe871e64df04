"""What a study compares and how, decided before the long work, and recorded in its manifest."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from boilersweep.applications import required
from boilersweep.cleaners.rules import Rule, parts
from boilersweep.cleaners.selection import Cleaner, PageText
from boilersweep.cleaners.syntax.grammar import Cleaners, as_cleaner, as_cleaners
from boilersweep.cleaners.syntax.variants import (
    Sweep,
    Sweeps,
    Variant,
    as_sweeps,
    collect_variants,
)
from boilersweep.command_lines import command_line
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.finished import FinishedExperiment
from boilersweep.eval.experiment.request import (
    ExperimentRequest,
    are_sequential,
    ranking_identity,
)
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.stats.families import Conclusion
from boilersweep.eval.stats.frames import Point, Role, points_of
from boilersweep.eval.stats.statistics import CORRECTIONS, SEED
from boilersweep.eval.study.differences import DEFAULT_TESTS, require_tests
from boilersweep.eval.study.external_runs import look_at_runs
from boilersweep.store.store import BlockStore

# The usual name of people's own text in a store.
GOLD = "gold"

TESTED = ("P@10", "nDCG@10")
# Measures shown beside the scores: cleaned indexes return pages that nobody judged.
BESIDE = ("Judged@10", "Bpref")


class Judged(Protocol):
    """Judgements that were collected until they decided, as of `assess`."""

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the answers depend on."""

    def without(self, measures: Sequence[str]) -> "Judged":
        """Return the judgements with the measures that they cannot support."""

    def answers(
        self,
        runs: Mapping[str, Mapping[str, Sequence[str]]],
        measure: str,
        store: BlockStore | None = None,
    ) -> tuple[list[str], list[Conclusion]]:
        """Return sentences, and what the judgements say about each pair of cleaners."""


def judged_folder(qrels: Path) -> Judged | None:
    """Return the folder of `assess` that a file of qrels is in; None for any other file.

    Raises:
        UsageError: `assess`, which alone reads such judgements rightly, was deleted.
    """
    if not are_sequential(qrels):
        return None
    folder: Judged = required(
        "boilersweep.eval.assess.decision:JudgedFolder", f"{qrels}, made by `assess`,"
    )(qrels.parent)
    return folder


@dataclass(frozen=True, slots=True)
class StudyFormula:
    """A ranking formula of a study.

    Attributes:
        name: The name of the folder of its runs, such as `bm25`.
        model: The fixed model; of a tuned formula, the model that stands for it.
        among: Models to choose from for every variant by cross-validation; none for a fixed model.
        tested: Whether its differences are tested, and count for the correction.
    """

    name: str
    model: RankingModel
    among: tuple[RankingModel, ...] = ()
    tested: bool = True

    @property
    def models(self) -> tuple[RankingModel, ...]:
        """All models that it ranks by."""
        return self.among or (self.model,)

    @property
    def identity(self) -> dict[str, Any]:
        """What its runs depend on."""
        if self.among:
            return {"tuned among": [str(model) for model in self.among]}
        return ranking_identity(self.model)

    def __str__(self) -> str:
        """Return the formula with its parameters."""
        if not self.among:
            return str(self.model)
        first, *_, last = self.among
        return f"tuned among {len(self.among)} settings, {first} to {last}"


def models_of(formulas: Sequence[StudyFormula]) -> list[RankingModel]:
    """Return all models that some formulas rank by, each once."""
    return list(
        dict.fromkeys(model for formula in formulas for model in formula.models)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """What a study compares, and how.

    Attributes:
        baseline: The cleaner to compare with, as text or parsed.
        sweeps: One sweep or several, such as `words=1:100`, as text or parsed.
        beside: Further measures to show without a test.
        gold: The store's text that is the upper bound; None for `gold`, if the store has it.
        tests: The paired tests; the first one decides what is significant.
        formulas: Several ranking formulas, or tuned ones, in place of the search options' model;
            the study chooses by the first one.
        runs: External runs, name -> file.
        topic_prefixes: How topic ids of these runs begin -> how those of the qrels do instead.
        correction: How p-values are corrected: `holm`, or `bh` for the false discovery rate.
        margin: Also test whether each cleaner is at most so much worse than the baseline.
        seed: The seed of resamples, permutations and folds.
        judged: The folder of `assess` that collected the qrels; the notes tell what its judgements
            make certain.
        report: Writes more files before the study counts as finished, and returns their paths:
            `boilersweep.eval.report_study` for the report.
        nested: Folders in which `report` makes further studies.
        finished: A finished sweep on the same store and topics, whose runs are taken as they are;
            see `compare_sweep`.
    """

    baseline: Cleaner | str = "words>=1"
    sweeps: Sweeps = ()
    beside: Sequence[str] = ()
    gold: str | None = None
    tests: Sequence[str] = DEFAULT_TESTS
    formulas: Sequence[StudyFormula] = ()
    runs: Mapping[str, Path] = field(default_factory=dict)
    topic_prefixes: Mapping[str, str] = field(default_factory=dict)
    correction: Literal["holm", "bh"] = "holm"
    margin: float | None = None
    seed: int = SEED
    judged: Judged | None = None
    report: Callable[[ExperimentRequest], Sequence[Path]] | None = None
    nested: Sequence[str] = ()
    finished: FinishedExperiment | None = None

    def __post_init__(self) -> None:
        """Raise UsageError for options that no study can have."""
        require_tests(self.tests)
        if self.correction not in CORRECTIONS:
            raise UsageError(
                f"correction: expected {' or '.join(CORRECTIONS)}, got {self.correction!r}"
            )
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise UsageError(f"margin: expected a number above 0, got {self.margin}")
        names = [formula.name for formula in self.formulas]
        if twice := [name for name in names if names.count(name) > 1]:
            raise UsageError(f"formulas: expected each once, got {twice[0]} twice")
        if self.formulas and not self.formulas[0].tested:
            raise UsageError(f"formulas: {names[0]} comes first, and is not tested")


@dataclass(frozen=True, slots=True)
class StudyVariants:
    """What a study compares.

    Attributes:
        variants: The baseline, the named cleaners, the thresholds of sweeps, and the gold text.
        roles: The role of each.
    """

    variants: tuple[Variant, ...]
    roles: tuple[Role, ...]

    @property
    def gold(self) -> int | None:
        """The gold text's place; None without a gold text."""
        return self.roles.index("gold") if "gold" in self.roles else None

    @property
    def candidates(self) -> list[int]:
        """Places of all variants that can be deployed, including the baseline."""
        return [index for index, role in enumerate(self.roles) if role != "gold"]


def study_variants(
    cleaners: Cleaners, options: StudyOptions, texts: Sequence[str]
) -> StudyVariants:
    """Order what is compared, each once.

    Args:
        cleaners: The cleaners to compare with the baseline.
        options: The study's options.
        texts: Names of the store's texts.

    Returns:
        The variants with their roles.

    Raises:
        UsageError: Nothing remains to compare with the baseline, the store lacks the gold text, or
            two cleaners would have the same name.
    """
    gold = options.gold
    if gold is not None and gold not in texts:
        have = f"it has {', '.join(texts)}" if texts else "it has none"
        raise UsageError(
            f"gold: expected a text of the store, got {gold!r}; {have}; `"
            f"{command_line('segment', texts=f'{gold}=FILE')}` stores it"
        )
    name = gold or (GOLD if GOLD in texts else None)
    baseline = as_cleaner(options.baseline)
    last = Variant(PageText(name)) if name else None
    if last == Variant(baseline):
        raise UsageError(f"baseline: expected a cleaner, got the gold text {name!r}")
    parsed = as_cleaners(cleaners)
    roles: dict[Variant, Role] = {Variant(baseline): "baseline"}
    for cleaner in parsed:
        roles.setdefault(Variant(cleaner), "cleaner")
    for variant in collect_variants(options.sweeps):
        roles.setdefault(variant, "swept")
    if last is not None:
        roles.pop(last, None)
    if len(roles) == 1 and not options.runs:
        raise UsageError(
            f"expected a cleaner or a sweep to compare with {baseline}, got none"
        )
    if last is not None:
        roles[last] = "gold"
    # Each has a name of its own
    collect_variants((), [variant.cleaner for variant in roles])
    return StudyVariants(tuple(roles), tuple(roles.values()))


class StudyPlan:
    """A study before the long work.

    Attributes:
        request: Topics, judgements, and where the results go.
        options: The study's options.
        compared: The variants with their roles.
        variants: The variants.
        tested: The measures to compare by; the study chooses by the first one.
        external_runs: The external runs.
    """

    def __init__(
        self,
        request: ExperimentRequest,
        cleaners: Cleaners,
        options: StudyOptions,
        tested: list[str],
    ) -> None:
        """Plan a study; raises the errors of `study_variants` and `look_at_runs`."""
        store = request.store
        self.request = request
        self.options = options
        self.tested = tested
        self.compared = study_variants(cleaners, options, store.page_texts)
        self.variants = self.compared.variants
        docids = frozenset(store.docids()) if options.runs else frozenset()
        self.external_runs = look_at_runs(
            options.runs,
            self.variants,
            request.grades,
            docids,
            request.output,
            options.topic_prefixes,
        )

    @property
    def sweeps(self) -> list[Sweep]:
        """The requested sweeps."""
        return as_sweeps(self.options.sweeps)

    @cached_property
    def points(self) -> dict[str, Point]:
        """Name of a variant -> label and value of the first sweep that has it; None without one."""
        names = [variant.name for variant in self.variants]
        points = points_of(self.variants, self.sweeps)
        return dict(zip(names, points, strict=True))

    @property
    def formulas(self) -> Sequence[StudyFormula]:
        """The formulas to rank by, at least one."""
        return self.options.formulas or (StudyFormula("", self.request.search.model),)

    @property
    def models(self) -> list[RankingModel]:
        """All models that the formulas rank by."""
        return models_of(self.formulas)

    def identity(self) -> dict[str, Any]:
        """Return everything that the results depend on."""
        request, options, gold = self.request, self.options, self.compared.gold
        formulas = {formula.name: formula.identity for formula in options.formulas}
        runs = {run.name: run.digest for run in self.external_runs}
        prefixes = options.topic_prefixes
        of_study = {
            "tests": list(options.tests),
            "baseline": str(self.compared.variants[0].cleaner),
            "gold": None if gold is None else str(self.compared.variants[gold]),
            "roles": list(self.compared.roles),
            "engine": request.engine,
            "seed": options.seed,
            **(
                {}
                if options.correction == "holm"
                else {"correction": options.correction}
            ),
            **({} if options.margin is None else {"margin": options.margin}),
            **({"formulas": formulas} if formulas else {}),
            **({"runs": runs} if runs else {}),
            **({"topic_prefixes": dict(prefixes)} if runs and prefixes else {}),
            **({"judged": options.judged.identity} if options.judged else {}),
        }
        return request.identity("study", self.variants, of_study)

    def facts(self) -> dict[str, Any]:
        """Return what the manifest records besides provenance."""
        options = self.options
        named = list(zip(self.compared.variants, self.compared.roles, strict=True))
        formulas = {formula.name: str(formula) for formula in options.formulas}
        runs = {run.name: run.facts for run in self.external_runs}
        return {
            "variants": [(str(variant), role) for variant, role in named],
            "measures": self.request.measure_names,
            "tests": list(options.tests),
            "seed": options.seed,
            **({"formulas": formulas} if formulas else {}),
            **({"runs": runs} if runs else {}),
            "about": about_cleaners(
                variant.cleaner for variant, role in named if role != "swept"
            ),
        }


def about_cleaners(cleaners: Iterable[Cleaner]) -> dict[str, list[dict[str, Any]]]:
    """Map a cleaner's text to facts about it and its rules, as JSON.

    A study records this while it has the cleaners: a model may have changed, or be gone, when the
    report is drawn again.

    Returns:
        For each rule its name and summary, and for one with a model `model`: its training data,
        their pages and licence, and word_f1, its mean word F1 on unseen sites.
    """
    return {
        str(cleaner): known for cleaner in cleaners if (known := list(_about(cleaner)))
    }


def _about(cleaner: Cleaner) -> Iterator[dict[str, Any]]:
    """Yield facts about a cleaner's rules."""
    if isinstance(cleaner, PageText):
        yield {"name": cleaner.name, "summary": "a text of each page beside its blocks"}
        return
    rules = {str(rule): rule for rule in parts(cast("Rule", cleaner))}
    for name, rule in rules.items():
        summary = getattr(rule, "summary", None)
        if isinstance(summary, str):
            facts = getattr(rule, "facts", {})
            yield {"name": name, "summary": summary, **facts}
