"""Compare the exact engine with real indexes, every hit at depth 1000 of every variant.

    python scripts/compare_engines.py --store DIR --indexes DIR --topics FILE [FILE...]
                                      [--sweep words=1:100 ...] [--random N] [--seed N]
                                      [--threads N]

With --random come that many variants of the whole grammar (`scripts/random_cleaners.py`): rules
nested in rules, extractors' blocks among them, and half of them with blocks that count several
times. The indexes that are not in the folder yet are built there. Hits are the same where docid
and score are, at the same rank; a hit that one engine lacks, and a count of documents or tokens
that is not the same, is a difference too. Prints one line per model, and exits with 1 for any
difference.
"""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from random_cleaners import random_variants
from tabulate import tabulate

from boilersweep.cleaners.variants import PAPER_SWEEPS, Variant, collect_variants, parse_sweep
from boilersweep.errors import BoilersweepError
from boilersweep.eval.engines import (
    Engine,
    ExactEngine,
    IndexEngine,
    SearchOptions,
    VariantRun,
)
from boilersweep.eval.ranking_models import BM25, Classic, QueryLikelihood, RankingModel
from boilersweep.indexer.jvm import start_jvm
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import read_topics
from boilersweep.work.progress import steps

MODELS: tuple[RankingModel, ...] = (BM25(), QueryLikelihood(), Classic())
SHOWN = 5
"""Differences of a model that are shown."""

HEADS = (
    *("model", "variants", "topics", "hits compared", "differences"),
    *("indexes, s", "exact, s"),
)


@dataclass(slots=True)
class Timed:
    """An engine, and the seconds it took to make it and to get its runs."""

    engine: Engine
    seconds: float

    def run(self, threshold: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        started = time.perf_counter()
        found = self.engine.run(threshold, topics)
        self.seconds += time.perf_counter() - started
        return found


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Compare the exact engine with real indexes, hit by hit."
    )
    parser.add_argument("--store", type=Path, required=True, metavar="DIR", help="a block store")
    parser.add_argument(
        "--indexes", type=Path, required=True, metavar="DIR", help="its parallel indexes"
    )
    parser.add_argument("--topics", type=Path, required=True, nargs="+", metavar="FILE")
    parser.add_argument(
        "--sweep", action="append", metavar="RULE", help="(default: the paper's 120)"
    )
    parser.add_argument(
        "--random", type=int, metavar="N", help="compare so many variants drawn at random"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of these (default: 1)")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="(default: 2)")
    return parser


def main() -> int:
    arguments = make_parser().parse_args()
    try:
        store = open_store(arguments.store)
        given = tuple(map(parse_sweep, arguments.sweep or ()))
        drawn = random_variants(arguments.random or 0, arguments.seed, store.page_texts)
        sweeps = given or (() if drawn else PAPER_SWEEPS)
        thresholds = collect_variants(sweeps, [variant.cleaner for variant in drawn])
        queries = {
            f"{file.name}:{topic.id}": topic.title
            for file in arguments.topics
            for topic in read_topics(file)
        }
        return compare_models(store, thresholds, queries, arguments.indexes, arguments.threads)
    except BoilersweepError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_status


def compare_models(
    store: BlockStore,
    thresholds: Sequence[Variant],
    queries: Mapping[str, str],
    indexes: Path,
    threads: int,
) -> int:
    """Print the table; 0 if no hit is different, else 1."""
    start_jvm()
    there = sum((indexes / threshold.name).is_dir() for threshold in thresholds)
    started = time.perf_counter()
    IndexEngine(store, thresholds, queries, indexes, SearchOptions(threads=threads))
    seconds = time.perf_counter() - started
    say(
        f"{store.documents:,} documents; {len(thresholds)} indexes, {there} of them there before, "
        f"ready in {seconds:.1f} s"
    )
    lines = []
    different = 0
    for model in MODELS:
        options = SearchOptions(model=model, threads=threads)
        started = time.perf_counter()
        real = Timed(IndexEngine(store, thresholds, queries, indexes, options), 0.0)
        real.seconds = time.perf_counter() - started
        started = time.perf_counter()
        exact = Timed(ExactEngine(store, thresholds, queries, options), 0.0)
        exact.seconds = time.perf_counter() - started
        hits, differences = 0, 0
        with steps(str(model), len(thresholds), "variants") as bar:
            for threshold in thresholds:
                expected = real.run(threshold)
                found = differing(expected, exact.run(threshold))
                for line in found[: max(SHOWN - differences, 0)]:
                    say(f"{model}, {threshold.name}, {line}")
                hits += sum(map(len, expected.run.values()))
                differences += len(found)
                bar.update()
        different += differences
        lines.append(
            [
                *(str(model), len(thresholds), len(queries), f"{hits:,}", f"{differences:,}"),
                *(f"{real.seconds:.1f}", f"{exact.seconds:.1f}"),
            ]
        )
    align = ("left", *("right",) * (len(HEADS) - 1))
    say(tabulate(lines, HEADS, tablefmt="simple", colalign=align, disable_numparse=True))
    say("indexes: searching only; exact: the pass over the store and the scoring.")
    return 1 if different else 0


def differing(real: VariantRun, exact: VariantRun) -> list[str]:
    """What the two engines do not agree on, one line per hit or count."""
    lines = [
        f"{name}: {getattr(real, name):,} in the index, {getattr(exact, name):,} exact"
        for name in ("documents", "empty", "tokens")
        if getattr(real, name) != getattr(exact, name)
    ]
    for topic in real.run.keys() | exact.run.keys():
        pairs = zip_longest(real.run.get(topic, ()), exact.run.get(topic, ()))
        lines += [
            f"topic {topic}, rank {rank}: {theirs} in the index, {ours} exact"
            for rank, (theirs, ours) in enumerate(pairs, start=1)
            if theirs != ours
        ]
    return lines


if __name__ == "__main__":
    sys.exit(main())
