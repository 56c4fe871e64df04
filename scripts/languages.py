"""What cleaners keep of pages in many languages, beside what they keep of English ones.

    python scripts/languages.py PAGES --output OUT

PAGES has a folder for each language and in it one for each source, `PAGES/th/blogs/NAME.html` (or
`.htm`, with or without `.gz`), with the gold text beside each page as `NAME.txt`; en is English.
Where a page has no gold text, what readability makes of it stands in for one, or what trafilatura
makes of it where that has fewer than 50 words; rows of such pages are marked with *.

OUT gets languages.csv, one row per language, source and cleaner, and languages.md, which has a row
for each language and source, and one for each language with all of its sources. Share kept, F1 and
words are those of `boilersweep judge`. A share is divided by the one of the English pages of the
same source; over all sources by their mean, weighted with the pages.
"""

import argparse
import csv
import gc
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import compress
from pathlib import Path

import numpy as np
from tabulate import tabulate

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.registry import find_text_cleaner
from boilersweep.cleaners.selection import PageText, leaving_text
from boilersweep.errors import BoilersweepError
from boilersweep.eval.bootstrap import bootstrap_intervals
from boilersweep.eval.judge.datasets.page import (
    PAGE_SUFFIXES,
    Dataset,
    JudgedPage,
    named_pages,
    text_of,
)
from boilersweep.eval.judge.judge import Judged, judge
from boilersweep.extractors.registry import find_extractor
from boilersweep.outputs.files import write_text
from boilersweep.pages.words import count_words

CLEANERS = (
    "words>=1",
    "words>=11",
    "numwords-rules",
    "density-rules",
    "bte",
    "learned",
    "trafilatura",
    "resiliparse",
    "readability",
)
STAND_INS = ("readability", "trafilatura")
ENGLISH = "en"
ALL = "all"
LEAST_WORDS = 50
"""Of a stand-in for a gold text; with fewer a page may have no article."""


@dataclass(frozen=True, slots=True)
class Row:
    """A cleaner on the pages of a source in a language.

    standing_in: of how many pages another's reading is the gold text. kept, f1: means over pages,
    with the bounds of their 95 % intervals. like_english: kept over what it is on English pages;
    None where there are none of that source. empty: pages of which no word was left.
    """

    language: str
    source: str
    cleaner: str
    pages: int
    standing_in: int
    kept: float
    kept_low: float
    kept_high: float
    f1: float
    f1_low: float
    f1_high: float
    like_english: float | None
    empty: int


@dataclass(frozen=True, slots=True)
class Group:
    """The pages of a source in a language. standing_in: names of pages without a gold text."""

    language: str
    source: str
    pages: list[JudgedPage]
    standing_in: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scores:
    """(n, k) of n pages by k cleaners. empty: whether no word was left."""

    kept: np.ndarray
    f1: np.ndarray
    empty: np.ndarray

    @staticmethod
    def together(scores: Sequence["Scores"]) -> "Scores":
        return Scores(
            *(np.concatenate([getattr(one, f.name) for one in scores]) for f in fields(Scores))
        )


def read_groups(root: Path) -> tuple[list[Group], int]:
    """The pages, and how many were left out since nothing can stand in for their gold text."""
    groups: list[Group] = []
    left_out = 0
    readers = [find_extractor(name) for name in STAND_INS]
    for folder in sorted(path for path in root.glob("*/*") if path.is_dir()):
        pages: list[JudgedPage] = []
        standing_in: set[str] = set()
        for name, path in named_pages(folder, []).items():
            page = JudgedPage(name, path, None, "", name)
            gold = folder / f"{name}.txt"
            if gold.exists():
                pages.append(replace(page, gold=text_of(gold)))
                continue
            html = page.utf8.decode("utf-8", "replace")
            texts = (reader.text(html) for reader in readers)
            text = next((text for text in texts if count_words(text) >= LEAST_WORDS), "")
            if text:
                pages.append(replace(page, gold=text))
                standing_in.add(name)
            left_out += not text
        if pages:
            groups.append(Group(folder.parent.name, folder.name, pages, frozenset(standing_in)))
    return groups, left_out


def judged(name: str) -> Judged:
    """A cleaner by its name."""
    one = leaving_text(parse_cleaner(name), "judge")
    return find_text_cleaner(one.name) if isinstance(one, PageText) else one


def scores_of(group: Group, cleaners: Sequence[Judged]) -> Scores:
    """The scores of cleaners on a group."""
    found = judge(Dataset("folder", Path(), group.pages), cleaners).judgements
    by_cleaner = [one.scores for one in found]
    return Scores(
        np.array([[score.bag.recall for score in one] for one in by_cleaner]).T,
        np.array([[score.bag.f1 for score in one] for one in by_cleaner]).T,
        np.array([[score.empty for score in one] for one in by_cleaner]).T,
    )


