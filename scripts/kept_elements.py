"""How much of each kind of element cleaners keep, and what kinds of boilerplate they leave.

    python scripts/kept_elements.py --dataset NAME=DIR [--dataset ...] [--cleaners LIST] [--most N]
        [--floors FILE [--update]]

The datasets are those of `boilersweep judge` that have gold texts. Prints two tables over all of
their pages. The first has the share of the gold text's words that a cleaner keeps, by the kind of
element that they are in; the heading that has the page's title counts as gold, also where a
dataset keeps titles apart from its gold texts. The second has the words, by kind, that a cleaner
keeps and the gold text does not have. Blocks are those that join at inline elements; a block is in
the gold text, or in an extractor's text, by an alignment of their words.

With --floors, the figures of the first cleaner are compared with those in the file, and the script
fails if it keeps less of a kind, or leaves more. --update writes the figures and names those that
are worse than before.
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.features import FEATURE_SETS
from boilersweep.cleaners.parsing import parse_cleaners
from boilersweep.cleaners.selection import PageText
from boilersweep.eval.judge.datasets import Dataset, read_dataset
from boilersweep.eval.training.labelled import Labelled, read_labelled
from boilersweep.extractors.registry import Extractor, find_extractor
from boilersweep.pages.alignment import align

FEATURES = FEATURE_SETS["paragraphs"]
ELEMENTS = {
    "comments": ("all:comment",),
    "h1": ("h1^0", "h1^1"),
    "h2 to h6": ("in:heading",),
    "code": ("in:pre",),
    "quotations": ("in:quotation",),
    "tables": ("in:table",),
    "lists": ("in:li",),
    "captions": ("in:figure",),
}
"""The features that say that a paragraph is in a kind of element; the first kind counts."""
BOILERPLATE = {
    "comments": ("all:comment",),
    "related links": ("all:related",),
    "navigation": ("in:nav", "all:navigation", "all:menu"),
    "sharing and promotion": ("all:share", "all:promotion"),
    "footers and sides": ("in:footer", "in:aside", "all:footer", "all:side"),
}
CONTENT = 0.5
"""The share of its words from which on a paragraph is in a text."""

Kinds = dict[str, tuple[str, ...]]
Masks = dict[str, NDArray[np.bool_]]


def kinds_of(labelled: Labelled, kinds: Kinds, rest: str) -> Masks:
    """Kind -> (r,) the rows that are of it and of none before."""
    names = FEATURES.names()
    left = np.ones(len(labelled.texts), dtype=bool)
    found: Masks = {}
    for kind, features in kinds.items():
        columns = [names.index(feature) for feature in features]
        found[kind] = left & (labelled.rows.values[:, columns] > 0).any(axis=1)
        left &= ~found[kind]
    return found | {rest: left}


def kept_by(
    cleaner: Learned | Extractor, dataset: Dataset, labelled: Labelled
) -> NDArray[np.bool_]:
    """(r,) the rows that a cleaner keeps."""
    if isinstance(cleaner, Learned):
        return cleaner.kept(labelled.rows)
    shares = []
    for page, (first, end) in zip(
        dataset.pages, pairwise(labelled.rows.starts.tolist()), strict=True
    ):
        text = cleaner.text(page.utf8.decode("utf-8", "replace"))
        shares.append(align(labelled.texts[first:end], text).shares)
    found: NDArray[np.bool_] = np.concatenate(shares) >= CONTENT
    return found


def counted(
    cleaners: dict[str, Learned | Extractor], datasets: list[Dataset]
) -> tuple[Counter[str], dict[str, Counter[str]], dict[str, Counter[str]]]:
    """Words of the gold texts by kind; by cleaner and kind, those kept and those wrongly kept."""
    gold: Counter[str] = Counter()
    kept: dict[str, Counter[str]] = {name: Counter() for name in cleaners}
    wrong: dict[str, Counter[str]] = {name: Counter() for name in cleaners}
    for dataset in datasets:
        labelled = read_labelled(dataset, FEATURES)
        content = (labelled.known & (labelled.labels >= CONTENT)) | labelled.headline
        words = labelled.rows.words.astype(np.int64)
        elements = kinds_of(labelled, ELEMENTS, "paragraphs")
        boilerplate = kinds_of(labelled, BOILERPLATE, "other")
        for kind, rows in elements.items():
            gold[kind] += int(words[rows & content].sum())
        for name, cleaner in cleaners.items():
            keeps = kept_by(cleaner, dataset, labelled)
            for kind, rows in elements.items():
                kept[name][kind] += int(words[rows & content & keeps].sum())
            for kind, rows in boilerplate.items():
                out = rows & labelled.known & ~content & keeps
                wrong[name][kind] += int(words[out].sum())
    return gold, kept, wrong


def figures(
    gold: Counter[str], kept: Counter[str], wrong: Counter[str]
) -> dict[str, dict[str, float]]:
    """What a cleaner is pinned at: the share kept of each kind, and the words wrongly kept."""
    return {
        "kept": {kind: round(kept[kind] / words, 3) for kind, words in gold.items() if words},
        "wrongly kept": {kind: wrong[kind] for kind in [*BOILERPLATE, "other"]},
    }


def worse(found: dict[str, dict[str, float]], pinned: dict[str, dict[str, float]]) -> list[str]:
    """A line for each figure that is worse than pinned."""
    lines = [
        f"{kind}: keeps {found['kept'].get(kind, 0):.3f} of the gold words, pinned {least:.3f}"
        for kind, least in pinned["kept"].items()
        if found["kept"].get(kind, 0) < least
    ]
    return lines + [
        f"{kind}: keeps {found['wrongly kept'].get(kind, 0):,} words wrongly, pinned {most:,}"
        for kind, most in pinned["wrongly kept"].items()
        if found["wrongly kept"].get(kind, 0) > most
    ]


def check_floors(
    path: Path, name: str, found: dict[str, dict[str, float]], *, update: bool
) -> list[str]:
    """Compare figures with those pinned under a name; the lines of `worse`. update: pin them."""
    pinned = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    lines = worse(found, pinned[name]) if name in pinned else []
    if update:
        text = json.dumps(pinned | {name: found}, indent=1, sort_keys=True)
        path.write_text(f"{text}\n", encoding="utf-8")
    elif name not in pinned:
        lines = [f"{path} has no figures of {name}: pin them with --update"]
    return lines


def read_some(named: str, most: int | None) -> Dataset:
    """At most so many pages of NAME=DIR, evenly chosen."""
    name, _, folder = named.partition("=")
    dataset = read_dataset(name, Path(folder))
    step = -(-len(dataset.pages) // most) if most else 1
    return replace(dataset, pages=dataset.pages[::step])


def parsed(text: str) -> dict[str, Learned | Extractor]:
    """Cleaners by their text; raises SystemExit for any but `learned` and extractors."""
    found: dict[str, Learned | Extractor] = {}
    for cleaner in parse_cleaners(text):
        if isinstance(cleaner, PageText):
            found[str(cleaner)] = find_extractor(cleaner.name)
        elif isinstance(cleaner, Learned):
            found[str(cleaner)] = cleaner
        else:
            raise SystemExit(f"expected learned or an extractor, got {cleaner}")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", action="append", required=True, metavar="NAME=DIR")
    parser.add_argument(
        "--cleaners",
        default="learned,trafilatura,resiliparse",
        metavar="LIST",
        help="learned with its arguments, and extractors (default: %(default)s)",
    )
    parser.add_argument("--most", type=int, metavar="N", help="pages of a dataset, evenly chosen")
    parser.add_argument("--floors", type=Path, metavar="FILE", help="pinned figures")
    parser.add_argument(
        "--pinned-as", metavar="NAME", help="in FILE (default: the datasets' names)"
    )
    parser.add_argument("--update", action="store_true", help="write the figures into FILE")
    args = parser.parse_args(arguments)
    if args.update and not args.floors:
        parser.error("--update requires --floors")
    cleaners = parsed(args.cleaners)
    datasets = [read_some(named, args.most) for named in args.dataset]
    gold, kept, wrong = counted(cleaners, datasets)
    rows = [
        [kind, words, *(kept[name][kind] / words for name in cleaners)]
        for kind, words in gold.items()
        if words
    ]
    print(tabulate(rows, ["kept of", "gold words", *cleaners], floatfmt=("", ",", *[".3f"] * 9)))
    rows = [[kind, *(wrong[name][kind] for name in cleaners)] for kind in [*BOILERPLATE, "other"]]
    print(tabulate(rows, ["wrongly kept words", *cleaners], intfmt=","))
    if not args.floors:
        return 0
    first = next(iter(cleaners))
    name = args.pinned_as or ",".join(dataset.name for dataset in datasets)
    lines = check_floors(
        args.floors, name, figures(gold, kept[first], wrong[first]), update=args.update
    )
    for line in lines:
        print(f"worse than pinned: {line}")
    return int(bool(lines) and not args.update)


if __name__ == "__main__":
    sys.exit(main())
