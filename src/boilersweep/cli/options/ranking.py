"""Ranking formulas: BM25, query likelihood, TF-IDF, and RM3 or Rocchio feedback.

The options are named as in pyserini and Anserini's SearchCollection.
"""

import argparse
from dataclasses import Field, fields
from functools import partial
from itertools import product
from typing import Any

from boilersweep.cli.parser import Group, Options, Part, in_range, number, positive
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


def _feedback(*, exclusive: bool) -> Group:
    """Return --rm3 and --rocchio."""
    methods = Group(*map(_method, FEEDBACK.values()), exclusive=exclusive)
    return Group(
        methods,
        title="feedback",
        about="Expand queries by their first hits, over BM25 or query likelihood. SETTINGS, as "
        "fbTerms=20,fbDocs=5, have the names of Anserini's SearchCollection.",
    )


def _method(method: type[Feedback]) -> Options:
    """Return the option of a method of feedback."""
    shown = ", ".join(
        name if isinstance(field.default, bool) else f"{name} ({field.default:g})"
        for name, field in _settings_of(method).items()
    )
    text = f"--{method.name} SETTINGS  {method.title}; its settings and their defaults: {shown}"
    types = {method.name: partial(_settings, method)}
    return Options(text, types=types, nargs="?", const="")


def _settings_of(method: type[Feedback]) -> dict[str, "Field[Any]"]:
    """Return Anserini's names of a method's settings, with their fields."""
    found = {}
    for one in fields(method):
        if one.name != "first":
            begin, *more = one.name.split("_")
            name = begin + "".join(map(str.capitalize, more))
            found[one.metadata.get("switch", name)] = one
    return found


def _settings(method: type[Feedback], text: str) -> dict[str, Any]:
    """Parse `fbTerms=20,noTermFilter` as fields of a method; raise UsageError."""
    known = _settings_of(method)
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        field = known.get(name)
        if field is None or bool(equals) == isinstance(field.default, bool):
            raise UsageError(
                f"expected some of {', '.join(known)}, separated by commas, such as "
                f"{next(iter(known))}=20, got {part!r}{did_you_mean(name, known)}"
            )
        if equals:
            parse = number if isinstance(field.default, float) else positive
            found[field.name] = in_range(field.metadata[RANGE], parse, value)
        else:
            found[field.name] = not field.default
    return found


def group(
    *, hits: str | None = "1000", several: bool = False, feedback: bool = True
) -> Group:
    """Return the options of the ranking formula, and --hits.

    Args:
        hits: The default of --hits in the help text; None for no --hits.
        several: Whether formulas and values of their parameters may be lists.
        feedback: Whether queries may be expanded.
    """
    parameters = (
        _parameters(formula, several=several) for formula in FORMULAS.values()
    )
    parts: list[Part] = [
        Group(
            _formula_option(several),
            *parameters,
            *(
                [Options(f"--hits N  documents per topic (default: {hits})")]
                if hits
                else []
            ),
            title="ranking",
        )
    ]
    if feedback:
        parts.append(_feedback(exclusive=not several))
    return Group(*parts, formulas if several else model)


def _formula_option(several: bool) -> Options:
    titles = ", ".join(
        f"{name} ({formula.title})" for name, formula in FORMULAS.items()
    )
    by_name = f"the formula by name: {titles}"
    if several:
        text = (
            f"--formula LIST  {by_name}; or rm3 or rocchio over BM25. With a list, such as "
            "bm25,qld,rm3, every cleaner runs under each formula, and the first formula decides"
        )
        return Options(text, types={"formula": _formulas})
    text = f"--formula {{{','.join(FORMULAS)}}}  {by_name}"
    return Options(text, types={"formula": _formula})


def _parameters(formula: type[Formula], *, several: bool) -> Group:
    """Return the options of a formula's parameters."""
    declared: list[Options] = []
    for field in fields(formula):
        name, default, allowed = field.name, field.default, field.metadata[RANGE]
        text = f"--{name} N  {name} of {formula.title} (default: {default:g})"
        types: dict[str, Any] = {name: partial(in_range, allowed, number)}
        if several:
            default = (default,)
            types = {name: partial(_numbers, allowed)}
            text = (
                f"--{name} LIST  {name} of {formula.title} (default: {field.default:g}; several, "
                f"such as --{name} {allowed.tuned}, are tuned for each cleaner separately)"
            )
        declared.append(Options(text, types=types, defaults={name: default}))
    return Group(*declared)


