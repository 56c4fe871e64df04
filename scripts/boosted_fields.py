"""P@10 and nDCG@10 of BM25 over the fields of one index, for several boosts.

    python scripts/boosted_fields.py --store STORE --topics FILE --qrels FILE --output DIR

Builds the index of what --keep keeps, with title, headline and comments as fields, and searches it
with each of BOOSTS. p: paired randomisation against the contents alone, corrected by Holm.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from tabulate import tabulate

from boilersweep.eval.scoring import parse_measures, score
from boilersweep.eval.search import search_index
from boilersweep.eval.significance import holm, paired_randomisation
from boilersweep.indexer import build_index
from boilersweep.indexer.layout import SEARCHABLE, IndexLayout
from boilersweep.store.store import open_store
from boilersweep.topics import FIELDS, read_qrels, read_topics

BOOSTS: tuple[dict[str, float], ...] = (
    {},
    *({"headline": boost} for boost in (0.1, 0.2, 0.5, 1.0, 2.0)),
    *({"title": boost} for boost in (0.1, 0.2, 0.5, 1.0)),
    *({"comments": boost} for boost in (0.1, 0.2, 0.5, 1.0)),
    {"headline": 0.2, "comments": 0.2},
    {"title": 0.2, "comments": 0.2},
)
"""Boosts of the fields that are searched with the contents, whose boost is 1."""

MEASURES = ("P@10", "nDCG@10")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--topics", type=Path, required=True, metavar="FILE")
    parser.add_argument("--qrels", type=Path, required=True, metavar="FILE")
    parser.add_argument("--keep", default="learned", metavar="CLEANER")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    args = parser.parse_args()
    build_index(
        open_store(args.store), args.keep, args.output, layout=IndexLayout(fields=SEARCHABLE)
    )
    queries = {topic.id: topic.text(FIELDS[:1]) for topic in read_topics(args.topics)}
    grades = {topic: judged for topic, judged in read_qrels(args.qrels).grades.items() if judged}
    measures = parse_measures(MEASURES)
    found = []
    for boosts in BOOSTS:
        fields = {"contents": 1.0, **boosts} if boosts else None
        scores = score(search_index(args.output, queries, fields=fields), grades, measures)
        found.append([np.array([scores.by_topic[t][m] for t in grades]) for m in MEASURES])
    rows = [[" ".join(f"{f}={b:g}" for f, b in boosts.items()) or "contents"] for boosts in BOOSTS]
    for number in range(len(MEASURES)):
        values = [one[number] for one in found]
        ps = holm([paired_randomisation(one, values[0]) for one in values[1:]])
        for row, one, p in zip(rows, values, ["", *(f"{p:.3f}" for p in ps)], strict=True):
            row += [f"{one.mean():.3f}", p]
    print(tabulate(rows, ["searched", *(h for m in MEASURES for h in (m, "p"))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
