"""Where the gold text of a dataset stands: in the pages' blocks, or somewhere beside them.

    python scripts/text_outside_blocks.py --dataset wcxb --input WCXB

Prints two tables by page type. The first says where the words of the gold text stand: each in the
first place of `PLACES` that has it within the same three words in a row, so that words of everyday
language are not found by chance. The second is an upper bound: the mean word F1 of what a cleaner
keeps, and of that with every text of a place beside the blocks that makes it better, as a model
would choose that knew the gold text.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import tee
from pathlib import Path
from typing import Any

import numpy as np
from lxml import html
from tabulate import tabulate

import boilersweep
from boilersweep.errors import PageError
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.words import letter_runs
from boilersweep.work.progress import steps

BLOCKS, HIDDEN, SKIPPED = "blocks", "hidden blocks", "template, noscript, ..."
JSON_LD, META, SCRIPTS = "JSON-LD", "meta", "other scripts"
PLACES = (BLOCKS, HIDDEN, SKIPPED, JSON_LD, META, SCRIPTS)
"""Hidden blocks are those of elements that their own attributes hide; a cleaner reads them."""
BESIDE = (SKIPPED, JSON_LD, META, SCRIPTS)
"""The places that no cleaner reads."""
NOWHERE = "nowhere"

_HIDDEN = (
    '//*[@hidden or @aria-hidden="true" or self::dialog or @role="dialog" or '
    'contains(translate(@style, " ", ""), "display:none") or '
    'contains(translate(@style, " ", ""), "visibility:hidden")]'
)
_SKIPPED = "//*[self::template or self::noscript or self::textarea or self::option]"
_META = (
    "//meta[@name='description' or @name='twitter:description' or @name='twitter:title' or "
    "@property='og:description' or @property='og:title']/@content"
)
_JSON_LD = "//script[contains(@type, 'ld+json')]"
_SCRIPTS = "//script[not(contains(@type, 'ld+json'))]"
_STRING = re.compile(r'"((?:[^"\\]|\\.){20,})"', re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_LEAST_WORDS = 3  # of a text beside the blocks

Texts = dict[str, list[str]]
"""Place -> the texts that stand there."""


def texts_of(utf8: bytes) -> Texts:
    """What a page, given as UTF-8, has in each place."""
    segmenter = make_segmenter(structure=False)
    texts: Texts = {HIDDEN: segmenter.html(utf8).texts, BLOCKS: []}
    try:
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
        tree: Any = html.fromstring(utf8, parser=parser)
    except (ValueError, AssertionError):  # nothing is in it
        return texts | {BLOCKS: texts[HIDDEN]} | {place: [] for place in BESIDE}
    texts[JSON_LD] = [text for one in tree.xpath(_JSON_LD) for text in _json_texts(one.text or "")]
    texts[SCRIPTS] = [text for one in tree.xpath(_SCRIPTS) for text in _strings(one.text or "")]
    texts[META] = list(map(str, tree.xpath(_META)))
    texts[SKIPPED] = [one.text_content() for one in tree.xpath(_SKIPPED)]
    for one in tree.xpath(_HIDDEN):
        if one.getparent() is not None:
            one.drop_tree()
    texts[BLOCKS] = segmenter.html(html.tostring(tree, encoding="utf-8")).texts
    return texts


def _json_texts(source: str) -> Iterator[str]:
    try:
        yield from _leaves(json.loads(source, strict=False))
    except (ValueError, RecursionError):
        yield from _strings(source)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield _plain(value)
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _leaves(one)


def _strings(source: str) -> Iterator[str]:
    """The longer strings of a script."""
    for match in _STRING.finditer(source):
        try:
            yield _plain(json.loads(f'"{match[1]}"', strict=False))
        except ValueError:
            yield _plain(match[1])


def _plain(text: str) -> str:
    """A text that may be marked up."""
    return _TAG.sub(" ", unescape(text))


def shares(texts: Texts, gold: Sequence[str]) -> dict[str, int]:
    """How many words of the gold text stand in each place, and NOWHERE."""
    runs = list(_runs(gold))
    place_of = [NOWHERE] * len(gold)
    for place in reversed(PLACES):
        there = {run for text in _joined(texts[place], place) for run in _runs(_words(text))}
        for start, run in enumerate(runs):
            if run in there:
                place_of[start : start + len(run)] = [place] * len(run)
    return dict(Counter(place_of))


def _joined(texts: Sequence[str], place: str) -> Sequence[str]:
    """Blocks follow each other, as the lines of the gold text do; strings of scripts do not."""
    return ["\n".join(texts)] if place in (BLOCKS, HIDDEN) else texts


def _words(text: str) -> list[str]:
    return list(letter_runs(text.lower()))


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All three words in a row; all there are, where they are fewer."""
    yield from (tuple(words[n : n + 3]) for n in range(max(len(words) - 2, min(len(words), 1))))


