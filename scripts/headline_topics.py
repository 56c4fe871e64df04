"""Topics whose words are in headlines, with judgements, for pages with gold texts.

    python scripts/headline_topics.py --store STORE --gold FILE --output DIR [--topics N] [--seed N]

The gold file has a JSON object for each page, with its docid as `id` and its gold text as
`contents`, plain or .gz. Gold texts often leave the headline out, so topics that are drawn from
them cannot show whether a cleaner keeps it. Here a page's text is its headline, which is the
heading that has the page's title, and its gold text. A topic is two words in a row of a headline,
drawn at random among those that are both on at least --least pages' texts. Grade 2: the
headline has the two words in a row; 1: the text has both; 0: only the page has both. Writes
topics.txt and qrels.txt.
"""

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from boilersweep.cleaners.parsing import parse_rule
from boilersweep.eval.training.labelled import HEADINGS, headline_of
from boilersweep.pages.columns import BlockColumns, structure_of
from boilersweep.pages.words import letter_runs
from boilersweep.store.store import open_store

LETTERS = 4  # of a word of a topic, at least
READER = parse_rule("ancestor(keep-everything)")  # reads texts and structure

Page = tuple[list[str], set[str]]
"""The words of a page's headline, and those of its blocks."""


def pages_of(columns: BlockColumns) -> Iterator[tuple[str, Page]]:
    """Docid and words of each page."""
    structure = structure_of(columns, "headline_topics")
    codes = [code for code, name in enumerate(structure.name_list) if name in HEADINGS]
    is_heading = np.isin(structure.names, codes)
    within = is_heading[structure.elements] | is_heading[structure.parents[structure.elements]]
    for number, (first, end) in enumerate(pairwise(columns.starts.tolist())):
        texts = columns.texts[first:end]
        row = headline_of(texts, np.flatnonzero(within[first:end]), columns.titles[number])
        headline = [] if row is None else list(letter_runs(texts[row].lower()))
        words = {word for text in texts for word in letter_runs(text.lower())}
        yield columns.docids[number], (headline, words)


def gold_words(path: Path) -> dict[str, set[str]]:
    """Docid -> the words of the gold text."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        records = map(json.loads, lines)
        return {one["id"]: set(letter_runs(one["contents"].lower())) for one in records}


def judgements(
    pages: dict[str, Page], gold: dict[str, set[str]], pair: tuple[str, str]
) -> dict[str, int]:
    """Docid -> grade, of the pages that have both words."""
    found = {}
    for docid, (headline, words) in pages.items():
        both = set(pair)
        if pair in pairwise(headline):
            found[docid] = 2
        elif both <= gold.get(docid, set()) | set(headline):
            found[docid] = 1
        elif both <= words:
            found[docid] = 0
    return found


def drawn(
    pages: dict[str, Page], gold: dict[str, set[str]], topics: int, least: int, seed: int
) -> dict[tuple[str, str], dict[str, int]]:
    """Pairs of words -> judgements with at least so many relevant pages."""
    pairs = {pair for headline, _ in pages.values() for pair in pairwise(headline)}
    candidates = sorted(pair for pair in pairs if min(map(len, pair)) >= LETTERS)
    random.Random(seed).shuffle(candidates)
    found: dict[tuple[str, str], dict[str, int]] = {}
    for pair in candidates:
        if len(found) == topics:
            break
        grades = judgements(pages, gold, pair)
        if sum(grade > 0 for grade in grades.values()) >= least:
            found[pair] = grades
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--topics", type=int, default=100, metavar="N")
    parser.add_argument("--least", type=int, default=10, metavar="N", help="relevant pages (10)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    args = parser.parse_args()
    batches = open_store(args.store).columns_for([READER])
    pages = {docid: page for columns in batches for docid, page in pages_of(columns)}
    found = drawn(pages, gold_words(args.gold), args.topics, args.least, args.seed)
    args.output.mkdir(parents=True, exist_ok=True)
    topics, qrels = [], []
    for number, (pair, grades) in enumerate(found.items(), start=1):
        topics.append(f"<top>\n<num> Number: {number}\n<title> {' '.join(pair)}\n</top>\n")
        qrels += [f"{number} 0 {docid} {grade}\n" for docid, grade in grades.items()]
    (args.output / "topics.txt").write_text("\n".join(topics), encoding="utf-8")
    (args.output / "qrels.txt").write_text("".join(qrels), encoding="utf-8")
    print(f"{len(found)} topics, {len(qrels):,} judgements of {len(pages):,} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
