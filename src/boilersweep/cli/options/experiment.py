"""What an experiment needs besides its collection and ranking: engine, measures, documents."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from boilersweep.cleaners.variants import Variant
from boilersweep.cli.options import index, output, ranking, topics, work
from boilersweep.cli.options.collection import add_dataset, own_store, resolve_dataset
from boilersweep.cli.parser import Parser, declare, positive
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.eval.engines import SearchOptions
    from boilersweep.store.store import BlockStore
    from boilersweep.topics import Qrels
    from boilersweep.work.cluster import ClusterPool

_MUCH = 2 * 10**9


class Verify(NamedTuple):
    """--verify, as `run_sweep` and `run_study` take it."""

    verified_variants: int | None = None
    verify_full: bool = False


def _verify(text: str) -> Verify:
    """`full`, a number, or both; raises UsageError."""
    parts = text.split(",")
    numbers = [part for part in parts if part != "full"]
    try:
        (number,) = map(positive, numbers) if numbers else (None,)
    except (UsageError, ValueError):
        number = -1
    if number == -1 or len(parts) > len(numbers) + 1:
        raise UsageError(
            f"expected a whole number of at least 1, `full`, or both as in `3,full`, got {text!r}"
        )
    return Verify(number, len(parts) > len(numbers))


def add(parser: Parser, *, dataset: bool = False) -> None:
    """Topics, qrels, output, engine, ranking and analyzer. dataset: --dataset may name inputs."""
    if dataset:
        add_dataset(parser, "documents, topics and qrels that no other option names")
        parser.check(resolve_dataset)
    topics.add_topics(parser, required=not dataset)
    topics.add_qrels(parser, required=not dataset)
    output.add(parser, "the folder for all results")
    add_engine(parser)
    ranking.add(parser, feedback=dataset, vectors=dataset)
    index.add_analyzer(parser)
    work.add(parser)


def add_engine(parser: Parser, default: str = "indexes") -> None:
    """--engine and --verify."""
    declare(
        parser,
        """
        --engine {indexes,exact}
            build a Lucene index for every variant, or compute the same runs in one pass over the
            block store
        --verify WHAT
            with --engine exact: N compares every hit of N thresholds with Lucene's (default: the
            baseline and the best threshold); `full` has Lucene analyse all texts for that, and not
            those of a sample of documents; `N,full` does both
        """,
        types={"verify": _verify},
        defaults={"engine": default, "verify": Verify()},
    )
    parser.check(check_engine)


def check_engine(args: argparse.Namespace) -> None:
    """Raises UsageError for options that the engine does not have."""
    names = ranking.names(args)
    if args.engine == "exact":
        if all(name in ranking.FEEDBACK for name in names):
            given = names[0] if getattr(args, names[0], False) else f"formula {names[0]}"
            raise UsageError(
                f"--{given} requires --engine indexes: feedback reads document vectors, which the "
                "exact engine lacks"
            )
        return
    if any(args.verify):
        raise UsageError("--verify requires --engine exact: real indexes need no verification")
    if found := [name for name in names if ranking.short_name(name) in ranking.VECTORS]:
        raise UsageError(f"--formula {found[0]} requires --engine exact: Lucene has no vectors")
    if "lucene-2.9" in names:
        raise UsageError("--formula lucene-2.9 requires --engine exact: current Lucene lacks it")


def add_measures(parser: Parser, what: str) -> None:
    """--measures."""
    declare(parser, f"--measures MEASURE  {what}", nargs="+")
    parser.check(check_measures)


def check_measures(args: argparse.Namespace) -> None:
    """Raises UsageError for names that ir-measures does not know."""
    if args.measures:
        from boilersweep.eval.scoring import parse_measures

        parse_measures(args.measures)


def search_options(args: argparse.Namespace) -> "SearchOptions":
    """How the arguments want topics to be run."""
    from boilersweep.eval.engines import SearchOptions

    return SearchOptions(
        model=ranking.model(args),
        fields=tuple(args.fields),
        threads=work.threads(args),
        analyzer=index.analyzer(args),
        **({"hits": args.hits} if args.hits else {}),
    )


def start_java(args: argparse.Namespace) -> None:
    """Start the JVM and create the requested analyzer, before the long work."""
    from boilersweep.eval.exact.engine import exact_analyzer
    from boilersweep.indexer.analyzer import make_analyzer
    from boilersweep.indexer.jvm import start_jvm

    start_jvm(args.heap)
    (exact_analyzer if args.engine == "exact" else make_analyzer)(index.analyzer(args))


def note_size(store: "BlockStore", variants: Sequence[Variant]) -> None:
    """Print how much disk real indexes need if it is much, and name the other engine."""
    from boilersweep.cli.messages import note
    from boilersweep.indexer.parallel import estimate_bytes

    size = estimate_bytes(store, variants)
    if size >= _MUCH:
        note(
            f"{len(variants)} indexes will take about {size / 1e9:,.0f} GB; "
            "--engine exact gives the same runs and scores without them"
        )


def of_languages(
    args: argparse.Namespace, store: "BlockStore", qrels: "Qrels", evaluated: Sequence[str]
) -> "BlockStore":
    """The documents in the requested languages. evaluated: topics with judgements."""
    from boilersweep.cli.messages import by_language, note
    from boilersweep.eval.languages import judgements_left_out
    from boilersweep.store.language_selection import of_languages

    found, others = of_languages(store, args.languages)
    if others:
        note(
            f"{found.documents:,} documents in {', '.join(args.languages)}; left out in other "
            f"languages: {by_language(others)}"
        )
    for line in judgements_left_out(found, {topic: qrels.grades[topic] for topic in evaluated}):
        note(line)
    return found


def store_of(
    args: argparse.Namespace,
    collection: str | None,
    cluster: "ClusterPool | None" = None,
    *,
    nested: Sequence[str] = (),
) -> "BlockStore":
    """Segment the collection into the experiment's folder. nested: experiments within it."""
    from boilersweep.eval.experiment import EXPERIMENT, STORE, make_way
    from boilersweep.outputs.folder import OutputFolder

    finished = OutputFolder(args.output, EXPERIMENT).read(overwrite=args.overwrite)
    return own_store(args, collection, cluster, STORE, finished, make_way, nested=nested)
