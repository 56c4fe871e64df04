"""The data behind the figures, as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.report.selection import StudyDocument

_VARIANT_HEADS = (
    "cleaner role feature threshold measure mean low high difference difference_low "
    "difference_high p_t_holm p_randomisation_holm wins ties losses gap_closed documents empty "
    "relevant_empty terms_lost tokens tokens_kept index_bytes index_measured"
).split()


def variants_csv(study: StudyDocument, places: Iterable[int], measures: Sequence[str]) -> str:
    """One row per variant and measure."""
    lines = [
        _variant_line(study["variants"][place], measure) for place in places for measure in measures
    ]
    return _csv(_VARIANT_HEADS, lines)


def _variant_line(variant: dict[str, Any], measure: str) -> list[Any]:
    result = variant["results"][measure]
    difference = result["difference"] or {}
    tests = difference.get("tests") or {}
    losses = variant["losses"] or {}
    return [
        *(variant[key] for key in "cleaner role feature threshold".split()),
        *(measure, result["mean"], *_bounds(result["interval"])),
        *(difference.get("mean"), *_bounds(difference.get("interval"))),
        *(tests.get("t_holm"), tests.get("randomisation_holm")),
        *(difference.get(key) for key in "wins ties losses".split()),
        *(result["closed"], variant["documents"], variant["empty"]),
        *(losses.get("relevant_empty"), losses.get("terms_lost")),
        *(variant["tokens"], variant["tokens_kept"]),
        *(variant["index"]["bytes"], variant["index"]["measured"]),
    ]


def _bounds(interval: Sequence[float] | None) -> Sequence[float | None]:
    return interval or (None, None)


def topics_csv(study: StudyDocument, places: Iterable[int]) -> str:
    """One row per topic, variant and tested measure."""
    variants = study["variants"]
    lines = [
        [topic["id"], variants[place]["cleaner"], measure, score, kept, round(score - kept, 6)]
        for place in places
        for measure in study["measures"]["tested"]
        for topic, score, kept in zip(
            study["topics"],
            variants[place]["scores"][measure],
            variants[0]["scores"][measure],
            strict=True,
        )
    ]
    return _csv("topic cleaner measure score baseline difference".split(), lines)


def mixture_csv(study: StudyDocument) -> str:
    """A row a number of words: the shares of the blocks that have it, and as the mixture says."""
    suggestion = study["suggestion"]
    shares = zip(suggestion["observed"], suggestion["short"], suggestion["long"], strict=True)
    lines = [[words, *row] for words, row in enumerate(shares, start=1)]
    return _csv("words observed short long".split(), lines)


def runs_csv(paper: PaperComparison) -> str:
    """One row per run, the best first."""
    lines = [
        [rank, run.name, "ours" if run.ours else "TREC 2006", run.p10]
        for rank, run in enumerate(paper.ranked(), start=1)
    ]
    return _csv("rank run source P@10".split(), lines)


def _csv(heads: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(lines)
    return stream.getvalue()
