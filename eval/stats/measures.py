"""Measures by their names: those of ir-measures, such as P(rel=2)@10, and those of trec_eval."""

import ast
import os
import re
from collections.abc import Sequence
from typing import Any

from boilersweep.errors import UsageError, did_you_mean, excerpt

# Flat, and without a way back over spaces (`*+`): no name is too deep or slow for a parser.
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_GAIN = r"\s*+\d+\s*+:\s*+\d+\s*+"
_GAINS = rf"{{\s*+(?:{_GAIN}(?:,{_GAIN})*(?:,\s*+)?)?}}"
_VALUE = rf"{_NUMBER}|True|False|'[\w-]+'|\"[\w-]+\"|{_GAINS}"
_PARAMETER = rf"\s*+(\w+)\s*+=\s*+({_VALUE})\s*+"
_NAME = re.compile(
    rf"(?P<measure>\w+)\s*+"
    rf"(?:\((?P<given>\s*+(?:{_PARAMETER}(?:,{_PARAMETER})*(?:,\s*+)?)?)\)\s*+)?"
    rf"(?:@\s*+(?P<at>{_NUMBER})\s*+)?"
)
_PARAMETERS = re.compile(_PARAMETER)
_TREC_EVAL = re.compile(r"(?P<measure>\w+?)([._][\d.]+(,[\d.]+)*)?")
_CUTOFF = re.compile(r"([A-Za-z]+)(\d+)")

_MAX_CUTOFF = 2**31 - 1

# The measures that messages propose.
_FAMILIAR = ("P", "nDCG", "AP", "R", "RR", "Bpref", "ERR", "RBP", "Success")


def parse_measures(names: Sequence[str] | str) -> list[Any]:
    """Parse one name of a measure or several, of ir-measures or of trec_eval, each once.

    A name of trec_eval may stand for several measures: `P` is P@5, P@10 and so on.

    Args:
        names: The names, or one name.

    Raises:
        UsageError: ir-measures does not know some of them, or cannot compute them as installed.
    """
    measures: dict[Any, None] = {}
    unknown = []
    for name in dict.fromkeys([names] if isinstance(names, str) else names):
        meant = _named(name)
        measures |= dict.fromkeys(meant)
        if not meant:
            unknown.append(name)
    if unknown:
        raise UsageError(
            "measures: expected those that ir-measures computes here, such as P@10, nDCG@10 or "
            "Bpref, or trec_eval's names of them, such as P_10, ndcg_cut_10 or bpref, "
            f"got {', '.join(map(_nearly, unknown))}"
        )
    return list(measures)


def parse_measure(name: str) -> Any:
    """Parse a name as ir-measures writes and documents it, NAME(parameter=value)@cutoff.

    ir-measures 0.4.3 parses names itself, but by classes that Python 3.14 no longer has.

    Args:
        name: The name.

    Raises:
        ValueError: It is malformed.
        LookupError: ir-measures has no such measure.
    """
    from ir_measures.measures import registry  # of the extra `lucene`

    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"expected NAME(parameter=value)@cutoff, got {name!r}")
    measure = registry[match["measure"]]
    given = _PARAMETERS.findall(match["given"] or "")
    parameters = {key: ast.literal_eval(value) for key, value in given}
    if len(parameters) < len(given):
        raise ValueError(f"a parameter is given twice: {name!r}")
    if match["at"]:
        parameters[measure.AT_PARAM] = ast.literal_eval(match["at"])
    return measure(**parameters)


def _named(name: str) -> list[Any]:
    """Return the measures that a name means; nothing if one of them cannot be computed."""
    for parse in (lambda one: [parse_measure(one)], _of_trec_eval):
        try:
            measures: list[Any] = parse(name)
        except (ValueError, SyntaxError, LookupError):
            continue
        if measures and all(map(_is_computable, measures)):
            return measures
    return []


def _of_trec_eval(name: str) -> list[Any]:
    import ir_measures
    import pytrec_eval

    # ir-measures would read P_10x as P_10, and print what it leaves out of `all_trec`.
    match = _TREC_EVAL.fullmatch(name)
    if match is None or match["measure"] not in pytrec_eval.supported_measures:
        return []
    parse: Any = ir_measures.parse_trec_measure
    measures: list[Any] = parse(name)
    return measures


def _is_computable(measure: Any) -> bool:
    """Return whether ir-measures scores a run with it: not all values of parameters work."""
    import ir_measures

    # trec_eval ends the process for a cutoff below 1, and cannot take one above a long integer.
    cutoff = measure.params.get("cutoff", 1)
    if not isinstance(cutoff, int) or not 0 < cutoff <= _MAX_CUTOFF:
        return False
    pipeline: Any = ir_measures.DefaultPipeline
    try:
        pipeline.calc_aggregate([measure], {"1": {"a": 1}}, {"1": {"a": 1.0}})
    except (ValueError, TypeError, AssertionError, LookupError):
        return False
    return True


def _nearly(name: str) -> str:
    """Return a name, for a message, with the familiar measures of a similar name and cutoff."""
    if os.path.isfile(name):  # noqa: PTH113 - takes names that are too long for a file
        return f"{name} (a file: did you mean --run {name}?)"
    name = excerpt(name)
    if "," in name:
        return f"{name} (separate measures by spaces)"
    _, at, cutoff = name.partition("@")
    if match := _CUTOFF.fullmatch(name):  # P10 for P@10
        at, cutoff = "@", match[2]
    if cutoff == "0":
        return f"{name} (a cutoff is at least 1)"
    near = did_you_mean(name, [f"{familiar}{at}{cutoff}" for familiar in _FAMILIAR])
    return name + near