def rows_of(groups: Sequence[Group], scores: Sequence[Scores], names: Sequence[str]) -> list[Row]:
    """A row for each group and cleaner, then for each language over its sources."""
    english = {
        group.source: one.kept.mean(axis=0)
        for group, one in zip(groups, scores, strict=True)
        if group.language == ENGLISH
    }
    rows: list[Row] = []
    for language in dict.fromkeys(group.language for group in groups):
        chosen = [group.language == language for group in groups]
        here, found = list(compress(groups, chosen)), list(compress(scores, chosen))
        for group, one in zip(here, found, strict=True):
            rows += _rows([group], one, names, english, group.source)
        if len(here) > 1:
            rows += _rows(here, Scores.together(found), names, english, ALL)
    return rows


def _rows(
    groups: Sequence[Group],
    scores: Scores,
    names: Sequence[str],
    english: dict[str, np.ndarray],
    source: str,
) -> list[Row]:
    intervals = bootstrap_intervals(np.hstack([scores.kept, scores.f1])).tolist()
    expected = None
    if all(group.source in english for group in groups):
        weights = [len(group.pages) for group in groups]
        expected = np.average([english[group.source] for group in groups], axis=0, weights=weights)
    rows = []
    for n, name in enumerate(names):
        kept_low, kept_high = intervals[n]
        f1_low, f1_high = intervals[len(names) + n]
        kept = float(scores.kept[:, n].mean())
        rows.append(
            Row(
                language=groups[0].language,
                source=source,
                cleaner=name,
                pages=len(scores.kept),
                standing_in=sum(len(group.standing_in) for group in groups),
                kept=kept,
                kept_low=kept_low,
                kept_high=kept_high,
                f1=float(scores.f1[:, n].mean()),
                f1_low=f1_low,
                f1_high=f1_high,
                like_english=None if expected is None else float(kept / expected[n]),
                empty=int(scores.empty[:, n].sum()),
            )
        )
    return rows


def table_of(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Markdown: F1 and in brackets the share kept; pages left empty behind it, if any."""
    lines: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        pages = f"{row.pages:,}" + ("\\*" if row.standing_in else "")
        line = lines.setdefault((row.language, row.source), [row.language, row.source, pages])
        empty = f", {row.empty} empty" if row.empty else ""
        line.append(f"{_short(row.f1)} ({_short(row.kept)}{empty})")
    headers = ["", "source", "pages", *(f"`{name}`" for name in names)]
    return tabulate(list(lines.values()), headers, tablefmt="github")


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def failures(rows: Sequence[Row], cleaner: str) -> list[str]:
    """Where a cleaner keeps less than .6 or more than 1.1 of what it keeps of English, or nothing.

    With fewer than five pages a source says too little of its own.
    """
    found = []
    for row in rows:
        if row.cleaner != cleaner or row.language == ENGLISH:
            continue
        where = f"{row.language}, {row.source}, {row.pages} pages"
        like = row.like_english
        if like is not None and row.pages >= 5 and not 0.6 <= like <= 1.1:
            found.append(f"{where}: keeps {like:.2f} times as much as of English")
        if row.empty and row.source != ALL:
            found.append(f"{where}: {row.empty} left empty")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", type=Path, help="PAGES/LANGUAGE/SOURCE/NAME.html and NAME.txt")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--cleaners", default=",".join(CLEANERS), help="default: %(default)s")
    options = parser.parse_args()
    names = options.cleaners.split(",")
    try:
        cleaners = [judged(name) for name in names]
        groups, left_out = read_groups(options.pages)
    except BoilersweepError as error:
        raise SystemExit(str(error)) from error
    if not groups:
        raise SystemExit(f"{options.pages}: expected LANGUAGE/SOURCE/NAME{PAGE_SUFFIXES[0]}")
    scores = []
    for group in groups:
        scores.append(scores_of(group, cleaners))
        gc.collect()
    rows = rows_of(groups, scores, names)
    options.output.mkdir(parents=True, exist_ok=True)
    with (options.output / "languages.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows([getattr(row, field.name) for field in fields(Row)] for row in rows)
    table = table_of(rows, names)
    write_text(options.output / "languages.md", table + "\n")
    print(table)
    print(f"{sum(len(group.pages) for group in groups):,} pages; {left_out} left out")
    for name in names:
        for line in failures(rows, name):
            print(f"{name}: {line}")


if __name__ == "__main__":
    main()
