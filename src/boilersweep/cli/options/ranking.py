"""Ranking formulas: BM25, query likelihood, TF-IDF, and RM3 or Rocchio feedback.

The options are named as in pyserini and Anserini's SearchCollection. The formulas' registry has
their names, parameters and ranges.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, make_dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from boilersweep.cli.options.values import Count, listed, part, section
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.ranking.formulas import (
    BM25,
    FEEDBACK,
    FORMULAS,
    RANGE,
    Feedback,
    Formula,
    QueryLikelihood,
    Range,
    RankingModel,
)
from boilersweep.eval.study.plan import StudyFormula

_UNDER_FEEDBACK = (BM25.name, QueryLikelihood.name)
_NAMED = "The formula by name: " + ", ".join(
    f"{name} ({formula.title})" for name, formula in FORMULAS.items()
)

_RANKING = section("ranking")
_FEEDBACK = section(
    "feedback",
    "Expand queries by their first hits, over BM25 or query likelihood. SETTINGS, as "
    "fbTerms=20,fbDocs=5, have the names of Anserini's SearchCollection.",
)


def _settings_of(method: type[Feedback]) -> dict[str, "Field[Any]"]:
    """Return Anserini's names of a method's settings, with their fields."""
    settings = {}
    for setting in fields(method):
        if setting.name != "first":
            begin, *more = setting.name.split("_")
            name = begin + "".join(map(str.capitalize, more))
            settings[setting.metadata.get("switch", name)] = setting
    return settings


def _settings(method: type[Feedback], text: str) -> dict[str, Any]:
    """Parse `fbTerms=20,noTermFilter` as fields of a method; raise UsageError."""
    known = _settings_of(method)
    settings: dict[str, Any] = {}
    for word in filter(None, text.split(",")):
        name, equals, value = word.partition("=")
        setting = known.get(name)
        if setting is None or bool(equals) == isinstance(setting.default, bool):
            raise UsageError(
                f"expected some of {', '.join(known)}, separated by commas, such as "
                f"{next(iter(known))}=20, got {word!r}{did_you_mean(name, known)}"
            )
        if equals:
            settings[setting.name] = _number(
                setting.metadata[RANGE], type(setting.default), value
            )
        else:
            settings[setting.name] = not setting.default
    return settings


def _number(allowed: Range, kind: Callable[[str], Any], text: str) -> Any:
    """Parse a number in a range."""
    try:
        value = kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise UsageError(f"expected {what}, got {text!r}") from None
    allowed.require(value)
    return value


def _numbers(allowed: Range, text: str) -> tuple[float, ...]:
    """Parse `0.6,0.9` as numbers in a range, each once."""
    numbers = (_number(allowed, float, word) for word in text.split(","))
    return tuple(dict.fromkeys(numbers))


def _setting_option(method: type[Feedback]) -> Any:
    """Return the type of the option of a method, whose settings may be left out."""
    shown = ", ".join(
        name if isinstance(field.default, bool) else f"{name} ({field.default:g})"
        for name, field in _settings_of(method).items()
    )
    return Annotated[
        list[str] | None,
        Parameter(
            consume_multiple=(0, 1),
            metavar="SETTINGS",
            help=f"{method.title}; its settings and their defaults: {shown}.",
        ),
    ]


def _parameter_list(formula: type[Formula], declared: "Field[Any]") -> Any:
    """Return the type of an option for several values of a parameter."""
    name, default, allowed = declared.name, declared.default, declared.metadata[RANGE]
    return Annotated[
        Sequence[float],
        listed(partial(_numbers, allowed)),
        Parameter(
            help=f"{name} of {formula.title} (default: {default:g}; several, such as "
            f"--{name} {allowed.tuned}, are tuned for each cleaner separately)."
        ),
    ]


def _formula_list(text: str) -> tuple[str, ...]:
    """Parse `bm25,rm3` as names, each once."""
    known = (*FORMULAS, *FEEDBACK)
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in known:
            raise UsageError(
                f"expected some of {', '.join(known)}, separated by commas, got {name!r}"
                f"{did_you_mean(name, known)}"
            )
    if len(set(names)) < len(names):
        raise UsageError(f"expected each formula once, got {text}")
    return names


# The formulas that have parameters, each with those that the call gives.
_Parameters = make_dataclass(
    "_Parameters",
    [
        (formula.__name__, Annotated[formula, part(formula)], field(default=formula()))
        for formula in FORMULAS.values()
        if fields(formula)
    ],
    frozen=True,
    namespace={"__module__": __name__},
)
# All parameters of the formulas, each with several values.
_ParameterLists = make_dataclass(
    "_ParameterLists",
    [
        (one.name, _parameter_list(formula, one), field(default=()))
        for formula in FORMULAS.values()
        for one in fields(formula)
    ],
    frozen=True,
    namespace={"__module__": __name__},
)
# The methods of feedback with their settings.
_Methods = make_dataclass(
    "_Methods",
    [
        (name, _setting_option(method), field(default=None))
        for name, method in FEEDBACK.items()
    ],
    frozen=True,
    namespace={"__module__": __name__},
)
if TYPE_CHECKING:
    Parameters: TypeAlias = Any
    ParameterLists: TypeAlias = Any
    Methods: TypeAlias = Any
else:
    Parameters, ParameterLists, Methods = (
        Annotated[declared, Parameter(name="*")]
        for declared in (_Parameters, _ParameterLists, _Methods)
    )


@Parameter(name="*", group=_RANKING)
@dataclass(frozen=True, slots=True)
class OneFormula:
    """A ranking formula over terms."""

    formula: Annotated[
        str | None, Parameter(choices=tuple(FORMULAS), help=f"{_NAMED}.")
    ] = None
    parameters: Parameters = _Parameters()

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the requested model."""
        return (self.formula or BM25.name,)

    @property
    def feedback(self) -> list[str]:
        """The methods of feedback that the call gives as options of their own."""
        return []

    def model(self) -> RankingModel:
        """Return the requested model; raise UsageError."""
        return self._over_terms(self.names[0])

    def _over_terms(self, name: str) -> Formula:
        formula = FORMULAS[name]
        model: Formula = getattr(self.parameters, formula.__name__, None) or formula()
        return model


