"""Ranking formulas: BM25, query likelihood, TF-IDF, and RM3 or Rocchio feedback.

The options are named as in pyserini and Anserini's SearchCollection.
"""

import argparse
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boilersweep.cli.options.fields import Fields, default_of
from boilersweep.cli.parser import Parser, declare, number
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.feedback import RM3, Rocchio
from boilersweep.eval.ranking_models import (
    BM25,
    Classic,
    Dense,
    Hybrid,
    Lucene29,
    QueryLikelihood,
    RankingModel,
)
from boilersweep.store.vectors import open_vectors

if TYPE_CHECKING:
    from boilersweep.eval.study.formulas import StudyFormula

FORMULAS = ("bm25", "qld", "classic", "lucene-2.9")
FEEDBACK = ("rm3", "rocchio")
VECTORS = ("dense", "hybrid")
_VECTORS_HELP = (
    "; or by vectors of your own encoder (requires --engine exact): dense(VECTORS[,BEST]), the "
    "mean of a page's BEST blocks, or hybrid(bm25,dense(VECTORS)[,WEIGHT])"
)
_OUTER_COMMA = re.compile(r",(?![^()]*(?:\([^()]*\)[^()]*)*\))")
_BY_VECTORS = re.compile(
    r"(?P<hybrid>hybrid\((?P<words>bm25|qld), *)?"
    r"dense\((?P<folder>[^(),]+)(?:, *(?P<best>\d+))?\)"
    r"(?(hybrid)(?:, *(?P<weights>[^()]+))?\))"
)

_PARAMETERS: dict[str, tuple[Any, str, str]] = {
    "k1": (BM25, "BM25", "0.6,0.9,1.2"),
    "b": (BM25, "BM25", "0.2,0.4,0.75"),
    "mu": (QueryLikelihood, "query likelihood", "500,1000,2000"),
}
"""Parameter -> its formula's class and name, and an example of values to tune."""

_RM3 = Fields(
    RM3,
    {
        "fb_terms": "--rm3.fbTerms N  number of expansion terms",
        "fb_docs": "--rm3.fbDocs N  number of hits that provide the terms",
        "original_query_weight": "--rm3.originalQueryWeight N  query's weight, from 0 to 1",
        "filter_terms": "--rm3.noTermFilter  allow terms of other than English letters and digits",
    },
)
_ROCCHIO = Fields(
    Rocchio,
    {
        "top_fb_terms": "--rocchio.topFbTerms N  number of expansion terms",
        "top_fb_docs": "--rocchio.topFbDocs N  number of hits that provide the terms",
        "bottom_fb_terms": "--rocchio.bottomFbTerms N  number of terms of the last hits",
        "bottom_fb_docs": "--rocchio.bottomFbDocs N  number of last hits that provide the terms",
        "alpha": "--rocchio.alpha N  weight of the query",
        "beta": "--rocchio.beta N  weight of the first hits",
        "gamma": "--rocchio.gamma N  weight of the last hits",
        "use_negative": "--rocchio.useNegative  treat the last hits as irrelevant; the bottom "
        "options and gamma have no effect without it",
    },
)


def add(
    parser: Parser,
    *,
    hits: str = "1000",
    several: bool = False,
    feedback: bool = True,
    vectors: bool = False,
) -> None:
    """The options of the ranking formula, and --hits.

    hits: the default in the help text. several: formulas and values of their parameters may be
    lists. vectors: formulas may rank by vectors.
    """
    group = parser.add_argument_group("ranking")
    which = group.add_mutually_exclusive_group()
    declare(
        which,
        """
        --bm25  BM25 (the default)
        --qld   query likelihood with Dirichlet smoothing
        """,
    )
    by_name = (
        "the formula by name: bm25, qld, Lucene's current TF-IDF (classic), or Lucene's TF-IDF of "
        f"2010 (lucene-2.9, requires --engine exact){_VECTORS_HELP * vectors}"
    )
    if several:
        which.add_argument(
            "--formula",
            type=_formulas,
            metavar="LIST",
            help=f"{by_name}; or rm3 or rocchio over BM25. With a list, such as bm25,qld,rm3, "
            "every cleaner runs under each formula, and the first formula decides",
        )
    elif vectors:
        which.add_argument("--formula", type=_formula_or_vectors, metavar="NAME", help=by_name)
    else:
        which.add_argument("--formula", type=_formula, choices=FORMULAS, help=by_name)
    for name, (formula, title, example) in _PARAMETERS.items():
        default = default_of(formula, name)
        tuned = f"; several, such as --{name} {example}, are tuned for each cleaner separately"
        group.add_argument(
            f"--{name}",
            type=_numbers if several else number,
            default=(default,) if several else default,
            metavar="LIST" if several else "N",
            help=f"{name} of {title} (default: {default:g}{tuned * several})",
        )
    declare(group, f"--hits N  documents per topic (default: {hits})")
    if feedback:
        _add_feedback(parser)
    parser.check(formulas if several else model)


def _add_feedback(parser: Parser) -> None:
    group = parser.add_argument_group(
        "feedback", "Expand queries by their first hits, over BM25 or query likelihood."
    )
    which = group.add_mutually_exclusive_group()
    declare(which, "--rm3  RM3\n--rocchio  Rocchio's method")
    _RM3.add(group)
    _ROCCHIO.add(group)


def model(args: argparse.Namespace) -> RankingModel:
    """The requested ranking formula with its feedback; the first of several. Raises UsageError."""
    return _model(args, names(args)[0])


