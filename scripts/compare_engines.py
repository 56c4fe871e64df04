"""Compare the exact engine with real indexes, every hit at depth 1000 of every variant.

    python scripts/compare_engines.py --store DIR --indexes DIR --topics FILE [FILE...]
                                      [--sweep words=1:100 ...] [--random N] [--seed N]
                                      [--identifiers] [--no-title] [--threads N]

--random adds that many variants of the whole grammar: nested rules, extractors' blocks among them;
half of them count blocks several times. Missing indexes are built in the folder. Two hits are equal
if their docids, scores and ranks are; a missing hit, or another count of documents or tokens, is a
difference, too. Prints one line per model; the exit status is 1 for any difference.
"""

import argparse
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from tabulate import tabulate

from boilersweep.cleaners.syntax.grammar import parse_cleaner
from boilersweep.cleaners.syntax.variants import (
    PAPER_SWEEPS,
    Variant,
    collect_variants,
    parse_sweep,
)
from boilersweep.errors import BoilersweepError
from boilersweep.eval.experiment.engines import parallel_engine
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import (
    BM25,
    Classic,
    QueryLikelihood,
    RankingModel,
)
from boilersweep.eval.ranking.search import SearchOptions, VariantRun
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import start_jvm
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import read_topics
from boilersweep.work.progress import steps

MODELS: tuple[RankingModel, ...] = (BM25(), QueryLikelihood(), Classic())
# Differences of a model that are shown.
SHOWN = 5

HEADS = (
    "model",
    "variants",
    "topics",
    "hits compared",
    "differences",
)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Compare the exact engine with real indexes, hit by hit."
    )
    parser.add_argument(
        "--store", type=Path, required=True, metavar="DIR", help="a block store"
    )
    parser.add_argument(
        "--indexes",
        type=Path,
        required=True,
        metavar="DIR",
        help="its parallel indexes",
    )
    parser.add_argument("--topics", type=Path, required=True, nargs="+", metavar="FILE")
    parser.add_argument(
        "--sweep", action="append", metavar="RULE", help="(default: the paper's 120)"
    )
    parser.add_argument(
        "--random",
        type=int,
        metavar="N",
        help="compare so many variants drawn at random",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of these (default: 1)"
    )
    parser.add_argument(
        "--identifiers", action="store_true", help="index their parts, too"
    )
    parser.add_argument(
        "--no-title", action="store_false", dest="title", help="leave titles out"
    )
    parser.add_argument(
        "--threads", type=int, default=2, metavar="N", help="(default: 2)"
    )
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
        search = SearchOptions(
            threads=arguments.threads,
            analyzer=AnalyzerOptions(
                identifiers=arguments.identifiers, title=arguments.title
            ),
        )
        return compare_models(store, thresholds, queries, arguments.indexes, search)
    except BoilersweepError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_status


def compare_models(
    store: BlockStore,
    thresholds: Sequence[Variant],
    queries: Mapping[str, str],
    indexes: Path,
    search: SearchOptions,
) -> int:
    """Print the table; 0 if no hit is different, else 1."""
    start_jvm()
    ready = sum((indexes / threshold.name).is_dir() for threshold in thresholds)
    say(f"{store.documents:,} documents; {ready} of {len(thresholds)} indexes exist")
    lines = []
    different = 0
    for model in MODELS:
        options = replace(search, model=model)
        real = parallel_engine(store, thresholds, queries, indexes, options)
        exact = ExactEngine(store, thresholds, queries, options)
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
                str(model),
                len(thresholds),
                len(queries),
                f"{hits:,}",
                f"{differences:,}",
            ]
        )
    align = ("left", *("right",) * (len(HEADS) - 1))
    say(
        tabulate(lines, HEADS, tablefmt="simple", colalign=align, disable_numparse=True)
    )
    return 1 if different else 0


def differing(real: VariantRun, exact: VariantRun) -> list[str]:
    """Return what the two engines do not agree on, one line per hit or count."""
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


_MOST_NESTED = 3

Draw = Callable[[random.Random], str]


def _compared(dice: random.Random) -> str:
    feature, numbers = dice.choice(
        [
            ("words", range(1, 41)),
            ("link_words", range(12)),
            ("density", [number / 2 for number in range(2, 30)]),
            ("link_density", [number / 20 for number in range(21)]),
        ]
    )
    return f"{feature}{dice.choice(['>=', '<=', '<', '>', '==', '!='])}{dice.choice(numbers):g}"


def _named(dice: random.Random) -> str:
    return dice.choice(
        [
            "learned",
            "bte",
            "mss",
            "dsc",
            "density-rules",
            "numwords-rules",
            "cleaneval-rule",
            "(code | table | list)",
            "!(heading | comment | hidden)",
            f"link-quota({dice.choice([0.2, 0.5, 0.8])})",
        ]
    )


def _probable(dice: random.Random) -> str:
    return f"learned{dice.choice(['>=', '<'])}{dice.choice(range(5, 100, 5)) / 100:g}"


# What a rule is made of, as often as it is to be drawn.
ATOMS: tuple[Draw, ...] = (_compared, _compared, _named, _probable)


def random_variants(count: int, seed: int, texts: Sequence[str]) -> list[Variant]:
    """So many different variants; half of them count blocks several times.

    Args:
        count: of the variants.
        seed: of the random numbers.
        texts: those that stand beside the blocks, of which rules may ask for blocks.
    """
    dice = random.Random(seed)
    atoms = (*ATOMS, *((lambda dice: dice.choice(texts),) if texts else ()))
    found: dict[str, Variant] = {}
    while len(found) < count:
        text = _rule(dice, atoms, _MOST_NESTED)
        if dice.random() < 0.5:
            text = f"weighted({text}, {dice.choice([1, 2, 3, 5, 8, 20, 100])})"
        variant = Variant(parse_cleaner(text))
        found.setdefault(variant.name, variant)
    return list(found.values())


def _rule(dice: random.Random, atoms: Sequence[Draw], nested: int) -> str:
    kind = dice.choice("atom atom and or not filter".split()) if nested else "atom"
    if kind == "atom":
        return dice.choice(atoms)(dice)
    inner = _rule(dice, atoms, nested - 1)
    if kind == "not":
        return f"!({inner})"
    if kind == "filter":
        depth = dice.randint(1, 5)
        filters = (f"ancestor({inner}, {depth})", f"largest-content({inner})")
        return dice.choice([*filters, f"headed({inner})"])
    other = _rule(dice, atoms, nested - 1)
    return f"({inner}) {'&' if kind == 'and' else '|'} ({other})"


if __name__ == "__main__":
    sys.exit(main())