@Parameter(name="*", group=_RANKING)
@dataclass(frozen=True, slots=True)
class Ranking(OneFormula):
    """A ranking formula, with or without feedback.

    Attributes:
        hits: Documents per topic (default: 1000; of `search` with --query and --topic 10).
    """

    hits: Count | None = None
    methods: Annotated[Methods, Parameter(group=_FEEDBACK)] = _Methods()

    @property
    def feedback(self) -> list[str]:
        """The methods of feedback that the call gives as options of their own."""
        return _given(self.methods)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the requested model; feedback replaces the formula below it."""
        return _with_feedback((self.formula or BM25.name,), self.methods)

    def model(self) -> RankingModel:
        """Return the formula with its feedback; raise UsageError."""
        return _model(
            self.names[0], self.formula or BM25.name, self._over_terms, self.methods
        )


@Parameter(name="*", group=_RANKING)
@dataclass(frozen=True, slots=True)
class RankingLists:
    """Several formulas, and several values of their parameters.

    Attributes:
        hits: Documents per topic (default: 1000).
    """

    formula: Annotated[
        Sequence[str],
        listed(_formula_list),
        Parameter(
            help=f"{_NAMED}; or rm3 or rocchio over BM25. With a list, such as bm25,qld,rm3, every "
            "cleaner runs under each formula, and the first formula decides."
        ),
    ] = ()
    parameters: ParameterLists = _ParameterLists()
    hits: Count | None = None
    methods: Annotated[Methods, Parameter(group=_FEEDBACK)] = _Methods()

    @property
    def feedback(self) -> list[str]:
        """The methods of feedback that the call gives as options of their own."""
        return _given(self.methods)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the requested models; feedback replaces the formula below it."""
        return _with_feedback(tuple(self.formula) or (BM25.name,), self.methods)

    def model(self) -> RankingModel:
        """Return the first model; parameters to be tuned have their defaults."""
        return self._model(self.names[0])

    def formulas(self) -> list[StudyFormula]:
        """Return the formulas of a study if they are several or tuned; none for a single one.

        Raises:
            UsageError: If lists of parameters belong to none of them.
        """
        among = {name: self._among(formula) for name, formula in FORMULAS.items()}
        tuned = [name for name, models in among.items() if len(models) > 1]
        for name in tuned:
            if name not in self.names:
                given = " and ".join(
                    f"--{parameter.name}" for parameter in fields(FORMULAS[name])
                )
                wanted = ", ".join(self.names)
                raise UsageError(
                    f"{given}: several values tune {name}, which is not among the formulas "
                    f"({wanted}); give one value, or --formula {name},{','.join(self.names)}"
                )
        chosen = []
        for name in self.names:
            fixed = self._model(name)
            if name in tuned:
                chosen.append(StudyFormula(f"{name}-tuned", fixed, among[name]))
            chosen.append(StudyFormula(name, fixed, tested=name not in tuned))
        return chosen if len(chosen) > 1 else []

    def _values(self, formula: type[Formula]) -> dict[str, Sequence[float]]:
        """Return the values of a formula's parameters, those at their defaults included."""
        values = {}
        for parameter in fields(formula):
            default: Any = parameter.default
            values[parameter.name] = getattr(self.parameters, parameter.name) or (
                default,
            )
        return values

    def _among(self, formula: type[Formula]) -> tuple[RankingModel, ...]:
        values = product(*self._values(formula).values())
        return tuple(formula(*parameters) for parameters in values)

    def _over_terms(self, name: str) -> Formula:
        """Return the formula of a name; parameters to be tuned have their defaults."""
        formula = FORMULAS[name]
        values = self._values(formula).items()
        return formula(**{name: among[0] for name, among in values if len(among) == 1})

    def _model(self, name: str) -> RankingModel:
        below = self.formula[0] if len(self.formula) == 1 else BM25.name
        return _model(name, below, self._over_terms, self.methods)


