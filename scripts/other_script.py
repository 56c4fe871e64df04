"""What cleaners keep of English pages whose words are replaced by words of another script.

    python scripts/other_script.py --dataset wcxb --input WCXB --words TEXTS --pages 300

The structure of the pages stays, and so does what stands between words, but for the spaces where
the other script has none: what a cleaner keeps should be what it kept. TEXTS are files or a folder
of *.txt in the other script; words are replaced by theirs, each word always by the same one. The
pages are the English ones of the dataset, so many of them, drawn at random.

Prints for each cleaner F1 and the share kept (as `boilersweep judge` has them) on the pages as they
are and as they became, and for rules on how many of the blocks, weighted with their words, it
decides as before.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import numpy as np
from languages import CLEANERS, judged
from lxml import html as lxml_html
from tabulate import tabulate

from boilersweep.cleaners.rules import Rule
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.judge.datasets.page import Dataset, JudgedPage, text_of
from boilersweep.eval.judge.judge import NamedExtractor, judge, name_of
from boilersweep.pages.columns import columns_of
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.language import language_of
from boilersweep.pages.words import has_unspaced, is_word, tokens

_TOKEN = re.compile(r"(\S+)(\s*)")
_NO_TEXT = frozenset({"script", "style", "noscript"})


def vocabulary(texts: Sequence[str]) -> list[str]:
    """The distinct words of some texts in a script without spaces, sorted."""
    words = {word for text in texts for word in tokens(text) if is_word(word)}
    return sorted(word for word in words if has_unspaced(word))


def translated(text: str, words: Sequence[str]) -> str:
    """A text whose words are replaced, and no longer have spaces between them."""

    def replaced(token: re.Match[str]) -> str:
        if not is_word(token[1]):
            return token[0]
        return words[crc32(token[1].encode()) % len(words)]

    return _TOKEN.sub(replaced, text)


def translated_page(utf8: bytes, words: Sequence[str]) -> tuple[bytes, bytes]:
    """A page as lxml writes it, and the same with its words replaced."""
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml_html.document_fromstring(utf8, parser=parser)
    before = lxml_html.tostring(root, encoding="utf-8")
    for element in root.iter():
        if element.text and isinstance(element.tag, str) and element.tag not in _NO_TEXT:
            element.text = translated(element.text, words)
        if element.tail:
            element.tail = translated(element.tail, words)
    return before, lxml_html.tostring(root, encoding="utf-8")


def english(pages: Sequence[JudgedPage]) -> Iterator[JudgedPage]:
    """The pages with a gold text in English."""
    return (page for page in pages if language_of(page.gold.splitlines()).language == "en")


def decided_alike(
    pairs: Sequence[tuple[bytes, bytes]], rules: Sequence[Rule]
) -> tuple[list[float], int]:
    """Of each rule, the share of words whose block it decides alike in both pages of a pair.

    And the pairs left out, since one has blocks that the other has not.
    """
    segmenter = make_segmenter(structure=True)
    alike, words, left_out = np.zeros(len(rules)), 0, 0
    for pair in pairs:
        one, other = (columns_of(["page"], [segmenter.html(body)]) for body in pair)
        if len(one.words) != len(other.words):
            left_out += 1
            continue
        words += int(one.words.sum())
        for number, rule in enumerate(rules):
            same = rule.mask(one) == rule.mask(other)
            alike[number] += one.words[same].sum()
    shares: list[float] = (alike / max(words, 1)).tolist()
    return shares, left_out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dataset", required=True, help="as `boilersweep judge` has it")
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--words", type=Path, nargs="+", required=True, help="texts, or a folder")
    parser.add_argument("--pages", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cleaners", default=",".join(CLEANERS), help="default: %(default)s")
    options = parser.parse_args()
    files = [
        f for path in options.words for f in (path.rglob("*.txt") if path.is_dir() else [path])
    ]
    words = vocabulary([text_of(file) for file in sorted(files)])
    cleaners = [judged(name) for name in options.cleaners.split(",")]
    pages = list(english(read_dataset(options.dataset, options.input).pages))
    random.Random(options.seed).shuffle(pages)
    chosen = pages[: options.pages]
    with TemporaryDirectory() as folder:
        pairs = [translated_page(page.utf8, words) for page in chosen]
        datasets = []
        for number in (0, 1):
            held = []
            for page, pair in zip(chosen, pairs, strict=True):
                path = Path(folder) / f"{page.name}-{number}.html"
                path.write_bytes(pair[number])
                gold = translated(page.gold, words) if number else page.gold
                held.append(replace(page, path=path, charset="utf-8", gold=gold, annotated=None))
            datasets.append(Dataset(options.dataset, Path(folder), held))
        before, after = (judge(dataset, cleaners).judgements for dataset in datasets)
    rules = [cleaner for cleaner in cleaners if not isinstance(cleaner, NamedExtractor)]
    shares, left_out = decided_alike(pairs, rules)
    alike = dict(zip(map(name_of, rules), shares, strict=True))
    table = []
    for one, other in zip(before, after, strict=True):
        row: list[object] = [f"`{one.cleaner}`"]
        for judgement in (one, other):
            row.append(np.mean([score.bag.f1 for score in judgement.scores]))
            row.append(np.mean([score.bag.recall for score in judgement.scores]))
        row += [other.empty - one.empty, alike.get(one.cleaner)]
        table.append(row)
    heads = ["", "F1", "kept", "F1 after", "kept after", "empty, more", "decided alike"]
    print(f"{len(chosen)} pages, {len(words):,} words of the other script")
    print(tabulate(table, heads, tablefmt="github", floatfmt=".3f"))
    print(f"decided alike: without {left_out} pages, whose blocks are others")


if __name__ == "__main__":
    main()
