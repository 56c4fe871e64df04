"""How much of each kind of element cleaners keep, and what kinds of boilerplate they leave.

    python scripts/kept_elements.py --dataset NAME=DIR [--dataset ...] [--cleaners LIST] [--most N]

The datasets are those of `boilersweep judge` that have gold texts. Prints two tables over all of
their pages. The first has the share of the gold text's words that a cleaner keeps, by the kind of
element that they are in; a heading of level 1 counts as gold if the gold text or the dataset's
title has it. The second has the words, by kind, that a cleaner keeps and the gold text does not
have. Blocks are those that join at inline elements; a block is in the gold text, or in an
extractor's text, by an alignment of their words.
"""

import argparse
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from boilersweep.cleaners.learned.cleaner import Learned, kept_rows
from boilersweep.cleaners.learned.features import FEATURE_SETS
from boilersweep.cleaners.learned.model import Model
from boilersweep.eval.judge.datasets import Dataset, read_dataset
from boilersweep.eval.training.labelled import Labelled, read_labelled
from boilersweep.extractors.registry import Extractor, find_extractor
from boilersweep.pages.alignment import align

FEATURES = FEATURE_SETS["paragraphs"]
ELEMENTS = {
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


def kept_by(cleaner: Model | Extractor, dataset: Dataset, labelled: Labelled) -> NDArray[np.bool_]:
    """(r,) the rows that a cleaner keeps."""
    if isinstance(cleaner, Model):
        return kept_rows(cleaner, labelled.rows)
    shares = []
    for page, (first, end) in zip(
        dataset.pages, pairwise(labelled.rows.starts.tolist()), strict=True
    ):
        text = cleaner.text(page.utf8.decode("utf-8", "replace"))
        shares.append(align(labelled.texts[first:end], text).shares)
    found: NDArray[np.bool_] = np.concatenate(shares) >= CONTENT
    return found


def counted(
    cleaners: dict[str, Model | Extractor], datasets: list[Dataset]
) -> tuple[Counter[str], dict[str, Counter[str]], dict[str, Counter[str]]]:
    """Words of the gold texts by kind; by cleaner and kind, those kept and those wrongly kept."""
    gold: Counter[str] = Counter()
    kept: dict[str, Counter[str]] = {name: Counter() for name in cleaners}
    wrong: dict[str, Counter[str]] = {name: Counter() for name in cleaners}
    for dataset in datasets:
        labelled = read_labelled(dataset, FEATURES)
        content = labelled.known & (labelled.labels >= CONTENT)
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


def parsed(name: str) -> Model | Extractor:
    """A model file, "learned" for the shipped one, or an extractor."""
    if name == "learned":
        return Learned().model
    return Learned(name).model if name.endswith(".npz") else find_extractor(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", action="append", required=True, metavar="NAME=DIR")
    parser.add_argument(
        "--cleaners",
        default="learned,trafilatura,resiliparse",
        metavar="LIST",
        help="learned, model files and extractors (default: %(default)s)",
    )
    parser.add_argument("--most", type=int, metavar="N", help="pages of a dataset, evenly chosen")
    args = parser.parse_args()
    datasets = []
    for named in args.dataset:
        name, _, folder = named.partition("=")
        dataset = read_dataset(name, Path(folder))
        step = -(-len(dataset.pages) // args.most) if args.most else 1
        datasets.append(replace(dataset, pages=dataset.pages[::step]))
    cleaners = {name: parsed(name) for name in args.cleaners.split(",")}
    gold, kept, wrong = counted(cleaners, datasets)
    rows = [
        [kind, words, *(kept[name][kind] / words for name in cleaners)]
        for kind, words in gold.items()
        if words
    ]
    print(tabulate(rows, ["kept of", "gold words", *cleaners], floatfmt=("", ",", *[".3f"] * 9)))
    rows = [[kind, *(wrong[name][kind] for name in cleaners)] for kind in [*BOILERPLATE, "other"]]
    print(tabulate(rows, ["wrongly kept words", *cleaners], intfmt=","))


if __name__ == "__main__":
    main()