def formulas(args: argparse.Namespace) -> "list[StudyFormula]":
    """The ranking formulas of a study if they are several or tuned; none for a single one.

    Raises UsageError if lists of parameters belong to none of them.
    """
    from boilersweep.eval.study.formulas import StudyFormula

    wanted = names(args)
    among: dict[str, tuple[RankingModel, ...]] = {
        "bm25": tuple(BM25(k1, b) for k1 in args.k1 for b in args.b),
        "qld": tuple(QueryLikelihood(mu) for mu in args.mu),
    }
    for name in wanted:
        if found := _by_vectors(args, name):
            among[short_name(name)] = tuple(found)
    tuned = [name for name, models in among.items() if len(models) > 1]
    for name in tuned:
        if name not in map(short_name, wanted):
            given = "--mu" if name == "qld" else "--k1 and --b"
            raise UsageError(
                f"{given}: several values tune {name}, which is not among the formulas "
                f"({', '.join(wanted)}); give one value, or --formula {name},{','.join(wanted)}"
            )
    chosen = []
    for name in wanted:
        fixed = _model(args, name)
        name = short_name(name)
        if name in tuned:
            chosen.append(StudyFormula(f"{name}-tuned", fixed, among[name]))
        chosen.append(StudyFormula(name, fixed, tested=name not in tuned))
    return chosen if len(chosen) > 1 else []


def names(args: argparse.Namespace) -> tuple[str, ...]:
    """The names of the requested formulas; feedback replaces the formula below it.

    Raises UsageError for feedback over a formula that has none.
    """
    given = args.formula or ("qld" if args.qld else "bm25")
    wanted = (given,) if isinstance(given, str) else given
    methods = [name for name in FEEDBACK if getattr(args, name, False)]
    if not methods:
        return wanted
    if len(wanted) > 1 or wanted[0] not in ("bm25", "qld"):
        more = f"; --formula {','.join(wanted)},{methods[0]} runs it beside the others"
        raise UsageError(
            f"--{methods[0]}: expected BM25 or query likelihood under it, got {', '.join(wanted)}"
            f"{more * (len(wanted) > 1)}"
        )
    return (methods[0],)


def _model(args: argparse.Namespace, name: str) -> RankingModel:
    """The model of a name; parameters to be tuned have their defaults."""
    if name == "classic":
        return Classic()
    if name == "lucene-2.9":
        return Lucene29()
    if by_vectors := _by_vectors(args, name):
        one, *others = by_vectors
        return replace(one, weight=None) if others and isinstance(one, Hybrid) else one
    first: BM25 | QueryLikelihood
    if name == "qld" or args.qld or args.formula in ("qld", ("qld",)):
        first = QueryLikelihood(**_fixed(args, "mu"))
    else:
        first = BM25(**_fixed(args, "k1", "b"))
    feedback = {"rm3": _RM3, "rocchio": _ROCCHIO}.get(name)
    return feedback.build(args, first=first) if feedback else first  # type: ignore[attr-defined]


def _by_vectors(args: argparse.Namespace, name: str) -> "list[Dense] | list[Hybrid]":
    """The models of a name, several where a hybrid has several weights; none of another name."""
    found = _BY_VECTORS.fullmatch(name)
    if not found:
        return []
    dense = Dense(open_vectors(found["folder"]), int(found["best"] or 1))
    if not found["hybrid"]:
        return [dense]
    bm25 = found["words"] == "bm25"
    words: BM25 | QueryLikelihood
    words = BM25(**_fixed(args, "k1", "b")) if bm25 else QueryLikelihood(**_fixed(args, "mu"))
    weights = _numbers(found["weights"]) if found["weights"] else (None,)
    return [Hybrid(words, dense, weight) for weight in weights]


def _fixed(args: argparse.Namespace, *parameters: str) -> dict[str, float]:
    """The parameters with a single value."""
    given = {name: getattr(args, name) for name in parameters}
    lists = {name: one if isinstance(one, tuple) else (one,) for name, one in given.items()}
    return {name: values[0] for name, values in lists.items() if len(values) == 1}


def _formula(text: str) -> str:
    if "," in text:
        raise UsageError(f"expected one formula, got {text}; `boilersweep compare` takes several")
    return text


def short_name(name: str) -> str:
    """The name without its arguments, as of a folder."""
    return name.partition("(")[0]


def _formula_or_vectors(text: str) -> str:
    found = _BY_VECTORS.fullmatch(text)
    if found and "," in (found["weights"] or ""):
        raise UsageError(f"expected one weight, got {text}; `boilersweep compare` tunes several")
    return _known(text if short_name(text) in VECTORS else _formula(text), FORMULAS)


def _known(name: str, known: tuple[str, ...]) -> str:
    """The name of a formula; raises UsageError for none of these and none of vectors."""
    if name in known or _BY_VECTORS.fullmatch(name):
        return name
    raise UsageError(
        f"expected some of {', '.join(known)}, dense(VECTORS[,BEST]) and "
        f"hybrid(bm25,dense(VECTORS)[,WEIGHT]), separated by commas, got {name!r}"
        f"{did_you_mean(name, known)}"
    )


def _formulas(text: str) -> tuple[str, ...]:
    """`bm25,rm3` as names, each once."""
    known = (*FORMULAS, *FEEDBACK)
    found = tuple(_known(name.strip(), known) for name in _OUTER_COMMA.split(text))
    if len(set(map(short_name, found))) < len(found):
        raise UsageError(f"expected each formula once, got {text}")
    return found


def _numbers(text: str) -> tuple[float, ...]:
    """`0.6,0.9` as numbers, each once."""
    return tuple(dict.fromkeys(map(number, text.split(","))))
