"""Simulate people who audit a program's judgements until a claim about these queries is certain.

    python scripts/simulate_audits.py --runs FOLDER --qrels QRELS --cleaners A,B,... \
        [--store STORE --topics TOPICS] [--seeds 400] [--nulls 1000]

FOLDER contains TREC runs, such as those that `boilersweep compare` writes to OUT/runs. For every
cleaner against the first, and for people alone and several programs, it prints: how often the
program was right; the judgements for a certain answer (median); how often there was an answer, and
the wrong one; false claims where the sides of the documents are shuffled, and where grades
are changed until both sides are level; and how often the interval at the end contained the
difference.

With --store and --topics there are also programs whose errors are spread as those of real ones: per
site, by length, and a program that judges the passage around the query's words, not the page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from simulate_judgements import read_runs, run_parser

from boilersweep import open_store, parse_cleaner
from boilersweep.cleaners.stored import columns_for
from boilersweep.eval.assess.audit import AuditedFamily, Population, bet, least_and_most
from boilersweep.eval.serve.judging import query_words, snippet
from boilersweep.eval.stats.families import ALPHA, parse_summed_measure
from boilersweep.pages.columns import BoolArray, FloatArray
from boilersweep.topics import read_qrels, read_topics

_TIE = 1e-9


def main() -> None:
    parser = run_parser(__doc__)
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--nulls", type=int, default=1000)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--topics")
    args = parser.parse_args()
    grades = read_qrels(args.qrels).grades
    names = args.cleaners.split(",")
    runs = read_runs(args.runs, names)
    pages = read_pages(args.store) if args.store else {}
    queries = {one.id: one.title for one in read_topics(args.topics)} if pages else {}
    for name in names[1:]:
        pair = {one: runs[one] for one in (names[0], name)}
        family = AuditedFamily(pair, sorted(grades), parse_summed_measure(args.measure))
        of = documents_of(family, grades, pages, queries)
        print(
            f"{name}: {of.total / len(grades):+.3f}, {len(of.ids)} documents decide on "
            f"{len(grades)} topics"
        )
        print(
            f"{'':28}{'right':>6}{'judged':>8}{'answer':>8}{'wrong':>8}{'shuffled':>10}"
            f"{'level':>8}{'covers':>8}"
        )
        for title, program in (PROGRAMS | (WITH_PAGES if pages else {})).items():
            print(
                f"  {title:26}{row_of(of, program, args.seeds, args.nulls)}", flush=True
            )


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """What decides a pair.

    Attributes:
        ids: Topic and docid of each document.
        weights: What a relevant document adds to the difference.
        relevant: 1 for relevant documents.
        facts: Site, words and text of each document, with its query.
    """

    ids: list[tuple[str, str]]
    weights: FloatArray
    relevant: FloatArray
    facts: list[tuple[str, int, str, str]]

    @property
    def total(self) -> float:
        """The difference of the sums of scores."""
        return float(self.weights @ self.relevant)


# Draws a program's grades, 1 for relevant.
Program = Callable[[Documents, np.random.Generator], FloatArray]


def wrong_at_random(share: float) -> Program:
    """Return a program that is wrong in a share of the documents."""
    return lambda of, chance: flip(of.relevant, chance.random(len(of.ids)) < share)


def wrong_by(share: float, key: Callable[[Documents, int], object]) -> Program:
    """Return a program that is wrong about a share of all groups of documents, and all in each."""

    def judge(of: Documents, chance: np.random.Generator) -> FloatArray:
        keys = [key(of, number) for number in range(len(of.ids))]
        lots = {one: chance.random() < share for one in dict.fromkeys(keys)}
        return flip(of.relevant, np.array([lots[one] for one in keys]))

    return judge


def wrong_by_length(share: float) -> Program:
    """Return a program that is wrong more often the longer the document is."""

    def judge(of: Documents, chance: np.random.Generator) -> FloatArray:
        ranks = np.argsort(np.argsort([words for _, words, _, _ in of.facts]))
        rates = 2 * share * (ranks + 0.5) / len(ranks)
        return flip(of.relevant, chance.random(len(of.ids)) < rates)

    return judge


def accept_too_much(of: Documents, chance: np.random.Generator) -> FloatArray:
    """Judge 98 % of the relevant documents rightly, and accept 40 % of the others."""
    rates = np.where(of.relevant > 0, 0.98, 0.4)
    return (chance.random(len(of.ids)) < rates).astype(float)


def read_snippets(of: Documents, _: np.random.Generator) -> FloatArray:
    """Accept documents whose passage with most words of the query has all of them."""
    return np.array([accepts_snippet(text, query) for *_, text, query in of.facts])


@lru_cache(maxsize=10_000)
def accepts_snippet(text: str, query: str) -> float:
    words = query_words(query)
    pieces = snippet(text.split("\n"), words)
    seen = query_words(" ".join(piece for piece, is_match in pieces if is_match))
    return float(words <= seen)


def flip(gains: FloatArray, wrong: BoolArray) -> FloatArray:
    return np.where(wrong, 1 - gains, gains)


PROGRAMS: dict[str, Program | None] = {
    "people alone": None,
    **{
        f"right in {100 - 100 * e:.0f} %": wrong_at_random(e)
        for e in (0.3, 0.2, 0.1, 0.05)
    },
    "accepts 40 % too much": accept_too_much,
    "wrong about 20 % of topics": wrong_by(0.2, lambda of, n: of.ids[n][0]),
}
WITH_PAGES: dict[str, Program | None] = {
    "wrong about 20 % of sites": wrong_by(0.2, lambda of, n: of.facts[n][0]),
    "wrong in 20 %, by length": wrong_by_length(0.2),
    "reads the snippet": read_snippets,
}


def read_pages(path: Path) -> dict[str, tuple[str, int, str]]:
    """Map the docids of a block store to site, number of words and text."""
    store, pages = open_store(path), {}
    addresses = iter(store.fields(("url",)))
    for columns in columns_for(store, [parse_cleaner("learned")]):
        for number, docid in enumerate(columns.docids):
            start, end = columns.starts[number], columns.starts[number + 1]
            [url] = next(addresses)
            words = int(columns.words[start:end].sum())
            text = "\n".join(columns.texts[start:end])
            pages[docid] = (urlsplit(url or "").netloc, words, text)
    return pages


def documents_of(
    family: AuditedFamily,
    grades: dict[str, dict[str, int]],
    pages: dict[str, tuple[str, int, str]],
    queries: dict[str, str],
) -> Documents:
    """Return the documents that decide the one pair of a family."""
    [pair] = family.pairs
    ids = family.documents(pair)
    gain, weights = family.measure.gain, family.weights[pair]
    return Documents(
        ids,
        np.array([weights[topic][docid] for topic, docid in ids]),
        np.array([gain(grades[topic].get(docid, 0)) for topic, docid in ids]),
        [
            (*pages.get(docid, ("", 0, "")), queries.get(topic, ""))
            for topic, docid in ids
        ],
    )


def row_of(of: Documents, program: Program | None, seeds: int, nulls: int) -> str:
    """Return the figures of a program."""
    audits = [audit(of, program, np.random.default_rng(seed)) for seed in range(seeds)]
    false = []
    for change in (shuffled, level):
        signs = []
        for seed in range(nulls):
            chance = np.random.default_rng(seed)
            changed = change(of, chance)
            sign = audit(changed, program, chance, cover=False).sign
            signs.append(sign != 0 and sign * changed.total < _TIE)
        false.append(np.mean(signs))
    right = np.mean([one.right for one in audits])
    return (
        f"{'' if program is None else f'{right:.0%}':>6}"
        f"{np.median([one.judged for one in audits]):8.0f}"
        f"{np.mean([one.sign != 0 for one in audits]):8.0%}"
        f"{np.mean([one.sign * of.total < 0 for one in audits]):8.1%}"
        f"{false[0]:10.1%}{false[1]:8.1%}"
        f"{np.mean([one.is_covered for one in audits]):8.1%}"
    )


@dataclass(frozen=True, slots=True)
class Audit:
    """An audit that stopped at a certain answer, or when all was judged.

    Attributes:
        judged: How many documents people judged.
        sign: The sign of the difference that became certain; 0 for none.
        right: How often the program was right.
        is_covered: Whether the interval at the end contained the difference.
    """

    judged: int
    sign: int
    right: float
    is_covered: bool


def audit(
    of: Documents,
    program: Program | None,
    chance: np.random.Generator,
    *,
    cover: bool = True,
) -> Audit:
    """Judge documents in a random order until the sign is certain."""
    grades = program(of, chance) if program else np.zeros(len(of.ids))
    order = chance.permutation(len(of.ids))
    classes = (2 * grades + (of.weights > 0)).astype(int)[order]
    prior = np.repeat([0.15, 0.85] if program else [0.5], 2)
    population = Population(of.weights[order], classes, prior, 1.0)
    gains = of.relevant[order]
    wealth = bet(population, gains[:, None], gains[:, None], np.zeros(1))
    line = np.log(2 / ALPHA)
    reached = np.flatnonzero(np.maximum(wealth.larger, wealth.smaller)[:, 0] >= line)
    judged = int(reached[0]) if len(reached) else len(order)
    sign = int(np.sign(wealth.larger[judged, 0] - wealth.smaller[judged, 0]))
    is_covered = True
    if cover:
        seen = gains[:judged]
        low, high = least_and_most(population, seen, seen, ALPHA)
        is_covered = low - _TIE <= of.total <= high + _TIE
    right = float((grades == of.relevant).mean())
    return Audit(judged, sign if len(reached) else 0, right, is_covered)


def shuffled(of: Documents, chance: np.random.Generator) -> Documents:
    """Have chance say which cleaner found which document."""
    return replace(of, weights=chance.permutation(of.weights))


def level(of: Documents, chance: np.random.Generator) -> Documents:
    """Change the grades of random documents of the better side until both sides are level."""
    relevant = of.relevant.copy()
    total = of.weights @ relevant
    for number in chance.permutation(len(relevant)):
        change = of.weights[number] * (1 - 2 * relevant[number])
        if total * change < 0 and abs(total + change) < abs(total) + 1e-9:
            relevant[number], total = 1 - relevant[number], total + change
    return replace(of, relevant=relevant)


if __name__ == "__main__":
    main()
