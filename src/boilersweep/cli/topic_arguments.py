"""Arguments of what runs topics: which ones, how they are ranked, and by which engine.

Names are those of pyserini, of Anserini's SearchCollection and of ir-measures.
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from boilersweep.cli.arguments import (
    add_analyzer,
    add_dataset,
    add_extractors,
    add_java,
    add_limits,
    add_output,
    add_progress,
    add_threads,
    checked,
    positive,
)
from boilersweep.errors import UsageError

FIELDS = ("title", "desc", "narr")
FORMULAS = ("bm25", "qld", "classic", "lucene-2.9")
FEEDBACK = ("rm3", "rocchio")
"""Choices whose own modules are too slow to import for a help text; a test compares the two."""


def add_topics(
    parser: argparse.ArgumentParser, *, required: bool = True, boosts: bool = False
) -> None:
    """--topics and --fields. boosts: --fields takes fields of the index with boosts, too."""
    group = parser.add_argument_group("topics")
    group.add_argument(
        "--topics",
        type=Path,
        required=required,
        metavar="FILE",
        help="TREC, TSV, CSV or JSONL; or irds:ID of ir_datasets; or a name that pyserini has, "
        "such as trec2004-terabyte",
    )
    if boosts:
        group.add_argument(
            "--fields",
            nargs="+",
            type=_topic_field_or_boost,
            default=["title"],
            metavar="FIELD[=BOOST]",
            help="what of a topic makes the query: title, desc, narr (default: title); and with "
            "boosts the fields of the index to search, such as contents=1.0 title=0.5 (default: "
            "contents alone)",
        )
    else:
        group.add_argument(
            "--fields",
            nargs="+",
            choices=FIELDS,
            default=["title"],
            help="what of a topic makes the query (default: title)",
        )


def _topic_field_or_boost(text: str) -> str | tuple[str, float]:
    """`desc` as it is, `title=0.5` as name and boost."""
    name, equals, boost = text.partition("=")
    if not equals and name in FIELDS:
        return name
    try:
        value = float(boost)
    except ValueError:
        value = -1
    if not (equals and name and 0 < value < math.inf):
        raise argparse.ArgumentTypeError(
            f"expected {', '.join(FIELDS)} of the topics, or a field of the index with a boost "
            f"above 0, such as title=0.5, got {text!r}"
        )
    return name, value


def add_qrels(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """--qrels."""
    parser.add_argument(
        "--qrels",
        type=Path,
        required=required,
        metavar="FILE",
        help="TREC's, BEIR's or CSV; or irds:ID, or a name that pyserini has",
    )


def add_ranking(
    parser: argparse.ArgumentParser,
    *,
    hits: int | None = 1000,
    said: str = "",
    several: bool = False,
) -> None:
    """pyserini's options of its searcher. said: of the default of --hits, where that is None.

    several: formulas, and values of their parameters, may be lists.
    """
    group = parser.add_argument_group("ranking")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--bm25", action="store_true", help="BM25 (the default)")
    which.add_argument("--qld", action="store_true", help="query likelihood, Dirichlet smoothing")
    by_name = (
        "the same by name, or Lucene's TF-IDF of today (classic) or of 2010 (lucene-2.9, with "
        "--engine exact)"
    )
    if several:
        which.add_argument(
            "--formula",
            type=checked(_formulas),
            metavar="LIST",
            help=f"{by_name}; or rm3 and rocchio over BM25; of several, such as bm25,qld,rm3, "
            "every cleaner is run under each, and the first is chosen by",
        )
    else:
        which.add_argument("--formula", type=checked(_one_formula), choices=FORMULAS, help=by_name)
    for name, default, of in (("k1", 0.9, "BM25"), ("b", 0.4, "BM25"), ("mu", 1000, "qld")):
        tuned = f"; several, such as --{name} {_TUNED[name]}, are tuned for every cleaner by itself"
        group.add_argument(
            f"--{name}",
            type=checked(_numbers if several else _number),
            default=(default,) if several else default,
            metavar="LIST" if several else "N",
            help=f"of {of} (default: {default:g}{tuned * several})",
        )
    group.add_argument(
        "--hits",
        type=positive,
        default=hits,
        metavar="N",
        help=f"documents per topic (default: {hits or said})",
    )


_TUNED = {"k1": "0.6,0.9,1.2", "b": "0.2,0.4,0.75", "mu": "500,1000,2000"}


def _one_formula(text: str) -> str:
    if "," in text:
        raise UsageError(f"expected one formula, got {text}; `boilersweep compare` takes several")
    return text


def _formulas(text: str) -> tuple[str, ...]:
    """`bm25,rm3` as names, each once."""
    known = (*FORMULAS, *FEEDBACK)
    names = tuple(name.strip() for name in text.split(","))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"expected some of {', '.join(known)}, with commas between them, got {unknown[0]!r}"
        )
    if len(set(names)) < len(names):
        raise UsageError(f"expected each formula once, got {text}")
    return names


def _number(text: str) -> float:
    """A parameter; ranking models say which numbers they take."""
    if "," in text:
        raise UsageError(f"expected one number, got {text}; `boilersweep compare` takes several")
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"expected a number, got {text!r}") from None


def _numbers(text: str) -> tuple[float, ...]:
    """`0.6,0.9` as numbers, each once."""
    return tuple(dict.fromkeys(map(_number, text.split(","))))


def add_runs(parser: argparse.ArgumentParser) -> None:
    """--runs, once or more."""
    parser.add_argument(
        "--runs",
        action="append",
        default=[],
        type=checked(_named_run),
        metavar="NAME=RUN.trec",
        help="a run made elsewhere, by a dense retriever or another engine, to compare, too; may "
        "be given again",
    )


def _named_run(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (equals and name and path):
        raise UsageError(f"expected NAME=RUN.trec, such as dense=dense.trec, got {text!r}")
    return name, Path(path)


def add_feedback(parser: argparse.ArgumentParser) -> None:
    """RM3 and Rocchio, with the options that Anserini's SearchCollection has."""
    group = parser.add_argument_group(
        "feedback", "Queries are expanded by the first hits; over BM25 or query likelihood."
    )
    which = group.add_mutually_exclusive_group()
    which.add_argument("--rm3", action="store_true", help="RM3")
    which.add_argument("--rocchio", action="store_true", help="Rocchio's method")

    def number(name: str, kind: Callable[[str], float], default: float, what: str) -> None:
        help_text = f"{what} (default: {default:g})"
        group.add_argument(
            f"--{name}", dest=name, type=kind, default=default, metavar="N", help=help_text
        )

    number("rm3.fbTerms", positive, 10, "terms to expand by")
    number("rm3.fbDocs", positive, 10, "hits to take them from")
    number("rm3.originalQueryWeight", float, 0.5, "of the query, from 0 to 1")
    group.add_argument(
        "--rm3.noTermFilter",
        dest="rm3.noTermFilter",
        action="store_true",
        help="by terms of other than English letters and digits, too",
    )
    number("rocchio.topFbTerms", positive, 10, "terms to expand by")
    number("rocchio.topFbDocs", positive, 10, "hits to take them from")
    number("rocchio.bottomFbTerms", positive, 10, "terms of the last hits")
    number("rocchio.bottomFbDocs", positive, 10, "last hits to take them from")
    number("rocchio.alpha", float, 1, "weight of the query")
    number("rocchio.beta", float, 0.75, "weight of the first hits")
    number("rocchio.gamma", float, 0.15, "weight of the last hits")
    group.add_argument(
        "--rocchio.useNegative",
        dest="rocchio.useNegative",
        action="store_true",
        help="take the last hits to be irrelevant, which bottom and gamma are for",
    )


def add_engine(parser: argparse.ArgumentParser, default: str = "indexes") -> None:
    """--engine and --verify."""
    parser.add_argument(
        "--engine",
        choices=("indexes", "exact"),
        default=default,
        help="build a Lucene index for every variant, or compute the same runs from one pass "
        f"over the block store (default: {default})",
    )
    parser.add_argument(
        "--verify",
        type=positive,
        metavar="N",
        help="with --engine exact: build N thresholds as real indexes and compare every hit "
        "(default: the baseline and the best threshold)",
    )


def add_experiment(parser: argparse.ArgumentParser, *, dataset: bool = False) -> None:
    """What a whole experiment wants beside its collection. dataset: that may name all inputs."""
    add_limits(parser)
    add_extractors(parser)
    if dataset:
        add_dataset(parser, "the documents, topics and qrels that are not named otherwise")
    add_topics(parser, required=not dataset)
    add_qrels(parser, required=not dataset)
    add_output(parser, "where everything goes")
    add_engine(parser)
    add_ranking(parser)
    add_analyzer(parser)
    add_threads(parser)
    add_java(parser)
    add_progress(parser)
