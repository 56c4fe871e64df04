"""How far people agree about the classes of blocks, weighted by words."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from boilersweep.eval.annotate.annotations import Annotations
from boilersweep.eval.judge.datasets.judged_page import CLASSES
from boilersweep.eval.people.agreement import cohen_kappa
from boilersweep.eval.people.assessors import ADJUDICATOR
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import text_table


@dataclass(frozen=True, slots=True)
class Pair:
    """Two people on the pages that both marked whole.

    Attributes:
        names: Their names.
        pages: How many pages both marked.
        first: (m,) The classes that one person gave the blocks of these pages.
        second: (m,) Those of the other one.
        words: (m,) The blocks' words.
    """

    names: tuple[str, str]
    pages: int
    first: Sequence[int]
    second: Sequence[int]
    words: Sequence[int]

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa over all classes; None if it is undefined."""
        return cohen_kappa(self.first, self.second, self.words)

    def kappa_of(self, number: int) -> float | None:
        """Return Cohen's kappa of one class against all others; None if it is undefined."""
        ours, theirs = (
            [label == number for label in c] for c in (self.first, self.second)
        )
        return cohen_kappa(ours, theirs, self.words)


def pairs_of(annotations: Annotations) -> Iterator[Pair]:
    """Yield the pairs of people who marked the same pages; the adjudicator saw others' marks."""
    marked, documents = annotations.marked, annotations.pages.documents
    names = [name for name in annotations.records["people"] if name != ADJUDICATOR]
    for a, b in itertools.combinations(names, 2):
        both = [docid for docid, sheets in marked.items() if {a, b} <= {*sheets}]
        if both:
            first, second = (
                [number for docid in both for number in marked[docid][name].classes]
                for name in (a, b)
            )
            words = [count for docid in both for count in documents[docid].words]
            yield Pair((a, b), len(both), first, second, words)


def agreement_table(annotations: Annotations) -> str:
    """Return a row for each pair of people: kappa by class, weighted by words; "" without one."""
    rows = []
    for pair in pairs_of(annotations):
        kappas = [pair.kappa, *map(pair.kappa_of, range(len(CLASSES)))]
        cells = [figure(kappa, ".2f") if kappa is not None else "-" for kappa in kappas]
        who = " and ".join(pair.names)
        rows.append([who, f"{pair.pages:,}", f"{sum(pair.words):,}", *cells])
    heads = ["Cohen's kappa", "pages", "words", "all", *CLASSES]
    return text_table(rows, heads) if rows else ""