def bettered(kept: Counter[str], texts: Iterable[str], gold: Counter[str]) -> float:
    """WCXB's word F1 of what is kept, with each of the texts that makes it better, one by one."""
    kept = kept.copy()
    common, total = (kept & gold).total(), kept.total() + gold.total()
    for text in dict.fromkeys(texts):
        words = Counter(_words(text))
        gain = sum(min(count, max(gold[word] - kept[word], 0)) for word, count in words.items())
        size = words.total()
        if size >= _LEAST_WORDS and (common + gain) * total > common * (total + size):
            kept.update(words)
            common, total = common + gain, total + size
    return 2 * common / total if total else 1.0


def measure(dataset: str, folder: Path, cleaner: str) -> tuple[str, str]:
    """The two tables of a dataset."""
    pages = read_dataset(dataset, folder).pages
    placed: dict[str, list[Mapping[str, int]]] = defaultdict(list)
    scores: dict[str, list[list[float]]] = defaultdict(list)
    bodies = (to_utf8(page.html, page.charset).utf8 for page in pages)
    again, given = tee(body.decode("utf-8", "replace") for body in bodies)
    with steps("measure", len(pages), "pages") as bar:
        cleaned = boilersweep.clean_many(given, cleaner=cleaner)
        for page, body, text in zip(pages, again, cleaned, strict=True):
            bar.update()
            if isinstance(text, PageError):
                continue
            gold, kept = _words(page.gold), Counter(_words(text))
            texts = texts_of(body.encode())
            bag = Counter(gold)
            together = [text for place in BESIDE for text in texts[place]]
            added = [[], *(texts[place] for place in BESIDE), together]
            row = [bettered(kept, some, bag) for some in added]
            stands = shares(texts, gold)
            for kind in (page.page_type or "page", "all"):
                placed[kind].append(stands)
                scores[kind].append(row)
    kinds = sorted(placed, key=lambda kind: (kind == "all", -len(placed[kind]), kind))
    where = [[kind, len(placed[kind]), *_mean_shares(placed[kind])] for kind in kinds]
    bounds = [[kind, len(placed[kind]), *np.mean(scores[kind], axis=0)] for kind in kinds]
    heads = [f"with {place}" for place in (*BESIDE, "all four")]
    return (
        tabulate(where, ["pages", "", *PLACES, NOWHERE], floatfmt=".3f"),
        tabulate(bounds, ["pages", "", cleaner, *heads], floatfmt=".4f"),
    )


def _mean_shares(counts: Sequence[Mapping[str, int]]) -> list[float]:
    """The mean over pages of the share of the gold text that each place has."""
    table = np.array([[one.get(place, 0) for place in (*PLACES, NOWHERE)] for one in counts])
    some = table[table.sum(axis=1) > 0]
    means: list[float] = (some / some.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dataset", default="wcxb", help="as `boilersweep judge` has it")
    parser.add_argument("--input", type=Path, required=True, help="the folder of the dataset")
    parser.add_argument("--cleaner", default="learned")
    options = parser.parse_args()
    for table in measure(options.dataset, options.input, options.cleaner):
        print(table, end="\n\n")


if __name__ == "__main__":
    main()