def model(args: argparse.Namespace) -> RankingModel:
    """Return the requested formula with its feedback, the first of several; raise UsageError."""
    return _model(args, names(args)[0])


def formulas(args: argparse.Namespace) -> list[StudyFormula]:
    """Return the ranking formulas of a study if they are several or tuned; none for a single one.

    Raises:
        UsageError: If lists of parameters belong to none of them.
    """
    wanted = names(args)
    among: dict[str, tuple[RankingModel, ...]] = {}
    for name, formula in FORMULAS.items():
        values = product(*(getattr(args, option) for option in _options(formula)))
        among[name] = tuple(formula(*parameters) for parameters in values)
    tuned = [name for name, models in among.items() if len(models) > 1]
    for name in tuned:
        if name not in wanted:
            given = " and ".join(f"--{option}" for option in _options(FORMULAS[name]))
            raise UsageError(
                f"{given}: several values tune {name}, which is not among the formulas "
                f"({', '.join(wanted)}); give one value, or --formula {name},{','.join(wanted)}"
            )
    chosen = []
    for name in wanted:
        fixed = _model(args, name)
        if name in tuned:
            chosen.append(StudyFormula(f"{name}-tuned", fixed, among[name]))
        chosen.append(StudyFormula(name, fixed, tested=name not in tuned))
    return chosen if len(chosen) > 1 else []


def names(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the names of the requested formulas; feedback replaces the formula below it.

    Raises:
        UsageError: For feedback over a formula that has none.
    """
    given = args.formula or BM25.name
    wanted = (given,) if isinstance(given, str) else given
    methods = [name for name in FEEDBACK if getattr(args, name, None) is not None]
    methods = [name for name in methods if name not in wanted]
    if not methods:
        return wanted
    if len(wanted) > 1 or wanted[0] not in _UNDER_FEEDBACK:
        more = f"; --formula {','.join(wanted)},{methods[0]} runs it beside the others"
        raise UsageError(
            f"--{methods[0]}: expected BM25 or query likelihood under it, got {', '.join(wanted)}"
            f"{more * (len(wanted) > 1)}"
        )
    return (methods[0],)


def _model(args: argparse.Namespace, name: str) -> RankingModel:
    """Return the model of a name; parameters to be tuned have their defaults."""
    if name in FORMULAS:
        return _over_terms(args, name)
    is_qld = args.formula in (QueryLikelihood.name, (QueryLikelihood.name,))
    first: Any = _over_terms(args, QueryLikelihood.name if is_qld else BM25.name)
    return FEEDBACK[name](first=first, **(getattr(args, name) or {}))


def _over_terms(args: argparse.Namespace, name: str) -> Formula:
    """Return the formula of a name; parameters to be tuned have their defaults."""
    formula = FORMULAS[name]
    given = {option: getattr(args, option) for option in _options(formula)}
    lists = {
        name: one if isinstance(one, tuple) else (one,) for name, one in given.items()
    }
    return formula(
        **{name: values[0] for name, values in lists.items() if len(values) == 1}
    )


def _options(formula: type[Formula]) -> list[str]:
    """Return the names of a formula's parameters, which are those of its options."""
    return [declared.name for declared in fields(formula)]


def _formula(text: str) -> str:
    if "," in text:
        raise UsageError(
            f"expected one formula, got {text}; `boilersweep compare` takes several"
        )
    return text


def _formulas(text: str) -> tuple[str, ...]:
    """Parse `bm25,rm3` as names, each once."""
    known = (*FORMULAS, *FEEDBACK)
    found = tuple(name.strip() for name in text.split(","))
    for name in found:
        if name not in known:
            raise UsageError(
                f"expected some of {', '.join(known)}, separated by commas, got {name!r}"
                f"{did_you_mean(name, known)}"
            )
    if len(set(found)) < len(found):
        raise UsageError(f"expected each formula once, got {text}")
    return found


def _numbers(allowed: Range, text: str) -> tuple[float, ...]:
    """Parse `0.6,0.9` as numbers in a range, each once."""
    return tuple(
        dict.fromkeys(in_range(allowed, number, one) for one in text.split(","))
    )