def _given(methods: Any) -> list[str]:
    return [name for name in FEEDBACK if getattr(methods, name) is not None]


def _with_feedback(wanted: tuple[str, ...], methods: Any) -> tuple[str, ...]:
    """Return the names of models; raise UsageError for feedback over a formula that has none."""
    added = [name for name in _given(methods) if name not in wanted]
    if not added:
        return wanted
    if len(added) > 1 and len(wanted) == 1:
        raise UsageError(f"--{added[0]} cannot be used with --{added[1]}")
    if len(wanted) > 1 or wanted[0] not in _UNDER_FEEDBACK:
        more = f"; --formula {','.join(wanted)},{added[0]} runs it beside the others"
        raise UsageError(
            f"--{added[0]}: expected BM25 or query likelihood under it, got {', '.join(wanted)}"
            f"{more * (len(wanted) > 1)}"
        )
    return (added[0],)


def _model(
    name: str, below: str, over_terms: Callable[[str], Formula], methods: Any
) -> RankingModel:
    """Return a model.

    Args:
        name: Its name.
        below: The name of the formula below feedback.
        over_terms: Returns the formula of a name.
        methods: The settings of feedback.
    """
    if name in FORMULAS:
        return over_terms(name)
    first: Any = over_terms(below if below in _UNDER_FEEDBACK else BM25.name)
    words = getattr(methods, name) or ()
    try:
        settings: Mapping[str, Any] = _settings(FEEDBACK[name], ",".join(words))
    except UsageError as error:
        raise UsageError(f"--{name}: {error}") from error
    return FEEDBACK[name](first=first, **settings)
